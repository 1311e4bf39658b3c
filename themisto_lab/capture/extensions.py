"""Finds the summaries that other packages bring: modules whose source is sent into the kernel with the probe."""

from __future__ import annotations

import logging
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

SUMMARIES_GROUP = "themisto_lab.summaries"
"""The group of entry points; each names a module, ``my_package.themisto_summaries``."""

_MAX_SOURCE_BYTES = 200_000
_LOG = logging.getLogger(__name__)


def summary_plugins() -> list[tuple[str, str]]:
    """Return the name and the source of each module that an installed package declares.

    Returns
    -------
    list of tuple
        In the order of their names. The modules are read and not imported: they run in the kernel only. One that
        can't be read is left out with a warning.
    """
    found = []
    for entry in sorted(entry_points(group=SUMMARIES_GROUP), key=lambda each: (each.name, each.value)):
        source = _source_of(entry)
        if source is None:
            _LOG.warning("The summaries of %s were left out: the source of %s can't be read", entry.name, entry.value)
        else:
            found.append((entry.value, source))
    return found


def _source_of(entry: EntryPoint) -> str | None:
    """Read a module's source without importing it or the packages around it."""
    paths: list[str] | None = None
    origin: str | None = None
    for part in entry.value.partition(":")[0].strip().split("."):
        spec = PathFinder.find_spec(part, paths)
        if spec is None:
            return None
        origin, paths = spec.origin, list(spec.submodule_search_locations or ())
    path = Path(origin or "")
    try:
        if path.suffix != ".py" or path.stat().st_size > _MAX_SOURCE_BYTES:
            return None
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
