"""Fixtures for predictors: the embedded model, requests, and a provider that listens on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_provider import FakeProvider

from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.download import pull
from themisto_lab.predict.engine import Engine
from themisto_lab.predict.models import MODELS
from themisto_lab.predict.remote import close_clients
from themisto_lab.predict.remote_thread import RemoteThread
from themisto_lab.types import CellOutput, Context, Message, Step, TaskKind, Trajectory

SMALL_MODEL = MODELS["qwen2.5-coder-0.5b"]


@pytest.fixture(scope="session")
def model_path() -> Path:
    """The embedded 0.5b model's file, fetched if it is not here yet."""
    return pull(SMALL_MODEL.name)


@pytest.fixture(scope="session")
def engine(model_path: Path) -> Iterator[Engine]:
    """One running engine for all tests that leave it alive."""
    engine = Engine(SMALL_MODEL)
    yield engine
    asyncio.run(engine.stop())


@pytest.fixture(scope="session")
def provider() -> Iterator[FakeProvider]:
    """A real HTTP server that speaks a chat provider's protocol."""
    with FakeProvider() as provider:
        yield provider


@pytest.fixture(scope="session")
def remote_thread() -> Iterator[RemoteThread]:
    """The thread of remote models, with litellm imported once."""
    thread = RemoteThread(on_stop=close_clients)
    yield thread
    asyncio.run(thread.stop())


MakeRequest = Callable[..., PredictRequest]


@pytest.fixture
def transcript() -> MakeRequest:
    """A request in the form that embedded models read."""

    def make(
        prompt: str, *, task: TaskKind = TaskKind.CELL_OUTPUT, max_tokens: int = 64, timeout_s: float = 60.0
    ) -> PredictRequest:
        context = Context(prompt=prompt, stop=("# %%", "\n# Variables", "\n# No"))
        return PredictRequest(task, Trajectory(id="t"), context=context, max_tokens=max_tokens, timeout_s=timeout_s)

    return make


@pytest.fixture
def chat() -> MakeRequest:
    """A request in the form that chat models read."""

    def make(content: str = "print(6 * 7)", *, timeout_s: float = 20.0) -> PredictRequest:
        context = Context(messages=(Message(role="user", content=content),))
        return PredictRequest(TaskKind.CELL_OUTPUT, Trajectory(id="t"), context=context, timeout_s=timeout_s)

    return make


@pytest.fixture
def trajectory() -> Callable[..., Trajectory]:
    """A trajectory from tuples of code, output and cell id."""

    def make(*runs: tuple[str, str, str]) -> Trajectory:
        steps = tuple(
            Step(
                index=index,
                kernel_id="k",
                code=code,
                cell_id=cell_id,
                outputs=(CellOutput(mime="text/plain", text=output),) if output else (),
            )
            for index, (code, output, cell_id) in enumerate(runs)
        )
        return Trajectory(id="t", steps=steps)

    return make
