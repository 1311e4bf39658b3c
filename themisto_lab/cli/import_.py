"""``jupyter themisto import``: other programs' records become a trajectory file."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from themisto_lab.errors import BadInputError

if TYPE_CHECKING:
    from themisto_lab.benchmark.importers.source import ImportReport
    from themisto_lab.types import Trajectory

_DESCRIPTION = """\
Read notebooks (.ipynb), IPython's history.sqlite, JuNE logs (CSV or SQLite), Verdant histories (.ipyhistory), CRUXEval
items (.jsonl) or this product's own store, and write their trajectories as JSON Lines. The kind of a source is found
from its content. Output text that a source does not hold is filled in by 'jupyter themisto replay'.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "import", help="turn notebooks and logs into a trajectory file", description=_DESCRIPTION
    )
    parser.add_argument("source", nargs="*", type=Path, metavar="SOURCE", help="a file to read")
    parser.add_argument("--live", action="store_true", help="read the record that the live extension made")
    parser.add_argument("--store", metavar="PATH_OR_URL", help="with --live: where that record is, if elsewhere")
    parser.add_argument("--out", required=True, type=Path, metavar="T.jsonl", help="the trajectory file to write")
    parser.add_argument(
        "--task-description", default="", metavar="TEXT", help="what the notebook is for; may be part of a prompt"
    )
    parser.add_argument("--json", action="store_true", help="print what was done as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Import the sources and say what was taken in and what was left out."""
    from themisto_lab.benchmark.console import write_counts, write_json, write_line, write_warning
    from themisto_lab.benchmark.format import write_trajectories
    from themisto_lab.benchmark.importers.source import ImportReport
    from themisto_lab.benchmark.progress import bar

    if bool(args.source) == args.live:
        raise BadInputError("Name at least one SOURCE, or give --live alone.")
    report = ImportReport()
    trajectories = _trajectories(args, report)
    write_trajectories(args.out, _at_least_one(bar(trajectories, "Importing"), report))
    if args.json:
        write_json({"out": str(args.out), **report.as_json()})
    else:
        kinds = ", ".join(f"{n} {kind}" for kind, n in report.kinds.items())
        write_line(f"{args.out}: {report.trajectories} trajectories, {report.steps} steps ({kinds}).")
        write_counts("Left out", report.skipped)
        write_counts("Kept, and worth knowing", report.notes)
    for warning in report.warnings:
        write_warning(warning)
    return 0


def _trajectories(args: argparse.Namespace, report: ImportReport) -> Iterator[Trajectory]:
    if args.live:
        from themisto_lab.benchmark.importers.live_store import import_live

        return import_live(args.store, report, args.task_description)
    from themisto_lab.benchmark.importers.registry import import_sources

    return import_sources(args.source, report, args.task_description)


def _at_least_one(trajectories: Iterable[Trajectory], report: ImportReport) -> Iterator[Trajectory]:
    """Pass the trajectories on; without one, say why, and leave no file."""
    yield from trajectories
    if not report.trajectories:
        reasons = [f"{number} x {reason}" for reason, number in report.skipped.items() if number]
        raise BadInputError(f"There is no step to import ({'; '.join(reasons) or 'the source holds none'}).")
