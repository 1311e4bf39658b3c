"""The driver with the embedded model, and the limit on a remote one."""

import asyncio

import pytest

from themisto_lab.predict.base import Chunk
from themisto_lab.types import TaskKind

MODEL = "local/qwen2.5-coder-0.5b"


@pytest.mark.model
async def test_arms_are_compared_on_the_same_steps_and_only_one_is_shown(make_person):
    person = await make_person(model=MODEL)
    for code, printed in (("x = 6", ""), ("print(x * 7)", "42\n"), ("print(x * 2)", "12\n")):
        await person.run(code, printed)
        await person.driver.settled("kernel")
    model = [one for one in await person.stored() if one.prediction.predictor == MODEL]
    by_step = {}
    for one in model:
        by_step.setdefault(one.prediction.target_index, []).append(one.prediction)
    assert sorted(by_step) == [1, 2, 3]
    for predictions in by_step.values():
        assert {prediction.arm for prediction in predictions} == {"runtime", "no_runtime"}
        assert [prediction.arm for prediction in predictions if prediction.shown] == ["runtime"]
    assert {one.prediction.status for one in model if one.prediction.target_index < 3} == {"scored"}
    pairs = await person.driver.store.paired("runtime", "no_runtime")
    assert {pair.target_index for pair in pairs} == {1, 2}


@pytest.mark.model
async def test_the_prompt_is_read_while_the_cell_still_runs(make_person):
    person = await make_person(model=MODEL)
    code = "\n".join(f"value_{number} = {number} * factor_{number}" for number in range(40))
    run = await person.start(code)
    await asyncio.wait(person.driver.board._warming.values(), timeout=60)
    await person.finish(run)
    await person.driver.settled("kernel")
    usage = person.session.shown[TaskKind.NEXT_CELL].prediction.usage
    assert usage.cached_tokens > 0.8 * usage.prompt_tokens


@pytest.mark.model
async def test_later_prompts_reuse_the_earlier_ones(make_person):
    person = await make_person(model=MODEL, arms=("no_runtime",))
    for number in range(5):
        await person.run(f"print('a line of output number {number} ' * 3)", f"a line of output number {number} " * 3)
        await person.driver.settled("kernel")
    usage = person.session.shown[TaskKind.NEXT_CELL].prediction.usage
    assert usage.cached_tokens > 0.6 * usage.prompt_tokens


class Paid:
    """A remote predictor whose requests are counted."""

    name = "paid"
    kind = "remote"
    form = "chat"
    tasks = frozenset(TaskKind)
    context_tokens = 4096
    n_asked = 0

    async def predict(self, request):
        self.n_asked += 1
        yield Chunk("print(1)")

    async def warm(self, context):
        """Do nothing."""


async def test_the_hourly_limit_stops_requests_and_says_so(make_person):
    person = await make_person()
    paid = Paid()
    person.driver.registry.register("paid", lambda: paid)
    settings = person.driver.settings.model_copy(
        update={"model": "paid", "remote_allowed": True, "remote_per_hour": 3, "arms": ("no_runtime",)}
    )
    await person.owner.change_settings(settings)
    for number in range(5):
        await person.run(f"x = {number}")
        await person.driver.settled("kernel")
    assert paid.n_asked == 3
    statuses = [one.prediction.status for one in await person.stored() if one.prediction.predictor == "paid"]
    assert statuses == ["scored", "scored", "scored", "failed", "failed"]
    trouble = person.owner.current_trouble()
    assert trouble.code == "remote_limit"
    assert "3 requests an hour" in trouble.message
