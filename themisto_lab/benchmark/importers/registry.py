"""Which importer a source needs, and the import itself. A new kind is one file here and one line below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from themisto_lab.benchmark.importers import cruxeval, ipython_history, june, notebook, verdant
from themisto_lab.benchmark.importers.redaction import redact_trajectory
from themisto_lab.benchmark.importers.source import Importer, ImportReport, Source
from themisto_lab.errors import BadInputError
from themisto_lab.types import Trajectory

IMPORTERS: tuple[Importer, ...] = (
    notebook.IMPORTER,
    verdant.IMPORTER,
    ipython_history.IMPORTER,
    june.IMPORTER,
    cruxeval.IMPORTER,
)


def find_importer(source: Source) -> Importer:
    """Return the importer that knows the source's content.

    Raises
    ------
    BadInputError
        No importer knows it, or the file is empty, cut off or corrupt.
    """
    if "steps" in source.first_object:
        raise BadInputError(f"{source.path} is a trajectory file already; use it as it is.")
    if {"trajectories", "steps", "predictions"} <= source.tables.keys():
        raise BadInputError(f"{source.path} is this product's own record; read it with --live --store {source.path}.")
    for importer in IMPORTERS:
        if importer.detects(source):
            return importer
    known = "; ".join(importer.title for importer in IMPORTERS)
    raise BadInputError(f"{source.path} is of no known kind. Known are: {known}.")


def import_sources(paths: Sequence[Path], report: ImportReport, task_description: str = "") -> Iterator[Trajectory]:
    """Yield the trajectories of all sources, one at a time, and count in the report what was done.

    With several sources, one that can't be read is left out with a warning; a single one is an error.

    Raises
    ------
    BadInputError
        The only source can't be read.
    """
    seen: set[str] = set()
    for path in paths:
        try:
            for trajectory in _import_one(Source(path), report):
                if trajectory.id in seen:
                    report.skipped["trajectory that came twice"] += 1
                    continue
                seen.add(trajectory.id)
                yield count(trajectory, report, task_description)
        except BadInputError as error:
            if len(paths) == 1:
                raise
            report.skipped["source that can't be read"] += 1
            report.warnings.append(f"Left out: {error}")


def count(trajectory: Trajectory, report: ImportReport, task_description: str) -> Trajectory:
    """Count a trajectory in the report and give it the task's description."""
    report.trajectories += 1
    report.steps += len(trajectory.steps)
    if len(trajectory.steps) == 1:
        report.notes["trajectory of one step"] += 1
    if task_description:
        return trajectory.model_copy(update={"task_description": task_description})
    return trajectory


def _import_one(source: Source, report: ImportReport) -> Iterator[Trajectory]:
    importer = find_importer(source)
    report.kinds[importer.kind] += 1
    for trajectory in importer.read(source, report):
        if importer.is_public:
            yield trajectory
            continue
        redacted, n_blanked = redact_trajectory(trajectory)
        report.notes["secret that was blanked"] += n_blanked
        yield redacted
