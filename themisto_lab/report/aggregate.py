"""Does an arm help? The mean paired difference of two arms, its interval, and a sentence about it (pure).

Both arms answered the very same questions, so the difference is taken question by question. Steps of one trajectory
resemble each other, so they are not independent: with two trajectories or more, trajectories are drawn first and then
questions within each (a two-stage bootstrap, which is never surer of itself than the number of trajectories allows).

Source: A. C. Davison and D. V. Hinkley, "Bootstrap Methods and their Application", 1997, section 3.8.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from themisto_lab.store.records import ScorePair
from themisto_lab.types import Metric, TaskKind

MIN_PAIRS = 5
"""With fewer pairs there is a mean, but no interval."""

_N_DRAWS = 2000
_MANY = 300
_SEED = 20250412
_LEVEL = 0.95

_TASK_NAMES = {TaskKind.NEXT_CELL: "the next cell", TaskKind.CELL_OUTPUT: "output"}


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean paired difference of two arms of one predictor, ``arm`` minus ``other_arm``.

    Attributes
    ----------
    task, predictor, arm, other_arm, metric
        What was compared.
    n
        The number of pairs.
    mean
        The mean difference, in [-1, 1].
    low, high
        The ends of its 95 % interval; None with fewer than five pairs.
    sentence
        All of it in words.
    """

    task: TaskKind
    predictor: str
    arm: str
    other_arm: str
    metric: Metric
    n: int
    mean: float
    low: float | None
    high: float | None
    sentence: str


def differences(pairs: Iterable[ScorePair]) -> tuple[Difference, ...]:
    """Compare arms by task, predictor and metric.

    Parameters
    ----------
    pairs
        What `themisto_lab.store.store.Store.paired` returns.

    Returns
    -------
    tuple of Difference
        In the order of task, predictor and metric. Equal input gives equal output: the bootstrap is seeded.
    """
    groups: defaultdict[tuple[TaskKind, str, str, str, Metric], list[ScorePair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.task, pair.predictor, pair.arm, pair.other_arm, pair.metric].append(pair)
    return tuple(_difference(group) for _, group in sorted(groups.items()))


def _difference(group: Sequence[ScorePair]) -> Difference:
    first, n = group[0], len(group)
    by_trajectory: defaultdict[str, list[float]] = defaultdict(list)
    for pair in group:
        by_trajectory[pair.trajectory_id].append(pair.value - pair.other_value)
    mean = sum(map(sum, by_trajectory.values())) / n
    ends = interval([by_trajectory[key] for key in sorted(by_trajectory)])
    return Difference(
        task=first.task,
        predictor=first.predictor,
        arm=first.arm,
        other_arm=first.other_arm,
        metric=first.metric,
        n=n,
        mean=mean,
        low=ends[0] if ends else None,
        high=ends[1] if ends else None,
        sentence=describe(first.task, (first.arm, first.other_arm), n, mean, ends),
    )


def interval(clusters: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """Return the 95 % bootstrap interval of the mean of all values.

    Parameters
    ----------
    clusters
        The values, those of one trajectory together. One cluster gives the plain bootstrap of its values.

    Returns
    -------
    tuple of float or None
        Its lower and upper end; None with fewer than `MIN_PAIRS` values.
    """
    # Not at the top of the module: importing the server extension should not load NumPy.
    import numpy as np

    clusters = [cluster for cluster in clusters if cluster]
    if sum(map(len, clusters)) < MIN_PAIRS:
        return None
    random = np.random.default_rng(_SEED)
    k = len(clusters)
    # How often each trajectory is drawn in each of the draws, ``(_N_DRAWS, k)``.
    times = random.multinomial(k, [1 / k] * k, size=_N_DRAWS)
    totals, counts = np.zeros(_N_DRAWS), np.zeros(_N_DRAWS)
    for number, cluster in enumerate(clusters):
        values = np.asarray(cluster, dtype=float)
        drawn = times[:, number] * len(values)
        counts += drawn
        if len(values) > _MANY:
            # A sum of hundreds of draws is normal in all but name, and this takes a hundredth of the time.
            noise = random.standard_normal(_N_DRAWS) * np.sqrt(drawn) * values.std()
            totals += drawn * values.mean() + noise
        else:
            # A trajectory that is drawn twice has its questions drawn anew each time: one multinomial says it all.
            totals += random.multinomial(drawn, np.full(len(values), 1 / len(values))) @ values
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(totals / counts, [tail, 1 - tail])
    return float(low), float(high)


def describe(task: TaskKind, arms: tuple[str, str], n: int, mean: float, ends: tuple[float, float] | None) -> str:
    """Say a difference in a sentence that claims no more than its interval allows.

    Examples
    --------
    >>> describe(TaskKind.CELL_OUTPUT, ("runtime", "no_runtime"), 40, 0.08, (0.02, 0.18))
    'state helps output by +.08 (+.02 to +.18)'
    >>> describe(TaskKind.CELL_OUTPUT, ("runtime", "no_runtime"), 40, 0.08, (0.0, 0.18))
    'no clear difference yet: state changes output by +.08 (.00 to +.18)'
    """
    what, name = _TASK_NAMES[task], _arm_words(*arms)
    if ends is None:
        pairs = "1 pair" if n == 1 else f"{n} pairs"
        return f"too few to tell: {pairs} of {MIN_PAIRS} for {name} on {what}"
    low, high = ends
    amount = f"{signed(mean)} ({signed(low)} to {signed(high)})"
    if low > 0:
        return f"{name} helps {what} by {amount}"
    if high < 0:
        return f"{name} hurts {what} by {amount}"
    return f"no clear difference yet: {name} changes {what} by {amount}"


def _arm_words(arm: str, other_arm: str) -> str:
    if (arm, other_arm) == ("runtime", "no_runtime"):
        return "state"
    if other_arm == "no_runtime":
        return f"{arm} state"
    return f"{arm} over {other_arm}"


def signed(value: float) -> str:
    """Write a number between -1 and 1 with its sign, two decimals and no leading zero: ``+.08``.

    A negative one begins with the true minus sign, U+2212, and zero has no sign.
    """
    text = f"{abs(value):.2f}"
    sign = "" if float(text) == 0 else "+" if value > 0 else "\N{MINUS SIGN}"
    return sign + text.removeprefix("0")
