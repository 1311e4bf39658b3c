"""The writes, each a function of a connection inside a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from themisto_lab.errors import NotFoundError
from themisto_lab.store.records import Resolved
from themisto_lab.store.rows import Row, prediction_rows, step_rows, trajectory_row
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
from themisto_lab.types import (
    JsonObject,
    Prediction,
    PredictionStatus,
    Step,
    Trajectory,
    utc_now,
)

_SETTLED: tuple[PredictionStatus, ...] = ("scored", "missed", "stale")


def upsert(connection: Connection, table: Table, row: Mapping[str, Any], *, replace: bool = True) -> bool:
    """Insert a row; where its key exists, replace it or leave it. Return whether a row was written."""
    keys = [column.name for column in table.primary_key]
    changes = {name: value for name, value in row.items() if name not in keys}
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    statement: postgresql.Insert | sqlite.Insert = dialect.insert(table).values(**row)
    if replace:
        statement = statement.on_conflict_do_update(index_elements=keys, set_=changes)
    else:
        statement = statement.on_conflict_do_nothing(index_elements=keys)
    # Not every driver keeps an INSERT's count unless it is asked to.
    return connection.execute(statement, execution_options={"preserve_rowcount": True}).rowcount > 0


def put_trajectory(connection: Connection, head: Trajectory) -> None:
    """Insert or replace the head of a trajectory."""
    upsert(connection, TRAJECTORIES, trajectory_row(head))


def change_trajectory(
    connection: Connection, trajectory_id: str, notebook: str | None, task_description: str | None
) -> None:
    """Change the fields that are given."""
    changes = {"notebook": notebook, "task_description": task_description}
    changes = {name: value for name, value in changes.items() if value is not None}
    if changes:
        connection.execute(update(TRAJECTORIES).where(TRAJECTORIES.c.id == trajectory_id).values(**changes))


def put_step(connection: Connection, head: Trajectory, step: Step) -> None:
    """Insert a step; one that is there already stays as it is.

    Parameters
    ----------
    head
        Its trajectory, inserted where it is missing: another process may have erased it while its kernel lived on.
    """
    upsert(connection, TRAJECTORIES, trajectory_row(head), replace=False)
    row, content = step_rows(head.id, step)
    if upsert(connection, STEPS, row, replace=False):
        connection.execute(insert(STEP_CONTENTS).values(**content))


def put_prediction(connection: Connection, head: Trajectory, prediction: Prediction) -> datetime:
    """Insert or replace a prediction; see `themisto_lab.store.store.Store.put_prediction`."""
    now = utc_now()
    upsert(connection, TRAJECTORIES, trajectory_row(head), replace=False)
    known = connection.execute(
        select(PREDICTIONS.c.stored_at, PREDICTIONS.c.status).where(PREDICTIONS.c.id == prediction.id)
    ).one_or_none()
    if known is not None and known.stored_at is not None:
        _update_frozen(connection, prediction, known.status)
        stored_at: datetime = known.stored_at
        return stored_at
    stored_at = now
    row, content = prediction_rows(prediction, stored_at if prediction.status == "ready" else None)
    if known is not None and known.status in _SETTLED:
        row["status"] = known.status
    upsert(connection, PREDICTIONS, row)
    upsert(connection, PREDICTION_CONTENTS, content)
    return stored_at


def _update_frozen(connection: Connection, prediction: Prediction, known_status: str) -> None:
    """Once complete, a prediction's texts are final; only where it stands may change, until it is settled."""
    changes: Row = {"shown": prediction.shown}
    if known_status not in _SETTLED and prediction.status != "running":
        changes["status"] = prediction.status
    connection.execute(update(PREDICTIONS).where(PREDICTIONS.c.id == prediction.id).values(**changes))


def change_status(connection: Connection, ids: Sequence[str], status: PredictionStatus) -> None:
    """Change where predictions stand; unknown ids are left out."""
    connection.execute(update(PREDICTIONS).where(PREDICTIONS.c.id.in_(list(ids))).values(status=status))


def put_results(connection: Connection, results: Sequence[Resolved]) -> None:
    """Write how predictions ended. One that was erased meanwhile is left out."""
    for result in results:
        where = PREDICTIONS.c.id == result.prediction_id
        changed = connection.execute(update(PREDICTIONS).where(where).values(status=result.status))
        if changed.rowcount == 0:
            continue
        if result.target is not None:
            row = {"prediction_id": result.prediction_id, **result.target.model_dump()}
            upsert(connection, TARGETS, row)
        # A second verdict replaces the first one wholly.
        connection.execute(delete(SCORES).where(SCORES.c.prediction_id == result.prediction_id))
        for score in result.scores:
            connection.execute(insert(SCORES).values(prediction_id=result.prediction_id, **score.model_dump()))


def put_feedback(connection: Connection, prediction_id: str, action: str, detail: JsonObject) -> None:
    """Add what a person did with a prediction.

    Raises
    ------
    NotFoundError
        When there is no such prediction.
    """
    known = connection.execute(select(PREDICTIONS.c.id).where(PREDICTIONS.c.id == prediction_id)).one_or_none()
    if known is None:
        raise NotFoundError("There is no such prediction; it may have been erased.")
    connection.execute(insert(FEEDBACK).values(prediction_id=prediction_id, action=action, detail=detail, at=utc_now()))


def cancel_running(connection: Connection) -> int:
    """Mark as cancelled what a process that died left running; return how many there were."""
    running = PREDICTIONS.c.status == "running"
    return connection.execute(update(PREDICTIONS).where(running).values(status="cancelled")).rowcount
