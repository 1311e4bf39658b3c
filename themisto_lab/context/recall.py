"""What a prompt brings back of the cells that it no longer holds, for the names that its target uses (pure).

It stands behind the transcript, so that the transcript's beginning stays as it was.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass

from themisto_lab.context.blocks import names_in
from themisto_lab.context.budget import fill
from themisto_lab.context.changes import NO_CHANGES, Changes, render_variables
from themisto_lab.context.names import names_of
from themisto_lab.context.render import MAX_LINE_CHARS, shorten
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import MIME_ERROR, Step

_MAX_PIECE_LINES = 12
_MAX_FIXES = 2
_FIX_WITHIN_STEPS = 4
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class Recalled:
    """Pieces of dropped cells, and the state of the variables that they made.

    Attributes
    ----------
    text
        The pieces, each behind a comment line that says where it is from; empty where there are none.
    state
        The variables that the target names and that changed last in a dropped cell.
    n_pieces
        How many pieces did not fit.
    """

    text: str = ""
    state: Changes = NO_CHANGES
    n_pieces: int = 0


def names_wanted(steps: Sequence[Step], code: str) -> frozenset[str]:
    """Return the names that a target uses; where its code is not known yet, those of the last cell."""
    if code.strip():
        names = names_of(code)
        return (names.reads | names.changes) - _BUILTINS
    if not steps:
        return frozenset()
    names = names_in(steps[-1])
    return (names.reads | names.changes | (names.binds - names.imports)) - _BUILTINS


def recall(
    steps: Sequence[Step], start: int, wanted: frozenset[str], limit_tokens: int, *, with_code: bool = True
) -> Recalled:
    """Bring back what dropped steps say about names.

    Parameters
    ----------
    steps
        All steps, oldest first.
    start
        The index of the first step that the transcript keeps.
    wanted
        The names.
    limit_tokens
        The most that pieces and state take together; the pieces take half of it at most.
    with_code
        Whether pieces of the cells come back too; else the state alone. They are read anew with each prompt, which is
        too much where the names are only a guess.
    """
    if start == 0 or not wanted:
        return Recalled()
    pieces = {**_definitions(steps, start, wanted), **_fixes(steps, start, wanted)} if with_code else {}
    newest_first = sorted(pieces, reverse=True)
    kept = fill([estimate_tokens(pieces[i]) for i in newest_first], limit_tokens // 2)
    text = "".join(pieces[i] for i in sorted(newest_first[k] for k in kept))
    in_line = {variable.name for step in steps[start:] for variable in step.variables if variable.changed}
    old = [one for one in steps[-1].variables if one.name in wanted and one.name not in in_line]
    state = render_variables(old, limit_tokens - estimate_tokens(text), wanted) if old else NO_CHANGES
    return Recalled(text, state, len(pieces) - len(kept))


def _definitions(steps: Sequence[Step], start: int, wanted: frozenset[str]) -> dict[int, str]:
    """Return the statements of dropped steps that bound names as they were when the transcript begins.

    Statements that only changed a value are left out: the state tells what came of them.
    """
    needed = set(wanted)
    for step in steps[start:]:
        if not step.raised:
            needed -= names_in(step).binds
    pieces: dict[int, str] = {}
    for i in range(start - 1, -1, -1):
        if not needed:
            break
        made = needed & names_in(steps[i]).binds
        if steps[i].raised or not made:
            continue
        if code := _statements(steps[i].code, made):
            pieces[i] = f"# Earlier, from [{i + 1}]:\n{code}\n"
        needed -= made
    return pieces


def _fixes(steps: Sequence[Step], start: int, wanted: frozenset[str]) -> dict[int, str]:
    """Return what dropped cells about these names raised and how the same cell looked when it ran."""
    pieces: dict[int, str] = {}
    for i in range(start - 2, -1, -1):
        if len(pieces) == _MAX_FIXES:
            break
        failed = steps[i]
        if failed.status != "error" or not wanted & _all_names(failed):
            continue
        later = range(i + 1, min(start, i + 1 + _FIX_WITHIN_STEPS))
        fixed = next((j for j in later if _is_fix(failed, steps[j])), None)
        error = next((output.text for output in failed.outputs if output.mime == MIME_ERROR), "")
        if fixed is None or not error:
            continue
        before = set(failed.code.splitlines())
        lines = [line for line in steps[fixed].code.splitlines() if line.strip() and line not in before]
        if lines:
            error = shorten(" ".join(error.split()), MAX_LINE_CHARS)
            pieces[i] = f"# Earlier, [{i + 1}] raised {error}. In [{fixed + 1}] it ran with:\n{_cut(lines)}\n"
    return pieces


def _is_fix(failed: Step, step: Step) -> bool:
    """Tell whether a step is the failed cell again, in a form that ran."""
    if step.raised or step.code == failed.code:
        return False
    if failed.cell_id is not None and step.cell_id is not None:
        return step.cell_id == failed.cell_id
    return bool(set(failed.code.splitlines()) & set(step.code.splitlines()))


def _all_names(step: Step) -> frozenset[str]:
    names = names_in(step)
    return names.reads | names.changes | names.binds


def _statements(code: str, made: set[str]) -> str:
    """Return a cell's statements that make some names; of a cell that does not parse, its beginning."""
    lines = code.splitlines()
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return _cut(lines)
    kept: list[str] = []
    for statement in body:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        piece = lines[first - 1 : statement.end_lineno]
        names = names_of("\n".join(piece))
        if made & names.binds:
            kept += piece
    return _cut(kept)


def _cut(lines: list[str]) -> str:
    kept = [shorten(line, MAX_LINE_CHARS) for line in lines[:_MAX_PIECE_LINES]]
    if len(lines) > len(kept):
        kept.append(f"# … {len(lines) - len(kept)} lines …")
    return "\n".join(kept)
