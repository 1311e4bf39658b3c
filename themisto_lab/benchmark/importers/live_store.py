"""The record that the live extension made: one trajectory a kernel life, as it was captured."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

from themisto_lab.benchmark.importers.registry import count
from themisto_lab.benchmark.importers.source import ImportReport
from themisto_lab.errors import BadInputError
from themisto_lab.store.location import default_store_path, locate
from themisto_lab.store.store import Store
from themisto_lab.types import Step, Trajectory

_log = logging.getLogger(__name__)


def import_live(
    path_or_url: str | Path | None, report: ImportReport, task_description: str = ""
) -> Iterator[Trajectory]:
    """Yield the store's trajectories, oldest first, one at a time.

    Parameters
    ----------
    path_or_url
        Where the store is; None for where the extension keeps it.
    report
        Counts what is left out: steps whose texts the store's size limit took, and lives without a step.
    task_description
        Takes the place of each notebook's own description where it is not empty.

    Raises
    ------
    BadInputError
        There is no store.
    StoreError
        It can't be opened.
    """
    location = locate(path_or_url or default_store_path())
    # Opening would make an empty one.
    if location.in_memory or (location.path is not None and not location.path.is_file()):
        raise BadInputError(f"There is no record at {location.label}; name another one with --store.")
    report.kinds["live"] += 1
    with asyncio.Runner() as runner:
        store = Store.open(path_or_url or default_store_path(), _log, recover=False)
        try:
            for head in runner.run(store.list_trajectories()):
                trajectory = runner.run(store.get_trajectory(head.id))
                steps = _with_code(trajectory.steps if trajectory is not None else (), report)
                if not steps:
                    report.skipped["kernel life without a step"] += 1
                    continue
                yield count(head.model_copy(update={"steps": steps}), report, task_description)
        finally:
            runner.run(store.close())


def _with_code(steps: tuple[Step, ...], report: ImportReport) -> tuple[Step, ...]:
    """Leave out steps that hold no code any more and number the rest anew."""
    kept = [step for step in steps if step.code.strip()]
    if missing := len(steps) - len(kept):
        report.skipped["step without code"] += missing
    return tuple(
        step if step.index == index else step.model_copy(update={"index": index}) for index, step in enumerate(kept)
    )
