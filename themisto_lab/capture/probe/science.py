"""Summaries of values of pyarrow, scikit-learn, scipy.sparse, PIL and matplotlib, by exact type.

Everything is read from the value's own attributes; nothing is computed, drawn or loaded. An image that lies in a file
stays there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import safe
from .values import MAX_SUMMARY_CHARS, Reader, Summary

_MAX_COLUMNS = 30
_MAX_PARAMETERS = 12
_MAX_AXES = 6
_PIXEL_BYTES = {"1": 1, "L": 1, "P": 1}


def science_summarizer(kind: type, module: str) -> Callable[[Reader, Any], Summary] | None:
    """Return what summarizes an exact type of these libraries; None for any other.

    Parameters
    ----------
    kind
        The type.
    module
        The module that it names.
    """
    top = module.partition(".")[0]
    if top not in ("pyarrow", "sklearn", "scipy", "PIL", "matplotlib") or not safe.is_genuine(kind, top):
        return None
    if top == "pyarrow":
        return _pyarrow_summarizer(kind)
    if top == "scipy":
        is_sparse = module.startswith("scipy.sparse") and safe.short_name(kind).endswith(("_matrix", "_array"))
        return _sparse if is_sparse else None
    for base_module, base, summarizer in _BASES:
        if safe.inherits(kind, safe.library(base_module).get(base, safe)):
            return summarizer
    return None


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SUMMARY_CHARS else text[: MAX_SUMMARY_CHARS - 3] + "..."


def _attribute(value: object, name: str) -> Any:
    """Read one attribute from a value's own ``__dict__``; None where there is none."""
    return safe.own_attributes(value).get(name)


def _brief(reader: Reader, name: str, value: Any) -> str:
    """Write a value that stands within another: of an array its shape, of an estimator its class."""
    if type(value) is safe.library("numpy").get("ndarray"):
        return f"array {tuple(int(n) for n in value.shape)}"
    if type(value) is list and value and all(type(item) is tuple and len(item) >= 2 for item in value[:8]):
        shown = [reader.write(item[0], 2) + ": " + safe.short_name(type(item[1])) for item in value[:8]]
        return "[" + ", ".join(shown) + "]"
    return reader.write_named(name, value, 2)


def _pyarrow_summarizer(kind: type) -> Callable[[Reader, Any], Summary] | None:
    names = safe.library("pyarrow")
    if kind is names.get("Table") or kind is names.get("RecordBatch"):
        return _arrow_table
    if kind is names.get("ChunkedArray") or safe.inherits(kind, names.get("Array")):
        return _arrow_array
    return _arrow_schema if kind is names.get("Schema") else None


def _arrow_table(reader: Reader, value: Any) -> Summary:
    n_rows, n_columns = int(value.num_rows), int(value.num_columns)
    cells = []
    for at, field in enumerate(list(value.schema)[:_MAX_COLUMNS]):
        shown = [reader.write_named(field.name, value.column(at)[row].as_py(), 2) for row in range(min(3, n_rows))]
        cells.append(field.name[:60] + "=[" + ", ".join(shown) + "]")
    text = "columns: " + reader.clean(_fields(value.schema))
    if n_rows and cells:
        text += "; first rows: " + ", ".join(cells[:12])
    return Summary((n_rows, n_columns), None, int(value.nbytes), _cut(text))


def _fields(schema: Any) -> str:
    shown = [field.name[:60] + " (" + str(field.type)[:60] + ")" for field in list(schema)[:_MAX_COLUMNS]]
    n = len(schema)
    return ", ".join(shown) + (f", ... ({n} columns)" if n > len(shown) else "")


def _arrow_schema(reader: Reader, value: Any) -> Summary:
    return Summary((len(value),), None, None, _cut("fields: " + reader.clean(_fields(value))))


def _arrow_array(reader: Reader, value: Any) -> Summary:
    total = len(value)
    shown = [reader.write(value[at].as_py(), 2) for at in range(min(6, total))]
    text = "[" + ", ".join(shown) + (f", ... ({total} items)]" if total > 6 else "]")
    return Summary((total,), str(value.type)[:120], int(value.nbytes), _cut(text))


