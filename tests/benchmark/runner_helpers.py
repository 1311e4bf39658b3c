"""A small sample, a model that can be told to fail, and a way to run the commands."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from benchmark_helpers import make_step, make_trajectory

from themisto_lab.benchmark.format import write_trajectories
from themisto_lab.benchmark.runner import BenchSummary, run_bench
from themisto_lab.benchmark.runner_options import BenchOptions
from themisto_lab.benchmark.sampling import SampleRules, sample
from themisto_lab.cli import bench, report, show
from themisto_lab.predict.base import Chunk, PredictRequest
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.predict.registry import Registry
from themisto_lab.types import TaskKind, Trajectory, Usage, VariableSnapshot

MODEL = "fake/model"


class FakeModel(EchoPredictor):
    """Answers with a fenced copy of the last cell, or as it is told; it counts what it is asked."""

    def __init__(self, fail: Callable[[int, PredictRequest], Exception | None] | None = None) -> None:
        super().__init__(name=MODEL, form="chat")
        self._fail = fail

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        self.requests.append(request)
        await asyncio.sleep(0)
        error = self._fail(len(self.requests), request) if self._fail is not None else None
        if error is not None:
            raise error
        usage = Usage(prompt_tokens=10, completion_tokens=2)
        yield Chunk(f"```python\n{request.trajectory.steps[-1].code}\n```", usage=usage, cost=0.5)


def trajectories(n: int = 3, n_steps: int = 12) -> list[Trajectory]:
    """Sessions in which every third cell repeats the first; each step shows one variable."""
    made = []
    for number in range(n):
        steps = []
        for index in range(n_steps):
            code = f"total_{number} = 1" if index % 3 == 0 else f"print('step {index} of {number}', {index} * {number})"
            output = "" if index % 3 == 0 else f"step {index} of {number} {index * number}"
            variable = VariableSnapshot(name="v", type_name="int", size_bytes=28, summary=str(index))
            steps.append(make_step(index, code, output, variables=(variable,), cell_id=f"c{index % 5}"))
        made.append(make_trajectory(f"t{number}", steps))
    return made


def make_sample(folder: Path, made: list[Trajectory] | None = None, **rules: Any) -> Path:
    write_trajectories(folder / "t.jsonl", made if made is not None else trajectories())
    path = folder / "s.jsonl"
    sample(folder / "t.jsonl", path, SampleRules(**{"draw": "all", **rules}))
    return path


def registry_with(model: FakeModel) -> Registry:
    registry = Registry()
    registry.register(MODEL, lambda: model)
    return registry


async def bench_with(model: FakeModel, path: Path, out: Path, **options: Any) -> BenchSummary:
    values = {"models": (MODEL,), "arms": ("no_runtime", "runtime"), "first_pause_s": 0.001, **options}
    registry = registry_with(model)
    try:
        return await run_bench(BenchOptions(sample=path, out=out, **values), registry)
    finally:
        await registry.close()


def command(*words: object) -> int:
    """Run one of the commands as a person would; its errors come through."""
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    for module in (bench, report, show):
        module.add_parser(subparsers)
    args = parser.parse_args([str(word) for word in words])
    return int(args.run(args))


TASKS = tuple(TaskKind)
