"""Reads on connections and threads of their own, so that they wait neither for writes nor hold up the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import Engine

from themisto_lab.errors import StoreError
from themisto_lab.store.engine import N_READERS
from themisto_lab.store.faults import told_plainly

T = TypeVar("T")


class Reader:
    """Runs reads on a few threads.

    Parameters
    ----------
    engine
        The engine that reads. Closing the reader disposes of it.
    label
        The store's name in errors.
    """

    def __init__(self, engine: Engine, label: str) -> None:
        self._engine = engine
        self._label = label
        self._closed = False
        self._threads = ThreadPoolExecutor(N_READERS, thread_name_prefix="themisto-store-reader")

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run work in a read transaction and return its result.

        Raises
        ------
        StoreError
            When the database fails, or the store is closed.
        """
        if self._closed:
            raise StoreError(f"The store {self._label} is closed.")
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, work)

    async def close(self) -> None:
        """Finish what was asked for, then stop. Safe to call twice."""
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(None, self._threads.shutdown)
        self._engine.dispose()

    def _run(self, work: Callable[[Connection], T]) -> T:
        with told_plainly(self._label), self._engine.connect() as connection:
            return work(connection)
