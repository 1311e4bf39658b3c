"""A session's past, indexed for questions about what comes next: which runs were of the same cell, what followed what.

The index only grows, and every question names the step that it is asked at, so that one index answers for all
prefixes of a trajectory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice

from rapidfuzz import fuzz, process

from themisto_lab.types import Step

SAME_CELL_RATIO = 75.0
"""Two codes more alike than this (2 * shared characters / all characters, in per cent) are versions of one cell."""

COMPARED_CHARACTERS = 2000
"""Likeness is judged on this much of a cell, so that the time is bounded."""

_COMPARED_CELLS = 100
"""New code is compared with this many cells, those that ran last."""


def likeness(code: str, other: str) -> float:
    """Return how alike two codes are, from 0 to 1."""
    return fuzz.ratio(code[:COMPARED_CHARACTERS], other[:COMPARED_CHARACTERS]) / 100


class SessionIndex:
    """The runs of a session by code and by cell.

    A cell is known by its id where the front end tells it; else a run belongs to the cell whose newest version is most
    like it, if it is like enough. A *stretch* is a row of runs of one cell.
    """

    def __init__(self) -> None:
        self.codes: list[str] = []
        self.cells: list[int] = []
        self._raw_codes: list[str] = []
        self._cell_ids: list[str | None] = []
        self._cell_by_id: dict[str, int] = {}
        self._newest: dict[int, str] = {}
        self._cell_by_code: dict[str, int] = {}
        self._runs_by_code: dict[str, list[int]] = {}
        self._runs_by_cell: dict[int, list[int]] = {}
        self._exits_by_cell: dict[int, list[int]] = {}
        self._stretch_starts: list[int] = []
        self._fresh_starts: list[int] = []

    def __len__(self) -> int:
        return len(self.codes)

    def agrees_with(self, steps: Sequence[Step]) -> bool:
        """Tell whether the index and these steps are the beginning of one and the same session."""
        n = min(len(self.codes), len(steps))
        # Whole lists of the very same texts are compared by identity, which is quick.
        return self._raw_codes[:n] == [step.code for step in steps[:n]] and self._cell_ids[:n] == [
            step.cell_id for step in steps[:n]
        ]

    def append(self, step: Step) -> None:
        """Add the next run."""
        n, code = len(self.codes), step.code.strip()
        cell = self._cell_of(code, step.cell_id)
        if n and self._jumped(code):
            self._fresh_starts.append(n)
        if n and cell != self.cells[-1]:
            self._exits_by_cell.setdefault(self.cells[-1], []).append(n)
        self._stretch_starts.append(self._stretch_starts[-1] if n and cell == self.cells[-1] else n)
        self.codes.append(code)
        self._raw_codes.append(step.code)
        self.cells.append(cell)
        self._cell_ids.append(step.cell_id)
        self._runs_by_code.setdefault(code, []).append(n)
        self._runs_by_cell.setdefault(cell, []).append(n)
        # Taken out first, so that the cells stand in the order in which they last ran.
        self._newest.pop(cell, None)
        self._newest[cell] = code[:COMPARED_CHARACTERS]
        self._cell_by_code[code] = cell

    def runs_of_code(self, code: str, n: int) -> list[int]:
        """Return the runs of a code among the first ``n`` steps, oldest first."""
        runs = self._runs_by_code.get(code, [])
        return runs[: bisect_left(runs, n)]

    def runs_of_cell(self, cell: int, n: int) -> list[int]:
        """Return the runs of a cell among the first ``n`` steps, oldest first."""
        runs = self._runs_by_cell.get(cell, [])
        return runs[: bisect_left(runs, n)]

    def exits_of_cell(self, cell: int, n: int) -> list[int]:
        """Return the first runs of another cell right after a stretch of this one, oldest first."""
        exits = self._exits_by_cell.get(cell, [])
        return exits[: bisect_left(exits, n)]

    def newest_version(self, index: int, n: int) -> str:
        """Return the newest code of the cell that was run at ``index``, as of the first ``n`` steps."""
        runs = self._runs_by_cell[self.cells[index]]
        return self.codes[runs[bisect_left(runs, n) - 1]]

    def stretch_start(self, index: int) -> int:
        """Return where the stretch of one cell's runs that ``index`` is in began."""
        return self._stretch_starts[index]

    def last_fresh_start(self, n: int) -> int | None:
        """Return the last run, of the first ``n``, of known code out of its usual order: a new pass began there."""
        place = bisect_left(self._fresh_starts, n)
        return self._fresh_starts[place - 1] if place else None

    def _jumped(self, code: str) -> bool:
        last = self.codes[-1]
        if code == last or code not in self._runs_by_code:
            return False
        before = self._runs_by_code[last]
        usual = self.codes[before[-2] + 1] if len(before) > 1 else last
        return usual != code

    def _cell_of(self, code: str, cell_id: str | None) -> int:
        if cell_id is not None:
            return self._cell_by_id.setdefault(cell_id, len(self._cell_by_id))
        known = self._cell_by_code.get(code)
        # Only while it is the cell's newest version: an old version may be another cell's code by now.
        if known is not None and self._newest[known] == code[:COMPARED_CHARACTERS]:
            return known
        latest = dict(islice(reversed(self._newest.items()), _COMPARED_CELLS))
        found = process.extractOne(code[:COMPARED_CHARACTERS], latest, scorer=fuzz.ratio, score_cutoff=SAME_CELL_RATIO)
        if found is not None and found[1] > SAME_CELL_RATIO:
            return int(found[2])
        # Cells without an id count downwards, so that they never meet those with one.
        return -1 - len(self._newest)
