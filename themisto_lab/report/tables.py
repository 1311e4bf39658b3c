"""The paper's Tables 2 and 3 from scored answers: means, intervals and paired differences of arms (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from themisto_lab.report.aggregate import describe
from themisto_lab.report.bootstrap import Estimate, estimate_columns
from themisto_lab.scoring.metrics import METRICS
from themisto_lab.types import JsonObject, Metric, TaskKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

BASE_ARM = "no_runtime"
NOVELTIES = ("repeat", "edit", "novel")

PUBLISHED: dict[TaskKind, dict[Metric, float]] = {
    TaskKind.NEXT_CELL: {"exact_match": 0.14, "rouge_l": 0.35, "chrf": 0.47},
    TaskKind.CELL_OUTPUT: {"exact_match": 0.19, "rouge_l": 0.38, "chrf": 0.55},
}
"""The best of the paper's five models in either setting, post-processed, on its own data (arXiv 2504.12365)."""

PUBLISHED_NAME = "best of the paper (other data)"


class Contestant(NamedTuple):
    """What one line of numbers is about; ``arm`` is None for a predictor that reads no prompt."""

    model: str
    prompt: str
    arm: str | None


@dataclass(frozen=True, slots=True)
class Item:
    """One item; ``novelty`` is empty for an output."""

    id: str
    task: TaskKind
    trajectory_id: str
    novelty: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an answer scored, with post-processing and without; both empty for a failure.

    ``probability`` is the predictor's own estimate, beforehand, that it is right to the letter; ``source`` says where
    the answer came from.
    """

    post: dict[str, float] = field(default_factory=dict)
    raw: dict[str, float] = field(default_factory=dict)
    probability: float | None = None
    source: str = ""

    @property
    def failed(self) -> bool:
        """Whether there was no answer."""
        return not self.post


@dataclass(frozen=True, slots=True)
class Row:
    """One mean.

    Attributes
    ----------
    task, model, prompt, arm, postprocessed, metric, novelty
        What it is about; ``novelty`` is empty for all items together.
    counted
        Over all items; a failure counts as 0.
    answered
        Failures left out.
    n_failed
        How many failed.
    """

    task: TaskKind
    model: str
    prompt: str
    arm: str | None
    postprocessed: bool
    metric: Metric
    novelty: str
    counted: Estimate
    answered: Estimate
    n_failed: int

    def as_json(self) -> JsonObject:
        """Return the row as a JSON object."""
        return {
            "task": self.task.value,
            "model": self.model,
            "arm": self.arm,
            "postprocessed": self.postprocessed,
            "metric": self.metric,
            **_estimate_json(self.counted),
            "n_failed": self.n_failed,
            "prompt": self.prompt,
            "novelty": self.novelty or None,
            **{f"{name}_answered": value for name, value in _estimate_json(self.answered).items()},
        }


@dataclass(frozen=True, slots=True)
class PairedRow:
    """The mean difference of two arms of one model, ``arm`` minus ``other_arm``, item by item, and its sentence."""

    task: TaskKind
    model: str
    prompt: str
    arm: str
    other_arm: str
    postprocessed: bool
    metric: Metric
    counted: Estimate
    answered: Estimate
    sentence: str

    def as_json(self) -> JsonObject:
        """Return the difference as a JSON object."""
        return {
            "task": self.task.value,
            "model": self.model,
            "arm": self.arm,
            "other_arm": self.other_arm,
            "postprocessed": self.postprocessed,
            "metric": self.metric,
            **_estimate_json(self.counted),
            "prompt": self.prompt,
            "sentence": self.sentence,
            **{f"{name}_answered": value for name, value in _estimate_json(self.answered).items()},
        }


@dataclass(slots=True)
class Table:
    """Scored answers, gathered.

    Attributes
    ----------
    items
        The items by id.
    outcomes
        For each contestant its outcomes by the item's id.
    """

    items: dict[str, Item] = field(default_factory=dict)
    outcomes: dict[Contestant, dict[str, Outcome]] = field(default_factory=dict)

    def contestants(self, task: TaskKind) -> list[Contestant]:
        """Return who answered items of a task: the free predictors first, each model's arms together."""
        names = [who for who, found in self.outcomes.items() if any(self.items[id_].task is task for id_ in found)]
        return sorted(names, key=lambda who: (who.arm is not None, who.model, who.prompt, arm_order(who.arm)))

    def only_common(self) -> None:
        """Leave out the items of a task that not all of its contestants were asked about."""
        for task in TaskKind:
            asked = [self.outcomes[who].keys() for who in self.contestants(task)]
            common = set.intersection(*map(set, asked)) if asked else set()
            gone = [item.id for item in self.items.values() if item.task is task and item.id not in common]
            for item_id in gone:
                del self.items[item_id]
                for found in self.outcomes.values():
                    found.pop(item_id, None)


def arm_order(arm: str | None) -> tuple[int, str]:
    """Return where an arm stands in a table: without state, with all of it, then the others by name."""
    known = ("no_runtime", "runtime", "curated")
    return (known.index(arm) if arm in known else len(known), arm or "")


