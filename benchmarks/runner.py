"""What the benchmark's runner adds to the time that a model takes, and whether its memory grows with the items.

A fake model answers after 50 ms, 20 requests at a time; each reply is on disk before its answer counts. Every run is a
process of its own, and its start is left out. Prints the times and peaks, and as its last line one JSON object:
``ratio_to_ideal`` is the wall time of 1,000 items over that of a runner that takes no time of its own (2.5 s).

Usage: ``python benchmarks/runner.py [--quick]``
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import psutil

from themisto_lab.benchmark.format import write_trajectories
from themisto_lab.benchmark.runner import run_bench
from themisto_lab.benchmark.runner_options import BenchOptions
from themisto_lab.benchmark.sampling import SampleRules, sample
from themisto_lab.predict.base import Chunk, PredictRequest
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.predict.registry import Registry
from themisto_lab.types import MIME_TEXT, CellOutput, Step, TaskKind, Trajectory, Usage, VariableSnapshot

N_AT_A_TIME = 20
DELAY_S = 0.05
N_STEPS = 15
MODEL = "fake/50-ms"
WORDS = ("df", "mean", "groupby", "import", "pandas", "x", "y", "mass", "=", "(", ")", "'wing'", "\n", "1.5", "print")


class FakeModel(EchoPredictor):
    """Answers after 50 ms with the code of the last cell, as a model behind a network would; it keeps no requests."""

    def __init__(self) -> None:
        super().__init__(name=MODEL, form="chat", delay_s=DELAY_S)

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        """Answer in one chunk."""
        await asyncio.sleep(DELAY_S)
        yield Chunk(request.trajectory.steps[-1].code, usage=Usage(prompt_tokens=1, completion_tokens=1))


def steps(random_: random.Random, trajectory_id: str) -> Iterator[Step]:
    for index in range(N_STEPS):
        variables = tuple(
            VariableSnapshot(name=f"v{n}", type_name="int", size_bytes=28, summary=str(n)) for n in range(5)
        )
        yield Step(
            index=index,
            kernel_id=trajectory_id,
            code=" ".join(random_.choices(WORDS, k=25)),
            outputs=(CellOutput(mime=MIME_TEXT, text=" ".join(random_.choices(WORDS, k=20))),),
            variables=variables,
        )


def make_sample(folder: Path, n_items: int) -> Path:
    """Make a sample of so many next cells, out of trajectories of 15 steps each."""
    random_ = random.Random(n_items)
    n_trajectories = n_items // 10
    trajectories = (
        Trajectory(id=f"t{number}", steps=tuple(steps(random_, f"t{number}"))) for number in range(n_trajectories)
    )
    write_trajectories(folder / f"{n_items}.t.jsonl", trajectories)
    path = folder / f"{n_items}.s.jsonl"
    sample(folder / f"{n_items}.t.jsonl", path, SampleRules(tasks=(TaskKind.NEXT_CELL,), n=n_items, draw="uniform"))
    return path


async def one_run(path: Path, out: Path) -> dict[str, Any]:
    """Run the benchmark in this process and return its time and its peak memory."""
    registry = Registry()
    registry.register(MODEL, FakeModel)
    options = BenchOptions(
        sample=path, out=out, models=(MODEL,), arms=("runtime",), concurrency=N_AT_A_TIME, baselines=False
    )
    process, peak_bytes, over = psutil.Process(), 0, asyncio.Event()

    async def watch() -> None:
        nonlocal peak_bytes
        while not over.is_set():
            peak_bytes = max(peak_bytes, process.memory_info().rss)
            await asyncio.sleep(0.1)

    watching = asyncio.create_task(watch())
    started_s, started_cpu_s = time.perf_counter(), time.process_time()
    summary = await run_bench(options, registry)
    wall_s, cpu_s = time.perf_counter() - started_s, time.process_time() - started_cpu_s
    over.set()
    await watching
    await registry.close()
    answered = sum(one["n_answered"] for one in summary.totals)
    return {
        "wall_s": wall_s,
        "cpu_s": cpu_s,
        "peak_mb": peak_bytes / 1e6,
        "n_answered": answered,
        "n_calls": summary.n_calls,
    }


def in_own_process(path: Path, out: Path) -> dict[str, Any]:
    words = [sys.executable, __file__, "--one-run", str(path), str(out)]
    found: dict[str, Any] = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="4,000 items in place of 20,000, under a minute")
    parser.add_argument("--one-run", nargs=2, type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one_run:
        print(json.dumps(asyncio.run(one_run(*args.one_run))))
        return
    n_many = 4_000 if args.quick else 20_000
    with tempfile.TemporaryDirectory(prefix="themisto-runner-") as name:
        folder = Path(name)
        few, many = make_sample(folder, 1_000), make_sample(folder, n_many)
        first = in_own_process(few, folder / "few")
        again = in_own_process(few, folder / "few")
        large = in_own_process(many, folder / "many")
    ideal_s = 1_000 * DELAY_S / N_AT_A_TIME
    ratio = first["wall_s"] / ideal_s
    growth_mb = large["peak_mb"] - first["peak_mb"]
    print(f"A model of {DELAY_S * 1e3:.0f} ms, {N_AT_A_TIME} requests at a time, each reply committed.\n")
    print(f"1,000 items:          {first['wall_s']:6.2f} s, {ratio:.2f} times the ideal {ideal_s} s")
    print(f"processor time:       {first['cpu_s']:6.2f} ms an item")
    print(f"the same run again:   {again['wall_s']:6.2f} s, {again['n_calls']} requests")
    print(f"{n_many:,} items: {large['wall_s']:15.2f} s")
    print(f"peak memory:          {first['peak_mb']:6.0f} MB at 1,000, {large['peak_mb']:.0f} MB at {n_many:,} items")
    figures = {
        "ratio_to_ideal": round(ratio, 3),
        "wall_s": round(first["wall_s"], 3),
        "cpu_ms_per_item": round(first["cpu_s"], 3),
        "cached_s": round(again["wall_s"], 3),
        "cached_calls": again["n_calls"],
        "answered": first["n_answered"],
        "peak_mb_1000": round(first["peak_mb"], 1),
        f"peak_mb_{n_many}": round(large["peak_mb"], 1),
        "growth_mb": round(growth_mb, 1),
        "items_per_s": round(n_many / large["wall_s"], 1),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
