"""``jupyter themisto``: collects the subcommands, one file each."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from importlib import import_module

from themisto_lab.errors import ThemistoError

_SUBCOMMANDS = ("try_", "model", "forget", "import_", "replay", "sample", "diversity", "bench", "report", "show")
"""The modules of the subcommands, in the order of the help text. Each has ``add_parser(subparsers)``."""


def build_parser() -> argparse.ArgumentParser:
    """Build the whole command line."""
    parser = argparse.ArgumentParser(
        prog="jupyter themisto",
        description="Predict notebook cells and their outputs, and score each prediction against what was run.",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name in _SUBCOMMANDS:
        import_module(f"themisto_lab.cli.{name}").add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand.

    Returns
    -------
    int
        0 when it did its work, 1 with a sentence on standard error when it could not, 2 for a wrong command line,
        130 when it was interrupted.
    """
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.version:
        from themisto_lab import __version__

        sys.stdout.write(f"{__version__}\n")
        return 0
    if args.command is None:
        parser.print_help()
        return 2
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        return int(args.run(args))
    except ThemistoError as error:
        sys.stderr.write(f"jupyter themisto {args.command}: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
