"""``jupyter themisto forget``: erases from the record what its owner wants to be gone."""

from __future__ import annotations

import argparse
import asyncio
import difflib
import json
import logging
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from themisto_lab.errors import NotFoundError

if TYPE_CHECKING:
    from themisto_lab.store.records import ForgetCounts
    from themisto_lab.store.store import Store

_REFUSED = 2


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the ``forget`` subcommand."""
    parser = subparsers.add_parser(
        "forget",
        help="erase recorded runs and predictions",
        description="Erase recorded runs and predictions, and their scores, from the record and from its files. "
        "With both --before and --notebook, only what matches both. Works while JupyterLab runs.",
    )
    parser.add_argument(
        "--before",
        metavar="DATE",
        type=_moment,
        help="what was run or predicted before this date (2026-01-31) or time (2026-01-31T12:00), local time",
    )
    parser.add_argument("--notebook", metavar="PATH", help="a notebook's, by its path from the server's root")
    parser.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("--dry-run", action="store_true", help="only count what would be erased")
    parser.add_argument("--yes", action="store_true", help="do not ask first")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--store",
        metavar="PATH_OR_URL",
        help="the record, if not the default one (which THEMISTO_STORE may name)",
    )
    parser.set_defaults(run=run, usage_error=parser.error)


def run(args: argparse.Namespace) -> int:
    """Do what the arguments say and return the exit code."""
    narrowed = args.before is not None or args.notebook is not None
    if args.all == narrowed:
        args.usage_error("say what to forget: --all alone, or --before DATE, --notebook PATH or both")
    if not (args.yes or args.dry_run or sys.stdin.isatty()):
        args.usage_error("there is no terminal to ask on: add --yes to erase, or --dry-run to count")
    return asyncio.run(_forget(args))


async def _forget(args: argparse.Namespace) -> int:
    # SQLAlchemy is slow to import, and other subcommands do without it.
    from themisto_lab.store.location import default_store_path, locate
    from themisto_lab.store.records import ForgetCounts
    from themisto_lab.store.store import Store

    where = args.store or default_store_path()
    location = locate(where)
    if location.path is not None and not location.path.exists():
        _report(args, location.label, ForgetCounts(0, 0, 0), note=f"There is no record at {location.label}.")
        return 0
    store = Store.open(where, logging.getLogger(__name__), recover=False)
    try:
        return await _forget_from(store, args)
    finally:
        await store.close()


async def _forget_from(store: Store, args: argparse.Namespace) -> int:
    notebook = None
    if args.notebook is not None:
        notebook = Path(args.notebook).as_posix()
        await _require_notebook(store, notebook)
    found = await store.forget(args.before, notebook, args.all, dry_run=True)
    if args.dry_run:
        _report(args, store.path, found)
        return 0
    if not args.yes and not _confirm(store.path, found):
        sys.stderr.write("Nothing was erased.\n")
        return _REFUSED
    _report(args, store.path, await store.forget(args.before, notebook, args.all))
    return 0


async def _require_notebook(store: Store, notebook: str) -> None:
    known = sorted({head.notebook for head in await store.list_trajectories() if head.notebook})
    if notebook in known:
        return
    # A path from elsewhere than the server's root ends like the recorded one.
    like = [path for path in known if path.rpartition("/")[2] == notebook.rpartition("/")[2]]
    like = like or difflib.get_close_matches(notebook, known)
    hint = f" Did you mean {' or '.join(like[:5])}?" if like else ""
    raise NotFoundError(f"The record has no notebook {notebook}.{hint}")


def _confirm(path: str, found: ForgetCounts) -> bool:
    sys.stderr.write(f"Erase {_words(found)} from {path}? This can't be undone. [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _report(args: argparse.Namespace, path: str, counts: ForgetCounts, note: str = "") -> None:
    if args.json:
        sys.stdout.write(json.dumps({"store": path, "dry_run": args.dry_run, **asdict(counts)}) + "\n")
    else:
        verb = "Would erase" if args.dry_run else "Erased"
        sys.stdout.write((note or f"{verb} {_words(counts)} from {path}.") + "\n")


def _words(counts: ForgetCounts) -> str:
    parts = (
        (counts.n_trajectories, "kernel session", "kernel sessions"),
        (counts.n_steps, "run", "runs"),
        (counts.n_predictions, "prediction", "predictions"),
    )
    first, second, third = (f"{n:,} {one if n == 1 else many}" for n, one, many in parts)
    return f"{first}, {second} and {third}"


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date such as 2026-01-31 or 2026-01-31T12:00") from None
    # A time without a zone is the owner's local one.
    return moment if moment.tzinfo is not None else moment.astimezone()
