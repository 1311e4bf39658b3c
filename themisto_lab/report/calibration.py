"""How far a predictor's own probabilities can be believed: predicted against observed (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

N_BINS = 10

_Z = 1.96


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Predictions whose probabilities are near each other.

    Attributes
    ----------
    n
        How many there are.
    predicted
        Their mean probability.
    observed
        The share that was right to the letter.
    low, high
        The ends of Wilson's 95 % interval of that share.
    """

    n: int
    predicted: float
    observed: float
    low: float
    high: float


def calibration_bins(pairs: Iterable[tuple[float, bool]], n_bins: int = N_BINS) -> list[CalibrationBin]:
    """Group predictions into bins of equal width and compare each bin's probabilities with what came.

    Parameters
    ----------
    pairs
        For each prediction its probability and whether it was right.
    n_bins
        Into how many parts the range from 0 to 1 is divided.

    Returns
    -------
    list of CalibrationBin
        Those that are not empty, in ascending order.
    """
    groups: dict[int, list[tuple[float, bool]]] = {}
    for probability, right in pairs:
        groups.setdefault(min(int(probability * n_bins), n_bins - 1), []).append((probability, right))
    return [_bin(groups[place]) for place in sorted(groups)]


def calibration_error(bins: Sequence[CalibrationBin]) -> float | None:
    """Return the mean distance of predicted and observed over all predictions; None without any."""
    total = sum(one.n for one in bins)
    return sum(one.n * abs(one.predicted - one.observed) for one in bins) / total if total else None


def _bin(pairs: Sequence[tuple[float, bool]]) -> CalibrationBin:
    n = len(pairs)
    observed = sum(right for _, right in pairs) / n
    # Wilson's interval stays within 0 and 1 and holds for small bins.
    middle = (observed + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * sqrt(observed * (1 - observed) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return CalibrationBin(n, sum(p for p, _ in pairs) / n, observed, max(0.0, middle - half), min(1.0, middle + half))
