"""A benchmark on a Dask cluster of two worker processes, whatever dies in between."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from benchmark_helpers import make_trajectory
from dask_predictor import DEADLY, LOG_VARIABLE, NAME
from dask_processes import environment, fake_package, lines, scheduler, wait_until, worker
from runner_helpers import make_sample, trajectories
from runner_process import prompts_on_disk
from test_runner_kill import numbers

from themisto_lab.benchmark import dask_cluster
from themisto_lab.benchmark.dask_cluster import SchedulerError
from themisto_lab.benchmark.manifest import read_manifest
from themisto_lab.benchmark.run_reader import open_results
from themisto_lab.benchmark.runner import BenchSummary, run_bench
from themisto_lab.benchmark.runner_options import BenchOptions
from themisto_lab.errors import BadInputError
from themisto_lab.predict.files import DIRECTORY_VARIABLE
from themisto_lab.predict.registry import ENTRY_POINT_GROUP, Registry
from themisto_lab.types import TaskKind

LOCAL = "local/qwen2.5-coder-0.5b"


@dataclass(frozen=True)
class TwoWorkers:
    """Where the scheduler is, what the workers write down, and where their predictor is installed."""

    address: str
    log: Path
    packages: Path

    def asked(self) -> list[str]:
        return [str(line["asked"]) for line in lines(self.log)]


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoWorkers]:
    """Two workers, which are started again when they die, without any model's file."""
    folder = tmp_path_factory.mktemp("dask")
    points = f"[{ENTRY_POINT_GROUP}]\n{NAME} = dask_predictor:LoggedPredictor\n"
    packages = fake_package(folder / "packages", "themisto_test_predictor", "1.0", points)
    log = folder / "asked.jsonl"
    env = environment(packages, **{LOG_VARIABLE: str(log), DIRECTORY_VARIABLE: str(folder / "no-models")})
    with scheduler(folder, allowed_failures=1) as address, worker(folder, address, env, "--nworkers", "2"):
        yield TwoWorkers(address, log, packages)


@pytest.fixture
def workers(two_workers: TwoWorkers, monkeypatch: pytest.MonkeyPatch) -> TwoWorkers:
    """The two workers with an empty log; their predictor is installed here as well."""
    monkeypatch.syspath_prepend(str(two_workers.packages))
    monkeypatch.setenv(LOG_VARIABLE, str(two_workers.log))
    two_workers.log.write_text("")
    return two_workers


def run(sample: Path, out: Path, address: str | None, **options: object) -> BenchSummary:
    values = {"models": (NAME,), "arms": ("runtime",), "first_pause_s": 0.001, **options}

    async def bench() -> BenchSummary:
        registry = Registry()
        try:
            return await run_bench(BenchOptions(sample=sample, out=out, scheduler=address, **values), registry)
        finally:
            await registry.close()

    return asyncio.run(bench())


def test_a_worker_that_is_killed_changes_no_result(workers: TwoWorkers, tmp_path: Path) -> None:
    sample = make_sample(tmp_path, trajectories(6, 14))
    for name in ("cluster", "here"):
        (tmp_path / name).mkdir()
    killed: list[int] = []

    def kill_one() -> None:
        wait_until(lambda: len({line["pid"] for line in lines(workers.log)}) == 2 and len(lines(workers.log)) > 20)
        killed.append(int(str(lines(workers.log)[-1]["pid"])))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    summary = run(sample, tmp_path / "cluster" / "run", workers.address)
    killer.join()
    asked = workers.asked()
    # What had come back is not asked again; at most what the killed worker had, done or under way, is.
    assert len(asked) - len(set(asked)) <= 2
    assert len(asked) > 60
    assert os.getpid() not in {line["pid"] for line in lines(workers.log)}
    [total] = [one for one in summary.totals if one["model"] == NAME]
    assert total["n_failed"] == 0
    assert total["cost"] == pytest.approx(0.25 * len(set(asked)), rel=0.2)
    assert total["prompt_tokens"] == 7 * total["n_answered"]
    # The time is the model's alone.
    assert 0.02 <= total["mean_latency_s"] < 1.0

    workers.log.write_text("")
    run(sample, tmp_path / "here" / "run", None)
    assert {line["pid"] for line in lines(workers.log)} == {os.getpid()}
    assert Counter(set(asked)) == Counter(workers.asked())
    assert numbers(tmp_path / "cluster" / "run") == numbers(tmp_path / "here" / "run")
    # Both share one cache: with or without a scheduler nothing is left to ask.
    assert run(sample, tmp_path / "here" / "run", workers.address).n_calls == 0


