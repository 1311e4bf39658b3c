"""A digest of a fixed, small part of a value. It depends on the value alone: equal values have equal samples."""

from __future__ import annotations

import hashlib
import marshal
import types
from itertools import islice
from typing import Any

from . import safe
from .pieces import pieces

_SAMPLE_BYTES = 256
_TOTAL_BYTES = 1024
_MAX_ITEMS = 24
_MAX_DEPTH = 4
_SMALL_INT_BITS = 256

SCALARS = frozenset([type(None), bool, int, float, complex, range])
TEXTS = frozenset([str, bytes])
_NUMBER_IDS = frozenset(map(id, [type(None), bool, float, complex]))
_STR_ID = id(str)
_INT_ID = id(int)
EXACT = SCALARS | TEXTS | frozenset([bytearray, list, tuple, dict, set, frozenset])


def sample(value: object) -> tuple[bytes, bool]:
    """Take the sample of a value.

    Parameters
    ----------
    value
        Anything.

    Returns
    -------
    tuple
        The digest, and whether it covers the whole value.
    """
    kind = safe.key(type(value))
    if kind in SCALARS and (kind is not int or value.bit_length() <= _SMALL_INT_BITS):  # type: ignore[attr-defined] # an exact int
        return (kind.__name__ + repr(value)).encode(), True
    if kind is str and len(value) <= 64:  # type: ignore[arg-type] # an exact str
        return b"str" + value.encode("utf-8", "surrogatepass"), True  # type: ignore[attr-defined] # an exact str
    found = _of_plain_items(kind, value)
    if found is not None:
        return found
    walk = _Walk()
    walk.feed(value)
    return walk.hash.digest(), walk.whole


