"""Writes looked-at values as a notebook would show them, to the letter where that is safe and short."""

from __future__ import annotations

import io
import sys
import types
from typing import Any

from . import safe
from .arrays import summarizer_for
from .look_rules import ITERATORS, SCALARS, family
from .look_trust import Trust, n_cells
from .secrets import blank_tokens, blank_values
from .values import Reader, summarize

_MAX_SHOWN_CHARS = 4000
_MAX_CELLS = 300_000
_MAX_OBJECT_REPR_CHARS = 100_000


class Writer:
    """Writes the values of one look.

    Parameters
    ----------
    shell
        IPython's shell, whose settings of the display count.
    trust
        Tells which values may be written to the letter.
    reader
        Writes the others, and knows the secrets.
    """

    def __init__(self, shell: Any, trust: Trust, reader: Reader) -> None:
        self._trust = trust
        self._reader = reader
        self._formatter = shell.display_formatter.formatters["text/plain"]
        self._is_plain = _is_plain(self._formatter) and _options_are_plain()

        self._kept: dict[tuple[int, bool], str | None] = {}

    def shown(self, value: Any) -> str | None:
        """Return what a notebook shows for a value (``text/plain``), to the letter; None where only a run can tell."""
        return self._once(value, False)

    def printed(self, value: Any) -> str | None:
        """Return what ``print`` writes for a value, to the letter; None where only a run can tell."""
        return self._once(value, True)

    def may_be_written(self, value: Any) -> bool:
        """Tell whether a value's text is safe to make and not too long to make in time."""
        kind = safe.key(type(value))
        if not self._is_plain or kind in ITERATORS or not family(value) or not self._trust(value):
            return False
        if kind in SCALARS:
            return type(value) is not str or len(value) <= _MAX_SHOWN_CHARS
        return n_cells(value) <= (_MAX_CELLS if family(value) in ("numpy", "pandas") else 2 * _MAX_SHOWN_CHARS)

    def summary(self, name: str, value: Any) -> str:
        """Return a short text for a value that can't be shown to the letter: never the result of a user's code."""
        kind = type(value)
        if family(value) == "pandas" and self._trust(value):
            described = describe(value)
            if described:
                return self._reader.clean(described)
        found = summarizer_for(kind)
        told = found(self._reader, value) if found is not None else summarize(self._reader, name, value)
        shape = "" if told.shape is None else " x ".join(map(str, told.shape)) + " "
        return (safe.short_name(kind) + " " + shape + (told.dtype or "")).strip() + ": " + told.text

    def _once(self, value: Any, is_print: bool) -> str | None:
        """Write a value once: a look keeps its values, so that their identities stay taken."""
        if family(value) == "pandas":
            is_print = True  # both are the same text
        at = (id(value), is_print)
        if at not in self._kept:
            self._kept[at] = self._written(value, str if is_print else self._pretty)
        return self._kept[at]

    def _written(self, value: Any, write: Any) -> str | None:
        if not self.may_be_written(value):
            return None
        text = write(value)
        if type(text) is not str or len(text) > _MAX_SHOWN_CHARS or self.hides(text):
            return None
        return text

    def hides(self, text: str) -> bool:
        """Tell whether a text holds a secret."""
        return bool(blank_tokens(text)[1] or blank_values(text, self._reader.known | self._reader.found)[1])

    def _pretty(self, value: Any) -> str:
        formatter = self._formatter
        stream = io.StringIO()
        printer = sys.modules["IPython.lib.pretty"].__dict__["RepresentationPrinter"](
            stream,
            formatter.verbose,
            formatter.max_width,
            formatter.newline,
            max_seq_length=formatter.max_seq_length,
            singleton_pprinters=formatter.singleton_printers,
            type_pprinters=formatter.type_printers,
            deferred_pprinters=formatter.deferred_printers,
        )
        printer.pretty(value)
        printer.flush()
        return stream.getvalue()


def _is_plain(formatter: Any) -> bool:
    """Tell whether all that IPython writes values of known types with is IPython's own."""
    if not safe.library("IPython.lib.pretty") or type(formatter).__module__ != "IPython.core.formatters":
        return False
    if not formatter.pprint:
        return False
    for printers in (formatter.type_printers, formatter.deferred_printers, formatter.singleton_printers):
        for kind, printer in list(printers.items()):
            module = kind[0] if type(kind) is tuple else safe.module_of(kind) if safe.is_class(kind) else "builtins"
            if module.partition(".")[0] in ("builtins", "numpy", "pandas", "datetime") and not _is_ipythons(printer):
                return False
    return True


def _is_ipythons(printer: Any) -> bool:
    if type(printer) is not types.FunctionType:
        return type(printer) is not types.MethodType
    module = printer.__globals__.get("__name__")
    return type(module) is str and module.partition(".")[0] == "IPython"


def _options_are_plain() -> bool:
    """Tell whether the display options of numpy and pandas hold no function of a user's."""
    get_options = safe.library("numpy").get("get_printoptions")
    if get_options is not None and get_options().get("formatter"):
        return False
    get_option = safe.library("pandas").get("get_option")
    if get_option is None:
        return True
    chosen = get_option("display.float_format")
    return chosen is None or type(chosen) is types.BuiltinMethodType


def describe(value: Any) -> str:
    """Describe a Series or DataFrame closely: types, missing values, ranges or top values, first rows."""
    names = safe.library("pandas")
    if type(value) is names.get("Series"):
        head = ", ".join(map(str, value.head(5).tolist()))
        return f"Series of {len(value)}, {_column(value)}; first: {head}"
    if type(value) is not names.get("DataFrame"):
        return ""
    n_rows, n_columns = value.shape
    shown = min(n_columns, 16)
    columns = [f"{value.columns[at]}: {_column(value.iloc[:, at])}" for at in range(shown)]
    if n_columns > shown:
        columns.append(f"… {n_columns - shown} more columns")
    return f"DataFrame {n_rows} x {n_columns}; " + "; ".join(columns)


def _column(column: Any) -> str:
    """Tell a column's type, missing values and range or top values."""
    n = len(column)
    text = str(column.dtype)
    if n == 0 or n > 20_000:
        return text
    n_missing = int(column.isna().sum())
    if n_missing:
        text += f", {n_missing} missing"
    if column.dtype.kind in "iufM":
        return f"{text}, {column.min()} to {column.max()}"
    top = column.value_counts().head(3)
    return text + ", top " + ", ".join(f"{label!s} ({count})" for label, count in zip(top.index.tolist(), top.tolist()))
