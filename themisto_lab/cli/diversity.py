"""``jupyter themisto diversity``: how different the sampled items are from each other (the paper's Figure 2)."""

from __future__ import annotations

import argparse
from pathlib import Path

from themisto_lab.errors import BadInputError

_DESCRIPTION = """\
Compare every pair of the sampled outputs, and of the sampled codes: Levenshtein, n-gram and Jaccard, as numbers
(diversity.json) and as a figure with bars and densities (diversity.svg, diversity.png). All scores are differences:
0 for equal texts, 1 for texts that share nothing.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "diversity", help="measure how different the sampled items are", description=_DESCRIPTION
    )
    parser.add_argument("sample", type=Path, metavar="S.jsonl", help="a sample file")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the folder for numbers and figure")
    parser.add_argument(
        "--max-items", type=int, default=1000, metavar="N", help="compare at most N items of a task (default: 1000)"
    )
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure, write numbers and figure, and print the means."""
    from themisto_lab.benchmark.console import write_json, write_line, write_table
    from themisto_lab.benchmark.diversity import METRICS, as_json, diversity, require_bench
    from themisto_lab.benchmark.figure import draw_figure
    from themisto_lab.benchmark.jsonl import atomic_text_writer, dump_line

    if args.max_items < 2:
        raise BadInputError("--max-items must be at least 2.")
    require_bench()
    found = diversity(args.sample, args.max_items)
    numbers = as_json(found)
    try:
        args.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{args.out} can't be made a folder: {error.strerror or error}.") from error
    with atomic_text_writer(args.out / "diversity.json") as file:
        file.write(dump_line(numbers))
    svg, png = draw_figure(found, args.out)
    if args.json:
        write_json({"out": str(args.out), "tasks": numbers})
        return 0
    rows = [
        (task.value, name, scores.mean, scores.std, scores.median, scores.n_pairs)
        for task, one in found.items()
        for name in METRICS
        if (scores := one.scores.get(name)) is not None
    ]
    write_table([("task", "score", "mean", "std", "median", "pairs"), *rows])
    for task, one in found.items():
        if one.n_used < one.n_items:
            write_line(f"{task.value}: {one.n_used} of {one.n_items} items were compared (--max-items).")
    write_line(f"Figure: {svg}, {png}")
    return 0
