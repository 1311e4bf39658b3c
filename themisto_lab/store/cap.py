"""The limit on the store's size: the oldest texts go first, scores and counts stay."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, literal, null, select, tuple_, union_all, update

from themisto_lab.store.tables import PREDICTION_CONTENTS, STEP_CONTENTS, TARGETS
from themisto_lab.store.upkeep import used_bytes

_KEEP_SHARE = 0.9
"""Where a cut stops, as a share of the cap: so that not every step that follows has to cut again."""

_MAX_BATCH = 500


@dataclass(frozen=True, slots=True)
class Cut:
    """What one cut did.

    Attributes
    ----------
    n_blanked
        How many steps and predictions lost their texts.
    done
        Whether the store is small enough now, or holds no texts any more.
    used_bytes
        What it still holds.
    """

    n_blanked: int
    done: bool
    used_bytes: int


def cut(connection: Connection, cap_bytes: int) -> Cut:
    """Blank one batch of the oldest texts.

    Short, so that writes can go on between batches. Call it again until it is ``done``.
    """
    used = used_bytes(connection)
    surplus = used - int(cap_bytes * _KEEP_SHARE)
    if surplus <= 0:
        return Cut(0, done=True, used_bytes=used)
    steps, predictions = _oldest(connection, surplus)
    if steps:
        key = tuple_(STEP_CONTENTS.c.trajectory_id, STEP_CONTENTS.c.step_index)
        connection.execute(delete(STEP_CONTENTS).where(key.in_(steps)))
    if predictions:
        connection.execute(delete(PREDICTION_CONTENTS).where(PREDICTION_CONTENTS.c.prediction_id.in_(predictions)))
        connection.execute(update(TARGETS).where(TARGETS.c.prediction_id.in_(predictions)).values(text=null()))
    n_blanked = len(steps) + len(predictions)
    return Cut(n_blanked, done=n_blanked == 0, used_bytes=used_bytes(connection))


def _oldest(connection: Connection, surplus_bytes: int) -> tuple[list[tuple[str, int]], list[str]]:
    """Return the keys of the oldest texts that hold about as much as has to go, at least one."""
    step, prediction = STEP_CONTENTS.c, PREDICTION_CONTENTS.c
    both = union_all(
        select(step.trajectory_id.label("key"), step.step_index.label("step_index"), step.at, step.n_bytes),
        select(prediction.prediction_id, literal(-1), prediction.at, prediction.n_bytes),
    ).subquery()
    query = select(both).order_by(both.c.at, both.c.key, both.c.step_index).limit(_MAX_BATCH)
    steps: list[tuple[str, int]] = []
    predictions: list[str] = []
    found_bytes = 0
    for row in connection.execute(query):
        if row.step_index >= 0:
            steps.append((row.key, row.step_index))
        else:
            predictions.append(row.key)
        found_bytes += row.n_bytes
        if found_bytes >= surplus_bytes:
            break
    return steps, predictions
