"""Whether a value can be read through and written out without running a user's code, and how large it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import safe
from .look_rules import CONTAINERS, ITERATORS, SCALARS, family, is_librarys, is_number_or_dtype
from .secrets import name_secrecy

_MAX_ITEMS = 2000
_MAX_OBJECTS = 100_000
_MAX_DEPTH = 6
_MAX_KEYS = 100_000


class Trust:
    """Answers for the values of one look; remembers what it found.

    A value is trusted if it and all that it holds are of exact types whose methods are a library's own. One that holds
    something under the name of a secret is not, so that it is never written out.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, bool]] = {}
        self._items_left = _MAX_ITEMS

    def vouch(self, value: object) -> None:
        """Take a value on trust that an operation on trusted values gave."""
        self._known[id(value)] = (value, True)

    def __call__(self, value: object) -> bool:
        """Tell whether a value is trusted."""
        if safe.key(type(value)) in SCALARS:
            return True
        found = self._known.get(id(value))
        if found is None:
            self._items_left = _MAX_ITEMS
            found = self._known[id(value)] = (value, self._trusted(value, 0))
        return found[1]

    def outside(self, value: Any) -> bool:
        """Tell whether what a value is of and how it is labelled is trusted, whatever stands in its cells."""
        held = _held_by(value) if safe.short_name(type(value)) in _HOLDERS and family(value) == "pandas" else value
        if not _is_frame(held):
            return family(held) == "numpy" or self(value)
        manager = held.__dict__.get("_mgr")
        return manager is not None and not self._has_secret_label(held) and all(self(axis) for axis in manager.axes)

    def _trusted(self, value: Any, depth: int) -> bool:
        kind = safe.key(type(value))
        if kind in SCALARS:
            return True
        of = family(value)
        if of == "container":
            return kind not in ITERATORS and self._container(value, depth)
        if of == "numpy":
            return kind is not safe.library("numpy").get("ndarray") or self._array(value)
        return of == "pandas" and self._pandas(value, depth)

    def _container(self, value: Any, depth: int) -> bool:
        if depth > _MAX_DEPTH or len(value) > self._items_left:
            return False
        self._items_left -= len(value)
        if isinstance(value, dict):
            for key, item in list(value.items()):
                if type(key) is str and name_secrecy(key):
                    return False
                if not (self._trusted(key, depth + 1) and self._trusted(item, depth + 1)):
                    return False
            return True
        return all(self._trusted(item, depth + 1) for item in list(value))

    def _array(self, value: Any) -> bool:
        dtype = value.dtype
        if not dtype.hasobject:
            return dtype.names is None
        if dtype.kind != "O" or value.size > _MAX_OBJECTS:
            return False
        return all(self._is_plain(kind) for kind in set(map(type, value.ravel().tolist())))

    def _is_plain(self, kind: type) -> bool:
        """Tell whether all values of an exact type are plain, whatever they hold."""
        if safe.key(kind) in SCALARS or is_number_or_dtype(kind):
            return True
        return (
            safe.short_name(kind) in _PLAIN and safe.module_of(kind).partition(".")[0] == "pandas" and is_librarys(kind)
        )

    def _has_secret_label(self, frame: Any) -> bool:
        axes = frame._mgr.axes
        labels = list(axes[0][:200]) if len(axes) == 2 else [frame._name]
        return any(type(label) is str and name_secrecy(label) for label in labels)

    def _pandas(self, value: Any, depth: int) -> bool:
        if depth > _MAX_DEPTH:
            return False
        manager = value.__dict__.get("_mgr") if _is_frame(value) else None
        if manager is not None:
            if self._has_secret_label(value):
                return False
            held = [*manager.axes, *(block.values for block in manager.blocks)]
            return all(self._trusted(one, depth + 1) for one in held)
        kind = safe.short_name(type(value))
        if kind in _PLAIN:
            return True
        inner = _INNER.get(kind, _held_by if kind in _HOLDERS else None)
        return inner is not None and self._trusted(inner(value), depth + 1)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PLAIN = _words(
    "RangeIndex Int64Index UInt64Index Float64Index DatetimeIndex TimedeltaIndex PeriodIndex IntervalIndex "
    "DatetimeArray TimedeltaArray PeriodArray IntervalArray IntegerArray FloatingArray BooleanArray Timestamp "
    "Timedelta Period Interval CategoricalDtype DatetimeTZDtype PeriodDtype StringDtype Int64Dtype Float64Dtype "
    "BooleanDtype NaTType NAType IntervalDtype ArrowStringArray ArrowStringArrayNumpySemantics ArrowExtensionArray "
    "ArrowDtype"
)
_HOLDERS = _words(
    "DataFrameGroupBy SeriesGroupBy _LocIndexer _iLocIndexer _AtIndexer _iAtIndexer StringMethods "
    "DatetimeProperties TimedeltaProperties PeriodProperties CategoricalAccessor"
)


_TO_ARRAY = ("Index", "StringArray", "PandasArray", "NumpyExtensionArray", "ObjectStringArray")
_INNER: dict[str, Callable[[Any], Any]] = {
    "MultiIndex": lambda value: list(value.levels),
    **dict.fromkeys(("Categorical", "CategoricalIndex"), lambda value: value.categories),
    **dict.fromkeys(_TO_ARRAY, lambda value: value.to_numpy()),
}
"""What decides whether an index or an extension array is trusted."""


def has_plain_keys(value: dict[Any, Any]) -> bool:
    """Tell whether looking a key up can't compare it with an object of a user's class."""
    return len(value) <= _MAX_KEYS and set(map(type, value)) <= SCALARS


def _held_by(value: Any) -> Any:
    """Return the frame that a grouping, an indexer or an accessor is about."""
    held = safe.instance_dict(value) or {}
    return held.get("obj", held.get("_parent", held.get("_orig")))


def _is_frame(value: Any) -> bool:
    names = safe.library("pandas")
    return type(value) is names.get("DataFrame") or type(value) is names.get("Series")


def n_cells(value: Any) -> int:
    """Return how many single values a value of a known type holds, as far as that costs nothing."""
    kind = safe.key(type(value))
    if kind in (str, bytes) or kind in CONTAINERS:
        return len(value)
    if kind in SCALARS or kind in ITERATORS:
        return 1
    of = family(value)
    if of == "pandas":
        if safe.short_name(kind) in _HOLDERS:
            return n_cells(_held_by(value))
        size = getattr(value, "size", 1) if _is_frame(value) or safe.short_name(kind).endswith("Index") else 1
    else:
        size = value.size if kind is safe.library("numpy").get("ndarray") else 1
    return size if type(size) is int else int(size)
