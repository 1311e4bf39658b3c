"""The past and a model as one predictor: the likelier text, checked, repaired once or dropped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from themisto_lab.context.build import build_context
from themisto_lab.context.select import ARMS
from themisto_lab.errors import ModelTimeoutError, UnknownModelError
from themisto_lab.predict.base import Chunk, Predictor, PredictRequest
from themisto_lab.predict.combined import CombinedPredictor
from themisto_lab.predict.combined_prompt import ROOM_TOKENS, with_candidates, with_findings
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.predict.history import HistoryGuesser
from themisto_lab.predict.local import LocalPredictor
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.run import run_prediction
from themisto_lab.types import Prediction, Step, TaskKind, Trajectory, VariableSnapshot

CELLS = ("x = 3", "y = x * 7", "print(y)")


class Scripted(EchoPredictor):
    """A model that gives one answer after the other; it stands for cases that a real one can't be brought to."""

    def __init__(self, *answers: str) -> None:
        super().__init__(name="local/scripted", form="transcript")
        self._answers = list(answers)

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        yield Chunk(self._answers[len(self.requests) - 1])


def session(*codes: str, variables: tuple[VariableSnapshot, ...] = ()) -> Trajectory:
    steps = [Step(index=i, kernel_id="k", code=code) for i, code in enumerate(codes)]
    if steps:
        steps[-1] = steps[-1].model_copy(update={"variables": variables})
    return Trajectory(id="t", steps=tuple(steps))


async def ask(model: Predictor, past: Trajectory, *, check: bool = True) -> Prediction:
    combined = CombinedPredictor(model, HistoryGuesser(), check=check)
    context = build_context(past, ARMS["no_runtime"], TaskKind.NEXT_CELL)
    request = PredictRequest(TaskKind.NEXT_CELL, past, context=context, timeout_s=100)
    blank = Prediction(
        id="p", task=TaskKind.NEXT_CELL, trajectory_id="t", target_index=len(past.steps), predictor=combined.name
    )
    return await run_prediction(combined, blank, request)


async def test_a_sure_past_is_shown_and_the_model_is_not_asked():
    model = Scripted()
    done = await ask(model, session(*CELLS * 4, CELLS[0]))
    assert (done.text, done.source, model.requests) == (CELLS[1], "history", [])
    assert done.reason == "what followed this cell last time"
    assert done.probability > 0.5


async def test_the_model_is_shown_where_the_past_has_nothing():
    model = Scripted("import numpy as np")
    done = await ask(model, session())
    assert (done.text, done.source, done.reason) == ("import numpy as np", "model", "the model's")
    assert 0 < done.probability < 0.2


async def test_the_model_is_told_the_candidates_behind_the_stable_prefix():
    model = Scripted("print(y)")
    past = session(*CELLS)
    done = await ask(model, past)
    (request,) = model.requests
    assert done.context == request.context
    bare = build_context(past, ARMS["no_runtime"], TaskKind.NEXT_CELL)
    told = request.context.prompt
    head = "# %% [4]\n"
    assert told.startswith(bare.prompt.removesuffix(head))
    assert told.endswith(head)
    added = told.removeprefix(bare.prompt.removesuffix(head)).removesuffix(head)
    assert "#   print(y)" in added
    assert all(line.startswith("#") for line in added.splitlines())


async def test_agreement_makes_a_candidate_likelier():
    alone = HistoryGuesser().rank(session(*CELLS))[0]
    done = await ask(Scripted(alone.text), session(*CELLS))
    assert done.text == alone.text
    assert done.source == "model"
    assert done.reason == f"{alone.reason}, and the model's too"
    assert alone.probability < done.probability < 1


async def test_an_attempt_that_would_fail_is_repaired_once():
    model = Scripted("print(missing)", "print(1)")
    done = await ask(model, session())
    assert (done.text, done.reason) == ("print(1)", "the model's, repaired: `missing` is not defined")
    assert "# - `missing` is not defined" in model.requests[1].context.prompt
    assert "#   print(missing)" in model.requests[1].context.prompt


