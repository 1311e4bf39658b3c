"""Which variables a run created or changed, and a hash of the whole state.

Names that occur in the cell's code (or in the functions that it names) are hashed fully within limits; the
others by a fixed sample. A sample depends on the value alone, so equal states have equal hashes.
"""

from __future__ import annotations

import hashlib
import re
import types
from collections.abc import Iterable
from itertools import islice
from typing import Any, NamedTuple

from . import safe
from .arrays import owned_by

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_MAX_CODE_CHARS = 100_000
_MAX_FULL_BYTES = 1 << 20
_SAMPLE_BYTES = 256
_MAX_FULL_ITEMS = 4000
_MAX_SAMPLE_ITEMS = 24


class Print(NamedTuple):
    """The fingerprint of a variable at the end of a run."""

    identity: int
    kind: int
    sample: bytes
    full: bytes | None
    transparent: bool


def named_in(code: str, namespace: dict[str, Any]) -> set[str]:
    """Return the names of a cell's code, and those that the functions it names refer to.

    Parameters
    ----------
    code
        The cell's code, as typed.
    namespace
        The user's namespace.

    Returns
    -------
    set of str
        More than is used, never less: words of comments and texts are in it as well.
    """
    names = set(_IDENTIFIER.findall(code[:_MAX_CODE_CHARS]))
    more: set[str] = set()
    for name in names:
        value = namespace.get(name)
        if type(value) is types.FunctionType:
            more.update(value.__code__.co_names)
    return names | more


def fingerprint(value: object, named: bool) -> Print:
    """Take the fingerprint of a value; with its full hash where the cell names it."""
    sample = _digest(value, full=False)
    full = _digest(value, full=True) if named else None
    kind = safe.key(type(value))
    transparent = kind in _EXACT or kind is types.FunctionType or owned_by(value, "pandas")
    return Print(id(value), id(type(value)), sample, full, transparent)


def differs(before: Print | None, now: Print) -> bool:
    """Tell whether a variable was created or changed between two runs."""
    if before is None or before.kind != now.kind or before.sample != now.sample:
        return True
    if before.identity != now.identity and not now.transparent:
        return True
    if before.full is not None and now.full is not None:
        return before.full != now.full
    return False


