"""A hash of all of a value, within a time. Where the time does not suffice there is none."""

from __future__ import annotations

import collections
import hashlib
import marshal
import types
from itertools import islice
from typing import Any

from . import safe
from .buffers import Budget, OutOfTimeError, clock, fold
from .pieces import pieces

_CHUNK_ITEMS = 2048
_CHUNK_BYTES = 1 << 20
_MAX_DEPTH = 60
_MAX_OBJECT_DEPTH = 4
_MAX_OBJECTS = 4000
_FLAT = frozenset([type(None), bool, int, float, complex, str, bytes])
_FLAT_IDS = frozenset(map(id, _FLAT))
_NUMBER_IDS = _FLAT_IDS - {id(str), id(bytes), id(int)}
_LISTS = frozenset([list, tuple, collections.deque])
_MAPPINGS = frozenset([dict, collections.OrderedDict, collections.defaultdict, collections.Counter])
_LONG_TEXT = 10_000


def whole(value: object, budget: Budget) -> bytes | None:
    """Hash a value fully: its items, its arrays, and the attributes of objects up to a few levels down.

    Parameters
    ----------
    value
        Anything.
    budget
        The time.

    Returns
    -------
    bytes or None
        A digest that is compared within this process only; None where the time does not suffice.
    """
    walk = _Walk(budget)
    try:
        walk.feed(value, 0, 0)
    except (OutOfTimeError, RecursionError):
        return None
    return walk.hash.digest()


class _Walk:
    def __init__(self, budget: Budget) -> None:
        self.hash = hashlib.blake2b(digest_size=16)
        self.budget = budget
        self.objects_left = _MAX_OBJECTS
        self.open: set[int] = set()

    def feed(self, value: Any, depth: int, object_depth: int) -> None:
        """Add a value to the hash."""
        kind = safe.key(type(value))
        if kind in _FLAT:
            self._flat(value)
            return
        if depth > _MAX_DEPTH or clock() > self.budget.deadline:
            raise OutOfTimeError
        if id(value) in self.open:
            # It holds itself: seen already, further out.
            self.hash.update(b"loop")
            return
        self.open.add(id(value))
        self.hash.update(safe.type_name(type(value)).encode("utf-8", "replace"))
        if kind in _LISTS:
            self._items(value, len(value), depth, object_depth)
        elif kind in _MAPPINGS:
            self._items(value, len(value), depth, object_depth)
            self._items(value.values(), len(value), depth, object_depth)
        elif kind in (set, frozenset):
            self._set(value, depth, object_depth)
        elif kind in (bytearray, memoryview):
            self.hash.update(fold(value, self.budget))
        elif kind is range:
            self.hash.update(repr(value).encode())
        else:
            self._other(value, depth, object_depth)
        self.open.discard(id(value))

    def _flat(self, value: Any) -> None:
        if type(value) in (str, bytes) and len(value) > _LONG_TEXT:
            # Python keeps the hash of a text in the text: the second time is free.
            self.budget.need("text", len(value))
            began = clock()
            self.hash.update(b"%d:%d" % (len(value), hash(value)))
            self.budget.learn("text", len(value), began)
        elif type(value) is int and value.bit_length() > 8 * _LONG_TEXT:
            self.budget.need("hash", value.bit_length() // 8)
            self.hash.update(value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))
        else:
            self.hash.update(marshal.dumps(value, 2))

    def _items(self, items: Any, total: int, depth: int, object_depth: int) -> None:
        """Hash items in order, many at a time where they are plain."""
        self.budget.need("items", total)
        self.hash.update(b"%d:" % total)
        began = clock()
        rest = iter(items)
        is_plain = True
        while True:
            chunk = list(islice(rest, _CHUNK_ITEMS))
            if not chunk:
                break
            # By the address of the type: a metaclass could have a hash of its own.
            kinds = set(map(id, map(type, chunk)))
            if kinds <= _FLAT_IDS and (kinds <= _NUMBER_IDS or _is_short(chunk)):
                self.hash.update(marshal.dumps(chunk, 2))
            else:
                is_plain = False
                for item in chunk:
                    self.feed(item, depth + 1, object_depth)
            if clock() > self.budget.deadline:
                raise OutOfTimeError
        if is_plain:
            self.budget.learn("items", total, began)

    def _set(self, value: Any, depth: int, object_depth: int) -> None:
        self.budget.need("items", 4 * len(value))
        parts = []
        for item in list(value):
            walk = _Walk(self.budget)
            walk.open, walk.objects_left = self.open, self.objects_left
            walk.feed(item, depth + 1, object_depth)
            parts.append(walk.hash.digest())
        self.hash.update(b"".join(sorted(parts)))

    def _other(self, value: Any, depth: int, object_depth: int) -> None:
        kind = type(value)
        if kind is types.FunctionType:
            self.feed(value.__code__, depth + 1, object_depth)
            self.feed([value.__defaults__, value.__kwdefaults__], depth + 1, object_depth)
        elif kind is types.CodeType:
            self.hash.update(value.co_code)
            self.feed([value.co_names, value.co_varnames, value.co_consts], depth + 1, object_depth)
        elif kind is safe.library("numpy").get("ndarray"):
            self._array(value, depth, object_depth)
        else:
            found = pieces(value)
            if found is not None:
                self._pieces(found, depth, object_depth)
            elif not safe.is_class(value) and object_depth < _MAX_OBJECT_DEPTH:
                self._attributes(value, depth, object_depth)

    def _pieces(self, found: list[Any], depth: int, object_depth: int) -> None:
        array = safe.library("numpy").get("ndarray")
        # Together they may be too much where each alone is not: ask before the first is read.
        self.budget.need("rows", sum(int(piece.nbytes) for piece in found if type(piece) is array))
        for piece in found:
            self.feed(piece, depth + 1, object_depth)

    def _array(self, value: Any, depth: int, object_depth: int) -> None:
        self.hash.update(repr(value.shape).encode() + str(value.dtype).encode("utf-8", "replace"))
        if not value.dtype.hasobject:
            self.hash.update(fold(value, self.budget))
            return
        size = int(value.size)
        self.budget.need("items", size)
        # A cell of a structured array is a tuple.
        for start in range(0, size, _CHUNK_ITEMS):
            self._items(value.flat[start : start + _CHUNK_ITEMS].tolist(), _CHUNK_ITEMS, depth, object_depth)

    def _attributes(self, value: Any, depth: int, object_depth: int) -> None:
        for key, item in list((safe.instance_dict(value) or {}).items()):
            self.objects_left -= 1
            if self.objects_left < 0:
                raise OutOfTimeError
            if type(key) is str:
                self._flat(key)
                self.feed(item, depth + 1, object_depth + 1)


def _is_short(chunk: list[Any]) -> bool:
    total = 0
    for item in chunk:
        kind = type(item)
        if kind is str or kind is bytes:
            total += len(item)
        elif kind is int and item.bit_length() > 4096:
            return False
    return total < _CHUNK_BYTES