async def test_an_attempt_that_can_not_be_repaired_is_dropped():
    model = Scripted("print(missing)", "print(missing, 2)")
    nothing = await ask(model, session())
    assert (nothing.text, nothing.status) == ("", "ready")
    assert nothing.reason == "the model's would fail: `missing` is not defined"
    assert nothing.probability == 0.0
    past = await ask(Scripted("print(missing)", "print(missing, 2)"), session("x = 3"))
    assert (past.text, past.source) == ("x = 3", "history")
    assert past.reason == "the last cell again; the model's would fail: `missing` is not defined"


async def test_without_the_check_it_is_shown_as_it_is():
    model = Scripted("print(missing)")
    done = await ask(model, session(), check=False)
    assert (done.text, len(model.requests)) == ("print(missing)", 1)


async def test_a_candidate_of_the_past_that_would_fail_is_not_shown():
    gone = session(
        *CELLS * 4, CELLS[0], variables=(VariableSnapshot(name="d", type_name="dict", shape=(0,), summary="{}"),)
    )
    broken = session("d = {'a': 1}", "d['a']", "d = {}", variables=gone.steps[-1].variables)
    history = HistoryGuesser().rank(broken)
    assert "d['a']" in {candidate.text for candidate in history}
    done = await ask(Scripted("d"), broken)
    assert done.text != "d['a']"


async def test_a_model_that_fails_leaves_the_past():
    failing = EchoPredictor("", form="transcript", error=ModelTimeoutError("too late"))
    done = await ask(failing, session("x = 3"))
    assert (done.text, done.status) == ("x = 3", "ready")
    assert done.reason == "the last cell again; the model gave no answer"
    alone = await ask(failing, session())
    assert alone.error is not None
    assert alone.error.code == ModelTimeoutError.code


def test_what_is_added_is_bounded():
    from themisto_lab.context.tokens import estimate_tokens

    context = build_context(session("x"), ARMS["no_runtime"], TaskKind.NEXT_CELL)
    long = "\n".join(f"value_{i} = compute(table, column={i})" for i in range(500))
    for added in (
        with_candidates(context, 1, [long] * 3),
        with_findings(context, 1, long, ["`column_name` is no column of df; there is `columns_name`"] * 50),
    ):
        assert 50 < estimate_tokens(added.prompt) - estimate_tokens(context.prompt) < ROOM_TOKENS
    assert with_candidates(context, 1, []) == context


def test_a_chat_model_is_told_in_the_last_message():
    context = build_context(session("x = 3"), ARMS["no_runtime"], TaskKind.NEXT_CELL, chat=True)
    added = with_candidates(context, 1, ["x = 3"])
    assert added.prompt is None
    assert added.messages[0] == context.messages[0]
    assert added.messages[-1].content.startswith(context.messages[-1].content)
    assert "#   x = 3" in added.messages[-1].content


def test_any_model_can_be_combined_and_nothing_else():
    registry = Registry()
    combined = registry.get("combined/local/qwen2.5-coder-0.5b")
    assert isinstance(combined, Predictor)
    assert (combined.kind, combined.form, combined.tasks) == ("local", "transcript", frozenset(TaskKind))
    assert combined.context_tokens == registry.get("local/qwen2.5-coder-0.5b").context_tokens - ROOM_TOKENS
    assert registry.get("combined/openai/gpt-4o").kind == "remote"
    for name in ("combined/baseline/repeat", "combined/nobody", "combined/"):
        with pytest.raises(UnknownModelError):
            registry.get(name)
    asyncio.run(registry.close())


@pytest.mark.model
async def test_with_the_embedded_model(engine):
    model = LocalPredictor(engine)
    try:
        done = await ask(model, session("numbers = [3, 1, 2]", "total = sum(numbers)"))
    finally:
        await engine.stop()
    assert done.status == "ready"
    assert done.text.strip()
    assert done.source in ("model", "history")
    assert 0 < done.probability < 1
    assert done.usage is not None
    assert done.usage.completion_tokens > 0
