"""What the values of known libraries are made of: arrays, labels and plain values that can be read as they are.

Only exact types are taken apart, with attributes of the libraries' own classes: no copy, no user code, nothing
lazy. The sample and the full hash both read a value through its pieces.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import safe
from .safe import owned_by

_MAX_BLOCKS = 256
_PLAIN = frozenset([int, float, str, bool])
_MAX_COLUMNS = 512
_ARRAY_PARTS = ("_ndarray", "_data", "_mask", "_codes", "_left", "_right", "_sparse_values", "_pa_array")


def pieces(value: object) -> list[Any] | None:
    """Take a library's value apart.

    Parameters
    ----------
    value
        Anything.

    Returns
    -------
    list or None
        Exact builtin values, ndarrays and memoryviews; None where nothing is known of the type.
    """
    kind = type(value)
    module = safe.module_of(kind)
    top = module.partition(".")[0]
    known = _PIECES.get(top)
    if known is None or not safe.is_genuine(kind, top):
        return None
    return known(value)


def _pandas(value: Any) -> list[Any] | None:
    names = safe.library("pandas")
    kind = type(value)
    if kind is names.get("DataFrame") or kind is names.get("Series"):
        manager = value._mgr
        found: list[Any] = []
        for axis in manager.axes:
            found += _index(axis)
        blocks = manager.blocks
        for block in blocks[:_MAX_BLOCKS]:
            found += _extension(block.values)
        if kind is names.get("Series"):
            found.append(value._name)
        return [*found, len(blocks)]
    if any(kind is names.get(name) for name in safe.INDEX_TYPES):
        return _index(value)
    return _extension(value)


def _index(axis: Any) -> list[Any]:
    if not owned_by(axis, "pandas"):
        return [len(axis) if type(axis) is list else None]
    names = list(getattr(axis, "_names", None) or [getattr(axis, "_name", None)])
    short = safe.short_name(type(axis))
    if short == "RangeIndex":
        found = axis._range
        return [names, found.start, found.stop, found.step]
    if short == "MultiIndex":
        parts: list[Any] = [names]
        for level in list(axis._levels):
            parts += _index(level)
        return parts + [part for codes in list(axis._codes) for part in _extension(codes)]
    return [names, *_extension(axis._data)]


def _extension(values: Any, depth: int = 0) -> list[Any]:
    """Return the plain arrays beneath an extension array: dates and categories keep numbers."""
    if type(values) is safe.library("numpy").get("ndarray"):
        return [values]
    if safe.module_of(type(values)).startswith("pyarrow."):
        return _pyarrow(values) or []
    if not owned_by(values, "pandas") or depth > 3:
        return []
    found: list[Any] = [safe.short_name(type(values))]
    for name in _ARRAY_PARTS:
        part = getattr(values, name, None)
        if part is not None:
            found += _index(part) if safe.short_name(type(part)).endswith("Index") else _extension(part, depth + 1)
            if name == "_ndarray":
                break
    categories = getattr(getattr(values, "dtype", None), "categories", None)
    return found + (_index(categories) if categories is not None else [])


def _polars(value: Any) -> list[Any] | None:
    names = safe.library("polars")
    if type(value) is names.get("Series"):
        return _polars_column(value)
    if type(value) is not names.get("DataFrame"):
        return None
    labels = value.columns
    found: list[Any] = [len(value), labels]
    for at in range(min(len(labels), _MAX_COLUMNS)):
        found += _polars_column(value.to_series(at))
    return found


def _polars_column(column: Any) -> list[Any]:
    total = column.len()
    dtype = str(column.dtype)
    found: list[Any] = [column.name, dtype, total]
    if dtype.startswith(("Int", "UInt", "Float")) and column.null_count() == 0 and column.n_chunks() == 1:
        if safe.library("numpy") and total:
            found.append(column.to_numpy(allow_copy=False))
        return found
    # Texts and nested values have no buffer to read: their ends and middle stand for them.
    if total:
        found += [column[at] for at in sorted({0, total // 3, total // 2, 2 * total // 3, total - 1})]
    return found


def _pyarrow(value: Any) -> list[Any] | None:
    names = safe.library("pyarrow")
    kind = type(value)
    if kind is names.get("Table") or kind is names.get("RecordBatch"):
        found: list[Any] = [value.num_rows, list(value.schema.names)]
        for column in value.columns[:_MAX_COLUMNS]:
            found += _pyarrow(column) or []
        return found
    if kind is names.get("ChunkedArray"):
        return [str(value.type)[:200], *(part for chunk in value.chunks[:64] for part in _buffers(chunk))]
    if safe.inherits(kind, names.get("Array")):
        return [str(value.type)[:200], *_buffers(value)]
    return None


def _buffers(array: Any) -> list[Any]:
    found: list[Any] = [len(array), int(array.offset)]
    return found + [memoryview(buffer) for buffer in array.buffers() if buffer is not None and buffer.is_cpu]


def _torch(value: Any) -> list[Any] | None:
    names = safe.library("torch")
    is_parameter = safe.module_of(type(value)) == "torch.nn.parameter"
    if type(value) is not names.get("Tensor") and not is_parameter:
        return None
    found: list[Any] = [tuple(int(n) for n in value.shape), str(value.dtype)]
    try:
        if str(value.device) == "cpu" and safe.library("numpy"):
            return [*found, value.detach().numpy()]
        # On another device the data stay where they are; the tensor counts its own changes.
        return [*found, int(value._version)]
    except (RuntimeError, TypeError, AttributeError):
        return found


def _pillow(value: Any) -> list[Any] | None:
    # Only an image that is in memory: that of a file may be read when it is touched.
    if type(value) is not safe.library("PIL.Image").get("Image"):
        return None
    width, height = value.size
    picked: list[Any] = [value.mode, width, height]
    if width and height:
        places = [(at * (width - 1) // 15, (at * 7 % 16) * (height - 1) // 15) for at in range(16)]
        picked += [value.getpixel(place) for place in places]
    return picked


def _matplotlib(value: Any) -> list[Any] | None:
    """Take a figure or its axes apart: what is drawn in it, not the thousands of objects that draw."""
    base = safe.library("matplotlib.axes").get("Axes", safe)
    if type(value) is safe.library("matplotlib.figure").get("Figure"):
        stack = safe.own_attributes(value).get("_axstack")
        found: list[Any] = []
        for axes in list(safe.own_attributes(stack).get("_axes") or ())[:64]:
            found += _axes(axes) if safe.inherits(type(axes), base) else []
        return found
    return _axes(value) if safe.inherits(type(value), base) else None


def _axes(value: Any) -> list[Any]:
    own = safe.own_attributes(value)
    texts = [own.get("title"), *(safe.own_attributes(own.get(name)).get("label") for name in ("xaxis", "yaxis"))]
    found: list[Any] = [safe.own_attributes(text).get("_text") for text in texts]
    found.append(safe.own_attributes(own.get("viewLim")).get("_points"))
    array = safe.library("numpy").get("ndarray")
    for child in list(own.get("_children") or ())[:500]:
        held = safe.own_attributes(child)
        found.append(safe.short_name(type(child)))
        # Its data and its looks; what it refers to is the rest of the figure.
        found += [item for item in held.values() if safe.key(type(item)) in _PLAIN or type(item) is array]
    return found


_PIECES: dict[str, Callable[[Any], list[Any] | None]] = {
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _pyarrow,
    "torch": _torch,
    "PIL": _pillow,
    "matplotlib": _matplotlib,
}
