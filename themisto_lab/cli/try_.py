"""``jupyter themisto try``: run a notebook through the live driver and print how well it was predicted."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm

from themisto_lab import __version__
from themisto_lab.context.select import ARMS
from themisto_lab.errors import BadInputError
from themisto_lab.live.driver import LiveDriver
from themisto_lab.live.headless import NotebookCells, read_notebook, run_notebook
from themisto_lab.live.roster import chosen_model
from themisto_lab.live.settings import Settings
from themisto_lab.predict.registry import Registry
from themisto_lab.report.trial import print_steps, print_summary, trial_rows, trial_summary
from themisto_lab.store.store import Store
from themisto_lab.types import Step


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "try",
        help="run a notebook and see how well it would have been predicted",
        description="Runs a notebook's cells one by one in a fresh kernel through the same driver as in JupyterLab, "
        "and prints the forecast and the predicted next cell beside the truth.",
    )
    parser.add_argument("notebook", type=Path, help="the notebook; its file is not changed")
    parser.add_argument("--model", default=Settings().model, help="the predictor (default: %(default)s)")
    parser.add_argument(
        "--arm", action="append", choices=sorted(ARMS), help="an arm, may be given more than once (default: all)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write predictions, scores and summary to a file")
    parser.add_argument("--store", metavar="PATH_OR_URL", help="keep the record here (default: nothing is kept)")
    parser.add_argument(
        "--allow-remote", action="store_true", help="let a remote model see the code and state of this notebook"
    )
    parser.add_argument(
        "--cell-timeout", type=float, default=600.0, metavar="S", help="interrupt a cell after so many seconds"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the subcommand."""
    if args.json is not None and not args.json.absolute().parent.is_dir():
        raise BadInputError(f"{args.json}: its folder does not exist. Make it, or name another file.")
    return asyncio.run(_run(args))


async def _run(args: argparse.Namespace) -> int:
    log = logging.getLogger("themisto_lab")
    notebook = read_notebook(args.notebook)
    registry = Registry()
    store: Store | None = None
    try:
        settings = Settings(
            model=args.model,
            arms=tuple(dict.fromkeys(args.arm or Settings().arms)),
            remote_allowed=args.allow_remote,
            remote_per_hour=1_000_000,
        )
        _, obstacle = chosen_model(registry, settings)
        if obstacle is not None:
            raise obstacle
        store = Store.open(args.store, log) if args.store else Store.open_memory(log)
        driver = LiveDriver(store, registry, settings, log=log)
        try:
            result = await _run_trial(notebook, driver, args, log)
        finally:
            await driver.close()
    finally:
        await registry.close()
        if store is not None:
            await store.close()
    if args.json is not None:
        args.json.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


async def _run_trial(
    notebook: NotebookCells, driver: LiveDriver, args: argparse.Namespace, log: logging.Logger
) -> dict[str, Any]:
    with tqdm(total=len(notebook.cells), unit="cell", file=sys.stderr, disable=None) as bar:

        def on_step(number: int, step: Step) -> None:
            del number
            bar.update()
            if step.raised:
                bar.write(f"Cell {step.index + 1} raised an error; the run goes on.", file=sys.stderr)

        trajectory_id, note = await run_notebook(
            notebook, driver, log=log, cell_timeout_s=args.cell_timeout, on_step=on_step
        )
    store = driver.store
    trajectory = await store.get_trajectory(trajectory_id)
    steps = trajectory.steps if trajectory else ()
    rows = trial_rows(await store.predictions(trajectory_id))
    summary = trial_summary(await store.score_rows(trajectory_id=trajectory_id), len(steps))
    print_steps(steps, rows, sys.stdout)
    print_summary(summary, sys.stdout)
    if note:
        sys.stderr.write(f"{note}\n")
    return {
        "notebook": str(args.notebook),
        "model": driver.settings.model,
        "arms": list(driver.settings.arms),
        "version": __version__,
        "note": note,
        "steps": rows,
        "summary": summary,
    }
