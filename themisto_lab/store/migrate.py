"""Brings a database's schema up to date when it is opened, without any configuration file."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text
from sqlalchemy.engine import Engine

from themisto_lab.errors import StoreError
from themisto_lab.store.tables import VERSION_TABLE

HEAD_REVISION = "0004"
"""The newest revision in ``migrations/versions``; a test holds the two together."""

MIGRATIONS_FOLDER = Path(__file__).with_name("migrations")

# Any number will do that no other program uses for a lock in the same database.
_ADVISORY_LOCK = 0x7E3157


def upgrade(engine: Engine, label: str, revision: str = "head") -> None:
    """Create the tables, or change them to the newest revision, in one transaction.

    Parameters
    ----------
    engine
        The engine that writes.
    label
        The store's name in errors.
    revision
        The revision to go to; another one than ``head`` is for tests.

    Raises
    ------
    StoreError
        When the database is another program's, or of a newer version of this one.
    """
    with engine.begin() as connection:
        # Two servers may open a new store at once. SQLite's transaction holds its lock already.
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
        current = current_revision(connection, label)
        if current == HEAD_REVISION and revision == "head":
            return
        if current is not None and current > HEAD_REVISION:
            raise StoreError(
                f"The store {label} was made by a newer version of Themisto Lab: upgrade themisto_lab, or set "
                "THEMISTO_STORE to another place."
            )
        _run_alembic(connection, revision)


def current_revision(connection: Connection, label: str) -> str | None:
    """Return the schema's revision, None for a database without tables.

    Raises
    ------
    StoreError
        When an SQLite file holds tables, but not ours.
    """
    tables = inspect(connection).get_table_names()
    if VERSION_TABLE in tables:
        found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608 a constant
        return None if found is None else str(found)
    if tables and connection.dialect.name == "sqlite":
        raise StoreError(
            f"{label} is a database of another program: name another path with THEMISTO_STORE; nothing was changed."
        )
    return None


def _run_alembic(connection: Connection, revision: str) -> None:
    # Takes 0.3 s to import, and is needed only when the schema changes.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
