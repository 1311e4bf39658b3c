"""Evaluates the calls that only read: allowed functions of libraries, and methods of exact types."""

from __future__ import annotations

import abc
import ast
from typing import Any

from . import safe
from .look_limits import MISSING, UnknownError, check_format, check_made, check_pairs, check_template
from .look_rules import CONTAINERS, HEAVY, MAKERS, METHODS, REFUSED_ARGUMENTS, SCAN, family, functions, is_unpatched
from .look_trust import has_plain_keys

Keywords = dict[str, Any]


class Calls(abc.ABC):
    """The part of an evaluator that makes calls."""

    def __init__(self) -> None:
        self._functions = functions()

    @abc.abstractmethod
    def evaluate_or_missing(self, node: ast.expr) -> Any:
        """Return an expression's value, or `MISSING`."""

    @abc.abstractmethod
    def do(self, work: Any, *inputs: Any, cost: int = SCAN) -> Any:
        """Do an operation on trusted values."""

    def call(self, node: ast.Call) -> Any:
        """Evaluate a call."""
        arguments = [self._argument(one) for one in node.args]
        keywords = {one.arg or "**": self.evaluate_or_missing(one.value) for one in node.keywords}
        if not isinstance(node.func, ast.Attribute):
            return self._function(self.evaluate_or_missing(node.func), arguments, keywords)
        base = self.evaluate_or_missing(node.func.value)
        if base is not MISSING and (safe.is_module(base) or safe.is_class(base)):
            return self._function(self.evaluate_or_missing(node.func), arguments, keywords)
        return self._method(base, node.func.attr, arguments, keywords)

    def _argument(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Starred):
            self.evaluate_or_missing(node.value)
            return MISSING
        return self.evaluate_or_missing(node)

    def _function(self, called: Any, arguments: list[Any], keywords: Keywords) -> Any:
        _check_arguments(arguments, keywords)
        found = self._functions.get(id(called))
        if called is MISSING or found is None:
            raise UnknownError
        name, cost = found
        if name in ("type", "isinstance"):
            return _about_type(name, arguments)
        if name == "len" and len(arguments) == 1 and safe.key(type(arguments[0])) in CONTAINERS:
            return len(arguments[0])  # whatever it holds
        if name in MAKERS:
            check_made([*arguments, *keywords.values()])
        if name == "format":
            for value in arguments[1:]:
                check_format(value)
        return self.do(lambda: called(*arguments, **keywords), *self._inputs(arguments, keywords), cost=cost)

    def _method(self, value: Any, name: str, arguments: list[Any], keywords: Keywords) -> Any:
        _check_arguments(arguments, keywords)
        of = "" if value is MISSING else family(value)
        cost = METHODS.get(of, {}).get(name)
        if cost is None or (of in ("numpy", "pandas") and not is_unpatched(type(value), name, of)):
            raise UnknownError
        if name == "keys" and type(value) is dict and has_plain_keys(value) and not arguments:
            return value.keys()
        if name == "zfill":
            check_made(arguments)
        if type(value) is str and name == "format":
            check_template(value)
        if name in ("merge", "join"):
            check_pairs([value, *arguments])
            cost = HEAVY
        inputs = [value, *self._inputs(arguments, keywords)]
        return self.do(lambda: getattr(value, name)(*arguments, **keywords), *inputs, cost=cost)

    def _inputs(self, arguments: list[Any], keywords: Keywords) -> list[Any]:
        """Return the arguments that are read; a library's function, as in ``agg(np.mean)``, is only named."""
        return [one for one in [*arguments, *keywords.values()] if id(one) not in self._functions]


def _check_arguments(arguments: list[Any], keywords: Keywords) -> None:
    if "**" in keywords or any(value is MISSING for value in [*arguments, *keywords.values()]):
        raise UnknownError
    if any(name in REFUSED_ARGUMENTS and value not in (False, None) for name, value in keywords.items()):
        raise UnknownError


def _about_type(name: str, arguments: list[Any]) -> Any:
    if name == "type" and len(arguments) == 1:
        return type(arguments[0])
    if name == "isinstance" and len(arguments) == 2 and type(arguments[1]) is type and family(arguments[0]):
        return isinstance(arguments[0], arguments[1])
    raise UnknownError
