"""Runs that are killed or interrupted go on where they were and ask nothing twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmark_helpers import ROOT
from runner_helpers import MODEL, FakeModel, bench_with, command, make_sample, trajectories

from themisto_lab.benchmark.manifest import read_manifest
from themisto_lab.benchmark.run_reader import open_results
from themisto_lab.benchmark.runner import locked
from themisto_lab.errors import BadInputError
from themisto_lab.predict.base import PredictRequest

N_KILLS = 10


def numbers(out: Path) -> dict[str, object]:
    """A run's report without what differs from run to run: ids and times."""
    assert command("report", out, "--out", out.parent / "report", "--raw") == 0
    report = json.loads((out.parent / "report" / "report.json").read_text(encoding="utf-8"))
    del report["runs"]
    return report


def test_kill_9_at_ten_moments_repeats_no_answered_call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = make_sample(tmp_path, trajectories(20, 14))
    (tmp_path / "killed").mkdir()
    (tmp_path / "whole").mkdir()
    script = Path(__file__).with_name("runner_process.py")
    words = [sys.executable, str(script), str(sample), str(tmp_path / "killed" / "run"), str(N_KILLS), "20250412"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=150, cwd=ROOT, check=True)
    lives = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lives) == N_KILLS + 1
    assert lives[-1]["status"] == 0
    n_cut_short = sum(life["killed"] for life in lives)
    assert n_cut_short >= N_KILLS // 2, "the run ended before it was killed: make it longer"
    for life in lives:
        assert set(life["before"]).isdisjoint(life["asked"])
        assert len(set(life["asked"])) == len(life["asked"])
    # Replies were kept over kills, and questions were left for the next life.
    assert sum(bool(life["before"]) and bool(life["asked"]) for life in lives) >= 2

    asyncio.run(bench_with(FakeModel(), sample, tmp_path / "whole" / "run"))
    assert numbers(tmp_path / "killed" / "run") == numbers(tmp_path / "whole" / "run")
    assert "Table 2" in capsys.readouterr().out


async def test_who_gives_up_keeps_what_was_answered(tmp_path: Path) -> None:
    path, out = make_sample(tmp_path), tmp_path / "run"
    started = asyncio.Event()

    def tell(n: int, _: PredictRequest) -> None:
        if n == 20:
            started.set()

    first = FakeModel(tell)
    running = asyncio.create_task(bench_with(first, path, out, baselines=False, concurrency=2))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with open_results(out, read_manifest(out)) as results:
        kept = {(answer.item_id, answer.arm) for answer, _ in results.answers()}
    assert kept
    second = FakeModel()
    summary = await bench_with(second, path, out, baselines=False)
    assert summary.n_resumed == len(kept)
    # At most the two requests that were under way are asked again.
    assert len(first.requests) + len(second.requests) <= summary.n_answers + 2


def test_ctrl_c_is_clean(tmp_path: Path) -> None:
    sample = make_sample(tmp_path, trajectories(30, 40))
    out = tmp_path / "run"
    code = "import sys; from themisto_lab.cli import bench; import argparse; p = argparse.ArgumentParser(); "
    code += "bench.add_parser(p.add_subparsers()); a = p.parse_args(sys.argv[1:]); sys.exit(a.run(a))"
    words = [sys.executable, "-W", "error", "-c", code, "bench", str(sample), "--out", str(out), "--model", "echo"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline_s = time.monotonic() + 60
    while not (out / "results.sqlite").exists() and time.monotonic() < deadline_s:
        time.sleep(0.01)
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    said, complained = process.communicate(timeout=60)
    assert process.returncode == 130, complained
    assert said == ""
    assert "Give the same command again to go on" in complained
    assert "Traceback" not in complained


def test_one_run_is_written_by_one_process(tmp_path: Path) -> None:
    path = make_sample(tmp_path)
    with locked(tmp_path / "run"), pytest.raises(BadInputError, match="written by another 'bench'"):
        asyncio.run(bench_with(FakeModel(), path, tmp_path / "run", models=(MODEL,)))
