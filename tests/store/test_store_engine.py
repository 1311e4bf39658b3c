"""The file: who may read it, and what happens where it can't be opened, read or written."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from themisto_lab.errors import StoreError
from themisto_lab.store import engine
from themisto_lab.store.store import Store


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def read_bytes(path: Path) -> bytes:
    return path.read_bytes()


async def test_only_the_owner_can_read_the_files(store: Store, path: Path, make_step: Callable) -> None:
    await store.add_step("t1", make_step(0))
    assert mode_of(path.parent) == 0o700
    files = sorted(os.listdir(path.parent))
    assert files == ["store.sqlite", "store.sqlite-shm", "store.sqlite-wal"]
    assert [mode_of(path.with_name(name)) for name in files] == [0o600] * 3


def test_an_open_file_is_closed_to_others(path: Path, reopen: Callable) -> None:
    path.parent.mkdir(parents=True)
    path.parent.chmod(0o755)
    path.touch(mode=0o644)
    reopen(path)
    assert mode_of(path) == 0o600
    # The folder was not made by us: it may be anyone's.
    assert mode_of(path.parent) == 0o755


async def test_settings_of_the_connections(store: Store) -> None:
    names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "auto_vacuum", "query_only")

    def settings(connection: object) -> list[object]:
        return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]

    assert await store._writer.write(settings) == ["wal", 2, 1, 1, 2, 0]
    assert (await store._read(settings))[-1] == 1


async def test_closing_leaves_one_file(store: Store, path: Path, make_step: Callable) -> None:
    await store.add_step("t1", make_step(0))
    await store.close()
    assert os.listdir(path.parent) == ["store.sqlite"]


async def test_where_write_ahead_logging_fails_a_rollback_journal_is_used(
    path: Path, reopen: Callable, make_step: Callable, caplog: pytest.LogCaptureFixture
) -> None:
    # SQLite's own driver for network drives: it has no shared memory, so write-ahead logging fails as it does there.
    store = reopen(f"sqlite:///file:{path}?vfs=unix-dotfile&uri=true")
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert str(path) in record.message
    assert "THEMISTO_STORE" in record.message
    for index in range(5):
        await store.add_step("t1", make_step(index))
    assert await store.count_steps("t1") == 5
    assert await store._writer.write(lambda c: c.exec_driver_sql("PRAGMA journal_mode").scalar()) == "delete"
    await store.forget(everything=True)
    assert (await store.info()).n_steps == 0
    assert len(caplog.records) == 1
    await store.close()


@pytest.mark.parametrize("content", [b"not a database, but " * 500, b"SQLite format 3\0" + b"\xff" * 8_000])
def test_a_file_that_is_no_database_is_named_and_kept(path: Path, reopen: Callable, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        reopen(path)
    assert str(path) in str(caught.value)
    assert "move the file away" in str(caught.value)
    assert path.read_bytes() == content


def damage(path: Path) -> bytes:
    """Overwrite all but the first pages; return what the file holds then."""
    content = bytearray(path.read_bytes())
    content[8192:] = b"\x5a" * (len(content) - 8192)
    path.write_bytes(content)
    return bytes(content)


async def test_a_damaged_store_is_named_and_kept(path: Path, reopen: Callable, make_step: Callable) -> None:
    async def open_and_read() -> None:
        await reopen(path).steps("t1")

    store = reopen(path)
    for index in range(50):
        await store.add_step("t1", make_step(index, code="x" * 5_000))
    await store.close()
    damaged = damage(path)
    with pytest.raises(StoreError) as caught:
        await open_and_read()
    assert str(path) in str(caught.value)
    assert "damaged" in str(caught.value)
    assert read_bytes(path) == damaged


async def test_a_locked_store_says_what_to_do(
    path: Path, reopen: Callable, make_step: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_S", 0.1)
    store = reopen(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="in use by another program") as caught:
        await store.add_step("t1", make_step(0))
    assert str(path) in str(caught.value)
    with pytest.raises(StoreError, match="in use by another program"):
        reopen(path)
    # Reading goes on meanwhile, and writing afterwards.
    assert await store.count_steps("t1") == 0
    other.execute("COMMIT")
    other.close()
    await store.add_step("t1", make_step(0))
    assert await store.count_steps("t1") == 1


def test_a_folder_in_place_of_the_file(tmp_path: Path, reopen: Callable) -> None:
    with pytest.raises(StoreError, match="THEMISTO_STORE"):
        reopen(tmp_path)


def test_a_file_in_place_of_the_folder(tmp_path: Path, reopen: Callable) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="THEMISTO_STORE"):
        reopen(tmp_path / "file" / "store.sqlite")


def test_a_database_server_that_is_away(reopen: Callable, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        reopen(f"postgresql://someone:secret@/nothing?host={tmp_path}")
    assert "can't be reached" in str(caught.value)
    assert "secret" not in str(caught.value)
