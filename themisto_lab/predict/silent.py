"""A cell that only assigns, imports or defines prints nothing: its syntax tree tells, and no model is asked."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from themisto_lab.types import Step

_SPEAKING_CALLS = frozenset({"print", "display", "help", "input", "exec", "eval", "pprint", "pp", "breakpoint", "quit"})
_SPEAKING_METHODS = frozenset({"info", "print", "write", "show", "display", "pprint", "writelines", "memory_summary"})
_QUIET = (
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Import,
    ast.ImportFrom,
    ast.Pass,
    ast.Delete,
    ast.Global,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
)
_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.ClassDef)


def is_silent(code: str, steps: Sequence[Step] = ()) -> bool:
    """Tell whether a cell surely looks as if it printed and returned nothing.

    A call inside an assignment counts as silent unless its name says otherwise: ``x = load()`` may print, but
    seldom does. Where it did when the same code ran last, it may again.

    Parameters
    ----------
    code
        A cell's source.
    steps
        What was run so far.

    Returns
    -------
    bool
        False also for code that does not parse or uses IPython's own syntax.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return all(_quiet(statement) for statement in tree.body) and not _spoke_last(code, steps)


def _spoke_last(code: str, steps: Sequence[Step]) -> bool:
    for step in reversed(steps):
        if step.status == "ok" and step.code == code:
            return bool(step.output_text)
    return False


def _quiet(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return not any(_speaks(part) for part in statement.decorator_list)
    if isinstance(statement, _QUIET):
        return not _speaks(statement)
    if isinstance(statement, _BLOCKS):
        inner = [child for child in ast.walk(statement) if isinstance(child, ast.stmt) and child is not statement]
        return not _speaks(statement) and all(isinstance(child, _QUIET + _BLOCKS) or _is_text(child) for child in inner)
    return False


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _speaks(node: ast.AST) -> bool:
    for child in ast.walk(node):
        if not isinstance(child, ast.Call):
            continue
        called = child.func
        if isinstance(called, ast.Name) and called.id in _SPEAKING_CALLS:
            return True
        if isinstance(called, ast.Attribute) and called.attr in _SPEAKING_METHODS:
            return True
    return False
