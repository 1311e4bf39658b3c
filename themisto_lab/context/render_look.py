"""A closer look at a cell's expressions, as comment lines before the cell (pure)."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from themisto_lab.context.render import MAX_SUMMARY_CHARS, shorten
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import Look, LookedValue

_MAX_EXPRESSION_CHARS = 100
_ASIDE_TOKENS = 96
"""The most that one value takes which the cell only uses on its way, in tokens: a whole frame says little of a mean."""

_MIN_TOKENS = 12
"""Fewer tokens than this hold no useful part of a value."""


@dataclass(frozen=True, slots=True)
class RenderedLook:
    """The lines of a look.

    Attributes
    ----------
    text
        Comment lines, each with its line end; empty where there is nothing to tell.
    n_values
        How many values were left out.
    n_lines
        How many lines of the values that are there were left out.
    """

    text: str = ""
    n_values: int = 0
    n_lines: int = 0


@dataclass(frozen=True, slots=True)
class _Use:
    """Which of a cell's expressions its output shows, as syntax trees in text form."""

    printed: frozenset[str]
    last: str
    everything: bool

    def shows(self, value: LookedValue) -> bool:
        """Tell whether the output shows a value itself."""
        if self.everything:
            return True
        tree = _tree(value.expression)
        return tree == self.last or tree in self.printed


def render_look(look: Look | None, limit_tokens: int, code: str = "") -> RenderedLook:
    """Render the values that fit: first those that the cell prints or ends with, then the others in the cell's order.

    An exact value stands as the notebook would show it (``print`` it, where the cell prints it); of any other there is
    its summary.

    Parameters
    ----------
    look
        The look; None for none.
    limit_tokens
        The longest that all lines together may be.
    code
        The cell's code, which tells what is printed. Where it is empty, all counts as printed.
    """
    if look is None:
        return RenderedLook()
    use = _use(code)
    values = [value for value in look.values if _text(value, use)]
    order = sorted(range(len(values)), key=lambda i: (not use.shows(values[i]), not values[i].exact, i))
    kept: dict[int, str] = {}
    left = limit_tokens
    n_lines = 0
    for i in order:
        limit = left if use.shows(values[i]) else min(left, _ASIDE_TOKENS)
        block, n_cut = _block(values[i], _text(values[i], use), limit)
        if block:
            kept[i] = block
            left -= estimate_tokens(block)
            n_lines += n_cut
    return RenderedLook("".join(kept[i] for i in sorted(kept)), len(values) - len(kept), n_lines)


def _text(value: LookedValue, use: _Use) -> str:
    if not value.exact:
        return shorten(" ".join(value.shown.split()), MAX_SUMMARY_CHARS)
    if value.printed is not None and _tree(value.expression) in use.printed:
        return value.printed
    return value.shown


def _block(value: LookedValue, text: str, limit_tokens: int) -> tuple[str, int]:
    """Return a value's lines and how many were cut out of their middle; no lines where the limit is too small."""
    expression = shorten(" ".join(value.expression.split()), _MAX_EXPRESSION_CHARS)
    if not value.exact:
        block = f"# {expression}: {text}\n"
        return (block, 0) if estimate_tokens(block) <= limit_tokens else ("", 0)
    if "\n" not in text:
        block = f"# {expression} -> {text}\n"
        return (block, 0) if estimate_tokens(block) <= limit_tokens else ("", 0)
    head = f"# {expression} ->\n"
    lines = [f"#> {line}\n" for line in text.split("\n")]
    lengths = [estimate_tokens(line) for line in lines]
    left = limit_tokens - estimate_tokens(head)
    if sum(lengths) <= left:
        return head + "".join(lines), 0
    return _cut(head, lines, lengths, left)


def _cut(head: str, lines: list[str], lengths: list[int], limit_tokens: int) -> tuple[str, int]:
    """Keep two thirds of what fits from the beginning, the rest from the end."""
    left = limit_tokens - estimate_tokens("#> … 99999 lines …\n")
    if left < _MIN_TOKENS:
        return "", 0
    n_head = n_tail = used = 0
    while used + lengths[n_head] <= left * 2 // 3:
        used += lengths[n_head]
        n_head += 1
    while n_head + n_tail < len(lines) and used + lengths[-1 - n_tail] <= left:
        n_tail += 1
        used += lengths[-n_tail]
    n_cut = len(lines) - n_head - n_tail
    if n_head + n_tail == 0:
        return "", 0
    return "".join([head, *lines[:n_head], f"#> … {n_cut} lines …\n", *lines[len(lines) - n_tail :]]), n_cut


def _use(code: str) -> _Use:
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        body = []
    printed: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
                printed.update(ast.dump(argument) for argument in node.args)
            elif isinstance(node, ast.FormattedValue):
                printed.add(ast.dump(node.value))
    last = body[-1] if body else None
    return _Use(frozenset(printed), ast.dump(last.value) if isinstance(last, ast.Expr) else "", not code.strip())


def _tree(expression: str) -> str:
    try:
        return ast.dump(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return expression
