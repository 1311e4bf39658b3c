"""A closer look at a cell's expressions, as comment lines before the cell (pure)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

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
class _Shown:
    """What one statement of a cell puts out: the parts of a ``print`` with blanks between them, or the last value.

    Attributes
    ----------
    parts
        Each part's syntax tree in text form, or the very text of a constant.
    printed
        Whether ``print`` writes it.
    """

    parts: tuple[str | ast.Constant, ...]
    printed: bool


_UNKNOWN = _Shown(("",), printed=False)
"""A statement that may put out anything."""


@dataclass(frozen=True, slots=True)
class _Use:
    """Which of a cell's expressions its output shows, as syntax trees in text form.

    Attributes
    ----------
    shown
        By the statements that run once, in order.
    printed
        All that is printed, in loops and branches too.
    everything
        Whether there is no code to tell, so that all counts as shown.
    """

    shown: tuple[_Shown, ...]
    printed: frozenset[str]
    everything: bool

    def shows(self, value: LookedValue) -> bool:
        """Tell whether the output shows a value itself."""
        tree = _tree(value.expression)
        return self.everything or tree in self.printed or any(tree in one.parts for one in self.shown)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines that are kept or left out together.

    Attributes
    ----------
    values
        The values in them.
    head, lines
        The first line, and those below it, each without its mark.
    limit_tokens
        The most that they may take; None for all that there is room for.
    rank
        Where the room is short, the lowest is kept first.
    """

    values: tuple[LookedValue, ...]
    head: str
    lines: tuple[str, ...]
    limit_tokens: int | None
    rank: int


def render_look(look: Look | None, limit_tokens: int, code: str = "") -> RenderedLook:
    """Render the values that fit: what the cell puts out last, so that it stands next to the cell.

    What statements in a row put out stands as one block, line for line as the notebook will show it. An exact value
    that is only used on the way stands as the notebook would show it; of any other there is its summary.

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
    blocks = _blocks(values, use)
    told = {value.expression for block in blocks for value in block.values}
    pieces = [_single(value, use) for value in values if value.expression not in told] + blocks
    kept: dict[int, str] = {}
    left = limit_tokens
    n_values = n_lines = 0
    for i in sorted(range(len(pieces)), key=lambda i: (pieces[i].rank, i)):
        piece = pieces[i]
        block, n_cut = _block(piece, left if piece.limit_tokens is None else min(left, piece.limit_tokens))
        if block:
            kept[i] = block
            left -= estimate_tokens(block)
            n_lines += n_cut
        else:
            n_values += len(piece.values)
    return RenderedLook("".join(kept[i] for i in sorted(kept)), n_values, n_lines)


def _blocks(values: Sequence[LookedValue], use: _Use) -> list[_Piece]:
    """Put together what statements put out of which every part is known; one that is not known ends a block."""
    exact = _once(values)
    blocks: list[_Piece] = []
    row: list[tuple[list[LookedValue], str]] = []

    def end() -> None:
        found = [value for parts, _ in row for value in parts]
        if found:
            names = "; ".join(dict.fromkeys(_expression(value) for value in found))
            lines = tuple(line for _, text in row for line in text.split("\n"))
            blocks.append(_Piece(tuple(found), shorten(names, _MAX_EXPRESSION_CHARS), lines, None, rank=0))
        row.clear()

    for one in use.shown:
        parts = [exact.get(part) if isinstance(part, str) else part for part in one.parts]
        if None in parts:
            end()
            continue
        row.append(
            (
                [part for part in parts if isinstance(part, LookedValue)],
                " ".join(_put_out(part, one.printed) for part in parts if part is not None),
            )
        )
    end()
    return blocks


def _once(values: Sequence[LookedValue]) -> dict[str, LookedValue]:
    """Return the exact values by expression, without those that change within the cell."""
    found: dict[str, LookedValue] = {}
    changing: set[str] = set()
    for value in values:
        tree = _tree(value.expression)
        if not value.exact or found.setdefault(tree, value) != value:
            changing.add(tree)
    return {tree: value for tree, value in found.items() if tree not in changing}


def _put_out(part: LookedValue | ast.Constant, printed: bool) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value)
    return part.printed if printed and part.printed is not None else part.shown


def _single(value: LookedValue, use: _Use) -> _Piece:
    shows = use.shows(value)
    limit = None if shows else _ASIDE_TOKENS
    rank = 0 if shows and value.exact else 1 if shows else 2 if value.exact else 3
    text = _text(value, use)
    if not value.exact:
        return _Piece((value,), f"{_expression(value)}: {text}", (), limit, rank)
    if "\n" not in text:
        return _Piece((value,), f"{_expression(value)} -> {text}", (), limit, rank)
    return _Piece((value,), _expression(value), tuple(text.split("\n")), limit, rank)


def _expression(value: LookedValue) -> str:
    return shorten(" ".join(value.expression.split()), _MAX_EXPRESSION_CHARS)


def _text(value: LookedValue, use: _Use) -> str:
    if not value.exact:
        return shorten(" ".join(value.shown.split()), MAX_SUMMARY_CHARS)
    if value.printed is not None and _tree(value.expression) in use.printed:
        return value.printed
    return value.shown


def _block(piece: _Piece, limit_tokens: int) -> tuple[str, int]:
    """Return a piece's lines and how many were cut out of their middle; no lines where the limit is too small."""
    if not piece.lines:
        block = f"# {piece.head}\n"
        return (block, 0) if estimate_tokens(block) <= limit_tokens else ("", 0)
    head = f"# {piece.head} ->\n"
    lines = [f"#> {line}\n" for line in piece.lines]
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
    shown: list[_Shown] = []
    for statement in body:
        for node in ast.walk(statement):
            if _is_print(node):
                printed.update(ast.dump(argument) for argument in node.args)
            elif isinstance(node, ast.FormattedValue):
                printed.add(ast.dump(node.value))
        value = statement.value if isinstance(statement, ast.Expr) else None
        if _is_print(value) and not value.keywords:
            parts = [part if isinstance(part, ast.Constant) else ast.dump(part) for part in value.args]
            shown.append(_Shown(tuple(parts), printed=True))
        elif value is not None and statement is body[-1]:
            shown.append(_Shown((ast.dump(value),), printed=False))
        elif not _is_quiet(statement):
            shown.append(_UNKNOWN)
    return _Use(tuple(shown), frozenset(printed), not code.strip())


def _is_quiet(statement: ast.stmt) -> bool:
    """Tell whether a statement surely puts out nothing: a definition, an import, an assignment that calls nothing."""
    if isinstance(statement, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.Pass):
        return True
    assigns = isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign)
    return assigns and not any(isinstance(node, ast.Call) for node in ast.walk(statement))


def _is_print(node: ast.AST | None) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def _tree(expression: str) -> str:
    try:
        return ast.dump(ast.parse(expression.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return expression
