"""The one thread that writes. Each write waits for its commit; writes that wait together are committed together."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.engine import Engine

from themisto_lab.errors import StoreError
from themisto_lab.store.faults import told_plainly

T = TypeVar("T")

_MAX_GROUP = 64


@dataclass(slots=True)
class _Job:
    """A piece of work: ``write`` runs inside a transaction, ``upkeep`` on the engine outside of one."""

    write: Callable[[Connection], Any] | None = None
    upkeep: Callable[[Engine], Any] | None = None
    future: Future[Any] = field(default_factory=Future)


@dataclass(slots=True)
class _Outcome:
    job: _Job
    result: Any = None
    error: BaseException | None = None


class Writer:
    """Runs writes one after the other on a thread of its own.

    Parameters
    ----------
    engine
        The engine that writes. Closing the writer disposes of it.
    label
        The store's name in errors.
    """

    def __init__(self, engine: Engine, label: str) -> None:
        self._engine = engine
        self._label = label
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        # A daemon: a program that ends without closing the store must not hang. A half-made transaction is undone.
        self._thread = threading.Thread(target=self._run, name="themisto-store-writer", daemon=True)
        self._thread.start()

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work in a transaction and return its result once the transaction is committed.

        Cancelling the caller does not take the write back.

        Raises
        ------
        StoreError
            When the database fails, or the store is closed.
        """
        result: T = await self._wait(_Job(write=work))
        return result

    async def upkeep(self, work: Callable[[Engine], T]) -> T:
        """Run work on the engine, outside any transaction, between the writes."""
        result: T = await self._wait(_Job(upkeep=work))
        return result

    async def close(self) -> None:
        """Finish what was asked for, then stop. Safe to call twice."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    async def _wait(self, job: _Job) -> Any:
        with self._lock:
            if self._closed:
                raise StoreError(f"The store {self._label} is closed.")
            # Marked as running, so that a caller who is cancelled can't take it back half-way.
            job.future.set_running_or_notify_cancel()
            self._jobs.put(job)
        return await asyncio.shield(asyncio.wrap_future(job.future))

    def _run(self) -> None:
        ended = False
        while not ended:
            job = self._jobs.get()
            group: list[_Job] = []
            while job is not None and job.write is not None:
                group.append(job)
                if len(group) == _MAX_GROUP or self._jobs.empty():
                    break
                job = self._jobs.get()
            if group:
                _settle(self._commit(group))
            if job is None:
                ended = True
            elif job.upkeep is not None:
                _settle([self._maintain(job)])
        self._engine.dispose()

    def _commit(self, group: list[_Job]) -> list[_Outcome]:
        outcomes: list[_Outcome] = []
        try:
            with told_plainly(self._label), self._engine.begin() as connection:
                for job in group:
                    outcomes.append(self._attempt(job, connection))
                    # A full disk makes SQLite undo the whole transaction, not only the statement that failed.
                    if not _in_transaction(connection):
                        raise StoreError(f"The store {self._label} could not be written: make room on its disk.")
        except BaseException as error:  # noqa: BLE001 whatever it is, the callers must hear of it
            return [_Outcome(job, error=error) for job in group]
        return outcomes

    def _attempt(self, job: _Job, connection: Connection) -> _Outcome:
        """Run one job of a group; if it fails, only its own changes are undone."""
        if job.write is None:
            raise AssertionError("a group holds writes only")
        try:
            with told_plainly(self._label), connection.begin_nested():
                return _Outcome(job, result=job.write(connection))
        except Exception as error:  # noqa: BLE001 whatever it is, the caller must hear of it
            return _Outcome(job, error=error)

    def _maintain(self, job: _Job) -> _Outcome:
        if job.upkeep is None:
            raise AssertionError("not upkeep")
        try:
            with told_plainly(self._label):
                return _Outcome(job, result=job.upkeep(self._engine))
        except Exception as error:  # noqa: BLE001 whatever it is, the caller must hear of it
            return _Outcome(job, error=error)


def _in_transaction(connection: Connection) -> bool:
    if connection.dialect.name != "sqlite":
        return connection.in_transaction()
    return bool(cast("sqlite3.Connection", connection.connection.driver_connection).in_transaction)


def _settle(outcomes: list[_Outcome]) -> None:
    for outcome in outcomes:
        if outcome.error is not None:
            outcome.job.future.set_exception(outcome.error)
        else:
            outcome.job.future.set_result(outcome.result)
