"""``jupyter themisto model``: the embedded models on this machine."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from tqdm import tqdm

from themisto_lab.predict import files
from themisto_lab.predict.download import pull
from themisto_lab.predict.models import MODELS, ModelSpec, find_spec
from themisto_lab.predict.transfer import PullProgress

_INTERRUPTED = 130


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the ``model`` subcommand and what is below it."""
    parser = subparsers.add_parser(
        "model",
        help="list, fetch and check the embedded models",
        description="List, fetch and check the embedded models.",
    )
    actions = parser.add_subparsers(dest="action", required=True)

    listing = actions.add_parser("list", help="list the embedded models and whether their files are here")
    listing.add_argument("--json", action="store_true", help="print one JSON array")
    listing.set_defaults(run=run, handler=_list)

    fetching = actions.add_parser("pull", help="fetch a model's file, or go on with an interrupted fetch")
    fetching.add_argument("name", metavar="NAME", help="the model, such as qwen2.5-coder-0.5b")
    fetching.add_argument("--from", dest="from_path", metavar="PATH", help="a file or folder to take it from")
    fetching.set_defaults(run=run, handler=_pull)

    for name, handler, text in (
        ("path", _path, "print where a model's file is"),
        ("verify", _verify, "read a model's whole file and compare its checksum"),
    ):
        action = actions.add_parser(name, help=text)
        action.add_argument("name", metavar="NAME", help="the model, such as qwen2.5-coder-0.5b")
        action.set_defaults(run=run, handler=handler)


def run(args: argparse.Namespace) -> int:
    """Do what the arguments say and return the exit code; a `ThemistoError` is for the caller to show."""
    handler: Callable[[argparse.Namespace], int] = args.handler
    return handler(args)


def _list(args: argparse.Namespace) -> int:
    if args.json:
        _say(json.dumps([_row(spec) for spec in MODELS.values()], indent=2))
        return 0
    for spec in MODELS.values():
        _say(f"{spec.name:20} {spec.size_bytes / 1e6:7,.0f} MB  {files.file_state(spec):8} {spec.attribution}")
    return 0


def _row(spec: ModelSpec) -> dict[str, str | int]:
    return {
        "name": spec.name,
        "predictor": spec.predictor_name,
        "state": files.file_state(spec),
        "size_bytes": spec.size_bytes,
        "sha256": spec.sha256,
        "path": str(files.model_path(spec)),
        "licence": spec.licence,
        "attribution": spec.attribution,
    }


def _pull(args: argparse.Namespace) -> int:
    spec = find_spec(args.name)
    with tqdm(total=spec.size_bytes, desc=spec.name, unit="B", unit_scale=True, leave=False, disable=None) as bar:

        def show(progress: PullProgress) -> None:
            bar.set_postfix_str(progress.source, refresh=False)
            bar.update(progress.done_bytes - bar.n)

        try:
            path = pull(spec.name, show, from_path=args.from_path)
        except KeyboardInterrupt:
            bar.close()
            again = f"what has come is kept, and '{spec.pull_command}' goes on from there"
            sys.stderr.write(f"Interrupted; {again}.\n")
            return _INTERRUPTED
    sys.stderr.write(f"{spec.name} is ready. {spec.attribution}.\n")
    _say(str(path))
    return 0


def _path(args: argparse.Namespace) -> int:
    _say(str(files.require_file(find_spec(args.name))))
    return 0


def _verify(args: argparse.Namespace) -> int:
    spec = find_spec(args.name)
    _say(f"{files.verify(spec)}: the checksum is right")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
