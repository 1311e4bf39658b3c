"""Follows what a cell writes into objects, on copies: the user's own are never changed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from . import safe
from .look_limits import UnknownError
from .look_loops import Loops
from .look_rules import CHANGING_METHODS, HEAVY, MAX_CELLS
from .look_trust import n_cells


class Changes(Loops):
    """The part of an evaluator that does what assignments to items and changing methods do.

    Parameters
    ----------
    namespace
        The user's names; read only.
    reading_only
        Whether nothing may be changed, not even a copy.
    """

    def __init__(self, namespace: dict[str, Any], reading_only: bool) -> None:
        super().__init__()
        self.namespace = namespace
        self.reading_only = reading_only
        self.has_written = False

    def write(self, target: ast.Subscript, value: Any) -> None:
        """Do what an assignment to an item does."""
        key = self.evaluate(target.slice)
        self._all_trusted(key, value)
        self._change(target.value, lambda after: after.__setitem__(key, value), (list, dict, *_arrays_and_frames()))

    def call_changing(self, node: ast.Call) -> None:
        """Do what a call of a container's own method does that changes it in place, ``items.append(1)``."""
        if not isinstance(node.func, ast.Attribute) or any(one.arg is None for one in node.keywords):
            raise UnknownError
        name = node.func.attr
        arguments = self._all(node.args)
        keywords = {str(one.arg): self.evaluate(one.value) for one in node.keywords}
        self._all_trusted(*arguments, *keywords.values())
        kinds = tuple(kind for kind, names in CHANGING_METHODS.items() if name in names)
        if "key" in keywords:
            raise UnknownError
        self._change(node.func.value, lambda after: getattr(after, name)(*arguments, **keywords), kinds)

    def _change(self, node: ast.expr, change: Callable[[Any], Any], kinds: tuple[type, ...]) -> None:
        """Change a copy of an object; in the look's own scope all names of the object mean the copy from then on."""
        if not isinstance(node, ast.Name) or self.reading_only:
            raise UnknownError
        before = self.evaluate(node)
        if type(before) not in kinds or not self.trust(before) or n_cells(before) > MAX_CELLS[HEAVY]:
            raise UnknownError
        after = before.copy()
        change(after)
        self.trust.vouch(after)
        for name, held in [*self.namespace.items(), *self.scopes[-1].items()]:
            if held is before:
                self.scopes[-1][name] = after
        self.has_written = True

    def _all_trusted(self, *values: Any) -> None:
        if not all(self.trust(value) for value in values):
            raise UnknownError


def _arrays_and_frames() -> tuple[Any, ...]:
    found = [safe.library("numpy").get("ndarray")]
    found += [safe.library("pandas").get(name) for name in ("DataFrame", "Series")]
    return tuple(kind for kind in found if kind is not None)
