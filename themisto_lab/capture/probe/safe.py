"""Reads of an object that can't run its class's code.

Everything goes through the slots of `type` and `object` themselves, never through attribute access on the
value, because a class may override ``__class__``, ``__getattribute__``, ``__dict__`` or its metaclass.
"""

from __future__ import annotations

import abc
import re
import sys
import types
from typing import Any

_MRO = type.__dict__["__mro__"]
_CLASS_DICT = type.__dict__["__dict__"]
_QUALNAME = type.__dict__["__qualname__"]
_MODULE = type.__dict__["__module__"]
_FLAGS = type.__dict__["__flags__"]
_HEAP_TYPE = 1 << 9
_LIBRARIES = frozenset(["numpy", "pandas", "polars", "pyarrow", "torch", "scipy", "sklearn", "PIL", "matplotlib"])
# Classes that were found where they say that they are, by address; a class of the user's own is never kept.
_GENUINE: dict[int, type] = {}
INDEX_TYPES = (
    "Index",
    "RangeIndex",
    "DatetimeIndex",
    "TimedeltaIndex",
    "PeriodIndex",
    "CategoricalIndex",
    "IntervalIndex",
    "MultiIndex",
)
_ADDRESS = re.compile(r"0x[0-9A-Fa-f]{4,}")


# No modules, for sure: what most names stand for.
_COMMON = frozenset([type(None), bool, int, float, complex, str, bytes, list, tuple, dict, set, types.FunctionType])


def mro(kind: type) -> tuple[type, ...]:
    """Return a class's method resolution order without asking its metaclass."""
    found = _MRO.__get__(kind)
    return found if type(found) is tuple else (kind,)


def class_dict(kind: type) -> Any:
    """Return a class's own namespace without asking its metaclass."""
    return _CLASS_DICT.__get__(kind)


def module_of(kind: type) -> str:
    """Return the name of the module that a class says it is from; empty if it says something odd."""
    try:
        module = _MODULE.__get__(kind)
    except Exception:  # noqa: BLE001 - a metaclass may do anything; the name is not worth a failure
        return ""
    return module if type(module) is str else ""


def short_name(kind: type) -> str:
    """Return a class's qualified name without its module."""
    name = _QUALNAME.__get__(kind)
    return name if type(name) is str else "?"


def type_name(kind: type) -> str:
    """Return a class's qualified name; builtins go without their module."""
    name = short_name(kind)
    module = module_of(kind)
    text = name if module in ("", "builtins") else module + "." + name
    return text[:200]


def library(name: str) -> dict[str, Any]:
    """Return a loaded module's namespace; empty if it is not loaded, or loads itself only when touched."""
    module = sys.modules.get(name)
    if type(module) is types.ModuleType:
        return module.__dict__
    return {}


def owned_by(value: object, name: str) -> bool:
    """Tell whether a value's exact type is from a library (or from numpy), and so holds no user code."""
    kind = type(value)
    top = module_of(kind).partition(".")[0]
    return top in (name, "numpy") and is_genuine(kind, top)


def is_genuine(kind: type, top: str) -> bool:
    """Tell whether a class really stands in the module that it names; a user's class may name any."""
    if _GENUINE.get(id(kind)) is kind:
        return True
    found = library(module_of(kind)).get(short_name(kind))
    # Compiled modules give their classes a shorter or an unlisted address: that needs a class made in C.
    if found is not kind and (not library(top) or _FLAGS.__get__(kind) & _HEAP_TYPE):
        return False
    if found is kind and top in _LIBRARIES:
        _GENUINE[id(kind)] = kind
    return True


def key(kind: type) -> type:
    """Return a class that can be looked up in a dict or compared: `object` where its metaclass could interfere."""
    return kind if type(kind) is type or type(kind) is abc.ABCMeta else object


def inherits(kind: type, base: object) -> bool:
    """Tell whether a class inherits from another, by identity: ``in`` would ask a metaclass's ``__eq__``."""
    # A plain loop: three times as fast as `any` with a generator, and called for most variables.
    for each in mro(kind):  # noqa: SIM110 - see above
        if each is base:
            return True
    return False


def is_class(value: object) -> bool:
    """Tell whether a value is a class, whatever its metaclass."""
    kind = type(value)
    return kind is type or inherits(kind, type)


def is_module(value: object) -> bool:
    """Tell whether a value is a module, whatever its class."""
    kind = type(value)
    if type(kind) is type and kind in _COMMON:
        return False
    return inherits(kind, types.ModuleType)


def instance_dict(value: object) -> dict[str, Any] | None:
    """Return a value's own ``__dict__``, or None where there is none or reading it would run code."""
    for kind in mro(type(value)):
        slot = class_dict(kind).get("__dict__")
        if slot is None:
            continue
        if type(slot) not in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return None
        found = slot.__get__(value)
        return found if type(found) is dict else None
    return None


def own_attributes(value: object) -> dict[str, Any]:
    """Return a copy of a value's own ``__dict__`` with its exact text names; empty where there is none."""
    return {name: item for name, item in list((instance_dict(value) or {}).items()) if type(name) is str}


def public_names(value: object, limit: int) -> list[str]:
    """Return the first public attribute names of a value's own ``__dict__``, in order."""
    found = instance_dict(value)
    names: list[str] = []
    for name in list(found or ())[: 8 * limit]:
        if type(name) is str and not name.startswith("_"):
            names.append(name)
            if len(names) >= limit:
                break
    return names


def strip_addresses(text: str) -> str:
    """Replace memory addresses, which differ from run to run."""
    return _ADDRESS.sub("0x", text) if "0x" in text else text


def own_size(value: object) -> int | None:
    """Return the bytes of the object's own block, without what it refers to."""
    try:
        if module_of(type(value)) == "builtins":
            return sys.getsizeof(value)
        return object.__sizeof__(value)
    except Exception:  # noqa: BLE001 - a size is an estimate; the snapshot goes on without
        return None
