"""Evaluates an expression where that only reads values of known types; anything else stays unknown.

`pure_eval` follows the same idea for the builtin types; it is not loaded in a kernel until the first traceback, and
knows neither arrays nor frames, which is what notebooks show. A test holds this evaluator against it.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from . import safe
from .buffers import clock
from .look_changes import Changes
from .look_limits import MISSING, UnknownError, check_format, check_growth
from .look_operators import BINARY, COMPARE, UNARY
from .look_reads import is_data, is_own, read_attribute, read_by
from .look_rules import (
    FREE,
    ITERATORS,
    MAX_CELLS,
    METHODS,
    PROPERTIES,
    SCAN,
    family,
    property_cost,
)
from .look_trust import has_plain_keys, n_cells


class Evaluator(Changes):
    """Evaluates the expressions of one cell.

    Parameters
    ----------
    namespace
        The user's names; read only.
    deadline
        When to stop, on the clock of `themisto_lab.capture.probe.buffers`.
    is_secret
        Tells whether a value is secret by the name, key or attribute that it is read by; nothing is made of it then.
    reading_only
        Whether to do without calls and arithmetic: while the kernel runs a cell, its values may change under a look.
    """

    def __init__(
        self,
        namespace: dict[str, Any],
        deadline: float,
        is_secret: Callable[[str, Any], bool],
        reading_only: bool = False,
    ) -> None:
        super().__init__(namespace, reading_only)
        self.deadline = deadline
        # Whether the cell wrote into an object and then read another that may share what was written.
        self.may_be_stale = False
        self._is_secret = is_secret
        self.known: dict[int, Any] = {}
        # As long as a node is kept, no other has its identity.
        self._nodes: list[ast.expr] = []

    def evaluate(self, node: ast.expr) -> Any:
        """Return an expression's value and remember it by its node.

        Raises
        ------
        UnknownError
            Only a run can tell.
        """
        if id(node) in self.known and len(self.scopes) == 1:
            found = self.known[id(node)]
        else:
            try:
                if clock() > self.deadline:
                    raise UnknownError
                found = self._evaluate(node)
                name = read_by(node)
                if name and self._is_secret(name, found):
                    found = MISSING
            except UnknownError:
                found = MISSING
            except Exception:  # noqa: BLE001 - the run would raise as well; what it tells is for the run
                found = MISSING
            if len(self.scopes) == 1:
                self.known[id(node)] = found
                self._nodes.append(node)
        if found is MISSING:
            raise UnknownError
        return found

    def lookup(self, name: str) -> Any:
        """Return what a name stands for."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        if name in self.namespace:
            found = self.namespace[name]
            if self.has_written and family(found) != "scalar" and is_data(found):
                self.may_be_stale = True
            return found
        return builtins.__dict__.get(name, MISSING)

    def _evaluate(self, node: ast.expr) -> Any:
        method = getattr(self, "_" + type(node).__name__.lower(), None)
        if method is not None:
            return method(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluate_or_missing(child)
        raise UnknownError

    def evaluate_or_missing(self, node: ast.expr) -> Any:
        """Evaluate a part whose value is of interest even if the whole is unknown."""
        try:
            return self.evaluate(node)
        except UnknownError:
            return MISSING

    def do(self, work: Callable[[], Any], *inputs: Any, cost: int = SCAN) -> Any:
        """Do an operation on trusted values that are small enough, and vouch for what it gives."""
        if self.reading_only and cost != FREE:
            raise UnknownError
        for number, value in enumerate(inputs):
            is_trusted = self.trust.outside(value) if cost == FREE and number == 0 else self.trust(value)
            if not is_trusted or n_cells(value) > MAX_CELLS[cost]:
                raise UnknownError
        found = work()
        # What only the outside was looked at of is looked at again when something is done with what it holds.
        if cost != FREE and family(found) and (safe.key(type(found)) in ITERATORS or not self.trust(found)):
            self.trust.vouch(found)
        return found

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        found = self.lookup(node.id)
        if found is MISSING:
            raise UnknownError
        return found

    def _attribute(self, node: ast.Attribute) -> Any:
        return self.attribute(self.evaluate(node.value), node.attr)

    def attribute(self, value: Any, name: str) -> Any:
        """Read an attribute that is data: nothing of a user's runs for it."""
        if safe.is_module(value):
            if type(value) is not types.ModuleType or name not in value.__dict__:
                raise UnknownError
            return value.__dict__[name]
        kind = type(value)
        of = family(value)
        if not of:
            return read_attribute(value, name)
        if name in PROPERTIES[of]:
            if not is_own(kind, name, of):
                raise UnknownError
            return self.do(lambda: getattr(value, name), value, cost=property_cost(name))
        if of == "pandas" and name in METHODS[of]:
            raise UnknownError
        pandas = safe.library("pandas")
        if kind in (pandas.get("DataFrame"), pandas.get("Series")):
            if not self.do(lambda: name in value.axes[-1], value, cost=FREE):
                raise UnknownError
            return self.do(lambda: value[name], value, cost=FREE)
        raise UnknownError

    def _subscript(self, node: ast.Subscript) -> Any:
        value = self.evaluate_or_missing(node.value)
        key = self.evaluate_or_missing(node.slice)
        if value is MISSING or key is MISSING or not family(value) or not self.trust(key):
            raise UnknownError
        if type(value) in (dict, list, tuple):
            # What is inside may be of any type: it is only fetched.
            if type(value) is dict and not has_plain_keys(value):
                raise UnknownError
            return value[key]
        self._all_trusted(key)
        cost = FREE if family(key) == "scalar" else SCAN
        return self.do(lambda: value[key], value, cost=cost)

    def _slice(self, node: ast.Slice) -> Any:
        parts = [None if part is None else self.evaluate(part) for part in (node.lower, node.upper, node.step)]
        return slice(*parts)

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(self._all(node.elts))

    def _list(self, node: ast.List) -> Any:
        return self._all(node.elts)

    def _set(self, node: ast.Set) -> Any:
        items = self._all(node.elts)
        return self.do(lambda: set(items), items)

    def _dict(self, node: ast.Dict) -> Any:
        if any(key is None for key in node.keys):
            raise UnknownError
        keys = self._all([key for key in node.keys if key is not None])
        values = self._all(node.values)
        self._all_trusted(*keys)
        return dict(zip(keys, values))

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = self._all([node.left, node.right])
        check_growth(node.op, left, right)
        return self.do(lambda: BINARY[type(node.op)](left, right), left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.evaluate(node.operand)
        return self.do(lambda: UNARY[type(node.op)](value), value)

    def _compare(self, node: ast.Compare) -> Any:
        values = self._all([node.left, *node.comparators])
        found: Any = True
        for op, left, right in zip(node.ops, values, values[1:]):
            if isinstance(op, (ast.Is, ast.IsNot)):
                found = COMPARE[type(op)](left, right)
            else:
                found = self.do(partial(COMPARE[type(op)], left, right), left, right)
            if len(node.ops) > 1 and type(found) is not bool:
                raise UnknownError
            if len(node.ops) > 1 and not found:
                return found
        return found

    def truth(self, node: ast.expr) -> bool:
        """Return whether a condition holds."""
        value = self.evaluate(node)
        return bool(self.do(lambda: bool(value), value))

    def _boolop(self, node: ast.BoolOp) -> Any:
        wants = isinstance(node.op, ast.And)
        for part in node.values[:-1]:
            if self.truth(part) != wants:
                return self.evaluate(part)
        return self.evaluate(node.values[-1])

    def _ifexp(self, node: ast.IfExp) -> Any:
        return self.evaluate(node.body if self.truth(node.test) else node.orelse)

    def _joinedstr(self, node: ast.JoinedStr) -> Any:
        return "".join(self._all(node.values))

    def _formattedvalue(self, node: ast.FormattedValue) -> Any:
        value = self.evaluate(node.value)
        spec = self.evaluate(node.format_spec) if node.format_spec is not None else ""
        convert: Callable[[Any], Any] = _CONVERSIONS.get(node.conversion, _as_it_is)
        check_format(spec)
        return self.do(lambda: format(convert(value), spec), value)

    def _call(self, node: ast.Call) -> Any:
        return self.call(node)


def _as_it_is(value: Any) -> Any:
    return value


_CONVERSIONS: dict[int, Callable[[Any], str]] = {ord("r"): repr, ord("s"): str, ord("a"): ascii}
