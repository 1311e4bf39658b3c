"""Replays as tasks on a Dask cluster: a trajectory is a task, whose kernel runs on the worker."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from themisto_lab.benchmark.contenders import package_version
from themisto_lab.benchmark.dask_cluster import PACKAGE, SchedulerError, WorkersDiedError, open_cluster
from themisto_lab.benchmark.dask_worker import check_version, own_address
from themisto_lab.benchmark.replay import OnStep, Replayer, ReplayOptions, ReplayReport
from themisto_lab.benchmark.replay_run import OneReplay
from themisto_lab.benchmark.session import default_python, find_interpreter, kernel_specs
from themisto_lab.errors import BadInputError, ThemistoError
from themisto_lab.types import Trajectory


@asynccontextmanager
async def replays_on(address: str, options: ReplayOptions, on_step: OnStep) -> AsyncIterator[tuple[OneReplay, int]]:
    """Provide a way to replay a trajectory on the workers, and how many may be under way.

    Parameters
    ----------
    address
        The scheduler's address.
    options
        How. An empty ``python`` stands for each worker's own interpreter, 0 ``jobs`` for the workers' threads.
    on_step
        Called for all steps of a trajectory when it is done.

    Raises
    ------
    BadInputError, SchedulerError
        As `themisto_lab.benchmark.dask_cluster.open_cluster`.
    """
    sent = replace(options, cwd=options.cwd.absolute() if options.cwd is not None else None)
    version = package_version(PACKAGE)
    async with open_cluster(address) as cluster:

        async def replay(trajectory: Trajectory) -> tuple[ReplayReport, Trajectory | None]:
            n_steps = len(trajectory.steps)
            try:
                report, replayed = await cluster.run(replay_one, trajectory, sent, version)
            except WorkersDiedError as error:
                report, replayed = ReplayReport(n_not_replayed=n_steps, note=str(error)), None
            except ThemistoError:
                raise
            except Exception as error:
                raise SchedulerError(f"A worker could not take {trajectory.id} ({type(error).__name__}).") from error
            for _ in range(n_steps):
                on_step()
            return report, replayed

        yield replay, options.jobs or await cluster.n_threads()


def replay_one(trajectory: Trajectory, options: ReplayOptions, version: str) -> tuple[ReplayReport, Trajectory | None]:
    """Replay a trajectory, in a worker, with its own interpreter and folder.

    Raises
    ------
    BadInputError
        They can't be used here; the message names the worker.
    """

    async def replay() -> tuple[ReplayReport, Trajectory | None]:
        check_version(version)
        if options.cwd is not None and not options.cwd.is_dir():
            raise BadInputError(f"{options.cwd} is not a folder.")
        python = await find_interpreter(options.python or default_python())
        with kernel_specs(python) as specs:
            replayer = Replayer(trajectory, replace(options, python=python), specs, lambda: None)
            replayed = await replayer.replay()
        return replayer.report, replayed

    try:
        return asyncio.run(replay())
    except ThemistoError as error:
        raise BadInputError(f"Worker {own_address()}: {error}") from None
