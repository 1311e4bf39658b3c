"""Processes that are killed while they write, and processes that write side by side."""

from __future__ import annotations

import random
import select
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from themisto_lab.store.store import Store

N_KILLS = 15


def heard_before_kill(process: subprocess.Popen[str], wait_s: float) -> list[str]:
    """Wait for the first words, then a while, then kill the process; return all that it had said."""
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 60)[0]
    time.sleep(wait_s)
    process.kill()
    lines = process.communicate()[0]
    # The last line may be cut by the kill; what it would have said was acknowledged, but not heard.
    return lines[: lines.rfind("\n") + 1].splitlines()


def keys(lines: list[str], word: str) -> list[str]:
    return [line.split()[1] for line in lines if line.startswith(word + " ")]


async def test_nothing_acknowledged_is_lost_by_kill_9(path: Path, reopen: Callable, start_writer: Callable) -> None:
    moments = random.Random(20250412)
    steps: set[int] = set()
    ready: set[str] = set()
    n_cut_short = 0
    for _ in range(N_KILLS):
        process = start_writer(path, "t1", 100_000)
        lines = heard_before_kill(process, moments.uniform(0, 0.25))
        assert process.returncode == -9
        steps.update(int(key) for key in keys(lines, "step"))
        ready.update(keys(lines, "ready"))
        n_cut_short += len(keys(lines, "running")) - len(keys(lines, "ready"))

        store: Store = reopen(path)
        found = {step.index: step for step in await store.steps("t1", limit=None)}
        assert steps <= found.keys()
        assert all(step.code == f"step {index}" for index, step in found.items())
        assert all(step.outputs[0].text == f"{index} " * 400 for index, step in found.items())
        predictions = {s.prediction.id: s for s in await store.predictions("t1")}
        assert all(predictions[key].stored_at is not None for key in ready)
        assert {s.prediction.status for s in predictions.values()} <= {"ready", "cancelled"}
        await store.close()
    assert len(steps) > N_KILLS
    assert len(ready) > N_KILLS // 2
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def kill_once_file_exists(process: subprocess.Popen[str], path: Path, wait_s: float) -> None:
    deadline_s = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline_s:
        time.sleep(0.001)
    time.sleep(wait_s)
    process.kill()
    process.wait()


@pytest.mark.parametrize("wait_s", [0.0, 0.02, 0.1])
async def test_a_kill_while_the_store_is_made(
    path: Path, reopen: Callable, start_writer: Callable, make_step: Callable, wait_s: float
) -> None:
    kill_once_file_exists(start_writer(path, "t1", 2), path, wait_s)
    store = reopen(path)
    await store.add_step("t2", make_step(0))
    assert await store.steps("t2") == (make_step(0),)


async def test_two_processes_write_to_one_new_file(path: Path, reopen: Callable, start_writer: Callable) -> None:
    both = [start_writer(path, name, 40) for name in ("t1", "t2")]
    lines = [process.communicate(timeout=120)[0].splitlines() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    store = reopen(path)
    for name, said in zip(("t1", "t2"), lines, strict=True):
        assert sorted(map(int, keys(said, "step"))) == list(range(40))
        assert [step.index for step in await store.steps(name)] == list(range(40))
    info = await store.info()
    assert (info.n_trajectories, info.n_steps, info.n_predictions) == (2, 80, 40)
