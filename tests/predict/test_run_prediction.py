"""A failed model call is a prediction with an error."""

from __future__ import annotations

import asyncio
import logging

import pytest

from themisto_lab.errors import ModelTimeoutError
from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.baselines import BASELINES
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.predict.run import run_prediction
from themisto_lab.types import Prediction, TaskKind, Trajectory, Usage


def asked(task: TaskKind = TaskKind.NEXT_CELL) -> tuple[Prediction, PredictRequest]:
    prediction = Prediction(id="p", task=task, trajectory_id="t", target_index=0, predictor="echo", arm="runtime")
    return prediction, PredictRequest(task, Trajectory(id="t"))


async def test_streams_post_processed_text_and_completes():
    texts: list[str] = []
    echo = EchoPredictor("```python\nx = 1\n```\n", form="chat", chunk_characters=3)
    prediction = await run_prediction(echo, *asked(), texts.append)
    assert texts == ["x", "x = 1"]
    assert (prediction.text, prediction.raw_text) == ("x = 1", "```python\nx = 1\n```\n")
    assert (prediction.status, prediction.error) == ("ready", None)
    assert (prediction.id, prediction.arm) == ("p", "runtime")
    assert prediction.usage == Usage(completion_tokens=5)
    assert prediction.latency_s is not None
    assert prediction.latency_s >= 0


async def test_a_baselines_source_and_reason_are_kept(trajectory):
    _, request = asked()
    request = PredictRequest(TaskKind.NEXT_CELL, trajectory(("a", "", "1")))
    prediction = await run_prediction(BASELINES[0], asked()[0], request)
    assert (prediction.text, prediction.source, prediction.reason) == ("a", "history", "the last cell again")


async def test_a_known_error_is_part_of_the_prediction():
    echo = EchoPredictor("half", error=ModelTimeoutError("too slow"))
    prediction = await run_prediction(echo, *asked())
    assert (prediction.status, prediction.text, prediction.raw_text) == ("failed", "", "half")
    assert prediction.error is not None
    assert (prediction.error.code, prediction.error.message) == ("model_timeout", "too slow")
    assert prediction.completed_at is not None
    assert echo.n_closed == 1


async def test_an_unknown_error_says_nothing_of_its_text(caplog):
    caplog.set_level(logging.DEBUG)
    echo = EchoPredictor("half", error=ValueError("password is hunter2"))
    prediction = await run_prediction(echo, *asked())
    assert prediction.status == "failed"
    assert prediction.error is not None
    assert prediction.error.message == "echo failed unexpectedly (ValueError)."
    assert "hunter2" not in caplog.text
    assert "ValueError" in caplog.text


async def test_a_task_that_it_has_not_is_an_error():
    prediction = await run_prediction(BASELINES[0], *asked(TaskKind.CELL_OUTPUT))
    assert prediction.error is not None
    assert prediction.error.code == "bad_input"


async def test_cancelling_closes_the_stream():
    echo = EchoPredictor("abcdef", chunk_characters=1, delay_s=0.05)
    task = asyncio.create_task(run_prediction(echo, *asked()))
    await asyncio.sleep(0.12)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert echo.n_closed == 1