def test_a_killed_run_goes_on(workers: TwoWorkers, tmp_path: Path) -> None:
    sample, out = make_sample(tmp_path, trajectories(8, 14)), tmp_path / "run"
    process = start(sample, out, workers, workers.address)
    process.kill()
    _, complained = process.communicate()
    assert process.returncode == -signal.SIGKILL, complained
    before = set(prompts_on_disk(out))
    assert before
    n_before = len(workers.asked())
    summary = run(sample, out, workers.address, baselines=False)
    # A reply that is on disk is used, whether or not its scores are there yet.
    assert summary.n_calls <= summary.n_answers - len(before)
    later = workers.asked()[n_before:]
    assert later
    assert before.isdisjoint(later)
    assert all(one["n_failed"] == 0 for one in summary.totals)


def start(sample: Path, out: Path, workers: TwoWorkers, address: str) -> subprocess.Popen[bytes]:
    """Start the command; return once some questions are under way."""
    words = [sys.executable, "-m", "themisto_lab.cli.main", "bench", str(sample), "--out", str(out), "--model", NAME]
    words += ["--arm", "runtime", "--no-baselines", "--scheduler", address]
    process = subprocess.Popen(words, env=environment(workers.packages), stderr=subprocess.PIPE)
    wait_until(lambda: len(workers.asked()) > 20 or process.poll() is not None)
    return process


def test_ctrl_c_keeps_what_was_answered_and_leaves_the_workers_free(workers: TwoWorkers, tmp_path: Path) -> None:
    sample, out = make_sample(tmp_path, trajectories(8, 14)), tmp_path / "run"
    process = start(sample, out, workers, workers.address)
    process.send_signal(signal.SIGINT)
    _, complained = process.communicate(timeout=60)
    assert process.returncode == 130, complained
    assert b"what was answered is kept" in complained
    before = set(prompts_on_disk(out))
    assert before
    n_before = len(workers.asked())
    summary = run(sample, out, workers.address, baselines=False)
    assert before.isdisjoint(workers.asked()[n_before:])
    assert all(one["n_failed"] == 0 for one in summary.totals)


def test_a_scheduler_that_is_lost_is_named_and_the_run_goes_on_with_another(
    workers: TwoWorkers, tmp_path: Path
) -> None:
    sample, out = make_sample(tmp_path, trajectories(8, 14)), tmp_path / "run"
    env = environment(workers.packages, **{LOG_VARIABLE: str(workers.log)})
    with scheduler(tmp_path / "dask") as address, worker(tmp_path / "dask", address, env):
        process = start(sample, out, workers, address)
    _, complained = process.communicate(timeout=60)
    assert process.returncode == 1, complained
    assert f"The scheduler {address} was lost. What was done is kept".encode() in complained
    before = set(prompts_on_disk(out))
    assert before
    n_before = len(workers.asked())
    run(sample, out, workers.address, baselines=False)
    assert before.isdisjoint(workers.asked()[n_before:])


@pytest.mark.postgres
def test_results_of_workers_may_stand_in_postgresql(workers: TwoWorkers, tmp_path: Path, postgres_url: str) -> None:
    sample = make_sample(tmp_path, trajectories(2, 14))
    for name in ("cluster", "here"):
        (tmp_path / name).mkdir()
    run(sample, tmp_path / "cluster" / "run", workers.address, store=postgres_url)
    run(sample, tmp_path / "here" / "run", None)
    assert numbers(tmp_path / "cluster" / "run") == numbers(tmp_path / "here" / "run")
    assert run(sample, tmp_path / "cluster" / "run", workers.address, store=postgres_url).n_calls == 0


