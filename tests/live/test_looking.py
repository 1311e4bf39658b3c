"""A closer look reaches the forecasts, and never stands in their way."""

import asyncio
import logging

import pytest

from themisto_lab.live import looking
from themisto_lab.live.looking import look_in_time, no_look
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.predict.registry import Registry
from themisto_lab.types import Look, LookedValue, TaskKind

LOG = logging.getLogger("themisto_lab.tests")
LOOK = Look(values=(LookedValue(expression="x * 7", type_name="int", shown="42", exact=True),))


async def person_with(make_person, take_look, **settings):
    predictor = EchoPredictor(name="asked", form="transcript")
    registry = Registry()
    registry.register("asked", lambda: predictor)
    person = await make_person(registry, model="asked", **settings)
    person.driver.take_look = take_look
    return person, predictor


async def test_a_forecast_carries_the_look_in_the_curated_arm_alone(make_person):
    asked_for = []

    async def take(kernel_id, code):
        asked_for.append((kernel_id, code))
        return LOOK

    person, predictor = await person_with(make_person, take, arms=("curated", "no_runtime"), next_cell="never")
    await person.run("x = 6")
    await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(x * 7)")
    await person.driver.settled("kernel")
    assert asked_for == [("kernel", "print(x * 7)")]
    assert [request.look for request in predictor.requests] == [LOOK, LOOK]
    curated, without = (request.context.prompt for request in predictor.requests)
    assert "# x * 7 ->\n#> 42\n# %% [2]\nprint(x * 7)\n" in curated
    assert "->" not in without


async def test_a_next_cell_needs_no_look(make_person):
    async def take(kernel_id, code):
        raise AssertionError(f"looked at {kernel_id} for {code}")

    person, predictor = await person_with(make_person, take, arms=("curated",))
    await person.run("x = 6")
    await person.driver.settled("kernel")
    assert [request.look for request in predictor.requests] == [None]


async def test_a_look_at_a_state_that_passed_is_not_used(make_person):
    async def take(kernel_id, code):
        await person.run("x = 7")
        return LOOK

    person, predictor = await person_with(make_person, take, arms=("curated",), next_cell="never")
    await person.run("x = 6")
    await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, code="print(x * 7)")
    await person.driver.settled("kernel")
    assert [request.look for request in predictor.requests] == [None]


async def fails(kernel_id, code):
    raise OSError("gone")


async def hangs(kernel_id, code):
    await asyncio.Event().wait()


@pytest.mark.parametrize("take", [no_look, fails, hangs])
async def test_a_look_that_can_not_be_had_is_none(take, monkeypatch):
    monkeypatch.setattr(looking, "_TIMEOUT_S", 0.02)
    assert await look_in_time(take, "kernel", "x", LOG) is None


async def test_a_known_output_is_shown_at_once_and_the_model_answers_in_its_shadow(make_person):
    async def take(kernel_id, code):
        return Look(output="42")

    person, _ = await person_with(make_person, take, arms=("curated", "no_runtime"), next_cell="never")
    await person.run("x = 6")
    tracked = await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(x * 7)")
    assert (tracked.prediction.text, tracked.prediction.source, tracked.prediction.status) == ("42", "state", "ready")
    await person.driver.settled("kernel")
    await person.run("print(x * 7)", "42\n", cell_id="c")
    stored = [one.prediction for one in await person.stored() if one.prediction.task is TaskKind.CELL_OUTPUT]
    assert [one.predictor for one in stored if one.shown] == ["rule/known-output"]
    assert {one.arm for one in stored if one.predictor == "asked"} == {"curated", "no_runtime"}
    assert {one.status for one in stored} == {"scored"}


async def test_a_pending_prediction_is_never_context_for_the_next(make_person):
    """Field report 16: what a model wrote and nobody ran stays out of every later prompt."""
    predictor = EchoPredictor("launch_the_rocket()", name="asked", form="transcript", chunk_characters=4, delay_s=0.02)
    registry = Registry()
    registry.register("asked", lambda: predictor)
    person = await make_person(registry, model="asked", arms=("curated", "no_runtime"))
    await person.run("x = 6")
    await asyncio.sleep(0.2)  # it is being written
    await person.run("y = 7")
    await person.driver.settled("kernel")
    await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(x, y)")
    await person.driver.settled("kernel")
    prompts = [request.context.prompt for request in predictor.requests]
    assert len(prompts) >= 4
    assert "y = 7" in prompts[-1]
    assert not any("rocket" in prompt for prompt in prompts)


async def test_the_look_of_a_forecast_is_kept_with_the_step_that_it_was_about(make_person):
    async def take(kernel_id, code):
        return LOOK

    person, _ = await person_with(make_person, take, arms=("curated",), next_cell="never")
    await person.run("x = 6", cell_id="a")
    await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(x * 7)")
    await person.run("print(x * 7)", "42\n", cell_id="c")
    await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(x * 7)")
    await person.run("print(x * 8)", "48\n", cell_id="c")
    run = await person.start("import time")
    await person.driver.ask("kernel", TaskKind.CELL_OUTPUT, cell_id="c", code="print(x * 7)")
    await person.finish(run)
    await person.run("print(x * 7)", "42\n", cell_id="c")
    kept = await person.driver.store.steps(person.session.trajectory_id)
    # The first forecast was about the second step; then the cell was edited; then another cell was still running.
    assert [step.look for step in kept] == [None, LOOK, None, None, None]
