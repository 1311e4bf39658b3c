"""Which cells to run again before a step, because what they were made from has changed since.

A log often misses runs: a person edits the cell that picks the features, runs the cells below it again, and only
those whose code or output changed are logged. A replay of the log alone would then score against old values. So a
cell is *stale* when a name that it reads was bound anew by another cell after it ran, and a step is *healed* by first
running again the stale cells that bind what it reads. A cell that failed is stale as soon as a name that it reads is
bound. All of this is read off the code; nothing is run here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from themisto_lab.context.names import Names, names_of


@dataclass(slots=True)
class _Cell:
    """The latest run of a cell."""

    code: str
    names: Names
    ran_at: int


@dataclass(slots=True)
class Healer:
    """Follows the runs of one kernel life and tells what is stale.

    Cells are told apart by a key: the cell's id, or its code where there is no id.
    """

    _cells: dict[str, _Cell] = field(default_factory=dict)
    _binder: dict[str, str] = field(default_factory=dict)
    _bound_at: dict[str, int] = field(default_factory=dict)
    _clock: int = 0

    def ran(self, key: str, code: str, *, ok: bool) -> None:
        """Take in that a cell ran.

        One that failed binds nothing. It is kept all the same: once what it lacked is there, it is stale too.
        """
        self._clock += 1
        names = names_of(code)
        self._cells[key] = _Cell(code=code, names=names, ran_at=self._clock)
        for name in names.binds:
            if ok or name not in self._binder:
                self._binder[name] = key
            if ok and name not in names.imports:
                self._bound_at[name] = self._clock

    def stale(self, key: str, code: str) -> list[tuple[str, str]]:
        """Return the cells to run again before a cell, upstream first, as pairs of key and code."""
        plan: dict[str, bool] = {}
        names = names_of(code)
        self._visit(names.reads | names.changes, key, plan)
        return [(cell, self._cells[cell].code) for cell, is_stale in plan.items() if is_stale]

    def upstream(self, key: str, code: str) -> list[tuple[str, str]]:
        """Return every cell that makes or changes what a cell needs, stale or not, upstream first."""
        names = names_of(code)
        found: list[str] = []
        self._collect(names.reads | names.changes, self._clock + 1, {key}, found)
        return [(other, self._cells[other].code) for other in found]

    def _collect(self, needs: frozenset[str], before: int, entered: set[str], found: list[str]) -> None:
        for name in sorted(needs):
            for other in self._makers(name, before):
                if other not in entered:
                    entered.add(other)
                    cell = self._cells[other]
                    self._collect(cell.names.reads | cell.names.changes, cell.ran_at, entered, found)
                    found.append(other)

    def _makers(self, name: str, before: int) -> list[str]:
        """Return the cell that binds a name, then those that changed its value before a moment, in their order."""
        changing = [
            (cell.ran_at, other)
            for other, cell in self._cells.items()
            if name in cell.names.changes and cell.ran_at < before
        ]
        ordered = [other for _, other in sorted(changing)]
        return [self._binder[name], *ordered] if name in self._binder else ordered

    def _visit(self, reads: frozenset[str], key: str, plan: dict[str, bool]) -> None:
        for other in self._binders(reads):
            if other == key or other in plan:
                continue
            cell = self._cells[other]
            # Entered first, so that two cells that need each other do not go round for ever.
            plan[other] = False
            needs = cell.names.reads | cell.names.changes
            self._visit(needs, key, plan)
            is_stale = self._is_older(cell, other, needs) or any(
                plan.get(upstream, False) for upstream in self._binders(needs) if upstream != other
            )
            # Upstream cells come before it in the plan.
            del plan[other]
            plan[other] = is_stale

    def _is_older(self, cell: _Cell, key: str, needs: frozenset[str]) -> bool:
        """Whether another cell bound something that this one needs after this one ran."""
        return any(
            self._bound_at.get(name, 0) > cell.ran_at and self._binder[name] != key
            for name in needs
            if name in self._binder
        )

    def _binders(self, names: frozenset[str]) -> Iterator[str]:
        for name in sorted(names):
            if name in self._binder:
                yield self._binder[name]
