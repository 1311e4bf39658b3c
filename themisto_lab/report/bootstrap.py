"""Means of many columns with intervals from one and the same two-stage bootstrap (pure).

All columns are drawn together: trajectories first, then items within each, the same ones for every model. That is the
scheme of `themisto_lab.report.aggregate.interval`, for many columns at once and with gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from themisto_lab.report.aggregate import MIN_PAIRS

if TYPE_CHECKING:
    from numpy.typing import NDArray

N_DRAWS = 2000
LEVEL = 0.95

_SEED = 20250412
_BLOCK = 1_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its 95 % interval.

    Attributes
    ----------
    n
        How many values there are.
    mean
        Their mean; None without a value.
    low, high
        The ends of the interval; None with fewer than five values.
    """

    n: int
    mean: float | None
    low: float | None
    high: float | None


def estimate_columns(values: NDArray[Any], clusters: Sequence[str]) -> list[Estimate]:
    """Return the mean of each column with its interval, clustered.

    Parameters
    ----------
    values
        One row an item, one column a quantity, ``(n, m)``; NaN where an item has no value.
    clusters
        The trajectory of each row; rows of one trajectory stand together.

    Returns
    -------
    list of Estimate
        One for each column. Equal input gives equal output: the bootstrap is seeded. One trajectory alone gives the
        plain bootstrap of its items.
    """
    import numpy as np

    n_rows, n_columns = values.shape
    there = ~np.isnan(values)
    counts = there.sum(axis=0)
    filled = np.where(there, values, 0.0)
    means = np.divide(filled.sum(axis=0), counts, out=np.full(n_columns, np.nan), where=counts > 0)
    if n_rows < MIN_PAIRS:
        lows = highs = np.full(n_columns, np.nan)
    else:
        lows, highs = _ends(filled, there.astype(float), [len(list(rows)) for _, rows in groupby(clusters)])
    return [
        Estimate(int(n), _number(mean), *((_number(low), _number(high)) if n >= MIN_PAIRS else (None, None)))
        for n, mean, low, high in zip(counts, means, lows, highs, strict=True)
    ]


def _ends(filled: NDArray[Any], there: NDArray[Any], sizes: Sequence[int]) -> tuple[NDArray[Any], NDArray[Any]]:
    import numpy as np

    random = np.random.default_rng(_SEED)
    k = len(sizes)
    # How often each trajectory is drawn in each draw, ``(N_DRAWS, k)``.
    times = random.multinomial(k, np.full(k, 1 / k), size=N_DRAWS)
    totals = np.zeros((N_DRAWS, filled.shape[1]))
    counts = np.zeros_like(totals)
    start = 0
    for number, size in enumerate(sizes):
        rows = slice(start, start + size)
        start += size
        block = max(1, _BLOCK // size)
        for first in range(0, N_DRAWS, block):
            draws = slice(first, first + block)
            # A trajectory that is drawn twice has its items drawn anew each time: one multinomial says it all.
            weights = random.multinomial(times[draws, number] * size, np.full(size, 1 / size)).astype(float)
            totals[draws] += weights @ filled[rows]
            counts[draws] += weights @ there[rows]
    drawn = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
    tail = (1 - LEVEL) / 2
    with np.errstate(invalid="ignore"):
        empty = np.isnan(drawn).all(axis=0)
        drawn[:, empty] = 0.0
        low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    low[empty] = high[empty] = np.nan
    return low, high


def _number(value: float) -> float | None:
    return None if value != value else float(value)  # noqa: PLR0124 - NaN alone differs from itself
