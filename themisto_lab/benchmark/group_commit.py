"""Rows that come one by one are written in groups: while one group is committed, the next one gathers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

R = TypeVar("R")


class GroupCommit(Generic[R]):
    """Writes rows in a thread, one group at a time.

    Parameters
    ----------
    write
        Writes and commits a group; it blocks.
    gather_s
        How long a group gathers before it is written, for rows that nobody pays for twice: fewer groups cost less.
    """

    def __init__(self, write: Callable[[Sequence[R]], None], gather_s: float = 0.0) -> None:
        self._write = write
        self._gather_s = gather_s
        self._pending: list[tuple[R, asyncio.Future[None]]] = []
        self._drain: asyncio.Task[None] | None = None

    def put(self, row: R) -> asyncio.Future[None]:
        """Write a row; the future is done when it is committed.

        From here on the row will be written, whether or not anybody waits for it.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append((row, done))
        if self._drain is None or self._drain.done():
            self._drain = asyncio.create_task(self._write_all())
        return done

    async def close(self) -> None:
        """Wait until all that was put is committed."""
        if self._drain is not None:
            await self._drain

    async def _write_all(self) -> None:
        while self._pending:
            if self._gather_s:
                await asyncio.sleep(self._gather_s)
            group, self._pending = self._pending, []
            error: Exception | None = None
            try:
                await asyncio.to_thread(self._write, [row for row, _ in group])
            except Exception as failure:  # noqa: BLE001 - it belongs to those who wait for the rows
                error = failure
            for _, done in group:
                if done.cancelled():
                    continue
                if error is None:
                    done.set_result(None)
                else:
                    done.set_exception(error)
                    done.exception()  # whoever gave up waiting does not look at it
