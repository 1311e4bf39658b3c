"""Adds candidates, or what was wrong with an attempt, to the end of a prompt: its prefix stays what it was (pure)."""

from __future__ import annotations

from collections.abc import Sequence

from themisto_lab.context.render import render_target
from themisto_lab.types import Context, TaskKind

ROOM_TOKENS = 700
"""What an addition takes at most, in tokens."""

_MOST_CHARACTERS = 400
_MOST_FINDING_CHARACTERS = 150


def with_candidates(context: Context, n_steps: int, candidates: Sequence[str]) -> Context:
    """Tell a model which cells may be next, going by what was run before."""
    if not candidates:
        return context
    told = "\n".join(f"# ({place})\n{_as_comment(code)}" for place, code in enumerate(candidates, 1))
    return _added(context, n_steps, f"# The next cell may be one of these, or another:\n{told}\n")


def with_findings(context: Context, n_steps: int, attempt: str, findings: Sequence[str]) -> Context:
    """Tell a model what was wrong with an attempt, for it to make a better one."""
    told = "\n".join(f"# - {finding[:_MOST_FINDING_CHARACTERS]}" for finding in findings[:5])
    return _added(
        context, n_steps, f"# This attempt at the next cell fails:\n{_as_comment(attempt)}\n# Because:\n{told}\n"
    )


def _as_comment(code: str) -> str:
    # Cut at the end of a line: half a line would be gone on with.
    short = code if len(code) <= _MOST_CHARACTERS else code[:_MOST_CHARACTERS].rpartition("\n")[0] + "\n..."
    return "\n".join(f"#   {line}" for line in short.split("\n"))


def _added(context: Context, n_steps: int, text: str) -> Context:
    """Put a text before the header of the cell that is asked for, or at the end of the last message."""
    if context.messages:
        last = context.messages[-1]
        messages = (*context.messages[:-1], last.model_copy(update={"content": f"{last.content}\n{text}"}))
        return context.model_copy(update={"messages": messages})
    head = render_target(TaskKind.NEXT_CELL, n_steps + 1, "")
    prompt = (context.prompt or "").removesuffix(head)
    return context.model_copy(update={"prompt": f"{prompt}{text}{head}"})
