"""The embedded model as a predictor."""

from __future__ import annotations

import asyncio
import time

import pytest

from themisto_lab.errors import BadInputError, ModelTimeoutError, PromptTooLongError
from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.engine import Engine
from themisto_lab.predict.local import LocalPredictor, estimate_tokens
from themisto_lab.predict.postprocess import prediction_text
from themisto_lab.types import Context, TaskKind, Trajectory

pytestmark = pytest.mark.model

PROMPT = "# %% [1]\nx = 3\n# No output\n# %% [2]\nprint(x * 7)\n# Output:\n#>"


@pytest.fixture
def local(engine: Engine) -> LocalPredictor:
    return LocalPredictor(engine)


async def ask(local: LocalPredictor, request: PredictRequest):
    return [chunk async for chunk in local.predict(request)]


def long_prompt(seed: int, n_lines: int) -> str:
    """A prompt that no other shares more than a few tokens with."""
    return "\n".join(f"{seed}_{line} = {line * 7919 % 1000}" for line in range(n_lines))


async def test_predicts_an_output(local, transcript):
    chunks = await ask(local, transcript(PROMPT))
    assert prediction_text(chunks[-1].raw_text, TaskKind.CELL_OUTPUT, "transcript") == "21"
    assert len(chunks) > 2
    usage = chunks[-1].usage
    assert usage.prompt_tokens == await local.count_tokens(PROMPT)
    assert 2 <= usage.completion_tokens <= 10
    assert chunks[-1].cost is None


async def test_predicts_a_next_cell_and_stops_at_the_next_marker(local, transcript):
    prompt = (
        "# %% [1]\nimport pandas as pd\n# No output\n"
        "# %% [2]\ndf = pd.read_csv('penguins.csv')\n# No output\n# %% [3]\n"
    )
    chunks = await ask(local, transcript(prompt, task=TaskKind.NEXT_CELL, max_tokens=120))
    code = prediction_text(chunks[-1].raw_text, TaskKind.NEXT_CELL, "transcript")
    assert code
    assert "# %%" not in code
    compile(code, "cell", "exec")


async def test_the_same_prompt_has_the_same_answer_and_is_read_once(local, transcript):
    prompt = long_prompt(11, 8) + "\n" + PROMPT
    first = await ask(local, transcript(prompt))
    again = await ask(local, transcript(prompt))
    assert again[-1].raw_text == first[-1].raw_text
    assert again[-1].usage.prompt_tokens == first[-1].usage.prompt_tokens
    assert again[-1].usage.cached_tokens >= first[-1].usage.prompt_tokens - 1


async def test_max_tokens_is_kept(local, transcript):
    request = transcript("# %% [1]\nfor i in range(10**6): print(i)\n# Output:\n#>", max_tokens=7)
    assert (await ask(local, request))[-1].usage.completion_tokens == 7


async def test_warming_reads_the_prompt_ahead(local, transcript):
    prompt = long_prompt(22, 15)
    n_tokens = await local.count_tokens(prompt)
    await local.warm(Context(prompt=prompt))
    usage = (await ask(local, transcript(prompt + "\n" + PROMPT, max_tokens=2)))[-1].usage
    assert usage.cached_tokens >= n_tokens - 2


async def test_giving_up_frees_the_model_in_the_middle_of_a_prompt(local, transcript):
    sample = long_prompt(33, 20)
    started_s = time.monotonic()
    await local.warm(Context(prompt=sample))
    token_s = (time.monotonic() - started_s) / await local.count_tokens(sample)  # of this machine, now

    prompt = long_prompt(34, 500)
    n_tokens = await local.count_tokens(prompt)
    task = asyncio.create_task(ask(local, transcript(prompt)))
    await asyncio.sleep(1.0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    started_s = time.monotonic()
    assert (await ask(local, transcript(PROMPT)))[-1].raw_text == " 21\n"
    assert time.monotonic() - started_s < 0.5 * n_tokens * token_s


async def test_closing_the_stream_frees_the_model_in_the_middle_of_an_answer(local, transcript):
    request = transcript("# %% [1]\nfor i in range(10**6): print(i)\n# Output:\n#>", max_tokens=1000)
    chunks = local.predict(request)
    await anext(chunks)
    await chunks.aclose()
    started_s = time.monotonic()
    await ask(local, transcript(PROMPT))
    assert time.monotonic() - started_s < 12  # the whole answer takes 20 s and more


async def test_the_time_that_is_allowed_is_kept(local, transcript):
    await local.warm(Context(prompt=PROMPT))
    started_s = time.monotonic()
    with pytest.raises(ModelTimeoutError, match=r"local/qwen2\.5-coder-0\.5b did not finish in 0\.5 s"):
        await ask(local, transcript(long_prompt(44, 400), timeout_s=0.5))
    assert time.monotonic() - started_s < 2


async def test_a_prompt_that_is_too_long_is_told(local, transcript):
    with pytest.raises(PromptTooLongError, match=r"takes \d+ tokens.*reads 8192"):
        await ask(local, transcript("hello " * 8200))


async def test_chat_messages_are_not_what_it_reads(local, chat):
    with pytest.raises(BadInputError, match="raw transcript"):
        await ask(local, chat())
    with pytest.raises(BadInputError, match="raw transcript"):
        await ask(local, PredictRequest(TaskKind.NEXT_CELL, Trajectory(id="t")))


async def test_tokens_are_counted_or_estimated(local):
    await local.warm(Context(prompt=PROMPT))
    for text in (PROMPT, long_prompt(55, 50), "déjà vu " * 20):
        n_tokens = await local.count_tokens(text)
        assert 0.7 * n_tokens < estimate_tokens(text) < 2.5 * n_tokens


def test_what_it_is(local):
    assert (local.name, local.kind, local.form) == ("local/qwen2.5-coder-0.5b", "local", "transcript")
    assert local.tasks == set(TaskKind)
    assert 4096 < local.context_tokens < local.engine.options.context_tokens