def _of_plain_items(kind: type, value: Any) -> tuple[bytes, bool] | None:
    """Take the sample of a container whose picked items are plain; None for any other value."""
    if kind is list or kind is tuple:
        total = len(value)
        n = min(total, 5)
        picked = [value[i * (total - 1) // max(1, n - 1)] for i in range(n)]
    elif kind is dict:
        total = len(value)
        n = min(total, 3)
        picked = [x for pair in list(islice(value.items(), n)) for x in pair]
    else:
        return None
    # By the address of the type: a metaclass could have a hash of its own.
    for item in picked:
        at = id(type(item))
        if at == _INT_ID:
            if item.bit_length() > _SMALL_INT_BITS:
                return None
        elif at not in _NUMBER_IDS and not (at == _STR_ID and len(item) <= 64):
            return None
    return kind.__name__.encode() + marshal.dumps([total, *picked], 2), n == total


def array_sample(value: Any, n_bytes: int = _SAMPLE_BYTES) -> bytes:
    """Return evenly spread items of an exact ndarray without objects, the last one included."""
    size = int(value.size)
    budget = n_bytes // max(1, int(value.itemsize))
    if size <= budget:
        found: bytes = value.tobytes()
        return found
    step = size // max(1, budget) + 1
    # A view where the data lie in order; picked places, which copies nothing else, where they do not.
    if value.flags.c_contiguous:
        flat = value.reshape(-1)
    elif value.flags.f_contiguous:
        flat = value.T.reshape(-1)
        return _in_order(value, flat, step)
    else:
        flat = value.flat
    picked: bytes = flat[::step].tobytes() + flat[-1:].tobytes()
    return picked


def _in_order(value: Any, flat: Any, step: int) -> bytes:
    """Pick the same items of a column-ordered array as of its row-ordered equal."""
    shape = [int(n) for n in value.shape]
    strides = [1]
    for n in shape[:-1]:
        strides.append(strides[-1] * n)
    places = []
    for at in [*range(0, int(value.size), step), int(value.size) - 1]:
        rest, place = at, 0
        for n, stride in zip(reversed(shape), reversed(strides)):
            rest, i = divmod(rest, n)
            place += i * stride
        places.append(place)
    found: bytes = flat[places].tobytes()
    return found


class _Walk:
    """One pass over a value within a budget of items and bytes."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=12)
        self.items_left = _MAX_ITEMS
        self.bytes_left = _TOTAL_BYTES
        self.whole = True

    def feed(self, value: object, depth: int = 0) -> None:
        """Add a value to the hash."""
        kind = safe.key(type(value))
        self.hash.update(kind.__name__.encode() if kind in EXACT else b"?")
        if kind is int:
            self._integer(value)
        elif kind in SCALARS:
            self._octets(repr(value).encode())
        elif kind is str:
            self._text(value)
        elif kind in (bytes, bytearray, memoryview):
            self._octets(value)
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
            self._octets(value.to_bytes(n_bytes, "little", signed=True))
        else:
            self.whole = False
            self._octets(b"%d" % n_bytes)
            self._octets((value & ((1 << 512) - 1)).to_bytes(64, "little"))

    def _text(self, value: Any) -> None:
        self.hash.update(b"%d:" % len(value))
        for part in self._ends(value, len(value)):
            self.hash.update(part.encode("utf-8", "surrogatepass"))

    def _octets(self, value: Any) -> None:
        if type(value) is memoryview:
            value = value.cast("B")
        self.hash.update(b"%d:" % len(value))
        for part in self._ends(value, len(value)):
            self.hash.update(bytes(part))

    def _ends(self, value: Any, total: int) -> list[Any]:
        """Return what of a text the budget allows: all of it, or its two ends."""
        allowed = min(total, _SAMPLE_BYTES, self.bytes_left)
        self.bytes_left -= allowed
        if allowed == total:
            return [value]
        self.whole = False
        half = allowed // 2
        return [value[:half], value[total - half :]]

    def _sequence(self, value: Any, depth: int) -> None:
        total = len(value)
        self.hash.update(b"%d:" % total)
        n = min(total, self.items_left, 5) if depth <= _MAX_DEPTH else 0
        self.whole = self.whole and n == total
        for i in range(n):
            if self.items_left <= 0:
                self.whole = False
                return
            self.items_left -= 1
            # Evenly spread, first and last included.
            self.feed(value[i * (total - 1) // max(1, n - 1)], depth + 1)

    def _mapping(self, value: Any, depth: int) -> None:
        self.hash.update(b"%d:" % len(value))
        n = 3 if depth <= _MAX_DEPTH else 0
        self.whole = self.whole and len(value) <= n
        for key, item in list(islice(value.items(), n)):
            if self.items_left <= 0:
                self.whole = False
                return
            self.items_left -= 1
            self.feed(key, depth + 1)
            self.feed(item, depth + 1)

    def _set(self, value: Any) -> None:
        self.hash.update(b"%d:" % len(value))
        if len(value) > 64:
            self.whole = False
            return
        parts = []
        for item in list(value):
            if safe.key(type(item)) in SCALARS or (type(item) is str and len(item) <= _SAMPLE_BYTES):
                parts.append(marshal.dumps(item, 2) if type(item) is not range else repr(item).encode())
            else:
                walk = _Walk()
                walk.feed(item, 3)
                self.whole = self.whole and walk.whole
                parts.append(walk.hash.digest())
        self.hash.update(b"".join(sorted(parts)))

    def _other(self, value: Any, depth: int) -> None:
        kind = type(value)
        self.hash.update(safe.type_name(kind).encode("utf-8", "replace"))
        if kind is types.FunctionType:
            self.feed(value.__code__, depth)
        elif kind is types.CodeType:
            self.hash.update(value.co_code)
            self.hash.update(" ".join(value.co_names + value.co_varnames).encode("utf-8", "replace"))
            if depth < _MAX_DEPTH:
                self._sequence(value.co_consts, depth)
        elif kind is safe.library("numpy").get("ndarray"):
            self._array(value)
        else:
            found = pieces(value)
            if found is not None:
                self._pieces(found)
            elif not safe.is_class(value):
                self._attributes(value, depth)

    def _pieces(self, found: list[Any]) -> None:
        """Add the first and the last pieces of a library's value, many at once where they are plain."""
        self.whole = False
        plain: list[object] = []
        for piece in found[:_MAX_ITEMS] + found[_MAX_ITEMS:][-8:]:
            kind = type(piece)
            if kind is int or (kind is str and len(piece) <= 64):
                plain.append(piece)
            else:
                self.items_left = max(self.items_left, 4)
                self.bytes_left = max(self.bytes_left, _SAMPLE_BYTES)
                self.feed(piece, 3)
        self.hash.update(repr(plain).encode("utf-8", "backslashreplace"))

    def _array(self, value: Any) -> None:
        dtype = value.dtype
        self.hash.update(f"{value.shape}{dtype.str}".encode())
        if not dtype.hasobject:
            self.whole = self.whole and value.nbytes <= _SAMPLE_BYTES
            self.hash.update(array_sample(value))
            return
        self.whole = False
        size = int(value.size)
        n = min(size, max(4, self.items_left), 8)
        for i in range(n):
            self.feed(value.flat[i * (size - 1) // max(1, n - 1)], 3)

    def _attributes(self, value: Any, depth: int) -> None:
        self.whole = False
        found = safe.instance_dict(value)
        if not found or depth >= 3:
            return
        self.hash.update(b"%d:" % len(found))
        for key, item in list(islice(found.items(), 8)):
            if type(key) is str and self.items_left > 0:
                self.items_left -= 1
                self._text(key)
                self.feed(item, depth + 1)
