"""``jupyter themisto sample``: draws the items to predict by the paper's rules."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from themisto_lab.errors import BadInputError
from themisto_lab.types import TaskKind

if TYPE_CHECKING:
    from themisto_lab.benchmark.sampling import TaskReport

_DESCRIPTION = """\
Draw items to predict from a trajectory file. The rules, in this order: enough actions; no exception; not empty; not
longer than the 0.99 quantile of what is left; quartiles of what is left; then 90 percent from the 2nd and 3rd quartile
of target length and 5 percent each from the 4th and the 1st. Each exclusion is counted by its reason.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("sample", help="draw the items to predict", description=_DESCRIPTION)
    parser.add_argument("trajectories", type=Path, metavar="R.jsonl", help="a trajectory file")
    parser.add_argument("--out", required=True, type=Path, metavar="S.jsonl", help="the sample file to write")
    parser.add_argument(
        "--task", choices=[task.value for task in TaskKind], help="sample this task only (default: both)"
    )
    parser.add_argument("--n", type=int, default=200, help="items for each task (default: 200)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other items (default: 0)")
    parser.add_argument(
        "--min-actions", type=int, default=5, metavar="N", help="the actions that make a target eligible (default: 5)"
    )
    parser.add_argument(
        "--actions-in",
        choices=("before", "trajectory"),
        default="before",
        help="count those actions before the target (default) or in its whole trajectory",
    )
    parser.add_argument(
        "--draw",
        choices=("paper", "uniform", "all"),
        default="paper",
        help="by the rules of the paper (default), each eligible target alike, or every eligible target",
    )
    parser.add_argument(
        "--part",
        type=_part,
        default=(1, 1),
        metavar="K/N",
        help="draw from part K of N of the trajectories only: try on 1/2 what is then reported on 2/2",
    )
    parser.add_argument("--json", action="store_true", help="print what was done as one JSON object")
    parser.set_defaults(run=run)


def _part(text: str) -> tuple[int, int]:
    """Read ``K/N``."""
    part, _, n_parts = text.partition("/")
    if not (part.isdecimal() and n_parts.isdecimal() and 1 <= int(part) <= int(n_parts)):
        raise argparse.ArgumentTypeError(f"{text!r} is not K/N with 1 <= K <= N, such as 1/2")
    return int(part), int(n_parts)


def run(args: argparse.Namespace) -> int:
    """Draw the sample and say how many there are of each kind."""
    from themisto_lab.benchmark.console import write_json
    from themisto_lab.benchmark.progress import bar
    from themisto_lab.benchmark.sampling import SampleRules, report_json, sample

    if args.n < 1 or args.min_actions < 0:
        raise BadInputError("--n must be at least 1 and --min-actions at least 0.")
    rules = SampleRules(
        tasks=(TaskKind(args.task),) if args.task else tuple(TaskKind),
        n=args.n,
        seed=args.seed,
        min_actions=args.min_actions,
        actions_in=args.actions_in,
        draw=args.draw,
        part=args.part[0],
        n_parts=args.part[1],
    )
    reports = sample(args.trajectories, args.out, rules, bar)
    if args.json:
        write_json({"out": str(args.out), "tasks": {name: report_json(report) for name, report in reports.items()}})
    else:
        for name, report in reports.items():
            _print(name, report)
    return 0


def _print(task: str, report: TaskReport) -> None:
    from themisto_lab.benchmark.console import write_counts, write_line, write_table

    asked = f" of {report.n_asked} asked for" if report.n_asked is not None else ""
    fewer = " (a group holds no more)" if report.n_asked is not None and report.n_items < report.n_asked else ""
    write_line(f"{task}: {report.n_items} items{asked}{fewer}, from {report.n_steps} steps.")
    write_counts("Left out", report.excluded)
    rows = [(name, group["available"], group["asked"], group["drawn"]) for name, group in report.groups.items()]
    write_table([("group", "available", "asked", "drawn"), *rows])
