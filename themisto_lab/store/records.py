"""What the store gives back that is not a domain type: predictions with their fate, counts, sizes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from themisto_lab.types import JsonObject, Metric, Prediction, PredictionStatus, Score, Target, TaskKind


@dataclass(frozen=True, slots=True)
class Feedback:
    """One thing that a person did with a prediction.

    Attributes
    ----------
    action
        What was done: ``inserted``, ``dismissed``, ...
    detail
        More about it, where there is more.
    at
        When the store was told, in UTC.
    """

    action: str
    detail: JsonObject
    at: datetime


@dataclass(frozen=True, slots=True)
class StoredPrediction:
    """A prediction and all that is known of it.

    Attributes
    ----------
    prediction
        The prediction; its texts and context are empty once the size cap took them.
    stored_at
        When it was first stored complete, in UTC; None while it is not complete.
    target
        What really happened; None before the run, and once the size cap took it.
    scores
        Its scores, by metric.
    feedback
        What the user did with it, oldest first.
    content_erased
        Whether the size cap took the texts.
    """

    prediction: Prediction
    stored_at: datetime | None = None
    target: Target | None = None
    scores: tuple[Score, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    content_erased: bool = False


@dataclass(frozen=True, slots=True)
class Resolved:
    """How a prediction ended: what `themisto_lab.store.store.Store.resolve` is told.

    Attributes
    ----------
    prediction_id
        Which one.
    status
        ``scored``, ``missed``, ``stale`` or ``cancelled``.
    target
        What really happened, where it can be compared or shown.
    scores
        The scores of a ``scored`` one.
    """

    prediction_id: str
    status: PredictionStatus
    target: Target | None = None
    scores: tuple[Score, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """Mean scores of one predictor in one arm on one task.

    Attributes
    ----------
    task, predictor, arm, shown
        What the row is about.
    n
        The number of scored predictions.
    n_missed, n_stale, n_failed
        How many came late, lost their state or cell, or gave an error.
    exact_match, rouge_l, rouge_l_code, chrf
        Means in [0, 1] over the newest version of each metric; None without a score.
    """

    task: TaskKind
    predictor: str
    arm: str | None
    shown: bool
    n: int
    n_missed: int
    n_stale: int
    n_failed: int
    exact_match: float | None
    rouge_l: float | None
    rouge_l_code: float | None
    chrf: float | None


@dataclass(frozen=True, slots=True)
class ScorePair:
    """The scores of two arms of one predictor for the very same question.

    Attributes
    ----------
    trajectory_id, target_index, cell_id
        The step, and for an output the cell, that both predicted.
    task, predictor, metric
        What was predicted, by which model, and how it was measured.
    arm, other_arm
        The names of the two arms.
    value, other_value
        Their scores, in [0, 1].
    """

    trajectory_id: str
    target_index: int
    cell_id: str | None
    task: TaskKind
    predictor: str
    metric: Metric
    arm: str
    other_arm: str
    value: float
    other_value: float


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """Where the store is and how large.

    Attributes
    ----------
    path
        The file's path, ``:memory:``, or a database's address without its password.
    size_bytes
        What it takes on the disk, write-ahead log included, in bytes.
    n_trajectories, n_steps, n_predictions
        How much it holds.
    """

    path: str
    size_bytes: int
    n_trajectories: int
    n_steps: int
    n_predictions: int


@dataclass(frozen=True, slots=True)
class ForgetCounts:
    """How much was erased, or would be.

    Attributes
    ----------
    n_trajectories, n_steps, n_predictions
        Rows of each kind.
    """

    n_trajectories: int
    n_steps: int
    n_predictions: int
