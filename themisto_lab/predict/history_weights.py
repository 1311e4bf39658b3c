"""How far each source of a guess is trusted before a session has shown anything: plain counts from development data.

``history_weights.json`` is written by ``scripts/fit_history.py``, which also says on what data. Nothing of that data is
in it but the counts.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

PRIOR_TRIALS = 3.0
PRIOR_HIT_RATE = 0.1
PRIOR_LIKENESS = 0.35
"""A source that was seldom tried is taken for middling: as if it had this record from so many trials."""


@dataclass(frozen=True, slots=True)
class Record:
    """How a source did.

    Attributes
    ----------
    n
        How often it was tried.
    n_hits
        How often it named the next cell to the letter.
    likeness
        The sum of the likenesses, from 0 to 1, of what it named to what was run.
    """

    n: float = 0.0
    n_hits: float = 0.0
    likeness: float = 0.0

    def __add__(self, other: Record) -> Record:
        return Record(self.n + other.n, self.n_hits + other.n_hits, self.likeness + other.likeness)

    def smoothed(self) -> Record:
        """Return the record as rates (``n`` is 1), drawn towards the middling ones."""
        total = self.n + PRIOR_TRIALS
        return Record(
            1.0,
            (self.n_hits + PRIOR_TRIALS * PRIOR_HIT_RATE) / total,
            (self.likeness + PRIOR_TRIALS * PRIOR_LIKENESS) / total,
        )


@dataclass(frozen=True, slots=True)
class Calibration:
    """From the raw rate of a guess to the probability that it is right: a logistic function of two numbers.

    Attributes
    ----------
    slope
        Of the raw rate's log-odds.
    votes
        Of the number of further sources that name the same text.
    offset
        Added to both.
    """

    slope: float = 1.0
    votes: float = 0.0
    offset: float = 0.0

    def probability(self, rate: float, n_votes: int) -> float:
        """Return the probability for a raw rate, strictly between 0 and 1, and the number of sources that agree."""
        logit = self.slope * math.log(rate / (1 - rate)) + self.votes * (n_votes - 1) + self.offset
        return 1 / (1 + math.exp(-logit))


@dataclass(frozen=True, slots=True)
class Weights:
    """What was learned from development data.

    Attributes
    ----------
    records
        By situation, then by source.
    calibration
        For the guess that is chosen.
    strength
        How many trials in a session weigh as much as all development data.
    """

    records: dict[str, dict[str, Record]]
    calibration: Calibration
    strength: float

    def prior(self, situation: str, source: str) -> Record:
        """Return a source's smoothed rates in a situation."""
        return self.records.get(situation, {}).get(source, Record()).smoothed()

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Weights:
        """Read what `as_json` wrote; other keys tell where the weights come from and are left alone."""
        return cls(
            records={
                situation: {source: Record(*numbers) for source, numbers in by_source.items()}
                for situation, by_source in content["records"].items()
            },
            calibration=Calibration(**content["calibration"]),
            strength=content["strength"],
        )


@lru_cache(maxsize=1)
def shipped_weights() -> Weights:
    """Return the weights that come with the package."""
    text = files(__package__).joinpath("history_weights.json").read_text(encoding="utf-8")
    return Weights.from_json(json.loads(text))
