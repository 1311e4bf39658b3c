"""How new a next cell is: run before in the session, an edit of a recent cell, or neither (pure)."""

from __future__ import annotations

from typing import Literal

from rapidfuzz import fuzz

from themisto_lab.types import Trajectory

Novelty = Literal["repeat", "edit", "novel"]

RECENT_CELLS = 5
EDIT_RATIO = 0.75
_MAX_CHARACTERS = 20_000


def novelty(history: Trajectory, code: str) -> Novelty:
    """Tell how new the code of the next cell is.

    Parameters
    ----------
    history
        What was run before it.
    code
        Its code.

    Returns
    -------
    Novelty
        ``repeat``: the same code, blank ends aside, was run before. ``edit``: its similarity to one of the last five
        cells is above 0.75 (2 * shared characters / all characters, in order). ``novel``: neither.
    """
    text = code.strip()
    if any(step.code.strip() == text for step in history.steps):
        return "repeat"
    text = text[:_MAX_CHARACTERS]
    for step in history.steps[-RECENT_CELLS:]:
        if fuzz.ratio(step.code.strip()[:_MAX_CHARACTERS], text, score_cutoff=100 * EDIT_RATIO) > 100 * EDIT_RATIO:
            return "edit"
    return "novel"
