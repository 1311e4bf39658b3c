"""Remote models, by any provider that litellm speaks. The only import of litellm, at first use, in a thread."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import sys
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from themisto_lab.errors import BadInputError, ModelKeyError
from themisto_lab.predict import remote_errors
from themisto_lab.predict.base import ALL_TASKS, Chunk, PredictorKind, PredictRequest, PromptForm
from themisto_lab.predict.remote_keys import has_key, key_fingerprint
from themisto_lab.predict.remote_thread import RemoteThread
from themisto_lab.types import Context, TaskKind, Usage

log = logging.getLogger(__name__)

_ATTEMPTS = 3
_FIRST_PAUSE_S = 0.5
_KEY_REFUSED_PAUSE_S = 10 * 60
_DROPPABLE = ("temperature", "stop", "stream_options", "max_tokens")
"""Settings without which a request can do, should a model reject them."""


@dataclass(frozen=True, slots=True)
class RemoteOptions:
    """Options of a remote model.

    Attributes
    ----------
    api_key
        The provider's key; None for the one in the environment. Never shown.
    api_base
        Another address than the provider's own.
    context_tokens
        The longest prompt that it is sent, in tokens.
    settings
        More settings for litellm.
    """

    api_key: str | None = field(default=None, repr=False)
    api_base: str | None = None
    context_tokens: int = 32_768
    settings: Mapping[str, Any] = field(default_factory=dict)


class RemotePredictor:
    """A chat model of a provider, asked over the network.

    Parameters
    ----------
    name
        The provider and its model, ``openai/gpt-4o``.
    thread
        Where the requests run.
    options
        Options of the model.
    """

    def __init__(self, name: str, thread: RemoteThread, options: RemoteOptions | None = None) -> None:
        self._name = name
        self._provider = name.partition("/")[0]
        self._thread = thread
        self._options = options or RemoteOptions()
        self._rejected_settings: set[str] = set()
        self._refused: tuple[str, float] | None = None

    @property
    def name(self) -> str:
        """The provider and its model, ``openai/gpt-4o``."""
        return self._name

    @property
    def kind(self) -> PredictorKind:
        """It costs what a provider asks."""
        return "remote"

    @property
    def form(self) -> PromptForm:
        """It reads chat messages."""
        return "chat"

    @property
    def tasks(self) -> frozenset[TaskKind]:
        """Both tasks."""
        return ALL_TASKS

    @property
    def context_tokens(self) -> int:
        """The longest prompt that it is sent, in tokens."""
        return self._options.context_tokens

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        """Answer a request as a stream of cumulative chunks; see `themisto_lab.predict.base.Predictor`."""
        if request.context is None or not request.context.messages:
            raise BadInputError(f"{self.name} reads chat messages, and none were given.")
        self._check_key()
        try:
            async with aclosing(self._thread.stream(lambda: self._attempts(request))) as chunks:
                async for chunk in chunks:
                    yield chunk
        except ModelKeyError:
            # One notice, and then silence: a refused key is not sent again with each keystroke.
            self._refused = (self._fingerprint(), time.monotonic() + _KEY_REFUSED_PAUSE_S)
            raise

    async def warm(self, context: Context) -> None:
        """Do nothing: reading ahead would cost money."""

    def _fingerprint(self) -> str:
        return key_fingerprint(self._provider, self._options.api_key)

    def _check_key(self) -> None:
        """Refuse without a request where there is no key, or where the present one was refused lately."""
        if not has_key(self._provider, self._options.api_key):
            raise remote_errors.key_missing(self._provider)
        if self._refused is not None:
            fingerprint, until_s = self._refused
            if fingerprint == self._fingerprint() and time.monotonic() < until_s:
                raise remote_errors.key_refused(self._provider)
            self._refused = None

    async def _attempts(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        """Answer a request, again after a pause or without a rejected setting. Runs in the remote thread."""
        litellm = load_litellm()
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + request.timeout_s
        n_failed = 0
        while True:
            settings = self._settings(request)
            started = False
            try:
                async with aclosing(self._answer(litellm, settings, deadline_s)) as chunks:
                    async for chunk in chunks:
                        started = True
                        yield chunk
            except Exception as error:  # noqa: BLE001 - litellm raises its own, its clients' and bare ones
                names = settings.keys() | self._rejected_settings
                failure = remote_errors.explain(error, self.name, request.timeout_s, names)
                log.info("%s failed (%s)", self.name, type(error).__name__)
            else:
                return
            if failure.setting in _DROPPABLE and failure.setting not in self._rejected_settings and not started:
                self._rejected_settings.add(failure.setting)
                continue
            n_failed += 1
            pause_s = failure.retry_after_s
            if pause_s is None:
                pause_s = _FIRST_PAUSE_S * 2 ** (n_failed - 1) * random.uniform(0.8, 1.2)  # noqa: S311 - jitter
            in_time = loop.time() + pause_s < deadline_s
            if started or not failure.retry or n_failed >= _ATTEMPTS or not in_time:
                raise failure.error
            await asyncio.sleep(pause_s)

    async def _answer(self, litellm: Any, settings: dict[str, Any], deadline_s: float) -> AsyncGenerator[Chunk, None]:
        """Make one request. A deadline is set around each wait, also for the first and for each next byte."""
        async with asyncio.timeout_at(deadline_s):
            stream = await litellm.acompletion(**settings)
        text = ""
        usage: Any = None
        try:
            pieces = aiter(stream)
            while True:
                async with asyncio.timeout_at(deadline_s):
                    piece = await anext(pieces, None)
                if piece is None:
                    break
                usage = getattr(piece, "usage", None) or usage
                added = piece.choices[0].delta.content if piece.choices else None
                if added:
                    text += added
                    yield Chunk(text)
        finally:
            await _close(stream)
        yield Chunk(text, usage=_usage(usage), cost=self._cost(litellm, usage))

    def _settings(self, request: PredictRequest) -> dict[str, Any]:
        """Return what litellm is called with."""
        context = request.context or Context()
        settings: dict[str, Any] = {
            "model": self.name,
            "messages": [message.model_dump() for message in context.messages],
            "max_tokens": request.max_tokens,
            "temperature": 0.0,
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": request.timeout_s,
            "num_retries": 0,
            "max_retries": 0,
            "drop_params": True,
            **self._options.settings,
        }
        if context.stop:
            settings["stop"] = list(context.stop[:4])
        if self._options.api_key:
            settings["api_key"] = self._options.api_key
        if self._options.api_base:
            settings["api_base"] = self._options.api_base
        for name in self._rejected_settings:
            settings.pop(name, None)
        return settings

    def _cost(self, litellm: Any, usage: Any) -> float | None:
        """Return the price in US dollars; None where it is not known."""
        if usage is None:
            return None
        try:
            return float(sum(litellm.cost_per_token(model=self.name, usage_object=usage)))
        except Exception:  # noqa: BLE001 - a model without a price is no failure
            return None


async def close_clients() -> None:
    """Close the connections that litellm keeps, if it was used at all. Runs in the remote thread."""
    litellm = sys.modules.get("litellm")
    if litellm is not None:
        await litellm.close_litellm_async_clients()


def _usage(usage: Any) -> Usage | None:
    """Return the token counts of litellm's usage object."""
    if usage is None:
        return None
    details = getattr(usage, "prompt_tokens_details", None)
    return Usage(
        prompt_tokens=usage.prompt_tokens or 0,
        completion_tokens=usage.completion_tokens or 0,
        cached_tokens=getattr(details, "cached_tokens", None) or 0,
    )


async def _close(stream: Any) -> None:
    """Close a stream of litellm's and the connection below it."""
    for candidate in (stream, getattr(stream, "completion_stream", None)):
        close = getattr(candidate, "aclose", None) or getattr(candidate, "close", None)
        if close is not None:
            try:
                result = close()
                if asyncio.iscoroutine(result):
                    await result
            except Exception as error:  # noqa: BLE001 - it is given up in any case
                log.debug("Closing a stream failed (%s)", type(error).__name__)


def load_litellm() -> Any:
    """Import litellm, which takes seconds, and keep it from the network, the terminal and the logs."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it fetches a price list at import
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    litellm.set_verbose = False
    litellm.turn_off_message_logging = True
    # Its other transport does not honour HTTPS_PROXY.
    litellm.disable_aiohttp_transport = True
    for name in ("LiteLLM", "LiteLLM Proxy", "LiteLLM Router"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # its messages may hold prompts and keys
    for name in ("httpx", "openai"):
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.WARNING)  # below, they log addresses, and some addresses hold keys
    return litellm
