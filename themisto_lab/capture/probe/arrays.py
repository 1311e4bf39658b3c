"""Summaries of arrays, frames and tensors, by exact type, from their own buffers.

A library is looked up in ``sys.modules`` and never imported. Frames are read through their blocks: no method
that could format a user's object, and no copy of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import safe
from .safe import owned_by
from .science import science_summarizer
from .secrets import PLACEHOLDER, SURE, name_secrecy
from .values import MAX_SUMMARY_CHARS, Reader, Summary

_MAX_COLUMNS = 30
_MAX_CELL_COLUMNS = 12
_MAX_ROWS = 3


def summarizer_for(kind: type) -> Callable[[Reader, Any], Summary] | None:
    """Return what summarizes an exact type of a known library; None for any other type."""
    module = safe.module_of(kind)
    top = module.partition(".")[0]
    if top not in _SUMMARIZERS:
        return science_summarizer(kind, module)
    names = safe.library(top)
    for name, summarizer in _SUMMARIZERS[top].items():
        if kind is names.get(name):
            return summarizer
    return _tensor if module == "torch.nn.parameter" else None


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SUMMARY_CHARS else text[: MAX_SUMMARY_CHARS - 3] + "..."


def _items(reader: Reader, values: Any, total: int, n: int = 6) -> str:
    first = values[:n]
    if _is_plain(first):
        shown = [repr(value) for value in first.tolist()]
    else:
        shown = [reader.write(value, 2) for value in list(first)]
    return "[" + ", ".join(shown) + (f", ... ({total} items)]" if total > n else "]")


def _array(reader: Reader, value: Any) -> Summary:
    dtype = str(value.dtype)[:120]
    total = int(value.size)
    text = "array " + _items(reader, value.flat, total)
    return Summary(tuple(int(n) for n in value.shape), dtype, int(value.nbytes), _cut(text))


def _tensor(_reader: Reader, value: Any) -> Summary:
    shape = tuple(int(n) for n in value.shape)
    dtype = str(value.dtype)
    size = int(value.numel()) * int(value.element_size())
    return Summary(shape, dtype, size, "tensor on " + str(value.device))


def _dtype_text(dtype: Any) -> str:
    if owned_by(dtype, "pandas"):
        return str(dtype)[:60]
    return safe.type_name(type(dtype))[:60]


def _values_size(values: Any) -> int:
    if not owned_by(values, "pandas"):
        return 0
    size = int(values.nbytes)
    if type(values) is safe.library("numpy").get("ndarray") and values.dtype.kind == "O" and values.size:
        flat = values.flat
        step = max(1, values.size // 16)
        picked = [flat[i] for i in range(0, values.size, step)][:16]
        size += int(sum(safe.own_size(item) or 0 for item in picked) / len(picked) * values.size)
    return size


def _pandas_frame(reader: Reader, value: Any) -> Summary:
    manager = value._mgr
    columns, index = manager.axes
    if not (owned_by(columns, "pandas") and owned_by(index, "pandas")):
        return Summary(None, None, None, "frame with an index of another type")
    n_rows, n_columns = len(index), len(columns)
    blocks = manager.blocks
    labels = list(columns[:_MAX_COLUMNS])
    described = []
    cells: list[str] = []
    dtypes: dict[int, str] = {}
    for at, label in enumerate(labels):
        number = int(manager.blknos[at])
        block = blocks[number]
        name = label if type(label) is str else reader.write(label, 2)
        if number not in dtypes:
            dtypes[number] = _dtype_text(block.dtype)
        described.append(name[:60] + " (" + dtypes[number] + ")")
        if at < _MAX_CELL_COLUMNS:
            cells.append(_column_cells(reader, block.values, int(manager.blklocs[at]), name, n_rows))
    if n_columns > len(labels):
        described.append(f"... ({n_columns} columns)")
    size = sum(_values_size(block.values) for block in blocks)
    text = "columns: " + reader.clean(", ".join(described))
    shown = [cell for cell in cells if cell]
    if shown:
        text += "; first rows: " + ", ".join(shown)
    return Summary((n_rows, n_columns), None, size, _cut(text))


def _column_cells(reader: Reader, values: Any, location: int, name: str, n_rows: int) -> str:
    """Write the first values of a column; blank them if the column's name is that of a secret."""
    if not owned_by(values, "pandas") or n_rows == 0:
        return ""
    column = values[location] if values.ndim == 2 else values
    if name_secrecy(name):
        for item in list(column[:200]):
            reader.blank_named(name, item)
        if name_secrecy(name) == SURE:
            return name[:60] + "=" + PLACEHOLDER
    first = column[:_MAX_ROWS]
    if _is_plain(first):
        shown = [repr(item) for item in first.tolist()]
    else:
        shown = [reader.write_named(name, column[row], 2) for row in range(min(_MAX_ROWS, n_rows))]
    return name[:60] + "=[" + ", ".join(shown) + "]"


