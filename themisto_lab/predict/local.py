"""The embedded model as a predictor: it streams from the engine's loopback port."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import Any

from themisto_lab.errors import (
    BadInputError,
    EngineError,
    ModelTimeoutError,
    PromptTooLongError,
    ThemistoError,
)
from themisto_lab.predict.base import ALL_TASKS, Chunk, PredictorKind, PredictRequest, PromptForm
from themisto_lab.predict.engine import Engine
from themisto_lab.types import Context, TaskKind, Usage

_ANSWER_TOKENS = 1024
"""Kept free for the answer in the engine's context."""

_WARM_TIMEOUT_S = 60.0
_COUNT_TIMEOUT_S = 5.0
_BYTES_PER_TOKEN = 3.0
_EVENT_PREFIX = "data: "


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text takes, rather too many than too few.

    These models read each digit as a token of its own, so that tables of numbers take far more than prose.
    """
    n_digits = sum(map(str.isdigit, text))
    return n_digits + round((len(text.encode()) - n_digits) / _BYTES_PER_TOKEN) + 1


class LocalPredictor:
    """An embedded model: no key, no network.

    Parameters
    ----------
    engine
        The engine that runs the model; predictors of the same model share it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def name(self) -> str:
        """The predictor's name, ``local/qwen2.5-coder-0.5b``."""
        return self._engine.spec.predictor_name

    @property
    def kind(self) -> PredictorKind:
        """It costs this machine's time."""
        return "local"

    @property
    def form(self) -> PromptForm:
        """Small models do better with a raw transcript than with chat messages."""
        return "transcript"

    @property
    def tasks(self) -> frozenset[TaskKind]:
        """Both tasks."""
        return ALL_TASKS

    @property
    def context_tokens(self) -> int:
        """The longest prompt, in tokens; the rest of the engine's context is for the answer."""
        return self._engine.options.context_tokens - _ANSWER_TOKENS

    @property
    def engine(self) -> Engine:
        """The engine, for those who show its state or stop it."""
        return self._engine

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        """Answer a request as a stream of cumulative chunks; see `themisto_lab.predict.base.Predictor`."""
        context = request.context
        if context is None or context.prompt is None:
            raise BadInputError(f"{self.name} reads a raw transcript, and none was given.")
        deadline_s = asyncio.get_running_loop().time() + request.timeout_s
        body = _body(context, request.max_tokens)
        text = ""
        complete = False
        async with aclosing(self._events(body, deadline_s, request.timeout_s)) as events:
            async for event in events:
                text += event.get("content", "")
                complete = bool(event.get("stop"))
                yield Chunk(text, usage=_usage(event) if complete else None)
        if not complete:
            raise EngineError("The embedded engine ended its answer too early.")

    async def warm(self, context: Context) -> None:
        """Let the model read a prompt, so that a later prompt that begins like it is answered sooner."""
        if context.prompt is None:
            return
        deadline_s = asyncio.get_running_loop().time() + _WARM_TIMEOUT_S
        async for _ in self._events(_body(context, 0), deadline_s, _WARM_TIMEOUT_S):
            pass

    async def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text: exact while the engine is up, else an estimate."""
        if self._engine.state != "ready":
            return estimate_tokens(text)
        try:
            async with self._engine.lease() as client:
                response = await client.post("/tokenize", json={"content": text}, timeout=_COUNT_TIMEOUT_S)
        except EngineError:
            return estimate_tokens(text)
        return len(_json_object(response.content).get("tokens", ()))

    async def _events(
        self, body: dict[str, Any], deadline_s: float, timeout_s: float
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the engine's events. Leaving early closes the connection, which frees the model.

        A deadline is set around each wait and never around a ``yield``: there it would strike the consumer.
        """
        try:
            async with AsyncExitStack() as stack:
                async with asyncio.timeout_at(deadline_s):
                    client = await stack.enter_async_context(self._engine.lease())
                    response = await stack.enter_async_context(client.stream("POST", "/completion", json=body))
                    if response.status_code != 200:
                        raise self._refused(response.status_code, await response.aread())
                lines = response.aiter_lines()
                while True:
                    async with asyncio.timeout_at(deadline_s):
                        line = await anext(lines, None)
                    if line is None:
                        return
                    if line.startswith(_EVENT_PREFIX):
                        event = _json_object(line.removeprefix(_EVENT_PREFIX))
                        if "error" in event:
                            raise self._refused(200, line.removeprefix(_EVENT_PREFIX))
                        yield event
        except TimeoutError:
            raise ModelTimeoutError(
                f"{self.name} did not finish in {timeout_s:g} s; allow more time or send less context."
            ) from None

    def _refused(self, status: int, answer: str | bytes) -> ThemistoError:
        """Return the error for an ``error`` object of the engine. Its own text may hold prompt: it is left out."""
        error = _json_object(answer).get("error", {})
        if error.get("type") == "exceed_context_size_error":
            return PromptTooLongError(
                f"The prompt takes {error.get('n_prompt_tokens')} tokens, and {self.name} reads "
                f"{error.get('n_ctx')}; choose a smaller context."
            )
        return EngineError(f"The embedded engine refused the request ({error.get('type') or status}).")


def _body(context: Context, max_tokens: int) -> dict[str, Any]:
    """Return the engine's request. Greedy, so that the same prompt always has the same answer."""
    return {
        "prompt": context.prompt,
        "n_predict": max_tokens,
        "stop": list(context.stop),
        "temperature": 0.0,
        "seed": 0,
        "cache_prompt": True,
        "stream": True,
    }


def _usage(event: dict[str, Any]) -> Usage:
    """Return the token counts of the engine's last event."""
    timings = event.get("timings", {})
    cached_tokens = max(0, timings.get("cache_n", 0))
    return Usage(
        prompt_tokens=cached_tokens + max(0, timings.get("prompt_n", 0)),
        completion_tokens=max(0, timings.get("predicted_n", 0)),
        cached_tokens=cached_tokens,
    )


def _json_object(text: str | bytes) -> dict[str, Any]:
    """Return the JSON object that a text holds; an empty one if it holds none."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
