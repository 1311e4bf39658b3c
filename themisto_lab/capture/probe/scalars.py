"""Texts for single values of exact types, and for values of which only the outside is told."""

from __future__ import annotations

import datetime
import decimal
import pathlib
import uuid
from collections.abc import Callable
from typing import Any

from . import safe


def quoted(text: str) -> str:
    """Write a text in quotes; what is no valid Unicode becomes a question mark."""
    return repr(text.encode("utf-8", "replace").decode("utf-8"))


def integer(value: int, _depth: int) -> str:
    """Write an integer; of a very long one only its length is told."""
    # A long integer takes seconds to write, and Python refuses beyond 4,300 digits.
    if value.bit_length() > 400:
        return f"int of {value.bit_length()} bits"
    return repr(value)


def opaque(value: object, depth: int) -> str:
    """Write the outside of a value: its type, and the public names in its own ``__dict__``."""
    if safe.is_class(value):
        names = [n for n in list(safe.class_dict(value)) if type(n) is str and not n.startswith("_")]  # type: ignore[arg-type]
        text = "class " + safe.type_name(value)  # type: ignore[arg-type] # it is a class
        return text + (": " + ", ".join(names[:12]) if names and depth == 0 else "")
    text = "<" + safe.type_name(type(value)) + ">"
    if depth == 0:
        names = safe.public_names(value, 16)
        if names:
            text += " with " + ", ".join(name[:60] for name in names)
    return text


def plain(value: Any) -> Any:
    """Turn a numpy scalar into Python's own, so that 5 reads ``5``; leave any other value."""
    if _is_numpy_scalar(type(value)) and value.dtype.kind in "biufcSU":
        return value.item()
    return value


def array_scalar(value: object) -> str:
    """Write a date of numpy's or pandas', a missing value or a fraction; empty for any other value."""
    kind = type(value)
    if kind is safe.library("fractions").get("Fraction"):
        return str(value)
    if _is_numpy_scalar(kind) and safe.short_name(kind) in ("datetime64", "timedelta64", "longdouble"):
        return str(value)
    if safe.module_of(kind).partition(".")[0] == "pandas":
        pandas = safe.library("pandas")
        if any(kind is pandas.get(name) for name in ("Timestamp", "Timedelta", "Period")):
            return str(value)
        if value is pandas.get("NaT") or value is pandas.get("NA"):
            return str(value)
    return ""


def _is_numpy_scalar(kind: type) -> bool:
    if safe.module_of(kind) != "numpy":
        return False
    names = safe.library("numpy")
    return safe.inherits(kind, names.get("generic")) and names.get(safe.short_name(kind)) is kind


def _zoned(value: Any) -> str:
    # A user's own tzinfo would be called by repr.
    zone = value.tzinfo
    if zone is None or type(zone) is datetime.timezone or safe.module_of(type(zone)) == "zoneinfo":
        return str(value.isoformat())
    return str(value.replace(tzinfo=None).isoformat())


def _clock_time(value: Any) -> str:
    return str(value.replace(tzinfo=None).isoformat())


PLAIN = frozenset([type(None), bool, float, complex, range, type(Ellipsis), type(NotImplemented)])
STDLIB: dict[type, Callable[[Any], str]] = {
    datetime.date: str,
    datetime.datetime: _zoned,
    datetime.time: _clock_time,
    datetime.timedelta: str,
    datetime.timezone: str,
    decimal.Decimal: str,
    pathlib.PosixPath: str,
    pathlib.WindowsPath: str,
    uuid.UUID: str,
}
