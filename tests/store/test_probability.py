"""A prediction's probability in the store, and in a store that was made before there was one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import text

from themisto_lab.store.engine import make_writer
from themisto_lab.store.location import locate
from themisto_lab.store.migrate import upgrade
from themisto_lab.store.store import Store


async def test_a_probability_comes_back(any_store: Store, make_prediction: Callable) -> None:
    await any_store.put_prediction(make_prediction("p", probability=0.25))
    await any_store.put_prediction(make_prediction("q"))
    found = [await any_store.get_prediction(name) for name in ("p", "q")]
    assert [one and one.prediction.probability for one in found] == [0.25, None]


async def test_predictions_from_before_have_none(path: Path, reopen: Callable, log: logging.Logger) -> None:
    engine = make_writer(locate(path), log)
    upgrade(engine, "old", revision="0002")
    with engine.begin() as connection:
        connection.execute(
            text("INSERT INTO trajectories VALUES ('t', 'a.ipynb', '', 'python', 'k', '2026-01-01 00:00:00', false)")
        )
        columns = "id, trajectory_id, task, target_index, code_hash, predictor, source, shown, status, created_at"
        connection.execute(
            text(
                f"INSERT INTO predictions ({columns}) VALUES "
                "('p', 't', 'next_cell', 0, '', 'baseline/repeat', 'history', true, 'ready', '2026-01-01 00:00:00')"
            )
        )
    engine.dispose()
    found = await reopen(path).get_prediction("p")
    assert found is not None
    assert found.prediction.predictor == "baseline/repeat"
    assert found.prediction.probability is None