def _is_plain(values: Any) -> bool:
    """Tell whether values are an array of numbers whose texts are those of Python's own."""
    return type(values) is safe.library("numpy").get("ndarray") and values.dtype.kind in "biuf"


def _pandas_series(reader: Reader, value: Any) -> Summary:
    values = value._mgr.blocks[0].values
    if not owned_by(values, "pandas"):
        return Summary(None, None, None, "series of an extension type")
    total = len(values)
    label = value._name
    name = label if type(label) is str else ""
    text = _items(reader, values, total)
    if name and name_secrecy(name):
        for item in list(values[:200]):
            reader.blank_named(name, item)
        text = PLACEHOLDER
    if name:
        text = reader.clean(name[:60]) + ": " + text
    return Summary((total,), _dtype_text(values.dtype), _values_size(values), _cut(text))


def _pandas_index(reader: Reader, value: Any) -> Summary:
    total = len(value)
    values = value._range if safe.short_name(type(value)) == "RangeIndex" else value
    return Summary((total,), _dtype_text(value.dtype), None, _cut(_items(reader, values, total)))


def _polars_frame(reader: Reader, value: Any) -> Summary:
    n_rows, n_columns = value.shape
    names = value.columns[:_MAX_COLUMNS]
    dtypes = value.dtypes[:_MAX_COLUMNS]
    described = [name[:60] + " (" + str(dtypes[at])[:60] + ")" for at, name in enumerate(names)]
    if n_columns > len(names):
        described.append(f"... ({n_columns} columns)")
    text = "columns: " + reader.clean(", ".join(described))
    cells = []
    for at, name in enumerate(names[:_MAX_CELL_COLUMNS]):
        column = value.to_series(at)
        if name_secrecy(name):
            for row in range(min(200, n_rows)):
                reader.blank_named(name, column[row])
        shown = [reader.write_named(name, column[row], 2) for row in range(min(_MAX_ROWS, n_rows))]
        if shown:
            cells.append(name[:60] + "=[" + ", ".join(shown) + "]")
    if cells:
        text += "; first rows: " + ", ".join(cells)
    return Summary((int(n_rows), int(n_columns)), None, int(value.estimated_size()), _cut(text))


def _polars_series(reader: Reader, value: Any) -> Summary:
    total = value.len()
    shown = [reader.write_named(value.name, value[i], 2) for i in range(min(6, total))]
    text = "[" + ", ".join(shown) + (f", ... ({total} items)]" if total > 6 else "]")
    return Summary((int(total),), str(value.dtype)[:60], int(value.estimated_size()), _cut(text))


_SUMMARIZERS: dict[str, dict[str, Callable[[Reader, Any], Summary]]] = {
    "numpy": {"ndarray": _array},
    "pandas": {"DataFrame": _pandas_frame, "Series": _pandas_series, **dict.fromkeys(safe.INDEX_TYPES, _pandas_index)},
    "polars": {"DataFrame": _polars_frame, "Series": _polars_series},
    "torch": {"Tensor": _tensor},
}
