"""The reads that count and average, in SQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, Subquery, and_, case, func, select
from sqlalchemy.sql import ColumnElement

from themisto_lab.store.records import ScorePair, ScoreRow
from themisto_lab.store.tables import PREDICTIONS, SCORES, TRAJECTORIES
from themisto_lab.types import Metric, PredictionStatus, TaskKind

_METRICS: tuple[Metric, ...] = ("exact_match", "rouge_l", "rouge_l_code", "chrf")


def score_rows(connection: Connection, trajectory_id: str | None, notebook: str | None) -> tuple[ScoreRow, ...]:
    """Return mean scores and counts by task, predictor, arm and whether they were shown."""
    pivot = _scores_by_prediction()
    group = (PREDICTIONS.c.task, PREDICTIONS.c.predictor, PREDICTIONS.c.arm, PREDICTIONS.c.shown)
    query = select(
        *group,
        _count("scored").label("n"),
        _count("missed").label("n_missed"),
        _count("stale").label("n_stale"),
        _count("failed").label("n_failed"),
        *(func.avg(pivot.c[metric]).label(metric) for metric in _METRICS),
    ).outerjoin(pivot, and_(pivot.c.prediction_id == PREDICTIONS.c.id, PREDICTIONS.c.status == "scored"))
    query = _scoped(query, PREDICTIONS.c.trajectory_id, trajectory_id, notebook)
    query = query.group_by(*group).order_by(*group[:2], func.coalesce(PREDICTIONS.c.arm, ""), PREDICTIONS.c.shown)
    rows = (dict(row._mapping) for row in connection.execute(query))
    return tuple(ScoreRow(**row | {"task": TaskKind(row["task"])}) for row in rows)


def paired(
    connection: Connection,
    arm: str,
    other_arm: str,
    trajectory_id: str | None,
    notebook: str | None,
) -> tuple[ScorePair, ...]:
    """Return the scores of two arms of each predictor wherever both answered the very same question."""
    one, other = _latest_scored(arm, "one"), _latest_scored(other_arm, "other")
    score, other_score = SCORES.alias("score"), SCORES.alias("other_score")
    newest = _newest_versions()
    same = ("trajectory_id", "target_index", "task", "cell", "code_hash", "predictor")
    query = (
        select(
            one.c.trajectory_id,
            one.c.target_index,
            one.c.cell_id,
            one.c.task,
            one.c.predictor,
            score.c.metric,
            score.c.value.label("value"),
            other_score.c.value.label("other_value"),
        )
        .select_from(one)
        .join(other, and_(other.c.place == 1, *(one.c[name] == other.c[name] for name in same)))
        .join(score, score.c.prediction_id == one.c.id)
        .join(newest, and_(newest.c.metric == score.c.metric, newest.c.version == score.c.version))
        .join(
            other_score,
            and_(
                other_score.c.prediction_id == other.c.id,
                other_score.c.metric == score.c.metric,
                other_score.c.version == score.c.version,
            ),
        )
        .where(one.c.place == 1)
        .order_by(one.c.trajectory_id, one.c.target_index, one.c.task, one.c.cell, one.c.predictor, score.c.metric)
    )
    query = _scoped(query, one.c.trajectory_id, trajectory_id, notebook)
    rows = (dict(row._mapping) for row in connection.execute(query))
    return tuple(ScorePair(**row | {"task": TaskKind(row["task"]), "arm": arm, "other_arm": other_arm}) for row in rows)


def _count(status: PredictionStatus) -> ColumnElement[int]:
    return func.count(case((PREDICTIONS.c.status == status, 1)))


def _newest_versions() -> Subquery:
    """Return each metric's newest version: values of different definitions are never averaged."""
    newest = func.max(SCORES.c.version).label("version")
    return select(SCORES.c.metric, newest).group_by(SCORES.c.metric).subquery("newest")


def _scores_by_prediction() -> Subquery:
    newest = _newest_versions()
    return (
        select(
            SCORES.c.prediction_id,
            *(func.max(case((SCORES.c.metric == metric, SCORES.c.value))).label(metric) for metric in _METRICS),
        )
        .join(newest, and_(newest.c.metric == SCORES.c.metric, newest.c.version == SCORES.c.version))
        .group_by(SCORES.c.prediction_id)
        .subquery("pivot")
    )


def _latest_scored(arm: str, name: str) -> Subquery:
    """Return an arm's scored predictions; ``place`` 1 is the latest where a question was asked more than once."""
    table = PREDICTIONS.c
    cell = func.coalesce(table.cell_id, "")
    question = (table.trajectory_id, table.target_index, table.task, cell, table.code_hash, table.predictor)
    place = func.row_number().over(partition_by=question, order_by=(table.created_at.desc(), table.id.desc()))
    return (
        select(
            table.id,
            table.trajectory_id,
            table.target_index,
            table.task,
            table.cell_id,
            cell.label("cell"),
            table.code_hash,
            table.predictor,
            place.label("place"),
        )
        .where(table.arm == arm, table.status == "scored")
        .subquery(name)
    )


def _scoped(
    query: Select[Any], column: ColumnElement[str], trajectory_id: str | None, notebook: str | None
) -> Select[Any]:
    if trajectory_id is not None:
        query = query.where(column == trajectory_id)
    if notebook is not None:
        ids = select(TRAJECTORIES.c.id).where(TRAJECTORIES.c.notebook == notebook)
        query = query.where(column.in_(ids))
    return query
