"""Where a guess at the next cell can come from: each source is one habit of people at a notebook (pure).

A new source is a function, a line in `SOURCES`, and a refit of the weights (``scripts/fit_history.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from themisto_lab.predict.history_edits import moved_on, transferred
from themisto_lab.predict.history_session import SessionIndex

Situation = Literal["followed_3", "followed_2", "followed_1", "new", "editing", "returned"]
"""What the last run was: code that was followed by something before (and how many cells up to it were in the same
order then), a cell never seen, a further version of the cell that ran before it, or a new version of an older cell."""

LONGEST_CONTEXT = 3
_LONGEST_CELL_CONTEXT = 6
_LOOKED_AT = 200
"""How many earlier places are compared at most, newest first, so that the time is bounded."""


@dataclass(frozen=True, slots=True)
class Follower:
    """A place in the past that looks like the present.

    Attributes
    ----------
    index
        What was run right after it.
    n_alike
        How many runs before it are like the latest ones.
    """

    index: int
    n_alike: int


def find_follower(session: SessionIndex, n: int) -> Follower | None:
    """Find where the last code was run before with the longest equal past; of several the latest."""
    codes = session.codes
    best: Follower | None = None
    for place in reversed(session.runs_of_code(codes[n - 1], n - 1)[-_LOOKED_AT:]):
        n_alike = 1
        while n_alike < LONGEST_CONTEXT and place >= n_alike and codes[place - n_alike] == codes[n - 1 - n_alike]:
            n_alike += 1
        if best is None or n_alike > best.n_alike:
            best = Follower(place + 1, n_alike)
        if n_alike == LONGEST_CONTEXT:
            break
    return best


def situation_of(session: SessionIndex, n: int, follower: Follower | None) -> Situation:
    """Name the situation after the first ``n`` steps, of which there is at least one."""
    if follower is not None:
        names: tuple[Situation, ...] = ("followed_1", "followed_2", "followed_3")
        return names[follower.n_alike - 1]
    if len(session.runs_of_cell(session.cells[n - 1], n)) == 1:
        return "new"
    return "editing" if session.stretch_start(n - 1) < n - 1 else "returned"


def _code_followed(session: SessionIndex, n: int, follower: Follower | None) -> str | None:
    return None if follower is None else session.newest_version(follower.index, n)


def _cell_followed(session: SessionIndex, n: int, _follower: Follower | None) -> str | None:
    exits = session.exits_of_cell(session.cells[n - 1], n)
    return session.newest_version(exits[-1], n) if exits else None


def _cells_followed(session: SessionIndex, n: int, _follower: Follower | None) -> str | None:
    best, best_length = None, 0
    for place in reversed(session.exits_of_cell(session.cells[n - 1], n)[-_LOOKED_AT:]):
        length = _n_stretches_alike(session, place - 1, n - 1)
        if length > best_length:
            best, best_length = place, length
        if length == _LONGEST_CELL_CONTEXT:
            break
    return None if best is None else session.newest_version(best, n)


def _n_stretches_alike(session: SessionIndex, index: int, other: int) -> int:
    length = 0
    while index >= 0 and length < _LONGEST_CELL_CONTEXT and session.cells[index] == session.cells[other]:
        length += 1
        index, other = session.stretch_start(index) - 1, session.stretch_start(other) - 1
    return length


def _repeat(session: SessionIndex, n: int, _follower: Follower | None) -> str | None:
    return session.codes[n - 1]


def _undo(session: SessionIndex, n: int, _follower: Follower | None) -> str | None:
    codes = session.codes
    runs = session.runs_of_cell(session.cells[n - 1], n)[-_LOOKED_AT:]
    return next((codes[run] for run in reversed(runs) if codes[run] != codes[n - 1]), None)


def _fresh_start(session: SessionIndex, n: int, _follower: Follower | None) -> str | None:
    start = session.last_fresh_start(n)
    return None if start is None else session.newest_version(start, n)


def _skip(session: SessionIndex, n: int, _follower: Follower | None) -> str | None:
    before = session.stretch_start(n - 1) - 1
    if before < 0:
        return None
    cells = session.cells
    exits = session.exits_of_cell(cells[before], before + 1)[-_LOOKED_AT:]
    place = next((place for place in reversed(exits) if cells[place] != cells[n - 1]), None)
    return None if place is None else session.newest_version(place, n)


def _back(session: SessionIndex, n: int, _follower: Follower | None) -> str | None:
    before = session.stretch_start(n - 1) - 1
    return session.codes[before] if before >= 0 else None


def _transfer(session: SessionIndex, n: int, follower: Follower | None) -> str | None:
    before, after = _undo(session, n, follower), session.codes[n - 1]
    onto = _code_followed(session, n, follower) or _cell_followed(session, n, follower)
    return None if before is None or onto is None else transferred(before, after, onto)


def _move_on(session: SessionIndex, n: int, follower: Follower | None) -> str | None:
    before = _undo(session, n, follower)
    return None if before is None else moved_on(before, session.codes[n - 1])


Source = Callable[[SessionIndex, int, Follower | None], str | None]

SOURCES: dict[str, tuple[Source, str]] = {
    "code_followed": (_code_followed, "what followed this cell last time"),
    "repeat": (_repeat, "the last cell again"),
    "cells_followed": (_cells_followed, "what followed these cells last time, edits aside"),
    "cell_followed": (_cell_followed, "what followed an earlier version of this cell"),
    "skip": (_skip, "what followed the cell before the last one"),
    "back": (_back, "back to the cell before the last one"),
    "undo": (_undo, "this cell as it was before its last edit"),
    "fresh_start": (_fresh_start, "where the last new pass over the cells began"),
    "transfer": (_transfer, "the edit of the last cell, made in the cell that followed it"),
    "move_on": (_move_on, "the last cell with its number moved on as before"),
}
"""By name: the function, and its reason in words. Of sources that name the same text, the first gives the reason."""

FIRST = ("code_followed", "repeat")
"""The first of these that says something is the guess; the last cell can always be run again."""


@dataclass(frozen=True, slots=True)
class Named:
    """What the sources name at one point of a session.

    Attributes
    ----------
    situation
        What the last run was.
    texts
        By source; one with nothing to say is left out.
    """

    situation: Situation
    texts: dict[str, str]


def ask_sources(session: SessionIndex, n: int) -> Named:
    """Ask every source after the first ``n`` steps, of which there is at least one."""
    follower = find_follower(session, n)
    found = {name: source(session, n, follower) for name, (source, _) in SOURCES.items()}
    return Named(situation_of(session, n, follower), {name: text for name, text in found.items() if text})
