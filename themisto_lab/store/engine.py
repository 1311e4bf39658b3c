"""The connections: one engine that writes, one that reads, and what SQLite has to be told on each."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from themisto_lab.errors import StoreError
from themisto_lab.store.location import Location

Log = logging.Logger | logging.LoggerAdapter[logging.Logger]

BUSY_TIMEOUT_S = 30.0
"""How long a connection waits for another process: long enough for its VACUUM of a large file."""

N_READERS = 2
"""How many reads may be under way at once."""

_WAL_LIMIT_BYTES = 4_000_000


def make_writer(location: Location, log: Log) -> Engine:
    """Open the engine that writes, creating the file where there is none.

    The file is for its owner alone, and so is its folder where this call makes it. SQLite gives its ``-wal`` and
    ``-shm`` files the mode of the database.
    """
    if location.path is not None:
        _create_private(location.path)
    engine = _engine(location, pool_size=1)
    if engine.dialect.name == "sqlite":
        # A writer that first reads and then writes could be refused half-way: take the lock at the start.
        _listen_sqlite(engine, begin="BEGIN IMMEDIATE", pragmas=("foreign_keys=ON", "secure_delete=ON"))
        if location.path is not None:
            _set_journal(engine, location, log)
    return engine


def make_reader(location: Location) -> Engine:
    """Open the engine that reads."""
    engine = _engine(location, pool_size=N_READERS)
    if engine.dialect.name == "sqlite":
        _listen_sqlite(engine, begin="BEGIN", pragmas=("query_only=ON",))
    return engine


def _engine(location: Location, pool_size: int) -> Engine:
    if location.in_memory:
        return create_engine(
            location.url,
            hide_parameters=True,
            poolclass=StaticPool,
            connect_args={"check_same_thread": False, "isolation_level": None},
        )
    sqlite = location.path is not None
    try:
        return create_engine(
            location.url,
            # Parameters are the user's code and values: they must not get into an error's text.
            hide_parameters=True,
            pool_size=pool_size,
            max_overflow=0,
            pool_pre_ping=not sqlite,
            # No transaction control by the driver: "begin" below is the only one.
            connect_args={"timeout": BUSY_TIMEOUT_S, "isolation_level": None, "check_same_thread": False}
            if sqlite
            else {"connect_timeout": 10},
        )
    except ModuleNotFoundError:
        raise StoreError(
            f"The store {location.label} needs PostgreSQL's driver: run pip install 'themisto_lab[postgres]'."
        ) from None


def _listen_sqlite(engine: Engine, begin: str, pragmas: tuple[str, ...]) -> None:
    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        # synchronous=FULL: what was acknowledged survives a power cut, not only a killed process.
        for pragma in (*pragmas, "synchronous=FULL", f"journal_size_limit={_WAL_LIMIT_BYTES}"):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def start(connection: Connection) -> None:
        connection.exec_driver_sql(begin)


def _create_private(path: Path) -> None:
    if not path.parent.exists():
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)


@contextmanager
def bare_sqlite(engine: Engine) -> Iterator[sqlite3.Connection]:
    """Lend the driver's own connection, outside any transaction: VACUUM and some pragmas need that."""
    lent = engine.raw_connection()
    try:
        yield cast("sqlite3.Connection", lent.driver_connection)
    finally:
        lent.close()


def _set_journal(engine: Engine, location: Location, log: Log) -> None:
    """Use write-ahead logging; where the file system can't, a rollback journal, with one warning."""
    with bare_sqlite(engine) as connection:
        # Only an empty file takes this, before the journal mode is written to it.
        if connection.execute("PRAGMA page_count").fetchone() == (0,):
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL").close()
        if _ask_for_wal(connection):
            return
        connection.execute("PRAGMA journal_mode=DELETE").fetchall()
    log.warning(
        "The store %s is on a file system without write-ahead logging: a rollback journal is used, which is slower. "
        "Set THEMISTO_STORE to a path on a local disk to avoid that.",
        location.label,
    )


def _ask_for_wal(connection: sqlite3.Connection) -> bool:
    deadline_s = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            return bool(connection.execute("PRAGMA journal_mode=WAL").fetchall() == [("wal",)])
        except sqlite3.OperationalError as error:
            # The switch itself does not wait for a lock of another process that opens the same new file.
            if "locked" not in str(error).lower():
                return False
            if time.monotonic() > deadline_s:
                raise
            time.sleep(0.02)
