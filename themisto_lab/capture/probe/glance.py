"""A glance at a value: whether the little that is sampled of it is what it was, without hashing anything.

A glance holds small immutable items themselves and compares them by identity, so that an address that is used
again is never taken for the same value. It means nothing outside this process.
"""

from __future__ import annotations

import types
import weakref
from itertools import islice
from operator import is_
from typing import Any, NamedTuple

from . import safe
from .sample import array_sample

_MAX_LEAVES = 24
_MAX_HELD_CHARS = 200
_HELD = frozenset([type(None), bool, int, float, complex, str, bytes, range])
_FREE = frozenset([type(None), bool, float, complex])
_SIZED = frozenset([list, tuple, dict, set, frozenset, bytearray])
_ARRAY_BYTES = 256
_WHOLE_ARRAY_BYTES = 1024
"""An array up to this size is copied whole, which takes less time than to pick items out of it."""

_SMALL = 1 << 63
_MAX_BLOCKS = 4


class Glance(NamedTuple):
    """What was seen: ``held`` is compared by identity, ``plain`` by value (numbers and bytes)."""

    held: tuple[object, ...]
    plain: tuple[object, ...]


def is_held(value: object) -> bool:
    """Tell whether a value is immutable and so small that keeping it does no harm: then identity is equality."""
    kind = safe.key(type(value))
    if kind not in _HELD:
        return False
    if kind is str or kind is bytes:
        return len(value) <= _MAX_HELD_CHARS  # type: ignore[arg-type] # an exact text
    return kind is not int or value.bit_length() <= 2048  # type: ignore[attr-defined] # an exact int


def glance(value: object) -> Glance:
    """Look at a value; nothing of it is called, and only small items of it are kept."""
    held: list[object] = []
    plain: list[object] = []
    _look(value, held, plain, 0)
    return Glance(tuple(held), tuple(plain))


def same(before: Glance, now: Glance) -> bool:
    """Tell whether two glances saw the same."""
    return before.plain == now.plain and len(before.held) == len(now.held) and all(map(is_, before.held, now.held))


def _look(value: Any, held: list[object], plain: list[object], depth: int) -> None:
    kind = safe.key(type(value))
    if kind in _HELD:
        if kind in _FREE or is_held(value):
            held.append(value)
        else:
            plain.append(id(value))
        return
    plain.append(id(value))
    if len(held) + len(plain) > 2 * _MAX_LEAVES or depth > 3:
        return
    if kind in _SIZED:
        total = len(value)
        plain.append(total)
        for item in _picked(kind, value, total):
            # Most items are of these, and a call for each would cost more than all the rest.
            is_plain = item is None or type(item) is float or (type(item) is int and -_SMALL < item < _SMALL)
            if is_plain or (type(item) is str and len(item) <= _MAX_HELD_CHARS):
                held.append(item)
            else:
                _look(item, held, plain, depth + 1)
        return
    _look_inside(value, held, plain, depth)


def _picked(kind: type, value: Any, total: int) -> list[object]:
    if kind is list or kind is tuple:
        if total <= 8:
            return list(value)
        return [value[0], value[total // 4], value[total // 2], value[3 * total // 4], value[-1]]
    if kind is dict:
        return [x for pair in list(islice(value.items(), 4)) for x in pair]
    if kind is bytearray:
        return []
    return list(islice(value, 8))


def _look_inside(value: Any, held: list[object], plain: list[object], depth: int) -> None:
    kind = type(value)
    numpy_array = safe.library("numpy").get("ndarray")
    if kind is numpy_array:
        _look_at_array(value, plain)
    elif kind is types.FunctionType:
        held.append(value.__code__)
    elif _is_frame(kind):
        _look_at_frame(value, held, plain)
    elif safe.module_of(kind) == "torch" and kind is safe.library("torch").get("Tensor"):
        # A tensor counts the changes that are made in its place.
        plain.append(int(getattr(value, "_version", 0)))
    elif not safe.is_class(value):
        found = safe.instance_dict(value)
        if found:
            plain.append(len(found))
            for _, item in list(islice(found.items(), 8)):
                _look(item, held, plain, depth + 1)


def _look_at_frame(value: Any, held: list[object], plain: list[object]) -> None:
    numpy_array = safe.library("numpy").get("ndarray")
    manager = value._mgr
    for axis in manager.axes:
        _add_handle(axis, held, plain)
    blocks = manager.blocks
    plain.append(len(blocks))
    for block in blocks[:_MAX_BLOCKS]:
        values = block.values
        _add_handle(values, held, plain)
        beneath = getattr(values, "_ndarray", values) if safe.owned_by(values, "pandas") else values
        if type(beneath) is numpy_array:
            _look_at_array(beneath, plain)


def _look_at_array(value: Any, plain: list[object]) -> None:
    dtype = value.dtype
    plain.append(value.shape)
    plain.append(dtype.num)
    if not dtype.hasobject:
        plain.append(value.tobytes() if value.nbytes <= _WHOLE_ARRAY_BYTES else array_sample(value, _ARRAY_BYTES))
    else:
        size = int(value.size)
        plain.extend(id(value.flat[at]) for at in ((0, size // 2, size - 1) if size else ()))


def _add_handle(value: object, held: list[object], plain: list[object]) -> None:
    """Add what stands for an object without keeping it: an address may be used again, a weak reference is not."""
    try:
        held.append(weakref.ref(value))
    except TypeError:
        plain.append(id(value))


def _is_frame(kind: type) -> bool:
    names = safe.library("pandas")
    return bool(names) and (kind is names.get("DataFrame") or kind is names.get("Series"))
