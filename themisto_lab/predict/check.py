"""Checks a candidate for the next cell *without running it*: what in it would surely fail.

Silence means "nothing against it is known", not "it will run". What is not known passes: a column list that was cut, a
module's contents, an object of any other type.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import warnings
from collections.abc import Iterable, Sequence

from IPython.core.inputtransformer2 import TransformerManager

from themisto_lab.context.names import names_of
from themisto_lab.predict.check_known import known_of
from themisto_lab.predict.check_walk import Miss, find_misses
from themisto_lab.types import Step, Trajectory, VariableSnapshot

_SHELL_NAMES = frozenset(
    {"get_ipython", "In", "Out", "display", "exit", "quit", "_", "__", "___", "_i", "_ii", "_iii", "_ih", "_oh"}
    | {"_dh", "__name__", "__file__", "__doc__", "__builtins__", "__annotations__", "__debug__", "__spec__"}
)
_ANY_NAMES = ("import *", "%run", "%pylab", "%load", "%store", "%reset", "%%", "exec(", "globals()")
"""What may bind any name: after it, an unknown name is not held against a cell."""

_ALIKE = 0.7


def check_code(code: str, trajectory: Trajectory) -> tuple[str, ...]:
    """Find what would surely fail if a cell were run after a session.

    Parameters
    ----------
    code
        The cell.
    trajectory
        What was run, with the state after it.

    Returns
    -------
    tuple of str
        One sentence for each finding: ```pricee` is no column of df; there is `price```. Empty for a cell against
        which nothing is known, and for other languages than Python.
    """
    if trajectory.language != "python" or not code.strip():
        return ()
    tree = parse(code)
    if isinstance(tree, str):
        return (tree,)
    variables = last_variables(trajectory.steps)
    misses = find_misses(tree, {variable.name: known_of(variable) for variable in variables})
    return tuple(dict.fromkeys([*_undefined(tree, code, trajectory.steps, variables), *map(_told, misses)]))


def parse(code: str) -> ast.Module | str:
    """Parse a cell as IPython would, magics included; return what is wrong with it in words where it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree: ast.Module = ast.parse(TransformerManager().transform_cell(code))
            return tree
    except SyntaxError as error:
        return f"line {error.lineno or 1} does not parse: {error.msg}"
    except (ValueError, RecursionError):
        return "it does not parse"


def last_variables(steps: Sequence[Step]) -> tuple[VariableSnapshot, ...]:
    """Return the variables after the last step that tells them."""
    return next((step.variables for step in reversed(steps) if step.variables), ())


def _undefined(
    tree: ast.Module, code: str, steps: Sequence[Step], variables: Iterable[VariableSnapshot]
) -> Iterable[str]:
    if any(mark in step.code for step in steps for mark in _ANY_NAMES) or any(mark in code for mark in _ANY_NAMES):
        return
    known = {variable.name for variable in variables} | _SHELL_NAMES | set(dir(builtins))
    for step in steps:
        names = names_of(step.code)
        known |= names.binds | names.changes
    own = {name for node in ast.walk(tree) for name in _bound_by_text(node)}
    for name in sorted(names_of(code).reads - known - own):
        # Names that begin with an underscore are no part of a snapshot: `_12`, `_private`.
        if not name.startswith("_"):
            yield f"`{name}` is not defined{_there_is(name, known - set(dir(builtins)) - _SHELL_NAMES)}"


def _bound_by_text(node: ast.AST) -> Iterable[str]:
    """Return names that a node binds other than by a name node: exceptions, patterns, all kinds of parameters."""
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    elif isinstance(node, ast.arg):
        yield node.arg


def _told(miss: Miss) -> str:
    return f"`{miss.name}` is no {miss.kind} of {miss.variable}{_there_is(miss.name, miss.there)}"


def _there_is(name: str, there: Iterable[str]) -> str:
    by_lower = {one.lower(): one for one in sorted(there)}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=_ALIKE)
    return f"; there is `{by_lower[close[0]]}`" if close else ""
