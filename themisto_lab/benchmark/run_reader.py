"""Reads finished or unfinished runs for reports and for a look at one item."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from themisto_lab.benchmark.manifest import Manifest, read_manifest, results_place
from themisto_lab.benchmark.results import AnswerRow, ItemRow, Reply, Results
from themisto_lab.errors import BadInputError, NotFoundError
from themisto_lab.predict.known_output import KNOWN_OUTPUT, UNKNOWN
from themisto_lab.report.known_first import add_known_first
from themisto_lab.report.tables import Contestant, Item, Outcome, Table
from themisto_lab.types import TaskKind


def open_results(folder: Path, manifest: Manifest) -> Results:
    """Open a run's results to read them.

    Raises
    ------
    BadInputError
        They are not there.
    StoreError
        They can't be read.
    """
    place = results_place(folder, manifest)
    if isinstance(place, Path) and not place.is_file():
        raise BadInputError(f"{folder} holds no results; run its 'bench' command again.")
    return Results(place, manifest.run_id, write=False)


def read_runs(folders: Sequence[Path]) -> tuple[list[Manifest], Table, list[str]]:
    """Return the runs' manifests, their scored answers together, and notes on what a reader should know.

    Where two runs hold the same answer, that of the run named later counts.

    Raises
    ------
    BadInputError
        A folder holds no run, or two runs are about different samples.
    """
    manifests = [read_manifest(folder) for folder in folders]
    for folder, manifest in zip(folders, manifests, strict=True):
        if manifest.sample_sha256 != manifests[0].sample_sha256:
            raise BadInputError(
                f"{folders[0]} and {folder} are about different samples ({manifests[0].sample_sha256[:12]} and "
                f"{manifest.sample_sha256[:12]}); report them apart."
            )
    table, notes = Table(), _differences(manifests)
    for folder, manifest in zip(folders, manifests, strict=True):
        with open_results(folder, manifest) as results:
            _read(results, table)
    notes += _gaps(table)
    add_known_first(table, KNOWN_OUTPUT, UNKNOWN)
    return manifests, table, notes


def read_item(folder: Path, item_id: str) -> tuple[ItemRow, list[tuple[AnswerRow, Reply | None]]]:
    """Return one item of a run with all answers to it.

    Raises
    ------
    NotFoundError
        The run holds no such item.
    """
    with open_results(folder, read_manifest(folder)) as results:
        item = results.item(item_id)
        if item is None:
            some = next(results.items(), None)
            example = f"; one that it holds is {some.item_id}" if some else ""
            raise NotFoundError(f"{folder} holds no item {item_id}{example}.")
        return item, list(results.answers(item_id))


def _read(results: Results, table: Table) -> None:
    for item in results.items():
        table.items[item.item_id] = Item(item.item_id, TaskKind(item.task), item.trajectory_id, item.novelty)
    for answer, reply in results.answers():
        who = Contestant(answer.model, answer.prompt, answer.arm or None)
        outcome = Outcome(
            answer.scores.get("post", {}),
            answer.scores.get("raw", {}),
            reply.probability if reply else None,
            reply.source if reply else "",
        )
        table.outcomes.setdefault(who, {})[answer.item_id] = outcome


def _differences(manifests: Sequence[Manifest]) -> list[str]:
    names = ("prompt_version", "metrics", "context_tokens", "answer_tokens", "packages", "python", "machine")
    differing = [name for name in names if any(getattr(one, name) != getattr(manifests[0], name) for one in manifests)]
    return [f"The runs differ in: {name.replace('_', ' ')}." for name in differing]


def _gaps(table: Table) -> list[str]:
    notes = []
    for task in TaskKind:
        numbers = {who: sum(table.items[id_].task is task for id_ in table.outcomes[who]) for who in table.outcomes}
        asked = {who: number for who, number in numbers.items() if number}
        if len(set(asked.values())) > 1:
            notes.append(
                f"{task.value}: not all were asked about the same items (from {min(asked.values())} to "
                f"{max(asked.values())}); --common keeps the items that all share."
            )
        total = sum(item.task is task for item in table.items.values())
        if asked and max(asked.values()) < total:
            notes.append(f"{task.value}: the run is not finished; {max(asked.values())} of {total} items are answered.")
    return notes
