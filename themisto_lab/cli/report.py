"""``jupyter themisto report``: the tables of one run or of several."""

from __future__ import annotations

import argparse
from pathlib import Path

from themisto_lab.errors import BadInputError

_DESCRIPTION = """\
Write the tables of runs on one sample (report.md, report.csv, report.json, report.html): one row a model with a block
for each arm, bootstrap 95 percent intervals clustered by trajectory, what the runtime state changes by paired
differences, and repeats, edits and novel cells apart.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("report", help="write the tables of runs", description=_DESCRIPTION)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a folder that 'bench' made")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the folder for the tables")
    parser.add_argument("--raw", action="store_true", help="Table 3 as well: without post-processing")
    parser.add_argument("--common", action="store_true", help="only the items that everybody was asked about")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the report's files and print its tables."""
    from themisto_lab.benchmark.console import write_json, write_line, write_table, write_warning
    from themisto_lab.benchmark.jsonl import atomic_text_writer
    from themisto_lab.benchmark.run_reader import read_runs
    from themisto_lab.report.tables_figure import can_draw
    from themisto_lab.report.tables_write import as_json, files, grids, make_report

    manifests, table, notes = read_runs(args.runs)
    if args.common:
        table.only_common()
    if not any(table.outcomes.values()):
        raise BadInputError("There is no answer to report yet; run 'bench' to its end.")
    about = {
        "sample": manifests[0].sample,
        "sample_sha256": manifests[0].sample_sha256,
        "runs": [manifest.model_dump(mode="json") for manifest in manifests],
    }
    report = make_report(table, about, notes, args.raw)
    try:
        args.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{args.out} can't be made a folder: {error.strerror or error}.") from error
    for name, text in files(report).items():
        with atomic_text_writer(args.out / name) as file:
            file.write(text)
    if not can_draw():
        write_warning("plots need matplotlib: pip install 'themisto_lab[bench]'.")
    if args.json:
        write_json({"out": str(args.out), **as_json(report)})
        return 0
    for grid in grids(report):
        write_line(grid.title)
        write_table([grid.header, *grid.rows])
        write_line("")
    for note in notes:
        write_warning(note)
    write_line(f"Report: {args.out / 'report.md'}, report.csv, report.json, report.html")
    return 0
