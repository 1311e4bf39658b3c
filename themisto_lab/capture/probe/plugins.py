"""Summaries of one type each that third parties bring; a fault of theirs never reaches a cell.

A plugin is the source of one module that has ``register(registry)``. It runs in a module of its own in the kernel.
"""

from __future__ import annotations

import sys
import time
import types
from collections.abc import Callable, Sequence
from typing import Any

from . import safe
from .arrays import summarizer_for
from .sample import EXACT
from .values import MAX_SUMMARY_CHARS, Reader, Summary, summarize

_MAX_FAULTS = 3
_SLOW_S = 0.005
_MAX_DTYPE_CHARS = 120

PluginSummary = Callable[[Any, Callable[[object], str]], Any]
"""Given a value and a writer for what it holds: a text, or a dict of ``text``, ``shape``, ``dtype``, ``size_bytes``."""


class Registry:
    """Summaries by qualified type name."""

    def __init__(self) -> None:
        self._summaries: dict[str, PluginSummary] = {}
        self._faults: dict[str, int] = {}

    def add(self, type_name: str, summarize_value: PluginSummary) -> None:
        """Add a summary.

        Parameters
        ----------
        type_name
            The qualified name of an exact type, as in its ``__module__`` and ``__qualname__``.
        summarize_value
            Called with a value of that type and a function that writes what the value holds as a short safe text.
            It returns a text, or a dict with ``text`` and, where known, ``shape``, ``dtype`` and ``size_bytes``.
        """
        if type(type_name) is str and callable(summarize_value):
            name = type_name[9:] if type_name.startswith("builtins.") else type_name
            self._summaries.setdefault(name, summarize_value)

    def summary(self, reader: Reader, name: str, value: object) -> Summary | None:
        """Summarize a variable by a third party's function; None where there is none, or it failed."""
        if not self._summaries:
            return None
        kind = type(value)
        type_name = safe.type_name(kind)
        chosen = self._summaries.get(type_name)
        if chosen is None or self._faults.get(type_name, 0) >= _MAX_FAULTS or not safe.is_genuine(kind, ""):
            return None
        if reader.blank_named(name, value):
            return None
        began = time.perf_counter()
        try:
            found = chosen(value, lambda item: reader.write(item, 1))
            made = _made(reader, found)
        except (Exception, SystemExit, GeneratorExit):  # noqa: BLE001 - a stranger's fault is not the user's
            made = None
        if made is None or time.perf_counter() - began > _SLOW_S:
            self._faults[type_name] = self._faults.get(type_name, 0) + 1
        return made


REGISTRY = Registry()


def load(package_name: str, sources: Sequence[tuple[str, str]]) -> None:
    """Run plugins' sources, each in a module of its own, and let them register.

    Parameters
    ----------
    package_name
        The probe's package in ``sys.modules``.
    sources
        A name and a source for each.
    """
    for at, (name, source) in enumerate(sources):
        full_name = f"{package_name}.plugin_{at}"
        module = types.ModuleType(full_name)
        try:
            sys.modules[full_name] = module
            exec(compile(source, "<" + name + ">", "exec"), module.__dict__)  # noqa: S102 - what was installed for this
            module.__dict__["register"](REGISTRY)
        except (Exception, SystemExit, GeneratorExit):  # noqa: BLE001 - the other plugins still load
            sys.modules.pop(full_name, None)


def summary_of(reader: Reader, name: str, value: object) -> tuple[Summary, bool]:
    """Summarize any variable, and tell whether no more than its outside is told.

    Parameters
    ----------
    reader
        What writes the values.
    name
        The variable's name.
    value
        Its value.

    Returns
    -------
    tuple
        The summary, and whether it says no more than what the value is.
    """
    reader.outside = False
    kind = type(value)
    try:
        found = REGISTRY.summary(reader, name, value)
        if found is None:
            special = None if safe.key(kind) in EXACT else summarizer_for(kind)
            found = special(reader, value) if special is not None else summarize(reader, name, value)
    except Exception:  # noqa: BLE001 - the type's name alone is told then
        return Summary(None, None, None, "<" + safe.type_name(kind) + ">"), True
    return found, reader.outside


def _made(reader: Reader, found: Any) -> Summary | None:
    """Take over what a plugin returned, where it is of the form that is asked for."""
    if type(found) is str:
        found = {"text": found}
    if type(found) is not dict or type(found.get("text")) is not str:
        return None
    shape: Any = found.get("shape")
    dtype, size = found.get("dtype"), found.get("size_bytes")
    return Summary(
        tuple(shape) if type(shape) in (tuple, list) and all(type(n) is int for n in shape) else None,
        reader.clean(dtype)[:_MAX_DTYPE_CHARS] if type(dtype) is str else None,
        size if type(size) is int and size >= 0 else None,
        safe.strip_addresses(reader.clean(found["text"]))[:MAX_SUMMARY_CHARS],
    )
