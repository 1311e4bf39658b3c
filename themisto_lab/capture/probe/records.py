"""Dataclasses, enum members and named tuples, read without a call of their classes' code."""

from __future__ import annotations

import dataclasses
import enum
import types
from typing import Any

from . import safe

_MAX_FIELDS = 64


def fields_of(value: object) -> list[tuple[str, object]] | None:
    """Return the fields of a dataclass's or a named tuple's instance, in order.

    Parameters
    ----------
    value
        Anything.

    Returns
    -------
    list of tuple or None
        Names and values, without fields that the class keeps out of its ``repr``; None for any other value.
    """
    kind = type(value)
    if safe.inherits(kind, tuple):
        names = _declared(kind, "_fields")
        if type(names) is not tuple or not all(type(name) is str for name in names):
            return None
        # Through the slot of tuple itself: a subclass may iterate as it likes.
        items: Any = tuple.__iter__(value)  # type: ignore[arg-type] # its class inherits from tuple
        return list(zip(names, items))[:_MAX_FIELDS]
    declared = _declared(kind, "__dataclass_fields__")
    if type(declared) is not dict:
        return None
    held = safe.own_attributes(value)
    found: list[tuple[str, object]] = []
    for name, field in list(declared.items())[:_MAX_FIELDS]:
        if type(name) is not str or type(field) is not dataclasses.Field or field.repr is not True:
            continue
        if field._field_type is not dataclasses._FIELD:  # type: ignore[attr-defined] # as dataclasses.fields does
            continue
        if name in held:
            found.append((name, held[name]))
        else:
            slot = _declared(kind, name)
            if type(slot) is types.MemberDescriptorType:
                try:
                    found.append((name, slot.__get__(value)))
                except AttributeError:
                    continue
    return found


def enum_member(value: object) -> tuple[str, object] | None:
    """Return the name and the value of an enum's member; None for any other value."""
    if not safe.inherits(type(value), enum.Enum):
        return None
    held = safe.own_attributes(value)
    called = held.get("_name_")
    return (called if type(called) is str else "", held.get("_value_"))


def _declared(kind: type, name: str) -> Any:
    for each in safe.mro(kind):
        found = safe.class_dict(each).get(name)
        if found is not None:
            return found
    return None
