"""Runs a benchmark: every contender answers every item, scored and on disk as it goes, resumable at any moment."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from themisto_lab.benchmark.contenders import Contender, make_contenders
from themisto_lab.benchmark.manifest import Manifest, open_run, results_place
from themisto_lab.benchmark.results import Results
from themisto_lab.benchmark.runner_answers import Answers, Ask, ModelStopError, ask_here
from themisto_lab.benchmark.runner_items import chosen_items
from themisto_lab.benchmark.runner_jobs import Chunk, Setup, chunks, make_setup
from themisto_lab.benchmark.runner_options import BenchOptions
from themisto_lab.benchmark.runner_pass import Pass, Watch, in_thread
from themisto_lab.benchmark.sample_file import read_header, read_sample
from themisto_lab.benchmark.sampling import file_sha256
from themisto_lab.errors import BadInputError
from themisto_lab.predict.models import embedded_spec
from themisto_lab.predict.registry import Registry
from themisto_lab.types import JsonObject

if TYPE_CHECKING:
    from themisto_lab.benchmark.dask_cluster import Cluster

_SWITCH_INTERVAL_S = 0.0005
"""How long a thread that computes may keep the event loop waiting: ten times less than Python's own choice, for
prompts and scores are made beside the requests, and each request that waits for its turn is a model that idles."""


@dataclass(slots=True)
class BenchSummary:
    """What a run came to.

    Attributes
    ----------
    n_items
        Items of each task.
    n_answers
        Answers that the run is about.
    n_resumed
        Those that stood already when this process began.
    n_calls
        Requests to models, attempts that failed included; free predictors are not counted.
    totals
        For each model, arm and form of prompt the answers, failures, tokens, cost and latency.
    stopped
        Models that could not be asked any more, with the reason.
    """

    n_items: dict[str, int]
    n_answers: int = 0
    n_resumed: int = 0
    n_calls: int = 0
    totals: list[JsonObject] = field(default_factory=list)
    stopped: dict[str, str] = field(default_factory=dict)


async def run_bench(options: BenchOptions, registry: Registry, watch: Watch | None = None) -> BenchSummary:
    """Run a benchmark, or go on with one.

    A question whose reply is on disk is not asked again. Failures of an earlier process are asked again.

    Parameters
    ----------
    options
        The options.
    registry
        Where predictors come from; the caller closes it.
    watch
        Hears how far it is.

    Raises
    ------
    ThemistoError
        The sample can't be read, a model can't be asked, or the folder belongs to another run.
    """
    options.check()
    read_header(options.sample)
    # With a scheduler each worker looks for its own files and keys.
    contenders = await asyncio.to_thread(make_contenders, options, registry, options.scheduler is None)
    sample_sha256 = await asyncio.to_thread(file_sha256, options.sample)
    with locked(options.out):
        manifest = open_run(options, sample_sha256, contenders)
        with Results(results_place(options.out, manifest, options.store), manifest.run_id) as results:
            given_up = threading.Event()
            n_items = await in_thread(lambda: _prepare(options, results, given_up), given_up.set)
            async with _cluster(options.scheduler) as cluster:
                run = _Run(options, registry, manifest, results, watch or Watch(), BenchSummary(n_items), cluster)
                with _quick_turns():
                    return await run.all_of(contenders)


def _cluster(address: str | None) -> AbstractAsyncContextManager[Cluster | None]:
    """Connect to the cluster, where there is to be one."""
    if address is None:
        return contextlib.nullcontext()
    from themisto_lab.benchmark.dask_cluster import open_cluster

    return open_cluster(address)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run for one process; a process that is killed lets go of it.

    Raises
    ------
    BadInputError
        Another process holds it, or the folder can't be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise BadInputError(f"{folder} is written by another 'bench' now; wait for it, or stop it.") from None
    except OSError as error:
        raise BadInputError(f"{folder} can't be made a folder: {error.strerror or error}.") from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _quick_turns() -> Iterator[None]:
    """Let threads take turns more often while a run is under way."""
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(min(usual_s, _SWITCH_INTERVAL_S))
    try:
        yield
    finally:
        sys.setswitchinterval(usual_s)


class _GivenUpError(Exception):
    """Raised in a thread whose result nobody waits for any more."""


def _prepare(options: BenchOptions, results: Results, given_up: threading.Event) -> dict[str, int]:
    """Write which items the run is about, unless that was done; the whole sample is read and checked by that."""

    def check() -> None:
        if given_up.is_set():
            raise _GivenUpError

    if not results.count_items():
        results.put_items(chosen_items(options.sample, options.limit, options.seed, check))
    n_items = results.count_items()
    if not n_items:
        raise BadInputError(f"{options.sample} holds no item.")
    return n_items


@dataclass(slots=True)
class _Run:
    """A run under way."""

    options: BenchOptions
    registry: Registry
    manifest: Manifest
    results: Results
    watch: Watch
    summary: BenchSummary
    cluster: Cluster | None = None

    async def all_of(self, contenders: Sequence[Contender]) -> BenchSummary:
        """Let the free predictors answer together, then each model on its own, so that times are not mixed up."""
        tasks = self.summary.n_items
        self.summary.n_answers = sum(
            len(one.arms) * number
            for one in contenders
            for task, number in tasks.items()
            if task in one.predictor.tasks
        )
        self.watch.begun(self.summary.n_answers)
        free = [one for one in contenders if one.free]
        for group in ([free] if free else []) + [[one] for one in contenders if not one.free]:
            try:
                await self._pass(group)
            finally:
                for one in group:
                    spec = embedded_spec(one.name)
                    if spec is not None and one.predictor.kind == "local":
                        await self.registry.engine(spec.name).stop()
        self.summary.totals = await asyncio.to_thread(self.results.totals)
        return self.summary

    async def _pass(self, group: Sequence[Contender]) -> None:
        setups = [make_setup(one, self.options, self.manifest) for one in group]
        async with self._way_to_ask(group) as (ask, width):
            await self._answer(setups, Answers(self.results, ask), width)

    @contextlib.asynccontextmanager
    async def _way_to_ask(self, group: Sequence[Contender]) -> AsyncIterator[tuple[Ask, int]]:
        """Provide how to ask, and how many requests may be under way."""
        concurrency = self.options.concurrency
        if self.cluster is None or group[0].free:
            # An embedded model has one place: a second request would wait inside it, with its time running.
            yield ask_here, 1 if group[0].predictor.kind == "local" else concurrency
            return
        from themisto_lab.benchmark.dask_bench import WorkersAsk

        (contender,) = group
        ask = WorkersAsk(self.cluster, contender)
        try:
            yield ask, await ask.width(concurrency)
        finally:
            await ask.close()

    async def _answer(self, setups: Sequence[Setup], answers: Answers, width: int) -> None:
        one_pass = Pass(answers, self.watch, width)
        try:
            self.summary.n_resumed += await one_pass.run(self._chunks(setups))
        except BaseExceptionGroup as failures:
            errors = list(_flat(failures))
            stops = [error for error in errors if isinstance(error, ModelStopError)]
            if len(stops) < len(errors):
                raise next(error for error in errors if error not in stops) from None
            self.summary.stopped.update({stop.model: stop.error.message for stop in stops})
        finally:
            await answers.close()
            self.summary.n_calls += answers.n_calls

    def _chunks(self, setups: Sequence[Setup]) -> Iterator[Chunk]:
        limited = self.options.limit is not None
        return chunks(read_sample(self.options.sample), setups, self.results, limited)


def _flat(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _flat(error)
        else:
            yield error
