"""The schema: made from nothing, brought up from older revisions, equal to the tables in the code."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from themisto_lab.errors import StoreError
from themisto_lab.store.engine import make_writer
from themisto_lab.store.location import locate
from themisto_lab.store.migrate import HEAD_REVISION, MIGRATIONS_FOLDER, upgrade
from themisto_lab.store.store import Store
from themisto_lab.store.tables import METADATA, VERSION_TABLE


def read_bytes(path: Path) -> bytes:
    return path.read_bytes()


def test_the_newest_revision_is_the_one_that_the_code_expects() -> None:
    assert ScriptDirectory(str(MIGRATIONS_FOLDER)).get_heads() == [HEAD_REVISION]


async def test_migrations_make_the_tables_of_the_code(any_store: Store) -> None:
    def differences(connection: Connection) -> list[object]:
        options = {"version_table": VERSION_TABLE, "compare_type": True}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), METADATA))

    assert await any_store._writer.write(differences) == []


async def test_migrations_make_the_keys_of_the_code(store: Store) -> None:
    def keys(connection: Connection) -> dict[str, object]:
        found = inspect(connection)
        return {
            name: (
                sorted(found.get_pk_constraint(name)["constrained_columns"]),
                sorted(
                    (tuple(k["constrained_columns"]), k["referred_table"], k["options"]["ondelete"])
                    for k in found.get_foreign_keys(name)
                ),
            )
            for name in METADATA.tables
        }

    expected = {
        table.name: (
            sorted(c.name for c in table.primary_key),
            sorted((tuple(k.column_keys), k.referred_table.name, k.ondelete) for k in table.foreign_key_constraints),
        )
        for table in METADATA.tables.values()
    }
    assert await store._writer.write(keys) == expected


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def test_an_older_store_is_brought_up_to_date(
    kind: str, request: pytest.FixtureRequest, reopen: Callable, log: logging.Logger
) -> None:
    where = request.getfixturevalue("path" if kind == "sqlite" else "postgres_url")
    engine = make_writer(locate(where), log)
    upgrade(engine, "old", revision="0001")
    with engine.begin() as connection:
        assert "feedback" not in inspect(connection).get_table_names()
        connection.execute(
            text(
                "INSERT INTO trajectories VALUES "
                "('old', 'a.ipynb', '', 'python', 'k', '2026-01-01 00:00:00.000000', false)"
            )
        )
    engine.dispose()
    store = reopen(where)
    assert [t.id for t in await store.list_trajectories()] == ["old"]
    assert await store._writer.write(lambda c: c.execute(text(f"SELECT * FROM {VERSION_TABLE}")).all()) == [
        (HEAD_REVISION,)
    ]
    assert await store._writer.write(lambda c: "feedback" in inspect(c).get_table_names())
    await store.close()
    reopen(where)


async def test_a_store_of_a_newer_version_is_left_alone(path: Path, reopen: Callable) -> None:
    store = reopen(path)
    await store._writer.write(lambda c: c.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9001'")))
    await store.close()
    before = read_bytes(path)
    with pytest.raises(StoreError, match="newer version"):
        reopen(path)
    assert read_bytes(path) == before


def test_another_programs_database_is_left_alone(path: Path, reopen: Callable) -> None:
    path.parent.mkdir(parents=True)
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.close()
    with pytest.raises(StoreError, match="another program"):
        reopen(path)
    other = sqlite3.connect(path)
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]
    other.close()


def test_a_failed_upgrade_changes_nothing(path: Path, log: logging.Logger) -> None:
    engine = make_writer(locate(path), log)
    upgrade(engine, "old", revision="0001")
    with engine.begin() as connection:
        # In the way of the second revision, after its first statement.
        connection.execute(text("CREATE TABLE other (x INTEGER)"))
        connection.execute(text("CREATE INDEX ix_feedback_prediction_id ON other (x)"))
    with pytest.raises(Exception, match="already exists"):
        upgrade(engine, "old")
    with engine.begin() as connection:
        assert connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar() == "0001"
        assert "feedback" not in inspect(connection).get_table_names()
    engine.dispose()
