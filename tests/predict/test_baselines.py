"""The free predictors."""

from __future__ import annotations

import pytest

from themisto_lab.predict.base import Predictor, PredictRequest
from themisto_lab.predict.baselines import BASELINES
from themisto_lab.types import TaskKind

BY_NAME = {baseline.name: baseline for baseline in BASELINES}


async def ask(name: str, trajectory, **fields) -> tuple[str, str]:
    baseline = BY_NAME[name]
    (task,) = baseline.tasks
    chunks = [chunk async for chunk in baseline.predict(PredictRequest(task, trajectory, **fields))]
    assert len(chunks) == 1
    assert chunks[0].source == "history"
    return chunks[0].raw_text, chunks[0].reason


async def test_repeat(trajectory):
    steps = trajectory(("a", "", "1"), ("b", "", "2"))
    assert await ask("baseline/repeat", steps) == ("b", "the last cell again")
    assert await ask("baseline/repeat", trajectory()) == ("", "nothing was run yet")


async def test_follower_takes_the_latest_follower(trajectory):
    steps = trajectory(("a", "", "1"), ("b", "", "2"), ("a ", "", "1"), ("c", "", "3"), ("a", "", "1"))
    assert await ask("baseline/follower", steps) == ("c", "what followed this cell last time")


async def test_follower_else_repeats(trajectory):
    steps = trajectory(("a", "", "1"), ("b", "", "2"))
    assert await ask("baseline/follower", steps) == ("b", "the last cell again")
    assert await ask("baseline/follower", trajectory()) == ("", "nothing was run yet")


async def test_follower_of_a_cell_that_was_just_run_twice(trajectory):
    steps = trajectory(("a", "", "1"), ("a", "", "1"))
    assert await ask("baseline/follower", steps) == ("a", "what followed this cell last time")


async def test_below(trajectory):
    assert await ask("baseline/below", trajectory(), below="c") == ("c", "the cell below")
    assert await ask("baseline/below", trajectory(), below=" \n") == ("", "there is no code cell below")
    assert await ask("baseline/below", trajectory()) == ("", "there is no code cell below")


async def test_last_output_of_this_cell_before_that_of_the_same_code(trajectory):
    steps = trajectory(("x", "1", "c1"), ("y", "2", "c2"), ("x", "3", "c3"))
    last_output = "baseline/last-output"
    assert await ask(last_output, steps, code="x+0", cell_id="c2") == ("2", "this cell's last output")
    assert await ask(last_output, steps, code=" x\n", cell_id="new") == ("3", "the last output of the same code")
    assert await ask(last_output, steps, code="x") == ("3", "the last output of the same code")
    assert await ask(last_output, steps, code="z", cell_id="new") == ("3", "the last output of another cell")


async def test_last_output_may_be_none(trajectory):
    assert await ask("baseline/last-output", trajectory(), code="z") == ("", "nothing was put out yet")
    silent = trajectory(("x", "1", "c1"), ("x = 2", "", "c2"))
    assert await ask("baseline/last-output", silent, code="x = 3", cell_id="c2") == ("", "this cell's last output")


@pytest.mark.parametrize("baseline", BASELINES, ids=lambda baseline: baseline.name)
def test_each_is_a_predictor(baseline):
    assert isinstance(baseline, Predictor)
    assert (baseline.kind, baseline.form, baseline.context_tokens) == ("baseline", "none", 0)
    assert len(baseline.tasks) == 1
    assert baseline.tasks <= set(TaskKind)
