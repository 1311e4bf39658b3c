"""Evaluates comprehensions and short loops, in scopes of the look's own."""

from __future__ import annotations

import abc
import ast
from collections.abc import Callable
from typing import Any

from . import safe
from .look_calls import Calls
from .look_limits import MAX_REPEATS, MISSING, UnknownError
from .look_rules import ITERATORS, family
from .look_trust import Trust, n_cells


class Loops(Calls):
    """The part of an evaluator that goes over items and binds names to them."""

    def __init__(self) -> None:
        super().__init__()
        self.scopes: list[dict[str, Any]] = [{}]
        self.trust = Trust()

    @abc.abstractmethod
    def evaluate(self, node: ast.expr) -> Any:
        """Return an expression's value."""

    @abc.abstractmethod
    def truth(self, node: ast.expr) -> bool:
        """Return whether a condition holds."""

    def _all(self, nodes: list[ast.expr]) -> list[Any]:
        found = [self.evaluate_or_missing(node) for node in nodes]
        if any(value is MISSING for value in found):
            raise UnknownError
        return found

    def _listcomp(self, node: ast.ListComp) -> Any:
        return list(self._generate(node.generators, lambda: self.evaluate(node.elt)))

    def _setcomp(self, node: ast.SetComp) -> Any:
        items = list(self._generate(node.generators, lambda: self.evaluate(node.elt)))
        return self.do(lambda: set(items), items)

    def _generatorexp(self, node: ast.GeneratorExp) -> Any:
        # A list does for every call that may be made with it; it is never shown itself.
        return list(self._generate(node.generators, lambda: self.evaluate(node.elt)))

    def _dictcomp(self, node: ast.DictComp) -> Any:
        pairs = list(self._generate(node.generators, lambda: (self.evaluate(node.key), self.evaluate(node.value))))
        return self.do(lambda: dict(pairs), pairs)

    def _generate(self, generators: list[ast.comprehension], make: Callable[[], Any]) -> list[Any]:
        """Run a comprehension in a scope of its own."""
        if len(generators) != 1 or generators[0].is_async:
            raise UnknownError
        one = generators[0]
        items = self.items(one.iter)
        made = []
        self.scopes.append({})
        try:
            for item in items:
                self.bind(one.target, item)
                if all(self.truth(test) for test in one.ifs):
                    made.append(make())
        finally:
            self.scopes.pop()
        return made

    def items(self, node: ast.expr) -> list[Any]:
        """Return what a loop goes over, if it is short."""
        value = self.evaluate(node)
        if family(value) not in ("container", "scalar", "numpy") or not self.trust(value):
            raise UnknownError
        if safe.key(type(value)) not in ITERATORS and n_cells(value) > MAX_REPEATS and type(value) is not range:
            raise UnknownError
        if type(value) is range and len(value) > MAX_REPEATS:
            raise UnknownError
        found: list[Any] = []
        for item in value:
            if len(found) >= MAX_REPEATS:
                raise UnknownError
            found.append(item)
        return found

    def bind(self, target: ast.expr, value: Any) -> None:
        """Bind names in the innermost scope; the user's namespace is never written."""
        if isinstance(target, ast.Name):
            self.scopes[-1][target.id] = value
            return
        if not isinstance(target, (ast.Tuple, ast.List)) or type(value) not in (tuple, list):
            raise UnknownError
        if len(value) != len(target.elts) or any(isinstance(one, ast.Starred) for one in target.elts):
            raise UnknownError
        for one, item in zip(target.elts, value):
            self.bind(one, item)
