"""What a run changed among the variables, as one comment line behind its output (pure).

The line depends on its own step alone. So the transcript only grows, and a model's cache of it stays good.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from themisto_lab.context.render import MAX_SUMMARY_CHARS, shorten
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import Step, VariableSnapshot

MAX_STEP_TOKENS = 160
"""The longest line of one step, in tokens: a cell that makes a hundred variables must not crowd out the past."""

MAX_COLUMNS = 16

_MAX_OUTSIDE_CHARS = 60
"""The longest summary of what is told by its type first: the digits of an array say less than its shape."""

_BUILTIN = frozenset(
    {"int", "float", "complex", "bool", "NoneType", "str", "bytes", "list", "tuple", "set", "frozenset", "dict"}
)
"""Types whose summary reads like the value itself; it needs no type's name in front."""

_NUMBER = re.compile(r"numpy\.(?:u?int|float|complex|bool|longdouble)\w*")
"""Numbers of numpy; where they have no shape their summary reads like the value, too."""

_TOLD_BY_CODE = frozenset({"function", "builtin_function_or_method", "type", "module", "method", "ABCMeta", "ufunc"})
"""What a definition or an import makes: the cell's own code says it already."""

_COLUMNS = re.compile(r"columns: (?P<columns>.*?)(?:; first rows: .*)?\Z", re.DOTALL)
_COLUMN = re.compile(r"(?:^|, )(?P<name>.+?) \([^()]*\)(?=, |\Z)", re.DOTALL)
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Changes:
    """The line about one step's variables, or about those that a target names.

    Attributes
    ----------
    text
        A comment line with its line end; empty where there is nothing to tell.
    n_tokens
        Its length, in tokens.
    n_variables, n_columns
        How many variables were left out, and how many columns of those that are there.
    """

    text: str = ""
    n_tokens: int = 0
    n_variables: int = 0
    n_columns: int = 0


NO_CHANGES = Changes()


def describe(variable: VariableSnapshot) -> tuple[str, int]:
    """Describe a variable in a few words: a frame by its shape and columns, a plain value by itself.

    Returns
    -------
    text : str
        ``df = DataFrame 506 x 14: crim, zn, ...``, ``x = 3``.
    n_columns : int
        How many columns were left out.
    """
    kind = variable.type_name.rsplit(".", 1)[-1]
    summary = " ".join(variable.summary.split())
    if variable.type_name in _BUILTIN or (variable.shape is None and _NUMBER.fullmatch(variable.type_name)):
        return f"{variable.name} = {shorten(summary or kind, MAX_SUMMARY_CHARS)}", 0
    facts = [kind]
    if variable.shape is not None:
        facts.append(" x ".join(str(n) for n in variable.shape) or "()")
    if variable.dtype:
        facts.append(variable.dtype)
    head = f"{variable.name} = {shorten(' '.join(facts), MAX_SUMMARY_CHARS)}"
    columns = _columns(variable)
    if columns:
        total = variable.shape[1] if variable.shape is not None and len(variable.shape) > 1 else len(columns)
        shown = columns[:MAX_COLUMNS]
        n_left = max(0, total - len(shown))
        more = f", … {n_left} more columns" if n_left else ""
        return f"{head}: {', '.join(shown)}{more}", n_left
    # Of a type that is not known the summary begins with the type's name, which stands here already.
    summary = summary.removeprefix(f"<{variable.type_name}>").removeprefix(kind).strip(" :")
    return (f"{head}: {shorten(summary, _MAX_OUTSIDE_CHARS)}" if summary else head), 0


def _columns(variable: VariableSnapshot) -> list[str]:
    """Return the names of a frame's columns as far as its summary tells them."""
    found = _COLUMNS.match(variable.summary)
    if found is None:
        return []
    return [shorten(match["name"], 40) for match in _COLUMN.finditer(found["columns"])]


def render_variables(variables: Iterable[VariableSnapshot], limit_tokens: int, first: frozenset[str]) -> Changes:
    """Render variables as one comment line that fits a limit.

    Parameters
    ----------
    variables
        What is told, in the order in which it is told.
    limit_tokens
        The longest that the line may be.
    first
        Names that have their place before others where not all fit.
    """
    told = [variable for variable in variables if variable.type_name not in _TOLD_BY_CODE]
    texts = [describe(variable) for variable in told]
    left = limit_tokens - estimate_tokens("# Variables: … 999 more\n")
    kept: set[int] = set()
    for i in sorted(range(len(told)), key=lambda i: (told[i].name not in first, i)):
        n_tokens = estimate_tokens(texts[i][0]) + 1
        if n_tokens <= left:
            kept.add(i)
            left -= n_tokens
    if not kept:
        return Changes(n_variables=len(told))
    parts = [texts[i][0] for i in sorted(kept)]
    n_left = len(told) - len(kept)
    if n_left:
        parts.append(f"… {n_left} more")
    text = f"# Variables: {'; '.join(parts)}\n"
    return Changes(text, estimate_tokens(text), n_left, sum(texts[i][1] for i in kept))


def render_changes(step: Step) -> Changes:
    """Render what a run created or changed. Names in the cell's own code come first where not all fit."""
    changed = [variable for variable in step.variables if variable.changed]
    if not changed:
        return NO_CHANGES
    return render_variables(changed, MAX_STEP_TOKENS, frozenset(_WORD.findall(step.code)))