def rows(table: Table, novelty: str = "") -> list[Row]:
    """Return the means of all contestants, with post-processing and without.

    Parameters
    ----------
    table
        Scored answers.
    novelty
        Next cells of this kind only; empty for all items.
    """
    result = []
    for task in TaskKind:
        items = _items(table, task, novelty)
        whos = table.contestants(task)
        keys = [(who, post, metric) for who in whos for post in (True, False) for metric in METRICS]
        for (who, post, metric), found in zip(keys, _estimates(table, items, keys, _value), strict=True):
            asked = [table.outcomes[who][item.id] for item in items if item.id in table.outcomes[who]]
            n_failed = sum(outcome.failed for outcome in asked)
            result.append(Row(task, who.model, who.prompt, who.arm, post, metric, novelty, *found, n_failed))
    return result


def paired(table: Table) -> list[PairedRow]:
    """Return what each arm changes against each that stands before it, on the items that both were asked about."""
    result = []
    for task in TaskKind:
        whos = table.contestants(task)
        for other_arm in sorted({who.arm for who in whos if who.arm}, key=arm_order):
            armed = [who for who in whos if who.arm and arm_order(who.arm) > arm_order(other_arm)]
            compared = [who for who in armed if who._replace(arm=other_arm) in whos]
            result += _paired(table, task, compared, other_arm)
    return result


def _paired(table: Table, task: TaskKind, compared: Sequence[Contestant], other_arm: str) -> list[PairedRow]:
    def difference(table: Table, item_id: str, key: Key, failed: float) -> float:
        who, post, metric = key
        other = (who._replace(arm=other_arm), post, metric)
        return _value(table, item_id, key, failed) - _value(table, item_id, other, failed)

    result = []
    keys = [(who, post, metric) for who in compared for post in (True, False) for metric in METRICS]
    estimates = _estimates(table, _items(table, task, ""), keys, difference, other_arm)
    for (who, post, metric), (counted, answered) in zip(keys, estimates, strict=True):
        ends = (counted.low, counted.high) if counted.low is not None and counted.high is not None else None
        arm = who.arm or ""
        sentence = describe(task, (arm, other_arm), counted.n, counted.mean or 0.0, ends)
        result.append(PairedRow(task, who.model, who.prompt, arm, other_arm, post, metric, counted, answered, sentence))
    return result


def _items(table: Table, task: TaskKind, novelty: str) -> list[Item]:
    """Return a task's items, those of one trajectory together."""
    chosen = (item for item in table.items.values() if item.task is task and novelty in ("", item.novelty))
    return sorted(chosen, key=lambda item: (item.trajectory_id, item.id))


Key = tuple[Contestant, bool, Metric]


def _estimates(
    table: Table, items: Sequence[Item], keys: Sequence[Key], value: Any, other_arm: str | None = None
) -> list[tuple[Estimate, Estimate]]:
    """Return for each key the mean with failures as 0, and with failures left out."""
    import numpy as np

    if not items or not keys:
        nothing = Estimate(0, None, None, None)
        return [(nothing, nothing)] * len(keys)
    columns: list[NDArray[Any]] = []
    places: list[tuple[int, int]] = []
    failing = {who for who, found in table.outcomes.items() if any(outcome.failed for outcome in found.values())}
    for key in keys:
        columns.append(np.array([value(table, item.id, key, 0.0) for item in items], dtype=float))
        counted_at = len(columns) - 1
        # Mostly nothing failed, and then one column says both.
        if not failing.isdisjoint((key[0], key[0]._replace(arm=other_arm or key[0].arm))):
            columns.append(np.array([value(table, item.id, key, np.nan) for item in items], dtype=float))
        places.append((counted_at, len(columns) - 1))
    found = estimate_columns(np.column_stack(columns), [item.trajectory_id for item in items])
    return [(found[counted_at], found[answered_at]) for counted_at, answered_at in places]


def _value(table: Table, item_id: str, key: Key, failed: float) -> float:
    who, post, metric = key
    outcome = table.outcomes[who].get(item_id)
    if outcome is None:
        return float("nan")
    if outcome.failed:
        return failed
    return (outcome.post if post else outcome.raw).get(metric, float("nan"))


def _estimate_json(estimate: Estimate) -> JsonObject:
    return {"mean": estimate.mean, "ci_low": estimate.low, "ci_high": estimate.high, "n": estimate.n}


def published_json() -> list[JsonObject]:
    """Return the paper's best values as rows, marked as other data."""
    return [
        {"task": task.value, "model": PUBLISHED_NAME, "metric": metric, "mean": value, "other_data": True}
        for task, values in PUBLISHED.items()
        for metric, value in values.items()
    ]


def select_rows(all_rows: Iterable[Row], task: TaskKind, postprocessed: bool) -> list[Row]:
    """Return the rows of one task in one of the two tables."""
    return [row for row in all_rows if row.task is task and row.postprocessed is postprocessed]
