"""Calls a listener in order, one call at a time, without holding up the reading of messages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from themisto_lab.capture.link import Logger

Call = Callable[[], Awaitable[None]]


class Teller:
    """A queue of calls and the task that makes them.

    Parameters
    ----------
    log
        Where a call's exception is told, by its class.
    """

    def __init__(self, log: Logger) -> None:
        self._log = log
        self._queue: asyncio.Queue[Call] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    def tell(self, call: Call) -> None:
        """Make a call after those that were asked for before it."""
        self._queue.put_nowait(call)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def flush(self) -> None:
        """Wait until every call that was asked for is made."""
        await self._queue.join()

    async def close(self) -> None:
        """Make the calls that are left, then end."""
        await self.flush()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _run(self) -> None:
        while True:
            call = await self._queue.get()
            try:
                await call()
            except Exception as error:  # noqa: BLE001 - a listener's fault does not end the recording
                self._log.warning("A listener of runs failed: %s", type(error).__name__)
            finally:
                self._queue.task_done()
