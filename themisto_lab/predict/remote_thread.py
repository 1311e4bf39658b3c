"""One thread with an event loop of its own for all requests to remote models.

litellm takes seconds to import and may block here and there; in this thread neither reaches the Jupyter server.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Generic, TypeVar

from themisto_lab.errors import ModelUnavailableError

log = logging.getLogger(__name__)

T = TypeVar("T")

_STOP_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class _Item(Generic[T]):
    value: T


@dataclass(frozen=True, slots=True)
class _End:
    error: Exception | None = None


class RemoteThread:
    """Runs asynchronous generators in a thread of its own and hands their items to the caller's event loop.

    Parameters
    ----------
    on_stop
        Run in the thread before it ends, to close what outlives a request.
    """

    def __init__(self, on_stop: Callable[[], Awaitable[None]] | None = None) -> None:
        self._on_stop = on_stop
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def stream(self, make: Callable[[], AsyncGenerator[T, None]]) -> AsyncGenerator[T, None]:
        """Yield what a generator yields that is made and run in the thread.

        Closing this generator cancels the other one. It never waits for the thread.
        """
        caller = asyncio.get_running_loop()
        queue: asyncio.Queue[_Item[T] | _End] = asyncio.Queue()

        def put(entry: _Item[T] | _End) -> None:
            try:
                caller.call_soon_threadsafe(queue.put_nowait, entry)
            except RuntimeError:
                log.debug("The caller's event loop is closed")

        async def pump() -> None:
            try:
                async with aclosing(make()) as items:
                    async for item in items:
                        put(_Item(item))
            except asyncio.CancelledError:
                put(_End(ModelUnavailableError("Requests to remote models were stopped.")))
                raise
            except Exception as error:  # noqa: BLE001 - handed on to the caller
                put(_End(error))
            else:
                put(_End())

        future = asyncio.run_coroutine_threadsafe(pump(), self._running_loop())
        try:
            while isinstance(entry := await queue.get(), _Item):
                yield entry.value
            if entry.error is not None:
                raise entry.error
        finally:
            future.cancel()

    async def stop(self) -> None:
        """Cancel what runs in the thread and end it; a later `stream` starts another one."""
        with self._lock:
            loop, self._loop = self._loop, None
            thread, self._thread = self._thread, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            # Not for long: it may be in the middle of an import, and dies with the process.
            await asyncio.to_thread(thread.join, _STOP_WAIT_S)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_run, args=(self._loop, self._on_stop), name="themisto-remote", daemon=True
                )
                self._thread.start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop, on_stop: Callable[[], Awaitable[None]] | None) -> None:
    """Run a loop until it is stopped, then let its tasks end."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        if on_stop is not None:
            loop.run_until_complete(on_stop())
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
