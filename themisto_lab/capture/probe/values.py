"""Short texts for values, by exact type, bounded in items, depth and characters.

`summarize` is the entry. No method of a user's class runs: a value whose exact type is not known here gets
its type's name and the public names in its own ``__dict__``.
"""

from __future__ import annotations

import collections
import datetime
import decimal
import fractions
import functools
import pathlib
import types
import uuid
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple

from . import safe
from .secrets import PLACEHOLDER, SURE, blank_tokens, blank_values, is_secret, name_secrecy

MAX_SUMMARY_CHARS = 400
_MAX_TEXT_CHARS = 160
# A token that starts just before the cut must still be seen whole enough to be recognised.
_LOOK_BEHIND_CUT_CHARS = 600
_MAX_ITEMS = 8
_MAX_DEPTH = 3


class Summary(NamedTuple):
    """What is told of one value; the fields are those of ``VariableSnapshot``."""

    shape: tuple[int, ...] | None
    dtype: str | None
    size_bytes: int | None
    text: str


class Reader:
    """Writes values as text, blanks secrets on the way and collects what it blanked.

    Parameters
    ----------
    known
        Values that are blanked wherever they occur.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = frozenset(known)
        self.found: set[str] = set()
        self._writers: dict[type, Callable[[Any, int], str]] = {
            str: self._text,
            bytes: self._bytes,
            bytearray: self._bytes,
            int: _integer,
            list: self._sequence,
            tuple: self._sequence,
            set: self._set,
            frozenset: self._set,
            dict: self._mapping,
            collections.OrderedDict: self._mapping,
            collections.defaultdict: self._mapping,
            collections.Counter: self._mapping,
            collections.deque: self._sequence,
            types.FunctionType: self._function,
            types.MappingProxyType: _opaque,
            functools.partial: _opaque,
        }

    def write(self, value: object, depth: int = 0) -> str:
        """Write a value as text.

        Parameters
        ----------
        value
            Anything.
        depth
            How deep inside a container it is.

        Returns
        -------
        str
            At most a few hundred characters.
        """
        kind = type(value)
        if kind in _PLAIN:
            return repr(value)
        writer = self._writers.get(kind)
        if writer is not None:
            return writer(value, depth)
        if kind in _STDLIB:
            return self.clean(_STDLIB[kind](value))
        return _array_scalar(value) or _opaque(value, depth)

    def clean(self, text: str) -> str:
        """Blank secrets in a text, and only then cut it."""
        text, _ = blank_tokens(text[: MAX_SUMMARY_CHARS + _LOOK_BEHIND_CUT_CHARS])
        return self._blank_known(text)[:MAX_SUMMARY_CHARS]

    def write_named(self, name: str, value: object, depth: int) -> str:
        """Write a value that goes by a name; blank it if the name says that it is secret."""
        if self.blank_named(name, value):
            return PLACEHOLDER
        return self.write(value, depth)

    def blank_named(self, name: str, value: object) -> bool:
        """Tell whether a value is secret by its name, and remember it if it is."""
        secrecy = name_secrecy(name)
        if not secrecy:
            return False
        kind = type(value)
        if kind is str:
            text = str(value)
            if len(text) >= 10_000:
                return secrecy == SURE
            if is_secret(name, text):
                self.found.add(text)
                return True
            return False
        if kind is bytes and len(value) < 10_000:  # type: ignore[arg-type] # its exact type is bytes
            self.found.add(bytes(value).decode("utf-8", "replace"))  # type: ignore[call-overload]
            return secrecy == SURE
        if kind in (list, tuple, set, frozenset):
            for item in list(islice(value, 200)):  # type: ignore[call-overload] # an exact container
                if type(item) is str and len(item) < 10_000 and is_secret(name, item):
                    self.found.add(item)
            return secrecy == SURE
        return secrecy == SURE and kind in (str, int, float, dict, bytearray)

    def _blank_known(self, text: str) -> str:
        return blank_values(text, self.known)[0] if self.known else text

    def _text(self, value: str, depth: int) -> str:
        limit = _MAX_TEXT_CHARS if depth == 0 else 48
        head = value[: limit + _LOOK_BEHIND_CUT_CHARS]
        head = self._blank_known(blank_tokens(head)[0])
        if len(value) <= limit + _LOOK_BEHIND_CUT_CHARS and len(head) <= limit:
            return _quoted(head)
        return _quoted(head[:limit]) + f"... ({len(value)} characters)"

    def _bytes(self, value: bytes, depth: int) -> str:
        limit = 64 if depth == 0 else 24
        text = bytes(value[: limit + _LOOK_BEHIND_CUT_CHARS]).decode("latin-1")
        text = self._blank_known(blank_tokens(text)[0])
        if PLACEHOLDER in text or len(value) <= limit:
            return "b" + _quoted(text[:limit])
        return "b" + _quoted(text[:limit]) + f"... ({len(value)} bytes)"

    def _items(self, items: Iterable[object], total: int, depth: int) -> list[str]:
        n = _MAX_ITEMS if depth == 0 else 4
        shown = [self.write(item, depth + 1) for item in islice(items, n)]
        if total > n:
            shown.append(f"... ({total} items)")
        return shown

    def _sequence(self, value: Any, depth: int) -> str:
        if depth >= _MAX_DEPTH:
            return f"{type(value).__name__} of {len(value)}"
        if type(value) is list and len(value) > _MAX_ITEMS and depth == 0:
            n = _MAX_ITEMS - 2
            shown = [self.write(item, 1) for item in value[:n]]
            last = [self.write(item, 1) for item in value[-1:]]
            return "[" + ", ".join([*shown, "...", *last]) + f"] ({len(value)} items)"
        text = ", ".join(self._items(value, len(value), depth))
        if type(value) is tuple:
            return "(" + text + ("," if len(value) == 1 else "") + ")"
        if type(value) is list:
            return "[" + text + "]"
        return "deque([" + text + "])"

    def _set(self, value: Any, depth: int) -> str:
        if not value:
            return f"{type(value).__name__}()"
        if depth >= _MAX_DEPTH:
            return f"{type(value).__name__} of {len(value)}"
        # The order of a set differs from process to process: sorted where that is cheap.
        items = sorted(self.write(item, depth + 1) for item in islice(value, 64))
        n = _MAX_ITEMS if depth == 0 else 4
        more = f", ... ({len(value)} items)" if len(value) > n else ""
        return "{" + ", ".join(items[:n]) + more + "}"

    def _mapping(self, value: Any, depth: int) -> str:
        total = len(value)
        if depth >= _MAX_DEPTH:
            return f"dict of {total}"
        n = 12 if depth == 0 else 4
        shown = []
        for key, item in islice(value.items(), n):
            if type(key) is str:
                shown.append(self._text(key, depth + 1) + ": " + self.write_named(key, item, depth + 1))
            else:
                shown.append(self.write(key, depth + 1) + ": " + self.write(item, depth + 1))
        if total > n:
            shown.append(f"... ({total} items)")
        return "{" + ", ".join(shown) + "}"

    def _function(self, value: types.FunctionType, depth: int) -> str:
        return value.__name__[:80] + "(" + self._parameters(value, depth) + ")"

    def _parameters(self, value: types.FunctionType, depth: int) -> str:
        code = value.__code__
        names = list(code.co_varnames)
        n = code.co_argcount
        defaults = value.__defaults__ or ()
        shown = []
        for i, name in enumerate(names[:n]):
            at = i - (n - len(defaults))
            shown.append(name if at < 0 else name + "=" + self.write_named(name, defaults[at], depth + 2))
        if code.co_posonlyargcount:
            shown.insert(code.co_posonlyargcount, "/")
        n_keyword = code.co_kwonlyargcount
        rest = n + n_keyword
        if code.co_flags & 0x04:
            shown.append("*" + names[rest])
            rest += 1
        elif n_keyword:
            shown.append("*")
        keyword_defaults = value.__kwdefaults__ or {}
        for name in names[n : n + n_keyword]:
            if name in keyword_defaults:
                shown.append(name + "=" + self.write_named(name, keyword_defaults[name], depth + 2))
            else:
                shown.append(name)
        if code.co_flags & 0x08:
            shown.append("**" + names[rest])
        return ", ".join(shown)[:MAX_SUMMARY_CHARS]


def summarize(reader: Reader, name: str, value: object) -> Summary:
    """Summarize a variable of an exact type from the standard library, or any other by its outside.

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
    Summary
        At most `MAX_SUMMARY_CHARS` of text.
    """
    kind = type(value)
    shape: tuple[int, ...] | None = None
    size = safe.own_size(value)
    if kind in _SIZED:
        length = len(value)  # type: ignore[arg-type] # an exact builtin container
        shape = (length,)
        size = _container_size(value, length, size)
    if reader.blank_named(name, value):
        return Summary(shape, None, size, PLACEHOLDER)
    text = safe.strip_addresses(reader.write(value))
    if len(text) > MAX_SUMMARY_CHARS:
        text = text[: MAX_SUMMARY_CHARS - 3] + "..."
    return Summary(shape, None, size, text)


def _quoted(text: str) -> str:
    return repr(text.encode("utf-8", "replace").decode("utf-8"))


def _integer(value: int, _depth: int) -> str:
    # A long integer takes seconds to write, and Python refuses beyond 4,300 digits.
    if value.bit_length() > 400:
        return f"int of {value.bit_length()} bits"
    return repr(value)


def _opaque(value: object, depth: int) -> str:
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


def _array_scalar(value: object) -> str:
    """Write a numpy scalar or a pandas one, where those libraries are loaded."""
    kind = type(value)
    module = safe.module_of(kind)
    if module == "numpy":
        generic = safe.library("numpy").get("generic")
        if generic in safe.mro(kind) and safe.library("numpy").get(kind.__name__) is kind:
            return str(value)[:100]
    elif module.startswith("pandas."):
        pandas = safe.library("pandas")
        if kind in (pandas.get("Timestamp"), pandas.get("Timedelta"), pandas.get("Period")):
            return str(value)
        if value is pandas.get("NaT") or value is pandas.get("NA"):
            return str(value)
    return ""


def _zoned(value: Any) -> str:
    # A user's own tzinfo would be called by repr.
    zone = value.tzinfo
    if zone is None or type(zone) is datetime.timezone or safe.module_of(type(zone)) == "zoneinfo":
        return str(value.isoformat())
    return str(value.replace(tzinfo=None).isoformat())


def _container_size(value: Any, length: int, own: int | None) -> int | None:
    if own is None or length == 0 or type(value) in (str, bytes, bytearray):
        return own
    items: list[object]
    if type(value) in (list, tuple):
        items = [value[i * length // 16] for i in range(min(16, length))]
    elif type(value) in _MAPPINGS:
        items = [x for pair in islice(value.items(), 16) for x in pair]
    else:
        items = list(islice(value, 16))
    sizes = [safe.own_size(item) or 0 for item in items]
    per_item = sum(sizes) / min(16, length)
    return int(own + per_item * length)


_PLAIN = frozenset([type(None), bool, float, complex, range, type(Ellipsis), type(NotImplemented)])
_MAPPINGS = frozenset([dict, collections.OrderedDict, collections.defaultdict, collections.Counter])
_SIZED = _MAPPINGS | frozenset([str, bytes, bytearray, list, tuple, set, frozenset, collections.deque])
_STDLIB: dict[type, Callable[[Any], str]] = {
    datetime.date: str,
    datetime.datetime: _zoned,
    datetime.timedelta: str,
    datetime.timezone: str,
    decimal.Decimal: str,
    fractions.Fraction: str,
    pathlib.PosixPath: str,
    pathlib.WindowsPath: str,
    uuid.UUID: str,
}