def state_hash(parts: Iterable[str]) -> str:
    """Hash a state from one text per variable.

    Parameters
    ----------
    parts
        Texts free of addresses, one a variable, in any order.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    return hashlib.blake2b("\n".join(sorted(parts)).encode("utf-8", "replace"), digest_size=16).hexdigest()


class _Walk:
    """One pass over a value: feeds a hash within a budget of items and bytes."""

    def __init__(self, full: bool) -> None:
        self.hash = hashlib.blake2b(digest_size=12)
        self.items_left = _MAX_FULL_ITEMS if full else _MAX_SAMPLE_ITEMS
        self.max_bytes = _MAX_FULL_BYTES if full else _SAMPLE_BYTES
        self.bytes_left = 4 * self.max_bytes
        self.full = full

    def feed(self, value: object, depth: int = 0) -> None:
        """Add a value to the hash."""
        kind = safe.key(type(value))
        self.hash.update(kind.__name__.encode() if kind in _EXACT else b"?")
        if kind in _SCALARS:
            self._bytes(repr(value).encode())
        elif kind is int:
            self._integer(value)
        elif kind is str:
            self._text(value)
        elif kind in (bytes, bytearray):
            self._bytes(value)
        elif kind in (list, tuple):
            self._sequence(value, depth)
        elif kind is dict:
            self._mapping(value, depth)
        elif kind in (set, frozenset):
            self._set(value)
        else:
            self._other(value, depth)

    def _integer(self, value: Any) -> None:
        n_bytes = value.bit_length() // 8 + 1
        if n_bytes <= 4096:
            self._bytes(value.to_bytes(n_bytes, "little", signed=True))
        else:
            self._bytes(b"%d" % n_bytes)
            self._bytes((value & ((1 << 512) - 1)).to_bytes(64, "little"))

    def _text(self, value: Any) -> None:
        self.hash.update(b"%d:" % len(value))
        for part in self._parts(value):
            self.hash.update(part.encode("utf-8", "surrogatepass"))

    def _bytes(self, value: Any) -> None:
        self.hash.update(b"%d:" % len(value))
        for part in self._parts(value):
            self.hash.update(bytes(part))

    def _parts(self, value: Any) -> list[Any]:
        """Return what of a text the budget allows: all of it, or its two ends."""
        allowed = self._allow(len(value))
        if allowed == len(value):
            return [value]
        half = allowed // 2
        return [value[:half], value[len(value) - half :]]

    def _allow(self, n_bytes: int) -> int:
        allowed = min(n_bytes, self.max_bytes, self.bytes_left)
        self.bytes_left -= allowed
        return allowed

    def _sequence(self, value: Any, depth: int) -> None:
        total = len(value)
        self.hash.update(b"%d:" % total)
        if depth > 4:
            return
        n = min(total, self.items_left if self.full else min(self.items_left, 5))
        for i in range(n):
            if self.items_left <= 0:
                return
            self.items_left -= 1
            # Evenly spread, first and last included.
            self.feed(value[i * (total - 1) // max(1, n - 1)], depth + 1)

    def _mapping(self, value: Any, depth: int) -> None:
        self.hash.update(b"%d:" % len(value))
        if depth > 4:
            return
        for key, item in islice(value.items(), self.items_left if self.full else 3):
            if self.items_left <= 0:
                return
            self.items_left -= 1
            self.feed(key, depth + 1)
            self.feed(item, depth + 1)

    def _set(self, value: Any) -> None:
        self.hash.update(b"%d:" % len(value))
        if len(value) > min(2000, max(64, self.items_left)):
            return
        digests = []
        for item in value:
            walk = _Walk(full=False)
            walk.feed(item, 3)
            digests.append(walk.hash.digest())
        self.hash.update(b"".join(sorted(digests)))

    def _other(self, value: Any, depth: int) -> None:
        kind = type(value)
        self.hash.update(safe.type_name(kind).encode("utf-8", "replace"))
        if kind is types.FunctionType:
            self.feed(value.__code__, depth)
        elif kind is types.CodeType:
            self.hash.update(value.co_code)
            self.hash.update(" ".join(value.co_names + value.co_varnames).encode("utf-8", "replace"))
            if depth < 4:
                self._sequence(value.co_consts, depth)
        elif kind is safe.library("numpy").get("ndarray"):
            self._array(value)
        elif owned_by(value, "pandas"):
            self._pandas(value)
        elif not safe.is_class(value) and depth < 3:
            self._attributes(value, depth)

    def _array(self, value: Any) -> None:
        self.hash.update(repr(value.shape).encode() + value.dtype.str.encode())
        if value.dtype.hasobject:
            n = min(int(value.size), self.items_left)
            step = max(1, int(value.size) // max(1, n))
            for i in range(0, int(value.size), step)[:n] if n else ():
                self.items_left -= 1
                self.feed(value.flat[i], 3)
            return
        budget = self._allow(int(value.nbytes)) // max(1, int(value.itemsize))
        if budget == 0:
            return
        if value.size <= budget:
            self.hash.update(value.tobytes())
            return
        step = int(value.size) // budget + 1
        # A view where the data lie in order; an iterator, which copies nothing, where they do not.
        flat = value.reshape(-1) if value.flags.c_contiguous else value.flat
        self.hash.update(flat[::step].tobytes())
        self.hash.update(flat[-1:].tobytes())

    def _pandas(self, value: Any) -> None:
        manager = getattr(value, "_mgr", None) if any(type(value) is frame for frame in _frames()) else None
        if manager is None:
            return
        array = safe.library("numpy").get("ndarray")
        for axis in manager.axes:
            self.hash.update(b"%d:" % len(axis))
            if owned_by(axis, "pandas"):
                labels = list(axis[:200]) if self.full else [axis[at] for at in (0, -1) if len(axis)]
                for label in labels:
                    self.feed(label, 3)
        for block in list(manager.blocks)[:64]:
            values = block.values
            if owned_by(values, "pandas") and type(values) is not array:
                # Dates and categories keep numbers beneath.
                values = getattr(values, "_ndarray", values)
            if type(values) is array:
                self._array(values)
            elif owned_by(values, "pandas"):
                n = min(len(values), 64 if self.full else 8)
                for i in range(n):
                    item = values[i * (len(values) - 1) // max(1, n - 1)]
                    self.hash.update(str(item).encode("utf-8", "replace") if owned_by(item, "pandas") else b"")
                    self.feed(item, 3)

    def _attributes(self, value: Any, depth: int) -> None:
        found = safe.instance_dict(value)
        if not found:
            return
        for key, item in list(islice(found.items(), 200 if self.full else 8)):
            if type(key) is str and self.items_left > 0:
                self.items_left -= 1
                self._text(key)
                self.feed(item, depth + 1)


def _frames() -> tuple[object, ...]:
    names = safe.library("pandas")
    return (names.get("DataFrame"), names.get("Series"))


def _digest(value: object, full: bool) -> bytes:
    walk = _Walk(full)
    walk.feed(value)
    return walk.hash.digest()


_SCALARS = frozenset([type(None), bool, float, complex, range])
_EXACT = _SCALARS | frozenset([int, str, bytes, bytearray, list, tuple, dict, set, frozenset])
