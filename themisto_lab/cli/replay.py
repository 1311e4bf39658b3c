"""``jupyter themisto replay``: runs trajectories again to record the outputs and states that a source lacks."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from themisto_lab.errors import BadInputError

if TYPE_CHECKING:
    from themisto_lab.benchmark.replay_run import ReplaySummary

_DESCRIPTION = """\
Run each trajectory again in a fresh kernel and record code, output, time, memory, variables and the state's hash of
every step. The code is really run, with your rights: replay only what you trust, and give --cwd a copy of data that
cells may change. A run that was stopped goes on where it was when the same command is given again.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "replay", help="run trajectories again and record outputs and state", description=_DESCRIPTION
    )
    parser.add_argument("trajectories", type=Path, metavar="T.jsonl", help="a trajectory file")
    parser.add_argument("--out", required=True, type=Path, metavar="R.jsonl", help="the trajectory file to write")
    parser.add_argument(
        "--cwd", type=Path, metavar="DIR", help="the folder that kernels work in (default: an empty one for each)"
    )
    parser.add_argument(
        "--python", metavar="EXE", help="an interpreter that has ipykernel (default: the one that runs this)"
    )
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="S", help="the longest that a step may run (default: 60)"
    )
    parser.add_argument(
        "--heal", action="store_true", help="first run again upstream cells that have become stale since they ran"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="kernels at once (default: the number of processors)")
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="run the kernels on the workers of this Dask scheduler (needs the extra [dask]), a trajectory a task; "
        "--cwd and --python are then paths there",
    )
    parser.add_argument("--json", action="store_true", help="print what was done as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Replay the file and say how the steps ended and how many outputs came out the same."""
    from tqdm import tqdm

    from themisto_lab.benchmark.console import write_json
    from themisto_lab.benchmark.replay import ReplayOptions
    from themisto_lab.benchmark.replay_run import check_source, replay_file
    from themisto_lab.benchmark.session import default_python

    if args.timeout <= 0 or (args.jobs is not None and args.jobs < 1):
        raise BadInputError("--jobs must be at least 1 and --timeout more than 0.")
    # On a cluster its workers know better: their own interpreter, and as many kernels as they have threads.
    python = args.python or ("" if args.scheduler else default_python())
    jobs = args.jobs or (0 if args.scheduler else os.cpu_count() or 1)
    options = ReplayOptions(python=python, cwd=args.cwd, timeout_s=args.timeout, heal=args.heal, jobs=jobs)
    ids, n_steps = check_source(args.trajectories)
    with tqdm(total=n_steps, desc="Replaying", unit=" steps", disable=None, leave=False) as progress:

        def on_step() -> None:
            progress.update()

        summary = asyncio.run(replay_file(args.trajectories, args.out, options, ids, on_step, args.scheduler))
    if args.json:
        write_json({"out": str(args.out), **summary.as_json()})
    else:
        _print(args.out, summary)
    return 0


def _print(out: Path, summary: ReplaySummary) -> None:
    from themisto_lab.benchmark.console import write_line, write_table, write_warning

    total = summary.total
    resumed = f" ({summary.n_resumed} done before)" if summary.n_resumed else ""
    write_line(f"{out}: {summary.n_trajectories} trajectories{resumed}, {total.n_steps} steps.")
    rows = [
        ("ended well", total.n_ok),
        ("raised", total.n_error),
        ("interrupted (time ran out)", total.n_interrupted),
        ("took the kernel down", total.n_died),
        ("failed now and not when recorded", total.n_new_errors),
        ("not run", total.n_not_replayed),
        ("upstream cells run again", total.n_healing_runs),
        ("kernels started anew", total.n_restarts),
    ]
    write_table([("step", "number"), *rows])
    write_line(f"{total.n_same_outputs} of {total.n_recorded_outputs} recorded outputs came out the same.")
    for name, why in {**summary.left_out, **summary.notes}.items():
        write_warning(f"{name}: {why.rstrip('.')}.")
