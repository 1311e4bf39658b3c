"""Which items of a sample a run is about: all, or a part of each task that the seed chooses."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterator
from pathlib import Path

from themisto_lab.benchmark.novelty import novelty
from themisto_lab.benchmark.results import ItemRow
from themisto_lab.benchmark.sample_file import SampleItem, read_sample
from themisto_lab.scoring.resolve import target_text
from themisto_lab.types import TaskKind, Trajectory


def chosen_items(
    path: Path, limit: int | None, seed: int, on_item: Callable[[], None] = lambda: None
) -> Iterator[ItemRow]:
    """Yield what a run keeps of its items, in the order of the sample.

    Parameters
    ----------
    path
        The sample file. It is read twice where there is a limit, so that only as many ids as the limit are held.
    limit
        Items of each task: those with the smallest hashes of seed and id, so that a larger limit holds a smaller one.
    seed
        Another seed chooses others.
    on_item
        Called for each item that was read; it may raise to end the reading.
    """
    ids = None if limit is None else _smallest(path, limit, seed, on_item)
    for place, (item, trajectory) in enumerate(read_sample(path)):
        on_item()
        if ids is None or item.id in ids:
            yield item_row(item, trajectory, place)


def item_row(item: SampleItem, trajectory: Trajectory, place: int) -> ItemRow:
    """Return what a run keeps of an item. Its target is trimmed by the same rule as live."""
    target = target_text(item.task, trajectory.steps[item.target_index])
    return ItemRow(
        item_id=item.id,
        place=place,
        task=item.task.value,
        trajectory_id=item.trajectory_id,
        target_index=item.target_index,
        code=item.code(trajectory),
        target=target,
        novelty=novelty(item.history(trajectory), target) if item.task is TaskKind.NEXT_CELL else "",
    )


def _smallest(path: Path, limit: int, seed: int, on_item: Callable[[], None]) -> set[str]:
    heaps: dict[TaskKind, list[tuple[int, str]]] = {}
    for item, _ in read_sample(path):
        on_item()
        # A heap of the negated hashes: its first entry is the largest hash that is kept.
        order = -int.from_bytes(hashlib.sha256(f"{seed}:{item.id}".encode()).digest())
        heap = heaps.setdefault(item.task, [])
        if len(heap) < limit:
            heapq.heappush(heap, (order, item.id))
        else:
            heapq.heappushpop(heap, (order, item.id))
    return {item_id for heap in heaps.values() for _, item_id in heap}
