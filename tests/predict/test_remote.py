"""Remote models through litellm, against a provider that really listens."""

from __future__ import annotations

import asyncio
import logging
import time
from itertools import pairwise

import pytest
from fake_provider import (
    FakeProvider,
    answer,
    break_off,
    break_off_later,
    headers_only,
    never_answer,
    refuse,
    refuse_setting,
    stall,
)

from themisto_lab.errors import (
    BadInputError,
    ModelKeyError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    ThemistoError,
)
from themisto_lab.predict.base import Chunk, Predictor, PredictRequest
from themisto_lab.predict.remote import RemoteOptions, RemotePredictor
from themisto_lab.types import Usage

# litellm looks at attributes of its models that pydantic has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_:DeprecationWarning")

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture
def predictor(provider: FakeProvider, remote_thread, monkeypatch) -> RemotePredictor:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    provider.behave(answer("42"))
    return RemotePredictor("openai/gpt-4o", remote_thread, RemoteOptions(api_base=provider.api_base))


async def ask(predictor: Predictor, request: PredictRequest) -> list[Chunk]:
    return [chunk async for chunk in predictor.predict(request)]


async def test_streams_text_usage_and_cost(provider, predictor, chat):
    provider.behave(answer("the answer is 42"))
    chunks = await ask(predictor, chat())
    texts = [chunk.raw_text for chunk in chunks]
    assert len(texts) > 3
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))
    assert texts[-1] == "the answer is 42"
    assert chunks[-1].usage == Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=64)
    # 36 fresh tokens at 2.50 $, 64 cached at 1.25 $ and 10 generated at 10 $ for a million.
    assert chunks[-1].cost == pytest.approx((36 * 2.5 + 64 * 1.25 + 10 * 10) / 1e6)
    sent = provider.seen[0].body
    assert sent["messages"] == [{"role": "user", "content": "print(6 * 7)"}]
    assert (sent["temperature"], sent["stream"], sent["model"]) == (0.0, True, "gpt-4o")


async def test_a_model_without_a_price_has_no_cost(provider, remote_thread, chat):
    options = RemoteOptions(api_key=KEY, api_base=provider.api_base)
    provider.behave(answer("42"))
    chunks = await ask(RemotePredictor("openai/our-own-model", remote_thread, options), chat())
    assert chunks[-1].raw_text == "42"
    assert chunks[-1].cost is None


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_told_once_and_not_sent_again(provider, predictor, chat, monkeypatch, status):
    message = f"Incorrect API key provided: {KEY}."
    provider.behave(refuse(status, {"message": message, "type": "invalid_request_error", "code": "invalid_api_key"}))
    with pytest.raises(ModelKeyError, match=r"key for openai was refused.*OPENAI_API_KEY") as caught:
        await ask(predictor, chat())
    assert KEY not in str(caught.value)
    assert len(provider.seen) == 1
    for _ in range(5):
        with pytest.raises(ModelKeyError):
            await ask(predictor, chat())
    assert len(provider.seen) == 1
    monkeypatch.setenv("OPENAI_API_KEY", KEY + "new")
    provider.behave(answer("42"))
    assert (await ask(predictor, chat()))[-1].raw_text == "42"


