"""Which predictions are made for one target, and which of them a person is shown (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from themisto_lab.predict.base import Predictor
from themisto_lab.types import TaskKind

FALLBACK: dict[TaskKind, str] = {
    TaskKind.NEXT_CELL: "baseline/follower",
    TaskKind.CELL_OUTPUT: "baseline/last-output",
}
"""What is shown while there is no model."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One prediction to make.

    Attributes
    ----------
    predictor
        Who predicts.
    arm
        The arm's name; None for predictors that see no prompt.
    shown
        Whether a person is shown this one. One of a plan is.
    """

    predictor: Predictor
    arm: str | None
    shown: bool


def plan(
    task: TaskKind,
    baselines: Sequence[Predictor],
    model: Predictor | None,
    arms: Sequence[str],
    known: str = "",
) -> tuple[Planned, ...]:
    """Plan the predictions for one target, in the order in which they are started.

    The free baselines come first (they are instant and always logged), then the shown arm, then the arms in its
    shadow, so that scores compare them on the same steps.

    Parameters
    ----------
    task
        What is predicted.
    baselines
        The free predictors; those that don't do the task are left out.
    model
        The predictor that the user chose; None where it can't be used now. Then, and where it does not do the task, a
        baseline is shown.
    arms
        The enabled arms, the shown one first.
    known
        The name of the free predictor that knows the answer and is shown; empty where none does.
    """
    able = [predictor for predictor in baselines if task in predictor.tasks]
    if model is None or task not in model.tasks:
        model, shown_name = None, FALLBACK[task]
    elif model.form == "none":
        shown_name = model.name
        if model.name not in {predictor.name for predictor in able}:
            able.append(model)
    else:
        shown_name = ""
    shown_name = known or shown_name
    planned = [Planned(predictor, None, predictor.name == shown_name) for predictor in able]
    if model is not None and model.form != "none":
        planned += [Planned(model, arm, i == 0 and not known) for i, arm in enumerate(arms)]
    return tuple(planned)
