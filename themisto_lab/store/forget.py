"""Erasing what a person asks to be erased."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, null, or_, select, true, update

from themisto_lab.errors import BadInputError
from themisto_lab.store.records import ForgetCounts
from themisto_lab.store.tables import PREDICTION_CONTENTS, PREDICTIONS, STEPS, TRAJECTORIES


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be erased. Several conditions must all hold.

    Attributes
    ----------
    before
        Steps that began, and predictions that were asked for, before this moment. A trajectory goes with its last
        step and prediction, if it began before the moment too. In what is kept of a trajectory that lost a step, the
        prompts are blanked, for they repeat earlier cells.
    notebook
        Only trajectories of this notebook, by its latest path.
    everything
        All of it; stands alone.
    """

    before: datetime | None = None
    notebook: str | None = None
    everything: bool = False

    def __post_init__(self) -> None:
        narrowed = self.before is not None or self.notebook is not None
        if self.everything == narrowed:
            raise BadInputError("Say what to forget: everything, or what is before a date, of a notebook, or both.")
        if self.before is not None and self.before.tzinfo is None:
            raise BadInputError("The date to forget before needs a time zone.")


def forget(connection: Connection, selection: Selection, *, dry_run: bool) -> ForgetCounts:
    """Erase rows, or only count them. Texts are out of the files after `themisto_lab.store.upkeep.rewrite`."""
    mine: ColumnElement[bool] = true()
    if selection.notebook is not None:
        mine = TRAJECTORIES.c.notebook == selection.notebook
    ids = select(TRAJECTORIES.c.id).where(mine)
    steps: ColumnElement[bool] = STEPS.c.trajectory_id.in_(ids)
    predictions: ColumnElement[bool] = PREDICTIONS.c.trajectory_id.in_(ids)
    heads = mine
    if selection.before is not None:
        steps = and_(steps, STEPS.c.started_at < selection.before)
        predictions = and_(predictions, PREDICTIONS.c.created_at < selection.before)
        heads = and_(mine, TRAJECTORIES.c.started_at < selection.before, ~_kept(selection.before))
    counts = ForgetCounts(
        n_trajectories=_count(connection, TRAJECTORIES.c.id, heads),
        n_steps=_count(connection, STEPS.c.step_index, steps),
        n_predictions=_count(connection, PREDICTIONS.c.id, predictions),
    )
    if not dry_run:
        if selection.before is not None:
            _blank_prompts(connection, steps)
        connection.execute(delete(PREDICTIONS).where(predictions))
        connection.execute(delete(STEPS).where(steps))
        connection.execute(delete(TRAJECTORIES).where(heads))
    return counts


def _kept(before: datetime) -> ColumnElement[bool]:
    """Tell whether a trajectory has a step or a prediction that stays."""
    step = exists().where(STEPS.c.trajectory_id == TRAJECTORIES.c.id, STEPS.c.started_at >= before)
    prediction = exists().where(PREDICTIONS.c.trajectory_id == TRAJECTORIES.c.id, PREDICTIONS.c.created_at >= before)
    return or_(step, prediction)


def _count(connection: Connection, column: ColumnElement[object], where: ColumnElement[bool]) -> int:
    return int(connection.execute(select(func.count(column)).where(where)).scalar_one())


def _blank_prompts(connection: Connection, erased_steps: ColumnElement[bool]) -> None:
    losing = select(STEPS.c.trajectory_id).where(erased_steps)
    affected = select(PREDICTIONS.c.id).where(PREDICTIONS.c.trajectory_id.in_(losing))
    connection.execute(
        update(PREDICTION_CONTENTS).where(PREDICTION_CONTENTS.c.prediction_id.in_(affected)).values(context=null())
    )
