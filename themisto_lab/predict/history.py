"""``baseline/history``: the next cell from the session's own past, with the probability that it is right.

The guess is what followed the last code in the longest equal past, in its newest version; else the last cell again.
The other sources (`themisto_lab.predict.history_sources`) come after it: a model is shown them as candidates, but on
development data none took the first place with profit (``docs/history.md``). Only the cell below, which a front end
knows, may. Each source is trusted as far as it was right in this session, and at first as far as on development data.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from themisto_lab.predict.base import Guess, PredictRequest
from themisto_lab.predict.history_session import SessionIndex, likeness
from themisto_lab.predict.history_sources import FIRST, SOURCES, Named, Situation, ask_sources
from themisto_lab.predict.history_weights import Record, Weights, shipped_weights
from themisto_lab.types import Trajectory

BELOW = "below"
"""The cell below the last one: a source that only a front end knows, so that its record in a session is not."""

_BELOW_REASON = "the cell below"
_LIKENESS_WEIGHT = 3.0
"""Above the two of two likeness metrics: unrelated cells are already about .35 alike, so that likeness spans less."""

_KEPT_SESSIONS = 8


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible next cell.

    Attributes
    ----------
    text
        Its code.
    reason
        Why, in words.
    probability
        That it is run next, to the letter.
    value
        By what those that don't come first are ordered: expected exact match and likeness together.
    sources
        The sources that name it.
    rate
        The raw rate of the best of them, before calibration.
    """

    text: str
    reason: str
    probability: float
    value: float
    sources: tuple[str, ...]
    rate: float


class SessionHistory:
    """A session's index with the record that each source has made in it so far."""

    def __init__(self) -> None:
        self.index = SessionIndex()
        # For each situation: the steps before which it stood, and what each source had shown in it after each.
        self._steps: dict[Situation, list[int]] = {}
        self._records: dict[Situation, list[dict[str, Record]]] = {}
        self._last: tuple[int, Named] | None = None

    def extend(self, trajectory: Trajectory) -> bool:
        """Add the steps that are new; tell whether the trajectory goes on from what is known, or is a part of it."""
        if not self.index.agrees_with(trajectory.steps):
            return False
        for step in trajectory.steps[len(self.index) :]:
            if len(self.index):
                self._judge(step.code.strip())
            self.index.append(step)
        return True

    def records(self, situation: Situation, n: int) -> dict[str, Record]:
        """Return what each source had shown in a situation when ``n`` steps were done."""
        place = bisect_left(self._steps.get(situation, []), n)
        return self._records[situation][place - 1] if place else {}

    def all_records(self) -> dict[Situation, dict[str, Record]]:
        """Return what each source has shown in each situation in the whole session."""
        return {situation: records[-1] for situation, records in self._records.items()}

    def rank(self, n: int, weights: Weights, below: str | None = None) -> list[Candidate]:
        """Return the candidates for the step after the first ``n``: the guess, then the others by what is expected."""
        named = self._named(n)
        texts = named.texts | ({BELOW: below.strip()} if below and below.strip() else {})
        shown = self.records(named.situation, n)
        by_text: dict[str, list[tuple[str, Record]]] = {}
        for source, text in texts.items():
            prior, record = weights.prior(named.situation, source), shown.get(source, Record())
            total = weights.strength + record.n
            rates = Record(
                1,
                (weights.strength * prior.n_hits + record.n_hits) / total,
                (weights.strength * prior.likeness + record.likeness) / total,
            )
            by_text.setdefault(text, []).append((source, rates))
        first = {next(source for source in FIRST if source in texts), BELOW}
        ranked = [_candidate(text, rates, weights) for text, rates in by_text.items()]
        return sorted(ranked, key=lambda candidate: (first.isdisjoint(candidate.sources), -candidate.value))

    def _judge(self, code: str) -> None:
        """Compare what each source names with what is run now."""
        n = len(self.index)
        named = self._named(n)
        alike = {text: likeness(text, code) for text in set(named.texts.values())}
        records = dict(self.records(named.situation, n))
        for source, text in named.texts.items():
            records[source] = records.get(source, Record()) + Record(1, text == code, alike[text])
        self._steps.setdefault(named.situation, []).append(n)
        self._records.setdefault(named.situation, []).append(records)

    def _named(self, n: int) -> Named:
        """Ask the sources, who are asked at each point twice: for a guess, and when it is judged."""
        if self._last is None or self._last[0] != n:
            self._last = n, ask_sources(self.index, n)
        return self._last[1]


def _candidate(text: str, rates: list[tuple[str, Record]], weights: Weights) -> Candidate:
    rate = max(record.n_hits for _, record in rates)
    alike = max(record.likeness for _, record in rates)
    source = rates[0][0]
    return Candidate(
        text=text,
        reason=_BELOW_REASON if source == BELOW else SOURCES[source][1],
        probability=weights.calibration.probability(rate, len(rates)),
        value=rate + _LIKENESS_WEIGHT * alike,
        sources=tuple(source for source, _ in rates),
        rate=rate,
    )


class HistoryGuesser:
    """Guesses from sessions' pasts; it remembers the latest sessions' indexes, so that a guess takes little time.

    Parameters
    ----------
    weights
        What was learned from development data; None for what comes with the package.
    """

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights
        self._sessions: OrderedDict[str, SessionHistory] = OrderedDict()
        self._lock = Lock()

    def rank(self, trajectory: Trajectory, below: str | None = None) -> list[Candidate]:
        """Return the candidates for the next cell, the best first; none before anything was run."""
        if not trajectory.steps:
            return []
        with self._lock:
            session = self._sessions.get(trajectory.id)
            if session is None or not session.extend(trajectory):
                session = SessionHistory()
                session.extend(trajectory)
            self._sessions[trajectory.id] = session
            self._sessions.move_to_end(trajectory.id)
            while len(self._sessions) > _KEPT_SESSIONS:
                self._sessions.popitem(last=False)
            return session.rank(len(trajectory.steps), self._weights or shipped_weights(), below)

    def guess(self, request: PredictRequest) -> Guess:
        """Guess the next cell."""
        ranked = self.rank(request.trajectory, request.below)
        if not ranked:
            return Guess("", "nothing was run yet")
        return Guess(ranked[0].text, ranked[0].reason, ranked[0].probability)


HISTORY = HistoryGuesser()
"""Shared by all who ask, so that each session is indexed once."""
