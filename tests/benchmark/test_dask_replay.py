"""Replays on a Dask cluster of two worker processes, in real kernels, whatever dies in between."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from benchmark_helpers import make_trajectory
from dask_processes import environment, scheduler, wait_until, worker
from test_replay import steps_of

from themisto_lab.benchmark.format import read_trajectories, write_trajectories
from themisto_lab.benchmark.replay import ReplayOptions
from themisto_lab.benchmark.replay_run import ReplaySummary, check_source, replay_file
from themisto_lab.errors import BadInputError
from themisto_lab.types import Trajectory

LOG_VARIABLE = "THEMISTO_TEST_PARENTS"
OPTIONS = ReplayOptions(python="", timeout_s=30, jobs=0)
NOTE = f"import os\nwith open(os.environ['{LOG_VARIABLE}'], 'a') as file:\n    print(os.getppid(), NAME, file=file)"
"""Writes down whose child the kernel is: the worker's."""
DEADLY = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("replay") / "parents.txt"


@pytest.fixture(scope="module")
def address(log: Path) -> Iterator[str]:
    env = environment(**{LOG_VARIABLE: str(log)})
    with scheduler(log.parent, allowed_failures=1) as place, worker(log.parent, place, env, "--nworkers", "2"):
        yield place


@pytest.fixture
def parents(log: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(LOG_VARIABLE, str(log))
    log.write_text("")
    return log


def replay(folder: Path, source: Path, address: str | None, options: ReplayOptions = OPTIONS) -> ReplaySummary:
    ids, n_steps = check_source(source)
    seen = Counter[str]()
    out = folder / "r.jsonl"
    summary = asyncio.run(replay_file(source, out, options, ids, lambda: seen.update(["step"]), address))
    assert seen["step"] == n_steps
    return summary


def make_source(folder: Path, n: int, *last: str) -> Path:
    made = [
        make_trajectory(f"t{number}", steps_of(f"NAME = 't{number}'", NOTE, "import time; time.sleep(0.3)", "NAME * 2"))
        for number in range(n)
    ]
    if last:
        made.append(make_trajectory("last", steps_of(*last)))
    write_trajectories(folder / "t.jsonl", made)
    return folder / "t.jsonl"


def told(path: Path) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """What a replay recorded, without what differs from run to run."""

    def steps(trajectory: Trajectory) -> list[tuple[str, str, str]]:
        return [(step.code, step.output_text, step.status) for step in trajectory.steps]

    return [(trajectory.id, steps(trajectory)) for trajectory in read_trajectories(path)]


def test_workers_that_are_killed_cost_nothing_but_their_own_task(address: str, parents: Path, tmp_path: Path) -> None:
    """One is killed from outside; one trajectory kills whoever runs it."""
    source = make_source(tmp_path, 4, DEADLY)
    for name in ("cluster", "here"):
        (tmp_path / name).mkdir()

    def kill_one() -> None:
        wait_until(lambda: parents.read_text().count("\n") > 0)
        os.kill(int(parents.read_text().split()[0]), signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    summary = replay(tmp_path / "cluster", source, address)
    killer.join()
    assert summary.n_trajectories == 4
    [why] = summary.left_out.values()
    assert why.startswith("2 workers died while they had this task")
    assert str(os.getpid()) not in parents.read_text().split()
    # The trajectory whose worker was killed ran again, on another one; its neighbour may have cost it a third run.
    assert 2 <= Counter(line.split()[1] for line in parents.read_text().splitlines())["t0"] <= 4

    here = replay(tmp_path / "here", make_source(tmp_path, 4), None, replace(OPTIONS, python=sys.executable, jobs=2))
    assert here.n_trajectories == 4
    assert told(tmp_path / "cluster" / "r.jsonl") == told(tmp_path / "here" / "r.jsonl")


def test_a_killed_replay_goes_on(address: str, parents: Path, tmp_path: Path) -> None:
    source, partial = make_source(tmp_path, 4), tmp_path / "r.jsonl.partial"
    words = [sys.executable, "-m", "themisto_lab.cli.main", "replay", str(source), "--out", str(tmp_path / "r.jsonl")]
    words += ["--scheduler", address, "--jobs", "1", "--timeout", "30"]
    process = subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE)
    wait_until(lambda: process.poll() is not None or (partial.exists() and partial.read_bytes().count(b"\n") > 1))
    process.kill()
    _, complained = process.communicate()
    assert process.returncode == -signal.SIGKILL, complained
    summary = replay(tmp_path, source, address)
    assert 1 <= summary.n_resumed < 4
    assert summary.n_trajectories == 4
    assert not partial.exists()


def test_a_folder_that_the_worker_has_not_is_named(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"Worker tcp://127\.0\.0\.1:\d+: /nowhere/at/all is not a folder"):
        replay(tmp_path, make_source(tmp_path, 1), address, replace(OPTIONS, cwd=Path("/nowhere/at/all")))
