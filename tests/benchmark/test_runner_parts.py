"""The runner's parts: retries, groups of rows, novelty, the chat form of embedded models."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmark_helpers import make_step, make_trajectory
from runner_helpers import make_sample

from themisto_lab.benchmark.chatml import ChatMl, render_chatml
from themisto_lab.benchmark.contenders import make_contenders
from themisto_lab.benchmark.group_commit import GroupCommit
from themisto_lab.benchmark.manifest import read_manifest
from themisto_lab.benchmark.novelty import novelty
from themisto_lab.benchmark.results import Reply, Results
from themisto_lab.benchmark.retry import pause_s, with_retries
from themisto_lab.benchmark.run_reader import open_results
from themisto_lab.benchmark.runner import run_bench
from themisto_lab.benchmark.runner_options import BenchOptions
from themisto_lab.errors import StoreError
from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.predict.registry import Registry
from themisto_lab.types import (
    Context,
    Message,
    Prediction,
    PredictionError,
    TaskKind,
    Trajectory,
    utc_now,
)

LOCAL = "local/qwen2.5-coder-0.5b"


async def test_rows_that_come_together_are_written_together() -> None:
    groups: list[list[int]] = []

    def write(rows: Sequence[int]) -> None:
        time.sleep(0.02)
        groups.append(list(rows))

    commit: GroupCommit[int] = GroupCommit(write)
    first = commit.put(0)
    await asyncio.sleep(0.005)
    rest = [commit.put(number) for number in range(1, 50)]
    assert not first.done()
    await asyncio.gather(first, *rest)
    assert groups == [[0], list(range(1, 50))]
    last = commit.put(50)
    last.cancel()
    await commit.close()
    assert groups[-1] == [50], "who gives up does not take the row back"


async def test_an_error_reaches_those_who_wait_and_later_rows_are_written() -> None:
    def write(rows: Sequence[int]) -> None:
        if 1 in rows:
            raise StoreError("the disk is full")

    commit: GroupCommit[int] = GroupCommit(write)
    with pytest.raises(StoreError, match="the disk is full"):
        await commit.put(1)
    await commit.put(2)
    await commit.close()


def prediction(code: str | None) -> Prediction:
    error = None if code is None else PredictionError(code=code, message="no")
    return Prediction(
        id="p", task=TaskKind.NEXT_CELL, trajectory_id="t", target_index=0, predictor="m", status="ready", error=error
    )


@pytest.mark.parametrize(
    ("codes", "n_attempts"),
    [
        ([None], 1),
        (["model_timeout", "engine_failed", None], 3),
        (["model_unavailable"] * 9, 4),
        (["prompt_too_long", None], 1),
        (["remote_limit", "model_request_rejected", None], 2),
    ],
)
async def test_only_what_may_pass_is_tried_again(codes: list[str | None], n_attempts: int) -> None:
    answers = iter(codes)

    async def ask() -> Prediction:
        return prediction(next(answers))

    found, n = await with_retries(ask, 4, 0.0001)
    assert n == n_attempts
    assert (found.error.code if found.error else None) == codes[n - 1]


def test_pauses_grow_up_to_a_minute() -> None:
    assert [pause_s(n, 2.0, lambda low, high: (low + high) / 2) for n in (1, 2, 3, 9)] == [2.0, 4.0, 8.0, 60.0]
    assert 1.6 <= pause_s(1, 2.0) <= 2.4


def test_novelty_by_hand() -> None:
    codes = ["import pandas as pd", "df = pd.read_csv('a.csv')", "df.head()", "df.describe()", "x = 1", "y = 2", "z"]
    history = make_trajectory("t", [make_step(index, code) for index, code in enumerate(codes)])
    assert novelty(history, "\nimport pandas as pd\n") == "repeat"
    assert novelty(history, "df.head(5)") == "edit"
    # A cell that is an edit of one further back than the last five is novel.
    assert novelty(history, "df = pd.read_csv('b.csv')") == "novel"
    assert novelty(history, "model.fit(features, labels)") == "novel"
    assert novelty(Trajectory(id="t"), "x") == "novel"


def test_the_chat_form_of_an_embedded_model() -> None:
    messages = (Message(role="system", content="Be brief."), Message(role="user", content="1 + 1"))
    context = render_chatml(Context(messages=messages, n_tokens=9))
    assert context.prompt == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n1 + 1<|im_end|>\n<|im_start|>assistant\n"
    )
    assert context.stop == ("<|im_end|>",)
    assert (context.messages, context.n_tokens) == (messages, 9)


async def test_chat_messages_reach_an_embedded_model_as_raw_text() -> None:
    inner = EchoPredictor("```\n2\n```", form="transcript")
    chat = ChatMl(inner)
    assert (chat.form, chat.name, chat.tasks, chat.context_tokens) == ("chat", "echo", inner.tasks, 4096)
    context = Context(messages=(Message(role="user", content="1 + 1"),))
    request = PredictRequest(TaskKind.CELL_OUTPUT, Trajectory(id="t"), code="1 + 1", context=context)
    assert [chunk.raw_text async for chunk in chat.predict(request)][-1] == "```\n2\n```"
    await chat.warm(context)
    [asked] = inner.requests
    assert asked.context == inner.warmed[0] == render_chatml(context)


def test_an_embedded_model_takes_the_form_that_is_chosen(tmp_path: Path) -> None:
    for prompt, form in ((None, "transcript"), ("transcript", "transcript"), ("paper", "paper")):
        options = BenchOptions(
            sample=tmp_path, out=tmp_path, models=(LOCAL,), arms=("runtime",), prompt=prompt, baselines=False
        )
        [contender] = make_contenders(options, Registry(), check=False)
        assert contender.prompt == form
        assert {"file_sha256", "engine", "n_threads", "n_batch_threads"} <= contender.identity.keys()


@pytest.mark.model
async def test_the_chat_form_with_the_embedded_model(tmp_path: Path) -> None:
    registry = Registry()
    options = BenchOptions(
        sample=make_sample(tmp_path), out=tmp_path / "run", models=(LOCAL,), arms=("runtime",), prompt="paper", limit=1
    )
    try:
        summary = await run_bench(options, registry)
        assert registry.engine(LOCAL).pid is None, "the engine is stopped when its model is done"
    finally:
        await registry.close()
    assert not summary.stopped
    manifest = read_manifest(tmp_path / "run")
    assert manifest.models[LOCAL]["prompts"] == ["paper"]
    assert len(manifest.models[LOCAL]["file_sha256"]) == 64
    with open_results(tmp_path / "run", manifest) as results:
        replies = [reply for answer, reply in results.answers() if answer.prompt == "paper"]
    assert len(replies) == 2
    for reply in replies:
        assert reply is not None
        assert (reply.completion_tokens or 0) > 0
        assert "<|im_" not in reply.raw_text


def test_a_reply_is_kept_once_and_results_can_be_opened_to_read_only(tmp_path: Path) -> None:
    first = Reply(key="k", raw_text="a \ud800", latency_s=0.1, answered_at=utc_now(), context={"prompt": "p"})
    with Results(tmp_path / "r.sqlite", "run") as results:
        results.put_replies([first])
        results.put_replies([first.model_copy(update={"raw_text": "b"})])
        assert results.replies(["k"])["k"].raw_text == "a \ufffd"
    with Results(tmp_path / "r.sqlite", "run", write=False) as results:
        assert results.replies(["k", "other"]).keys() == {"k"}
        with pytest.raises(StoreError, match="read only"):
            results.put_replies([first])
