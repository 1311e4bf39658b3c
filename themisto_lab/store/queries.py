"""The reads that give domain types back, each a function of a connection."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Select, and_, func, literal, select

from themisto_lab.store.records import Feedback, StoredPrediction
from themisto_lab.store.rows import step_of, stored_prediction_of, trajectory_of
from themisto_lab.store.tables import (
    FEEDBACK,
    PREDICTION_CONTENTS,
    PREDICTIONS,
    SCORES,
    STEP_CONTENTS,
    STEPS,
    TARGETS,
    TRAJECTORIES,
)
from themisto_lab.types import PredictionStatus, Score, Step, TaskKind, Trajectory


def trajectory(connection: Connection, trajectory_id: str) -> Trajectory | None:
    """Return a trajectory with all its steps."""
    row = connection.execute(select(TRAJECTORIES).where(TRAJECTORIES.c.id == trajectory_id)).one_or_none()
    if row is None:
        return None
    return trajectory_of(dict(row._mapping), steps(connection, trajectory_id, 0, None))


def trajectories(connection: Connection, notebook: str | None) -> tuple[Trajectory, ...]:
    """Return the heads of trajectories, oldest first."""
    query = select(TRAJECTORIES).order_by(TRAJECTORIES.c.started_at, TRAJECTORIES.c.id)
    if notebook is not None:
        query = query.where(TRAJECTORIES.c.notebook == notebook)
    return tuple(trajectory_of(dict(row._mapping)) for row in connection.execute(query))


def steps(connection: Connection, trajectory_id: str, after: int, limit: int | None) -> tuple[Step, ...]:
    """Return steps with an index of ``after`` or more, in order."""
    content = STEP_CONTENTS.c
    query = (
        select(STEPS, content.code, content.outputs, content.variables, content.look, content.receipt)
        .outerjoin(
            STEP_CONTENTS,
            and_(content.trajectory_id == STEPS.c.trajectory_id, content.step_index == STEPS.c.step_index),
        )
        .where(STEPS.c.trajectory_id == trajectory_id, STEPS.c.step_index >= after)
        .order_by(STEPS.c.step_index)
        .limit(limit)
    )
    return tuple(step_of(dict(row._mapping)) for row in connection.execute(query))


def count_steps(connection: Connection, trajectory_id: str | None, notebook: str | None) -> int:
    """Return the number of steps of a trajectory, of a notebook, or of all."""
    query = select(func.count()).select_from(STEPS)
    if trajectory_id is not None:
        query = query.where(STEPS.c.trajectory_id == trajectory_id)
    if notebook is not None:
        query = query.join(TRAJECTORIES, TRAJECTORIES.c.id == STEPS.c.trajectory_id)
        query = query.where(TRAJECTORIES.c.notebook == notebook)
    return int(connection.execute(query).scalar_one())


def prediction(connection: Connection, prediction_id: str) -> StoredPrediction | None:
    """Return a prediction with its context, target, scores and feedback."""
    query = _predictions_query(with_context=True).where(PREDICTIONS.c.id == prediction_id)
    found = _collect(connection, query)
    if not found:
        return None
    given = select(FEEDBACK).where(FEEDBACK.c.prediction_id == prediction_id).order_by(FEEDBACK.c.id)
    feedback = tuple(Feedback(row.action, row.detail, row.at) for row in connection.execute(given))
    return replace(found[0], feedback=feedback)


def predictions(
    connection: Connection,
    trajectory_id: str,
    *,
    task: TaskKind | None,
    statuses: Collection[PredictionStatus] | None,
    shown: bool | None,
    limit: int | None,
    newest_first: bool,
    with_context: bool,
) -> tuple[StoredPrediction, ...]:
    """Return predictions of a trajectory, in the order in which they were asked for; without feedback."""
    query = _predictions_query(with_context).where(PREDICTIONS.c.trajectory_id == trajectory_id)
    if task is not None:
        query = query.where(PREDICTIONS.c.task == task.value)
    if statuses is not None:
        query = query.where(PREDICTIONS.c.status.in_(list(statuses)))
    if shown is not None:
        query = query.where(PREDICTIONS.c.shown == shown)
    created_at, key = PREDICTIONS.c.created_at, PREDICTIONS.c.id
    query = query.order_by(*((created_at.desc(), key.desc()) if newest_first else (created_at, key)))
    return _collect(connection, query.limit(limit))


def _predictions_query(with_context: bool) -> Select[Any]:
    content = PREDICTION_CONTENTS.c
    return (
        select(
            PREDICTIONS,
            content.code,
            content.text,
            content.raw_text,
            content.reason,
            content.error_message,
            content.context if with_context else literal(None).label("context"),
            TARGETS.c.text.label("target_text"),
            TARGETS.c.step_index.label("target_step_index"),
        )
        .outerjoin(PREDICTION_CONTENTS, content.prediction_id == PREDICTIONS.c.id)
        .outerjoin(TARGETS, TARGETS.c.prediction_id == PREDICTIONS.c.id)
    )


def _collect(connection: Connection, query: Select[Any]) -> tuple[StoredPrediction, ...]:
    rows = connection.execute(query).all()
    scores = _scores(connection, [row.id for row in rows])
    return tuple(stored_prediction_of(dict(row._mapping), tuple(scores.get(row.id, ()))) for row in rows)


def _scores(connection: Connection, ids: Sequence[str]) -> dict[str, list[Score]]:
    found: dict[str, list[Score]] = {}
    # SQLite takes a limited number of parameters in one statement.
    for start in range(0, len(ids), 500):
        query = (
            select(SCORES)
            .where(SCORES.c.prediction_id.in_(ids[start : start + 500]))
            .order_by(SCORES.c.prediction_id, SCORES.c.metric, SCORES.c.version)
        )
        for row in connection.execute(query):
            score = Score(metric=row.metric, value=row.value, version=row.version)
            found.setdefault(row.prediction_id, []).append(score)
    return found
