"""Reads a value's attributes where they are data: past every descriptor and hook, as they stand in the dicts."""

from __future__ import annotations

import ast
import collections
import types
from typing import Any

from . import safe
from .look_limits import MISSING, UnknownError
from .look_rules import is_unpatched
from .look_wrappers import NOT_HELD, read_wrapped

_HANDED_ON = frozenset(("loc", "iloc", "at", "iat", "str", "dt", "cat", "index", "columns"))
"""Attributes of frames that pandas makes with descriptors of its own."""

_FIELD = type(collections.namedtuple("_Pair", "first").__dict__["first"])
"""What a named tuple's fields are read by."""

_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)


def read_attribute(value: object, name: str) -> Any:
    """Read from an instance's or a class's own dict.

    Raises
    ------
    UnknownError
        Code would have to run to tell.
    """
    wrapped = read_wrapped(value, name)
    if wrapped is not NOT_HELD:
        return wrapped
    kind = type(value)
    if safe.is_class(value):
        return _plain_member(_held_by_class(value, name))
    hooks = (safe.class_dict(base).get("__getattribute__") for base in safe.mro(kind))
    if any(hook is not None and type(hook) is not types.WrapperDescriptorType for hook in hooks):
        raise UnknownError
    member = _held_by_class(kind, name)
    if type(member) is types.MemberDescriptorType or (type(member) is _FIELD and safe.inherits(kind, tuple)):
        return member.__get__(value)
    if member is not MISSING and any("__set__" in safe.class_dict(base) for base in safe.mro(type(member))):
        raise UnknownError
    held = safe.instance_dict(value)
    if held is not None and name in held:
        return held[name]
    return _plain_member(member)


def _held_by_class(kind: Any, name: str) -> Any:
    return next((safe.class_dict(base)[name] for base in safe.mro(kind) if name in safe.class_dict(base)), MISSING)


def _plain_member(member: Any) -> Any:
    """Return a class's member that is no descriptor."""
    if member is MISSING or any("__get__" in safe.class_dict(base) for base in safe.mro(type(member))):
        raise UnknownError
    return member


def is_own(kind: type, name: str, top: str) -> bool:
    """Tell whether a library's property is still its own."""
    return top not in ("numpy", "pandas") or name in _HANDED_ON or is_unpatched(kind, name, top)


def read_by(node: ast.expr) -> str:
    """Return the name that an expression reads its value by; empty where there is none."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is str:
        return node.slice.value[:80]
    return ""


def is_data(value: Any) -> bool:
    """Tell whether a value is neither a module nor a class nor code."""
    return not (safe.is_module(value) or safe.is_class(value) or type(value) in _CODE)