async def test_no_key_is_told_without_a_request(provider, predictor, chat, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    provider.behave(answer("42"))
    with pytest.raises(ModelKeyError, match=r"no key for openai.*OPENAI_API_KEY"):
        await ask(predictor, chat())
    assert provider.seen == []


async def test_a_rejected_setting_is_left_out_from_then_on(provider, predictor, chat):
    provider.behave(refuse_setting("temperature"))
    assert (await ask(predictor, chat()))[-1].raw_text == "42"
    assert ["temperature" in seen.body for seen in provider.seen] == [True, False]
    assert (await ask(predictor, chat()))[-1].raw_text == "42"
    assert ["temperature" in seen.body for seen in provider.seen] == [True, False, False]


async def test_a_setting_rejected_again_is_named_with_the_model(provider, predictor, chat):
    error = {"message": "'temperature' is not supported", "type": "invalid_request_error", "param": "temperature"}
    provider.behave(refuse(400, error))
    with pytest.raises(ModelRequestError, match=r"openai/gpt-4o rejected the setting temperature"):
        await ask(predictor, chat())
    assert len(provider.seen) == 2


async def test_another_rejected_request_says_the_code_and_not_the_text(provider, predictor, chat):
    error = {"message": f"bad {KEY} in print(6 * 7)", "type": "invalid_request_error", "code": "bad_prompt"}
    provider.behave(refuse(400, error))
    with pytest.raises(ModelRequestError, match=r"openai/gpt-4o rejected the request \(HTTP 400") as caught:
        await ask(predictor, chat())
    assert KEY not in str(caught.value)
    assert "print" not in str(caught.value)
    assert len(provider.seen) == 1


async def test_an_unknown_model_and_a_long_prompt_are_told_apart(provider, predictor, chat):
    provider.behave(refuse(404, {"message": "The model does not exist", "code": "model_not_found"}))
    with pytest.raises(ModelRequestError, match="no model openai/gpt-4o"):
        await ask(predictor, chat())
    message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    provider.behave(refuse(400, {"message": message, "type": "x", "code": "context_length_exceeded"}))
    with pytest.raises(PromptTooLongError, match="smaller context"):
        await ask(predictor, chat())


@pytest.mark.parametrize("trouble", [refuse(429), refuse(503), break_off], ids=["429", "503", "hang-up"])
async def test_passing_trouble_is_tried_again(provider, predictor, chat, trouble):
    provider.behave(trouble, answer("42"))
    assert (await ask(predictor, chat()))[-1].raw_text == "42"
    assert len(provider.seen) == 2


async def test_an_answer_that_breaks_off_is_not_begun_again(provider, predictor, chat):
    provider.behave(break_off_later, answer("42"))
    chunks = predictor.predict(chat())
    assert (await anext(chunks)).raw_text == "4"
    with pytest.raises(ModelUnavailableError, match="broke off"):
        await anext(chunks)
    assert len(provider.seen) == 1


async def test_lasting_trouble_ends_after_three_requests(provider, predictor, chat):
    provider.behave(refuse(429, retry_after="0.1"))
    with pytest.raises(ModelUnavailableError, match="HTTP 429"):
        await ask(predictor, chat())
    assert len(provider.seen) == 3


async def test_a_pause_beyond_the_deadline_is_not_waited_for(provider, predictor, chat):
    provider.behave(refuse(429, retry_after="60"))
    started_s = time.monotonic()
    with pytest.raises(ModelUnavailableError):
        await ask(predictor, chat(timeout_s=5))
    assert time.monotonic() - started_s < 3
    assert len(provider.seen) == 1


async def test_nobody_listening_is_unavailable(remote_thread, chat):
    options = RemoteOptions(api_key=KEY, api_base="http://127.0.0.1:9/v1")
    with pytest.raises(ModelUnavailableError, match="openai could not be reached"):
        await ask(RemotePredictor("openai/gpt-4o", remote_thread, options), chat())


@pytest.mark.parametrize("behaviour", [never_answer, headers_only, stall], ids=lambda f: f.__name__)
async def test_silence_times_out_as_configured(provider, predictor, chat, behaviour):
    await ask(predictor, chat())  # so that the import of litellm is not measured
    provider.behave(behaviour)
    started_s = time.monotonic()
    with pytest.raises(ModelTimeoutError, match="1 s"):
        await ask(predictor, chat(timeout_s=1.0))
    assert 0.9 < time.monotonic() - started_s < 4
    assert len(provider.seen) == 1


async def test_a_slow_model_leaves_the_event_loop_free(provider, predictor, chat):
    provider.behave(answer("42" * 10, pause_s=0.2))
    task = asyncio.create_task(ask(predictor, chat()))
    longest_s = 0.0
    while not task.done():
        started_s = time.monotonic()
        await asyncio.sleep(0.01)
        longest_s = max(longest_s, time.monotonic() - started_s)
    assert task.result()[-1].raw_text == "42" * 10
    assert longest_s < 0.5


async def test_closing_the_answer_hangs_up(provider, predictor, chat):
    provider.behave(answer("42" * 500, pause_s=0.05))
    chunks = predictor.predict(chat())
    assert (await anext(chunks)).raw_text
    await chunks.aclose()
    await _until(lambda: provider.n_hung_up == 1)


async def test_a_cancelled_task_hangs_up(provider, predictor, chat):
    provider.behave(never_answer)
    task = asyncio.create_task(ask(predictor, chat()))
    await _until(lambda: len(provider.seen) == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _until(lambda: provider.n_hung_up == 1)


async def test_no_key_and_no_prompt_in_logs(provider, predictor, chat, caplog):
    caplog.set_level(logging.DEBUG, logger="themisto_lab")
    caplog.set_level(logging.INFO)
    secret_code = "launch_the_secret_project()"
    error = {"message": f"{KEY} {secret_code}", "type": "x", "code": "y"}
    for behaviour in (refuse(400, error), refuse(500, error), refuse(401, error)):
        provider.behave(behaviour)
        with pytest.raises(ThemistoError):
            await ask(predictor, chat(secret_code))
    assert KEY not in caplog.text
    assert secret_code not in caplog.text


async def test_a_transcript_is_not_what_it_reads(predictor, transcript):
    with pytest.raises(BadInputError, match="chat messages"):
        await ask(predictor, transcript("# %% [1]"))


def test_the_key_is_not_shown():
    assert KEY not in repr(RemoteOptions(api_key=KEY))


async def _until(condition, timeout_s: float = 5.0) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "it did not come to pass"
        await asyncio.sleep(0.02)
