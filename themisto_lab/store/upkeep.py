"""Sizes, and giving freed space back to the disk so that what was erased is in no file any more."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, Engine, func, select, text

from themisto_lab.store.engine import bare_sqlite
from themisto_lab.store.location import Location
from themisto_lab.store.records import StoreInfo
from themisto_lab.store.tables import ALL_TABLES, PREDICTION_CONTENTS, PREDICTIONS, STEP_CONTENTS, STEPS, TRAJECTORIES


def info(connection: Connection, location: Location) -> StoreInfo:
    """Return where the store is, how large, and how much it holds."""
    counts = [
        int(connection.execute(select(func.count()).select_from(table)).scalar_one())
        for table in (TRAJECTORIES, STEPS, PREDICTIONS)
    ]
    return StoreInfo(location.label, size_bytes(connection, location), *counts)


def size_bytes(connection: Connection, location: Location) -> int:
    """Return what the store takes on the disk, in bytes; its memory for one that is in memory only."""
    if location.path is not None:
        return sum(_file_size(name) for name in database_files(location.path))
    if connection.dialect.name == "sqlite":
        return used_bytes(connection)
    sizes = (func.pg_total_relation_size(table.name) for table in ALL_TABLES)
    return sum(int(connection.execute(select(size)).scalar_one()) for size in sizes)


def database_files(path: Path) -> tuple[Path, ...]:
    """Return the files in which SQLite keeps content: the database, its log, its journal."""
    return (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-journal"))


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def used_bytes(connection: Connection) -> int:
    """Return the size of what is kept, whatever free space the file holds besides, in bytes.

    PostgreSQL gives freed space back in its own time, so there it is the size of the contents.
    """
    if connection.dialect.name != "sqlite":
        sums = (select(func.coalesce(func.sum(t.c.n_bytes), 0)) for t in (STEP_CONTENTS, PREDICTION_CONTENTS))
        return sum(int(connection.execute(query).scalar_one()) for query in sums)
    pages, free, page_bytes = (
        int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())
        for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * page_bytes


def release_free_space(engine: Engine) -> None:
    """Cut the free pages off the file and empty the log. Quick; for the size cap."""
    if engine.dialect.name != "sqlite":
        return
    with bare_sqlite(engine) as connection:
        # The pragma frees a page at each step, and only executescript goes on to its last step.
        connection.executescript("PRAGMA incremental_vacuum").close()
        _empty_log(connection)


def rewrite(engine: Engine) -> bool:
    """Write the whole database anew without what was erased, and empty its log.

    SQLite overwrites what is deleted (``secure_delete``), but pages that were rebalanced may hold old copies: only a
    rewritten file is free of them.

    Returns
    -------
    bool
        Whether the log could be emptied; another process that is reading just now prevents it.
    """
    if engine.dialect.name != "sqlite":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for table in ALL_TABLES:
                connection.execute(text(f"VACUUM (FULL) {table.name}"))
        return True
    with bare_sqlite(engine) as bare:
        bare.execute("VACUUM").close()
        return _empty_log(bare)


def _empty_log(connection: sqlite3.Connection) -> bool:
    # Waits for readers of other processes as long as the busy timeout. In a rollback journal's mode it does nothing.
    refused = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    return not refused
