"""What was last seen and told of each variable, so that a snapshot reads only what can have changed.

A small immutable value is kept: if the name still stands for the same object, nothing is left to do. Of everything
else a glance tells whether it may have changed. Where there are so many variables that the glances take too long,
each snapshot looks at the next part of them in turn; the state's hash is that of the state as it was last seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import safe
from .buffers import Budget, clock
from .changes import FULL_S, UNKNOWN, Print, differs, fingerprint, full_hash, part_hash, state_text
from .glance import Glance, glance, is_held, same
from .values import Summary

MAX_SUMMARIES_CHARS = 200_000
LOOK_S = 0.005
"""The longest look after a cell, in seconds of processor time: what it does not come to is told a cell later."""

_GLANCES_S = 0.0015
_BASELINE_S = 0.010
_NOTHING = object()
_UNSEEN = Print(0, 0, b"", None, False)

Entry = list[Any]
"""One variable in a message: name, type name, shape, dtype, size in bytes, summary."""

Describe = Callable[[str, object], "tuple[Summary, bool]"]
"""Summarizes a variable, and tells whether no more than its outside is told."""

Item = tuple[str, object]


class Seen:
    """One variable as it was last seen."""

    __slots__ = ("entry", "glance", "kept", "outside", "part", "print", "round")

    def __init__(self) -> None:
        self.kept: object = _NOTHING
        self.glance: Glance | None = None
        self.print = _UNSEEN
        self.entry: Entry | None = None
        self.part = 0
        self.outside = False
        self.round = -1


class Ledger:
    """All variables as they were last seen.

    Attributes
    ----------
    seen
        By name.
    skipped
        How many variables are told by their outside alone, by type name.
    """

    def __init__(self) -> None:
        self.seen: dict[str, Seen] = {}
        self.skipped: dict[str, int] = {}
        self._total = 0
        self._n_chars = 0
        self._round = 0
        self._cursor = 0

    @property
    def hash_index(self) -> str:
        """The hash of the state as it was last seen."""
        return state_text(self._total)

    def take_baseline(self, named: set[str], namespace: dict[str, Any]) -> None:
        """Hash what a run is about to use and was never hashed, so that its changes can be told.

        Parameters
        ----------
        named
            The names of the cell's code.
        namespace
            The user's namespace.
        """
        budget = Budget(_BASELINE_S)
        for name in named:
            seen = self.seen.get(name)
            if seen is None or seen.print.full is not None:
                continue
            value = namespace.get(name)
            if seen.print.identity == id(value):
                seen.print = seen.print._replace(full=full_hash(value, budget))

    def look(
        self,
        items: Sequence[Item],
        named: set[str],
        describe: Describe,
        *,
        again: bool,
        limit_s: float = LOOK_S,
    ) -> dict[str, Any]:
        """Take in the namespace after a run.

        Parameters
        ----------
        items
            The variables that are told.
        named
            The names of the cell's code: these are hashed fully and described anew.
        describe
            Summarizes a variable.
        again
            Whether all are described anew.
        limit_s
            The longest that the look at what is new may take, in seconds of processor time.

        Returns
        -------
        dict
            What of a message is told of them: ``variables`` that are told otherwise than before, those
            ``removed``, the names that ``changed``, and how many the time did not suffice for (``out_of_time``).
        """
        self._round += 1
        deadline = clock() + limit_s
        work, unsure = self._sort(items, named, again)
        changed: list[str] = []
        fresh: list[Entry] = []
        late = self._glance_at(unsure, work)
        budget = Budget(FULL_S)
        # What the cell names comes first: of the rest, what there is no time for stays as it was told.
        for name, value in sorted(work, key=lambda item: item[0] not in named):
            if clock() > deadline:
                late += 1
                is_changed, entry = self._take_unseen(name, value, name in named)
            else:
                is_changed, entry = self._take(name, value, name in named, budget, describe)
            if is_changed:
                changed.append(name)
            if entry is not None:
                fresh.append(entry)
        return {"variables": fresh, "removed": self._forget(len(items)), "changed": changed, "out_of_time": late}

    def _sort(self, items: Sequence[Item], named: set[str], again: bool) -> tuple[list[Item], list[Item]]:
        """Part what must be looked at from what a glance may settle; what is sure to be the same is in neither."""
        work: list[Item] = []
        unsure: list[Item] = []
        get, now = self.seen.get, self._round
        for item in items:
            name, value = item
            seen = get(name)
            if seen is None:
                seen = self.seen[name] = Seen()
                work.append(item)
            elif again:
                work.append(item)
            elif seen.kept is not value:
                is_same = seen.print.identity == id(value) and seen.print.kind == id(type(value))
                (unsure if is_same and name not in named else work).append(item)
            seen.round = now
        return work, unsure

    def _glance_at(self, unsure: list[Item], work: list[Item]) -> int:
        """Move what does not look the same to the work, in turns where there is too much; tell how many are left."""
        deadline = clock() + _GLANCES_S
        n = len(unsure)
        start = self._cursor % n if n else 0
        for done in range(n):
            item = unsure[(start + done) % n]
            name, value = item
            seen = self.seen[name]
            try:
                now = glance(value)
            except Exception:  # noqa: BLE001 - what can't be glanced at is looked at
                now = None
            if now is None or seen.glance is None or not same(seen.glance, now):
                work.append(item)
            if done % 8 == 7 and clock() > deadline:
                self._cursor = start + done + 1
                return n - done - 1
        return 0

    def _take(
        self, name: str, value: object, named: bool, budget: Budget, describe: Describe
    ) -> tuple[bool, Entry | None]:
        seen = self.seen[name]
        before = None if seen.entry is None else seen.print
        try:
            now = fingerprint(value, named, budget)
        except Exception:  # noqa: BLE001 - told by its identity alone then
            now = Print(id(value), id(type(value)), b"", None, False)
        if before is not None and not before.sample:
            # It was there, and nobody had looked: only another object is news.
            is_changed = before.identity != now.identity or before.kind != now.kind
        else:
            is_changed = differs(before, now)
        if now.full is None and before is not None and not is_changed and before.full != UNKNOWN:
            now = now._replace(full=before.full)
        seen.print = now
        seen.kept, seen.glance = (value, None) if is_held(value) else (_NOTHING, _glance_or_none(value))
        return is_changed, self._describe(name, value, seen, describe)

    def _describe(self, name: str, value: object, seen: Seen, describe: Describe) -> Entry | None:
        type_name = safe.type_name(type(value))
        if self._n_chars > MAX_SUMMARIES_CHARS and (seen.entry is None or seen.entry[1] != type_name):
            return self._tell(name, type_name, Summary(None, None, None, ""), seen, False)
        if self._n_chars > MAX_SUMMARIES_CHARS + len(seen.entry[5] if seen.entry else ""):
            return None
        summary, outside = describe(name, value)
        return self._tell(name, type_name, summary, seen, outside)

    def _take_unseen(self, name: str, value: object, named: bool) -> tuple[bool, Entry | None]:
        """Take in a variable for which there is no time: as it was told, or by its type's name alone."""
        seen = self.seen[name]
        now = Print(id(value), id(type(value)), b"", None, False)
        if seen.entry is not None and seen.print.identity == now.identity and seen.print.kind == now.kind:
            seen.print = seen.print._replace(full=None)
            seen.glance = None
            return named, None
        is_changed = True
        seen.print, seen.kept, seen.glance = now, _NOTHING, None
        return is_changed, self._tell(
            name, safe.type_name(type(value)), Summary(None, None, None, ""), seen, outside=False
        )

    def _tell(self, name: str, type_name: str, summary: Summary, seen: Seen, outside: bool) -> Entry | None:
        """Keep what is told of a variable; return it where it was told otherwise before."""
        entry = [name, type_name, *summary]
        before = seen.entry
        text = "\x1f".join((name, type_name, str(summary.shape), str(summary.dtype), summary.text))
        part = part_hash(text + "\x1f" + seen.print.sample.hex())
        self._total += part - seen.part
        self._n_chars += len(summary.text) - (len(before[5]) if before else 0)
        self._count(seen, -1)
        seen.part, seen.entry, seen.outside = part, entry, outside
        self._count(seen, 1)
        return None if entry == before else entry

    def _count(self, seen: Seen, by: int) -> None:
        if seen.outside and seen.entry is not None:
            left = self.skipped.get(seen.entry[1], 0) + by
            if left:
                self.skipped[seen.entry[1]] = left
            else:
                self.skipped.pop(seen.entry[1], None)

    def _forget(self, n_items: int) -> list[str]:
        """Forget the variables that are gone; return their names."""
        if len(self.seen) == n_items:
            return []
        gone = [name for name, seen in self.seen.items() if seen.round != self._round]
        for name in gone:
            seen = self.seen.pop(name)
            self._total -= seen.part
            self._n_chars -= len(seen.entry[5]) if seen.entry else 0
            self._count(seen, -1)
        return gone


def _glance_or_none(value: object) -> Glance | None:
    try:
        return glance(value)
    except Exception:  # noqa: BLE001 - it is looked at each time then
        return None
