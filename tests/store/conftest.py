"""Stores on every database that is supported, and the samples that are put into them."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from themisto_lab.store.store import Store
from themisto_lab.types import (
    CellOutput,
    Context,
    Look,
    LookedValue,
    Prediction,
    ProbeReceipt,
    Score,
    Step,
    TaskKind,
    Trajectory,
    VariableSnapshot,
)

LOG = logging.getLogger("tests.store")
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

MakeStep = Callable[..., Step]
MakePrediction = Callable[..., Prediction]
Reopen = Callable[..., Store]


@pytest.fixture
def log() -> logging.Logger:
    """The log that stores are given."""
    return LOG


@pytest.fixture
def start() -> datetime:
    """When the sample trajectory's first step ran."""
    return START


@pytest.fixture
def make_step() -> MakeStep:
    """Build the step of an index: one a minute, each with every field set."""

    def make(index: int, **changes: Any) -> Step:
        fields: dict[str, Any] = {
            "index": index,
            "kernel_id": "kernel-1",
            "cell_id": f"cell-{index}",
            "code": f"x = {index}\nx",
            "outputs": (CellOutput(mime="text/plain", text=str(index), truncated=index % 2 == 1),),
            "variables": (
                VariableSnapshot(
                    name="x", type_name="int", size_bytes=28, summary=str(index), changed=True, shape=(2, 3), dtype="i8"
                ),
                VariableSnapshot(name="y", type_name="str"),
            ),
            "memory_bytes": 90_000_000_000,
            "peak_memory_bytes": 95_000_000_000,
            "execution_time_s": 0.125,
            "hash_index": f"hash-{index}",
            "status": "ok",
            "execution_count": index + 1,
            "started_at": START + timedelta(minutes=index, microseconds=7),
            "look": Look(
                values=(LookedValue(expression="x.y", type_name="int", shown="5", printed="05", exact=True),),
                output=f"{index}\n",
                receipt=ProbeReceipt(cost_ms=0.5),
            ),
            "receipt": ProbeReceipt(cost_ms=1.25, skipped={"a.B": 2}, out_of_time=3),
        }
        return Step(**fields | changes)

    return make


@pytest.fixture
def make_prediction() -> MakePrediction:
    """Build a complete next-cell prediction for a step, asked for half a minute before it."""

    def make(key: str, target_index: int = 0, **changes: Any) -> Prediction:
        asked = START + timedelta(minutes=target_index, seconds=-30)
        fields: dict[str, Any] = {
            "id": key,
            "task": TaskKind.NEXT_CELL,
            "trajectory_id": "t1",
            "target_index": target_index,
            "arm": "runtime",
            "predictor": "local/small",
            "text": f"x = {target_index}",
            "raw_text": f"```python\nx = {target_index}\n```",
            "created_at": asked,
            "completed_at": asked + timedelta(seconds=2),
            "context": Context(prompt="# %% [1]\nx = 0", n_tokens=8, dropped={"steps": 2}),
            "status": "ready",
        }
        return Prediction(**fields | changes)

    return make


@pytest.fixture
def make_scores() -> Callable[..., tuple[Score, ...]]:
    """Build the scores of a prediction, all metrics alike."""

    def make(value: float, version: int = 1) -> tuple[Score, ...]:
        names = ("exact_match", "rouge_l", "rouge_l_code", "chrf")
        return tuple(Score(metric=name, value=value, version=version) for name in names)

    return make


@pytest.fixture
def trajectory() -> Trajectory:
    """The head of the sample trajectory."""
    return Trajectory(
        id="t1", notebook="work/a.ipynb", task_description="count birds", kernel_id="kernel-1", started_at=START
    )


@pytest.fixture
def reopen() -> Iterator[Reopen]:
    """Open a store; all that were opened are closed after the test."""
    opened: list[Store] = []

    def open_store(where: str | Path, **options: Any) -> Store:
        opened.append(Store.open(where, LOG, **options))
        return opened[-1]

    yield open_store
    for store in opened:
        asyncio.run(store.close())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store's file may be made; its folder does not exist yet."""
    return tmp_path / "data" / "themisto_lab" / "store.sqlite"


@pytest.fixture
def store(path: Path, reopen: Reopen) -> Store:
    """A new store in a file."""
    return reopen(path)


@pytest.fixture(params=["sqlite", "memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def any_store(request: pytest.FixtureRequest, reopen: Reopen) -> Store:
    """A new store on each database."""
    where = {"sqlite": "path", "postgres": "postgres_url"}.get(request.param)
    return reopen("sqlite://" if where is None else request.getfixturevalue(where))


@pytest.fixture
def start_writer() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a process that writes steps and says which ones are acknowledged."""
    started: list[subprocess.Popen[str]] = []
    script = Path(__file__).with_name("writer_process.py")

    def begin(path: Path, trajectory_id: str, n_steps: int) -> subprocess.Popen[str]:
        command = [sys.executable, str(script), str(path), trajectory_id, str(n_steps)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
