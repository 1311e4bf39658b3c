"""Fitting a token limit in a way that keeps the prompt's prefix as it was (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LOOK_TOKENS = 412
"""What the target and a look at it need: two fifths of 1,024, with which tables are seldom cut (docs/decisions.md)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How a prompt's tokens are divided.

    The division does not depend on the task, nor on the arm unless it writes state in line: prompts of one moment share
    the transcript, byte for byte, and a model's cache of it serves them all.

    Attributes
    ----------
    transcript_tokens
        For past cells and their outputs.
    state_tokens
        For a list of variables; where there is none, a closer look has these too.
    target_tokens
        For the code of the cell in focus; what it leaves free, and the transcript, is a closer look's.
    """

    transcript_tokens: int
    state_tokens: int
    target_tokens: int

    def past_tokens(self, state_in_line: bool) -> int:
        """Return what the transcript may take; with the state in line, of the state's share what a look can spare."""
        if not state_in_line:
            return self.transcript_tokens
        spare = self.state_tokens + self.target_tokens - _LOOK_TOKENS
        return self.transcript_tokens + max(0, min(self.state_tokens, spare))


def divide(limit_tokens: int) -> Budget:
    """Divide a limit: three fifths for the transcript, one fifth each for the state and the target's code."""
    fifth = limit_tokens // 5
    return Budget(transcript_tokens=3 * fifth, state_tokens=fifth, target_tokens=limit_tokens - 4 * fifth)


def first_kept(lengths_tokens: Sequence[int], limit_tokens: int) -> int:
    """Find the first step that a transcript keeps, such that it seldom moves.

    Steps are added one by one; when they pass the limit, the oldest are dropped until at most half the limit is used.
    So the prompt's beginning changes once in many steps and a model's cache is reused in between. The last step is
    always kept.

    Parameters
    ----------
    lengths_tokens
        The length of each step's block, oldest first, in tokens.
    limit_tokens
        The most that the kept blocks take together, in tokens.

    Returns
    -------
    int
        The index of the first kept step; ``len(lengths_tokens)`` where there is none.
    """
    start = 0
    total = 0
    for i, length in enumerate(lengths_tokens):
        total += length
        if total <= limit_tokens:
            continue
        while start < i and total > limit_tokens // 2:
            total -= lengths_tokens[start]
            start += 1
    return start


def fill(lengths_tokens: Sequence[int], limit_tokens: int) -> list[int]:
    """Choose, in order, the items that fit a limit; one that does not fit is passed over.

    Returns
    -------
    list of int
        The indices of the chosen items, ascending.
    """
    chosen = []
    left = limit_tokens
    for i, length in enumerate(lengths_tokens):
        if length <= left:
            chosen.append(i)
            left -= length
    return chosen