def test_a_question_that_kills_its_workers_is_a_failed_item(workers: TwoWorkers, tmp_path: Path) -> None:
    [trajectory] = trajectories(1, 10)
    steps = list(trajectory.steps)
    steps[7] = steps[7].model_copy(update={"code": DEADLY})
    sample = make_sample(tmp_path, [make_trajectory("t", steps)], tasks=(TaskKind.CELL_OUTPUT,))
    summary = run(sample, tmp_path / "run", workers.address, baselines=False)
    [total] = summary.totals
    assert total["n_failed"] == 1
    assert total["n_answered"] == summary.n_answers - 1
    # The scheduler allows one failure: a second worker tries. That is done twice, the second time without neighbours
    # that may be to blame; these are answered in the end.
    assert max(Counter(workers.asked()).values()) == 4
    with open_results(tmp_path / "run", read_manifest(tmp_path / "run")) as results:
        [failed] = [answer for answer, _ in results.answers() if answer.error_code]
    assert failed.error_code == "worker_died"
    assert failed.error_message.startswith("2 workers died while they had this task")


def test_a_worker_without_the_models_file_is_named_with_the_remedy(workers: TwoWorkers, tmp_path: Path) -> None:
    summary = run(make_sample(tmp_path), tmp_path / "run", workers.address, models=(LOCAL,), baselines=False)
    assert summary.stopped[LOCAL].startswith("Worker tcp://127.0.0.1:")
    assert "is not on this machine; run: jupyter themisto model pull qwen2.5-coder-0.5b" in summary.stopped[LOCAL]
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert len(manifest["models"][LOCAL]["file_sha256"]) == 64


@pytest.mark.model
def test_an_embedded_model_answers_on_a_worker(tmp_path: Path) -> None:
    sample, out = make_sample(tmp_path, trajectories(1, 7), tasks=(TaskKind.CELL_OUTPUT,)), tmp_path / "run"
    options = {"models": (LOCAL,), "arms": ("no_runtime",), "limit": 1, "baselines": False}
    with scheduler(tmp_path / "dask") as address, worker(tmp_path / "dask", address, environment()):
        summary = run(sample, out, address, **options)
    assert summary.stopped == {}
    assert summary.n_calls == 1
    with open_results(out, read_manifest(out)) as results:
        [(answer, reply)] = results.answers()
    assert answer.error_code is None
    assert reply is not None
    assert reply.prompt_tokens
    assert reply.latency_s > 0
    # The same question here: file, engine and threads are the same, and the reply is at hand.
    again = run(sample, out, None, **options)
    assert (again.n_resumed, again.n_calls) == (1, 0)


def test_another_version_on_a_worker_is_refused(tmp_path: Path) -> None:
    old = fake_package(tmp_path / "old", "themisto_lab", "0.0.1")
    sample = make_sample(tmp_path)
    with scheduler(tmp_path / "dask") as address:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dask_cluster, "_ANSWER_TIMEOUT_S", 2.0)
            with pytest.raises(SchedulerError, match="has no workers; start some"):
                run(sample, tmp_path / "run", address, baselines=False, models=("echo",))
        with (
            worker(tmp_path / "dask", address, environment(old)),
            pytest.raises(SchedulerError, match=r"worker tcp://\S+ has themisto_lab 0\.0\.1, and here it is"),
        ):
            run(sample, tmp_path / "run", address, baselines=False, models=("echo",))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://x"])
def test_an_address_that_does_not_answer_is_named(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "_ANSWER_TIMEOUT_S", 1.0)
    with pytest.raises(BadInputError, match=f"No Dask scheduler answers at {address}.*give the address"):
        run(make_sample(tmp_path), tmp_path / "run", address, models=("echo",))
