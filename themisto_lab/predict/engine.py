"""The embedded engine as the Jupyter server sees it: a child process that comes and goes as it is needed."""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from themisto_lab.errors import EngineError, ThemistoError
from themisto_lab.predict import files
from themisto_lab.predict.engine_process import EngineOptions, EngineProcess
from themisto_lab.predict.models import ModelSpec

if TYPE_CHECKING:
    import httpx

log = logging.getLogger(__name__)

EngineState = Literal["stopped", "loading", "ready"]

_DEATH_WAIT_S = 1.0
_FAILURE_REMEMBERED_S = 30.0


def engine_installed() -> bool:
    """Tell whether the engine's package is there; its publisher builds no wheel for some platforms."""
    return importlib.util.find_spec("xllamacpp") is not None


@dataclass(frozen=True, slots=True)
class _Ready:
    """A child that has loaded its model, and the port that it listens on."""

    process: EngineProcess
    port: int


@dataclass(frozen=True, slots=True)
class _Failure:
    """A start that failed, remembered so that a broken file is not loaded again at each request."""

    error: ThemistoError
    stamp: tuple[int, int]
    until_s: float


class Engine:
    """One model in one child process, started at the first need and stopped when idle.

    All methods belong to one event loop at a time. `lease` is the way in: it starts the child if it is not
    running, and keeps it from being stopped for idleness.

    Parameters
    ----------
    spec
        The model.
    options
        How to run it.
    """

    def __init__(self, spec: ModelSpec, options: EngineOptions | None = None) -> None:
        self.spec = spec
        self.options = options or EngineOptions()
        self._ready: _Ready | None = None
        self._starting: asyncio.Task[_Ready] | None = None
        self._failure: _Failure | None = None
        self._n_leases = 0
        self._idle_timer: asyncio.TimerHandle | None = None
        # The link is plain HTTP; without this each client would load the system's certificates (50 ms).
        self._unused_ssl_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    @property
    def state(self) -> EngineState:
        """Whether the child is stopped, loading the model, or ready."""
        if self._starting is not None and not self._starting.done():
            return "loading"
        return "ready" if self._running() is not None else "stopped"

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        ready = self._running()
        return ready.process.pid if ready else None

    @asynccontextmanager
    async def lease(self) -> AsyncIterator[httpx.AsyncClient]:
        """Give an HTTP client of the running engine, which is started if need be.

        Raises
        ------
        ModelMissingError, ModelDamagedError
            The model's file is not there or not what it should be.
        EngineError
            The engine is not installed, did not start, or died with the request.
        """
        import httpx

        self._n_leases += 1
        self._cancel_idle_timer()
        try:
            ready = await self._ensure_started()
            async with httpx.AsyncClient(
                base_url=f"http://127.0.0.1:{ready.port}",
                headers={"Authorization": f"Bearer {ready.process.key}"},
                timeout=None,  # noqa: S113 - each caller has a deadline of its own
                trust_env=False,
                verify=self._unused_ssl_context,
                # The engine closes a connection after a stream, so that a kept one may be dead.
                limits=httpx.Limits(max_keepalive_connections=0),
            ) as client:
                try:
                    yield client
                except httpx.TransportError:
                    raise await self._transport_failed(ready.process) from None
        finally:
            self._n_leases -= 1
            if self._n_leases == 0 and self._ready is not None:
                self._set_idle_timer()

    async def stop(self) -> None:
        """End the child; requests under way fail. The next lease starts it again."""
        self._cancel_idle_timer()
        starting, self._starting = self._starting, None
        if starting is not None and not starting.done():
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
        await self._discard()

    def _running(self) -> _Ready | None:
        ready = self._ready
        return ready if ready is not None and ready.process.returncode is None else None

    async def _ensure_started(self) -> _Ready:
        ready = self._running()
        if ready is not None:
            return ready
        if self._starting is None or self._starting.done():
            self._starting = asyncio.ensure_future(self._start())
            self._starting.add_done_callback(_mark_retrieved)
        starting = self._starting
        try:
            # Shielded: one caller that gives up must not take the start away from the others.
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if starting.cancelled() and task is not None and not task.cancelling():
                # It was `stop` that gave up, and not this caller, who has to hear of it.
                raise EngineError("The embedded engine was stopped while it was loading.") from None
            raise

    async def _start(self) -> _Ready:
        if self._ready is not None:
            log.warning("The engine of %s had ended (%s)", self.spec.name, self._ready.process.returncode)
            await self._discard()
        if not engine_installed():
            raise EngineError(
                "The embedded engine (xllamacpp) is not installed; it has no wheel for some platforms. "
                "All other predictors work without it."
            )
        path = await asyncio.to_thread(files.require_file, self.spec)
        stat = path.stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
        failure = self._failure
        if failure and failure.stamp == stamp and time.monotonic() < failure.until_s:
            raise type(failure.error)(*failure.error.args)
        try:
            self._ready = await self._spawn(path)
        except ThemistoError as error:
            self._failure = _Failure(error, stamp, time.monotonic() + _FAILURE_REMEMBERED_S)
            raise
        self._failure = None
        log.info("The engine of %s is ready", self.spec.name)
        return self._ready

    async def _spawn(self, path: Path) -> _Ready:
        process = await asyncio.to_thread(EngineProcess, path, self.options)
        try:
            async with asyncio.timeout(self.options.start_timeout_s):
                answer = await asyncio.to_thread(process.wait_ready)
        except TimeoutError:
            await asyncio.shield(asyncio.to_thread(process.end))
            raise EngineError(
                f"The embedded engine did not load {self.spec.name} in {self.options.start_timeout_s:g} s."
            ) from None
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.to_thread(process.end))
            raise
        if isinstance(answer, int):
            return _Ready(process, answer)
        await asyncio.to_thread(process.end)
        # Only now is the checksum worth its time: is the file to blame, or the engine?
        await asyncio.to_thread(files.verify, self.spec)
        raise EngineError(f"The embedded engine could not load {self.spec.name} ({answer}).")

    async def _transport_failed(self, process: EngineProcess) -> EngineError:
        """Return the error for a connection that broke, after a look at whether the child died."""
        returncode = await asyncio.to_thread(process.wait, _DEATH_WAIT_S)
        if returncode is None:
            return EngineError("The embedded engine closed the connection in the middle of an answer.")
        return EngineError(
            f"The embedded engine ended in the middle of an answer (exit {returncode}); "
            "the next request starts it again."
        )

    async def _discard(self) -> None:
        ready, self._ready = self._ready, None
        if ready is not None:
            await asyncio.to_thread(ready.process.end)

    def _set_idle_timer(self) -> None:
        self._cancel_idle_timer()
        self._idle_timer = asyncio.get_running_loop().call_later(self.options.idle_s, self._on_idle)

    def _cancel_idle_timer(self) -> None:
        timer, self._idle_timer = self._idle_timer, None
        if timer is not None:
            timer.cancel()

    def _on_idle(self) -> None:
        ready = self._ready
        if self._n_leases == 0 and ready is not None:
            self._ready = None
            log.info("The engine of %s was idle and is stopped", self.spec.name)
            asyncio.get_running_loop().run_in_executor(None, ready.process.end)


def _mark_retrieved(task: asyncio.Task[_Ready]) -> None:
    """Look at a start's exception: if all its callers gave up, nobody else does, and asyncio complains."""
    if not task.cancelled():
        task.exception()