def _estimator(reader: Reader, value: Any) -> Summary:
    """Write an estimator's parameters that differ from the defaults, and what it learned."""
    kind = type(value)
    defaults = _defaults(kind)
    parameters, learned = [], []
    for name, item in safe.own_attributes(value).items():
        if name.startswith("_"):
            continue
        if name.endswith("_"):
            learned.append(name + "=" + _brief(reader, name, item))
        elif name in defaults and not _is_default(item, defaults[name]):
            parameters.append(name + "=" + _brief(reader, name, item))
    text = safe.short_name(kind) + "(" + ", ".join(parameters[:_MAX_PARAMETERS]) + ")"
    text += ", fitted: " + ", ".join(learned[:_MAX_PARAMETERS]) if learned else ", not fitted"
    return Summary(None, None, None, safe.strip_addresses(_cut(text)))


def _defaults(kind: type) -> dict[str, object]:
    for each in safe.mro(kind):
        code = getattr(safe.class_dict(each).get("__init__"), "__code__", None)
        if code is not None:
            init = safe.class_dict(each)["__init__"]
            names = code.co_varnames[1 : code.co_argcount]
            given = init.__defaults__ or ()
            found = dict.fromkeys(names[: len(names) - len(given)])
            return {**found, **dict(zip(names[len(names) - len(given) :], given)), **(init.__kwdefaults__ or {})}
    return {}


def _is_default(value: object, default: object) -> bool:
    return value is default or (
        safe.key(type(value)) in (int, float, str, bool) and type(value) is type(default) and value == default
    )


def _sparse(_reader: Reader, value: Any) -> Summary:
    found = safe.own_attributes(value)
    shape = tuple(int(n) for n in found["_shape"])
    arrays = [found[name] for name in ("data", "indices", "indptr", "row", "col", "offsets") if name in found]
    arrays += list(found.get("coords") or ())
    numpy_array = safe.library("numpy").get("ndarray")
    held = [array for array in arrays if type(array) is numpy_array]
    name = safe.short_name(type(value)).partition("_")[0]
    data: Any = found.get("data")
    if type(data) is not numpy_array:
        return Summary(shape, None, None, f"sparse {name} matrix")
    text = f"sparse {name} matrix with {int(data.size)} stored values"
    return Summary(shape, str(data.dtype)[:60], sum(int(array.nbytes) for array in held), text)


def _image(_reader: Reader, value: Any) -> Summary:
    found = safe.own_attributes(value)
    size, mode = found.get("_size"), found.get("_mode", found.get("mode"))
    if type(size) is not tuple or type(mode) is not str:
        return Summary(None, None, None, "image")
    width, height = int(size[0]), int(size[1])
    # A word for what the file was, where it is from a file; the class says so.
    source = safe.short_name(type(value)).replace("ImageFile", "")
    text = f"image of {width}x{height} pixels, mode {mode[:20]}" + (f", {source}" if source != "Image" else "")
    return Summary((height, width), mode[:20], width * height * _PIXEL_BYTES.get(mode, 4), text)


def _text_of(value: object) -> str:
    text = _attribute(value, "_text")
    return text if type(text) is str else ""


def _describe_axes(reader: Reader, value: Any) -> str:
    counts: dict[str, int] = {}
    for child in list(_attribute(value, "_children") or ()):
        name = safe.short_name(type(child))
        counts[name] = counts.get(name, 0) + 1
    title = _text_of(_attribute(value, "title"))
    parts = [reader.write(title, 1)] if title else []
    for name in ("xaxis", "yaxis"):
        label = _text_of(_attribute(_attribute(value, name), "label"))
        if label:
            parts.append(name[0] + " " + reader.write(label, 1))
    parts += [f"{n} {name}" for name, n in counts.items()]
    return "axes (" + ", ".join(parts) + ")"


def _axes(reader: Reader, value: Any) -> Summary:
    return Summary(None, None, None, _cut(_describe_axes(reader, value)))


def _figure(reader: Reader, value: Any) -> Summary:
    found = list(_attribute(_attribute(value, "_axstack"), "_axes") or ())
    library = safe.library("matplotlib.axes").get("Axes")
    shown = [_describe_axes(reader, axes) for axes in found[:_MAX_AXES] if safe.inherits(type(axes), library)]
    text = f"figure with {len(found)} axes" + (": " + "; ".join(shown) if shown else "")
    return Summary(None, None, None, _cut(text))


# By the base class that the library's own classes of a kind have in common.
_BASES: tuple[tuple[str, str, Callable[[Reader, Any], Summary]], ...] = (
    ("sklearn.base", "BaseEstimator", _estimator),
    ("PIL.Image", "Image", _image),
    ("matplotlib.figure", "Figure", _figure),
    ("matplotlib.axes", "Axes", _axes),
)
