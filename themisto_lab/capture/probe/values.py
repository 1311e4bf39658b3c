"""Short texts for values, by exact type, bounded in items, depth and characters.

`summarize` is the entry. No method of a user's class runs: a value whose exact type is not known here gets
its type's name and the public names in its own ``__dict__``.
"""

from __future__ import annotations

import collections
import sys
import types
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple

from . import safe
from .records import enum_member, fields_of
from .scalars import PLAIN, STDLIB, array_scalar, integer, opaque, plain, quoted
from .secrets import PLACEHOLDER, SURE, blank_tokens, blank_values, is_secret, name_secrecy

MAX_SUMMARY_CHARS = 400
_MAX_TEXT_CHARS = 160
# A token that starts just before the cut must still be seen whole enough to be recognised.
_LOOK_BEHIND_CUT_CHARS = 600
# No known form of a token is shorter; nor is a secret that is blanked wherever it occurs.
_MIN_TOKEN_CHARS = 6
_MAX_ITEMS = 8
_MAX_DEPTH = 3
_MAX_SECRET_CHARS = 10_000
_HAS_VARARGS, _HAS_VARKEYWORDS = 0x04, 0x08


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
        # Whether the last variable was told by its outside alone.
        self.outside = False
        self._writers: dict[type, Callable[[Any, int], str]] = {
            str: self._text,
            bytes: self._bytes,
            bytearray: self._bytes,
            int: integer,
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
        kind = safe.key(type(value))
        if kind in PLAIN:
            return repr(value)
        writer = self._writers.get(kind)
        if writer is not None:
            return writer(value, depth)
        bare = plain(value)
        if bare is not value:
            return self.write(bare, depth)
        if kind in STDLIB:
            return self.clean(STDLIB[kind](value))
        text = array_scalar(value) or self._record(value, depth)
        if not text:
            self.outside = self.outside or (depth == 0 and not safe.is_class(value))
            text = opaque(value, depth)
        return text

    def _record(self, value: object, depth: int) -> str:
        """Write a dataclass, a named tuple or an enum's member; empty for any other value."""
        name = safe.short_name(type(value)).rpartition(".")[2][:80]
        member = enum_member(value)
        if member is not None:
            return f"<{name}.{member[0][:80]}: {self.write(member[1], depth + 2)}>"
        fields = fields_of(value)
        if fields is None:
            return ""
        if depth >= _MAX_DEPTH:
            return f"{name} of {len(fields)} fields"
        shown = [key[:60] + "=" + self.write_named(key, item, depth + 1) for key, item in fields[:12]]
        return name + "(" + ", ".join(shown) + (", ..." if len(fields) > 12 else "") + ")"

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
        kind = safe.key(type(value))
        if kind not in _BLANKED:
            value = plain(value)
            kind = safe.key(type(value))
        texts = _texts_in(kind, value)
        secret = [text for text in texts if is_secret(name, text)]
        self.found.update(secret)
        if kind is str and len(texts) == 1:
            return bool(secret)
        return secrecy == SURE and kind in _BLANKED

    def _blank_known(self, text: str) -> str:
        return blank_values(text, self.known)[0] if self.known else text

    def _text(self, value: str, depth: int) -> str:
        limit = _MAX_TEXT_CHARS if depth == 0 else 48
        head = value[: limit + _LOOK_BEHIND_CUT_CHARS]
        if len(head) >= _MIN_TOKEN_CHARS:
            head = self._blank_known(blank_tokens(head)[0])
        if len(value) <= limit + _LOOK_BEHIND_CUT_CHARS and len(head) <= limit:
            return quoted(head)
        return quoted(head[:limit]) + f"... ({len(value)} characters)"

    def _bytes(self, value: bytes, depth: int) -> str:
        limit = 64 if depth == 0 else 24
        text = bytes(value[: limit + _LOOK_BEHIND_CUT_CHARS]).decode("latin-1")
        text = self._blank_known(blank_tokens(text)[0])
        if PLACEHOLDER in text or len(value) <= limit:
            return "b" + quoted(text[:limit])
        return "b" + quoted(text[:limit]) + f"... ({len(value)} bytes)"

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
        return value.__name__[:80] + "(" + ", ".join(self._parameters(value, depth))[:MAX_SUMMARY_CHARS] + ")"

    def _parameters(self, value: types.FunctionType, depth: int) -> list[str]:
        """Write a signature from the code object: `inspect` would follow a user's ``__signature__``."""
        code, defaults = value.__code__, value.__defaults__ or ()
        names = list(code.co_varnames)
        n, n_keyword = code.co_argcount, code.co_kwonlyargcount
        values = {names[n - len(defaults) + i]: default for i, default in enumerate(defaults)}
        values.update(value.__kwdefaults__ or {})
        written = [
            name + "=" + self.write_named(name, values[name], depth + 2) if name in values else name
            for name in names[: n + n_keyword]
        ]
        positional, keyword = written[:n], written[n:]
        if code.co_posonlyargcount:
            positional.insert(code.co_posonlyargcount, "/")
        rest = names[n + n_keyword :]
        if code.co_flags & _HAS_VARARGS:
            positional.append("*" + rest.pop(0))
        elif keyword:
            positional.append("*")
        return positional + keyword + (["**" + rest[0]] if code.co_flags & _HAS_VARKEYWORDS else [])


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
    kind = safe.key(type(value))
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


def _texts_in(kind: type, value: Any) -> list[str]:
    """Return the texts that a value of an exact type is or holds, within reason."""
    if kind is str:
        return [value] if len(value) < _MAX_SECRET_CHARS else []
    if kind in (bytes, bytearray):
        return [bytes(value[:_MAX_SECRET_CHARS]).decode("utf-8", "replace")]
    if kind in (list, tuple, set, frozenset):
        return [item for item in islice(value, 200) if type(item) is str and len(item) < _MAX_SECRET_CHARS]
    return []


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
    if _BARE.issuperset(map(safe.key, map(type, items))):
        total = sum(map(sys.getsizeof, items))
    else:
        total = sum(safe.own_size(item) or 0 for item in items)
    per_item = total / min(16, length)
    return int(own + per_item * length)


_MAPPINGS = frozenset([dict, collections.OrderedDict, collections.defaultdict, collections.Counter])
_SIZED = _MAPPINGS | frozenset([str, bytes, bytearray, list, tuple, set, frozenset, collections.deque])
_BLANKED = _SIZED | frozenset([int, float])
_BARE = frozenset([type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set])
