"""Decides, once a cell has run, which predictions it settles and how (pure).

The rules, for a step that was run and a prediction that is ``running`` or ``ready``:

========================  =====================================================  ===========
task                      the step is                                            status
========================  =====================================================  ===========
any                       earlier than the prediction's step                     unchanged
next cell                 the one it is about; ready and frozen                  ``scored``
next cell                 the one it is about; running, or stored too late       ``missed``
output                    the same cell, code and place; the run did not end     ``cancelled``
                          well
output                    the same cell, code and place; ready and frozen        ``scored``
output                    the same cell, code and place; running, or late        ``missed``
output                    the same place, but another cell or other code         ``stale``
any                       later than the one it is about; ready                  ``stale``
any                       later than the one it is about; running                ``missed``
========================  =====================================================  ===========

*Frozen* means stored complete before the run began: ``stored_at < step.started_at``.

Any run changes the state that a forecast was made for, so the forecasts of the other cells are stale at once. They
could never be scored later: the next run has a higher index.

A run that raised, was interrupted or died has no output to compare a forecast with; the paper drops such targets.
The forecast is neither late nor out of date, so it is ``cancelled``: it is in no count of scored, missed or stale
predictions. Its target holds what was printed before the error, for people to see. What such a cell's *code* was is
known as well as ever: next-cell predictions are scored as usual.

Where a kernel does not tell the cell's id, the code alone decides which cell it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from themisto_lab.types import Prediction, PredictionStatus, Step, Target, TaskKind


@dataclass(frozen=True, slots=True)
class Pending:
    """A prediction that waits for its run.

    Attributes
    ----------
    prediction
        The prediction, ``running`` or ``ready``; others are left alone.
    stored_at
        When it was stored complete; None if it is not.
    """

    prediction: Prediction
    stored_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a prediction ended.

    Attributes
    ----------
    prediction_id
        Which one.
    status
        ``scored``, ``missed``, ``stale`` or ``cancelled``. Only ``scored`` ones are to be given scores.
    target
        What really happened, where the run was the one that the prediction was about; else None.
    """

    prediction_id: str
    status: PredictionStatus
    target: Target | None = None


def resolve(pending: Iterable[Pending], step: Step) -> list[Resolution]:
    """Settle the predictions of a trajectory by a step that was just run.

    Parameters
    ----------
    pending
        The trajectory's predictions that are running or ready.
    step
        The step.

    Returns
    -------
    list of Resolution
        One for each prediction that this step settles; those about later steps are not in it.
    """
    found = (_resolve_one(one, step) for one in pending if one.prediction.status in ("running", "ready"))
    return [resolution for resolution in found if resolution is not None]


def target_text(task: TaskKind, step: Step) -> str:
    """Return the text that a prediction of a step is compared with.

    Blank lines at its start and white space at its end are taken off: nobody means them, and a cell's trailing line
    break would spoil every exact match. Indentation in the first line stays, for it is part of a printed table.
    """
    text = step.code if task is TaskKind.NEXT_CELL else step.output_text
    lines = text.rstrip().splitlines(keepends=True)
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    return "".join(lines[first:])


def _resolve_one(one: Pending, step: Step) -> Resolution | None:
    prediction = one.prediction
    if prediction.target_index > step.index:
        return None
    running = prediction.status == "running"
    if prediction.target_index < step.index:
        return Resolution(prediction.id, "missed" if running else "stale")
    if prediction.task is TaskKind.CELL_OUTPUT and not _is_about(prediction, step):
        return Resolution(prediction.id, "stale")
    target = Target(text=target_text(prediction.task, step), step_index=step.index)
    if prediction.task is TaskKind.CELL_OUTPUT and step.raised:
        return Resolution(prediction.id, "cancelled", target)
    frozen = not running and one.stored_at is not None and one.stored_at < step.started_at
    return Resolution(prediction.id, "scored" if frozen else "missed", target)


def _is_about(prediction: Prediction, step: Step) -> bool:
    same_cell = step.cell_id is None or prediction.cell_id == step.cell_id
    return same_cell and prediction.code.rstrip() == step.code.rstrip()
