"""An existing Dask cluster, on whose workers the items of a run are tasks.

This file and the others named ``dask_*`` are the only ones that know of Dask; it is imported when a scheduler is named.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

from themisto_lab.errors import BadInputError, ThemistoError

_log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

PACKAGE = "themisto_lab"

_ANSWER_TIMEOUT_S = 10.0
_WATCH_S = 10.0
_NO_WARNING_BYTES = 2**40


class SchedulerError(ThemistoError):
    """The scheduler was lost, or its workers can't be used."""

    code = "scheduler_failed"
    http_status = 502


class WorkersDiedError(SchedulerError):
    """Every worker that took one task died with it."""

    code = "worker_died"


class Cluster:
    """The workers behind one scheduler.

    Parameters
    ----------
    client
        An asynchronous ``distributed.Client`` that is connected; its methods have no types of use.
    address
        The scheduler's address, as it was given.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._one_suspect = asyncio.Lock()

    async def check(self) -> None:
        """Make sure that there are workers and that all have this version of the package.

        Raises
        ------
        SchedulerError
            There is none in time, or one has another version; the message names it.
        """
        try:
            await self._client.wait_for_workers(1, timeout=_ANSWER_TIMEOUT_S)
        except TimeoutError:
            raise SchedulerError(
                f"The scheduler {self._address} has no workers; start some with: dask worker {self._address}"
            ) from None
        own = version(PACKAGE)
        # A function of the standard library: a worker without this package can run it all the same.
        found = await self._client.run(version, PACKAGE, on_error="return")
        for worker, other in sorted(found.items()):
            if other == own:
                continue
            if isinstance(other, PackageNotFoundError):
                what = f"has no {PACKAGE}"
            elif isinstance(other, str):
                what = f"has {PACKAGE} {other}"
            else:
                what = f"did not tell its version ({type(other).__name__})"
            raise SchedulerError(
                f"The worker {worker} {what}, and here it is {own}; install the same version there and start it again."
            )

    async def n_workers(self) -> int:
        """Return how many workers there are now."""
        return len(await self._threads())

    async def n_threads(self) -> int:
        """Return how many tasks the workers take at a time."""
        return sum((await self._threads()).values())

    async def run(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a function of this package on one of the workers, and on another one if that worker dies.

        A scheduler blames each death on all tasks that the worker had, so that the neighbours of a deadly task may be
        given up with it. A task that was given up is therefore tried once more, with no other such task beside it.

        Raises
        ------
        WorkersDiedError
            As many workers died with it as the scheduler allows, twice.
        SchedulerError
            The scheduler was lost.
        """
        try:
            return await self._submit(function, *args, **kwargs)
        except WorkersDiedError:
            async with self._one_suspect:
                return await self._submit(function, *args, **kwargs)

    async def _submit(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        future = self._client.submit(function, *args, key=f"themisto-{uuid4().hex}", pure=False, **kwargs)
        try:
            result: R = await future
        except KilledWorker as error:
            raise WorkersDiedError(
                f"{error.allowed_failures + 1} workers died while they had this task; their logs may tell why."
            ) from None
        except FutureCancelledError:
            raise SchedulerError(
                f"The scheduler {self._address} was lost. What was done is kept; give the same command again to go on."
            ) from None
        finally:
            # Whoever gave up does not want it any more: the scheduler drops it if it was not begun.
            future.release()
        return result

    async def everywhere(self, function: Callable[[], object]) -> None:
        """Run a function in every worker's process, busy or not; failures do not matter."""
        with suppress(Exception):
            await self._client.run(function, on_error="ignore")

    async def watch(self) -> None:
        """Warn when there are no workers left, for then tasks wait."""
        warned = False
        while True:
            await asyncio.sleep(_WATCH_S)
            lost = not await self._threads()
            if lost and not warned:
                _log.warning("The scheduler %s has no workers any more; waiting for new ones", self._address)
            warned = lost

    async def _threads(self) -> dict[str, int]:
        threads: dict[str, int] = await self._client.nthreads()
        return threads


@asynccontextmanager
async def open_cluster(address: str) -> AsyncIterator[Cluster]:
    """Connect to a scheduler; at the end what was not done is given up.

    Raises
    ------
    BadInputError
        Dask is not installed, or nothing answers at the address.
    SchedulerError
        The workers can't be used.
    """
    try:
        import dask
        from distributed import Client

        make_client: Any = Client
    except ModuleNotFoundError:
        raise BadInputError("--scheduler needs Dask: run pip install 'themisto_lab[dask]'.") from None
    # A trajectory may be large, and each is needed once, by one task: Dask's advice against that has no use here.
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": _NO_WARNING_BYTES}):
        client: Any = make_client(address, asynchronous=True, timeout=_ANSWER_TIMEOUT_S, set_as_default=False)
        try:
            try:
                await client
            except (OSError, TimeoutError, ValueError, RuntimeError) as error:
                raise BadInputError(
                    f"No Dask scheduler answers at {address} ({type(error).__name__}); give the address that "
                    "'dask scheduler' printed, such as tcp://192.0.2.1:8786."
                ) from None
            cluster = Cluster(client, address)
            await cluster.check()
            watching = asyncio.create_task(cluster.watch())
            try:
                yield cluster
            finally:
                watching.cancel()
        finally:
            await client.close()
