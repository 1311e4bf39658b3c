"""The writer: groups, failures inside a group, callers who give up, a disk that is full."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import event

from themisto_lab.errors import NotFoundError, StoreError
from themisto_lab.store.engine import bare_sqlite
from themisto_lab.store.store import Store


def count_steps(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("SELECT count(*) FROM steps").fetchone()[0])
    finally:
        connection.close()


async def test_an_await_returns_after_the_commit(store: Store, path: Path, make_step: Callable) -> None:
    for index in range(5):
        await store.add_step("t1", make_step(index))
        # Another connection sees committed rows only.
        assert count_steps(path) == index + 1


async def test_writes_that_wait_together_are_committed_together(store: Store, path: Path, make_step: Callable) -> None:
    commits: list[object] = []
    await store._writer.upkeep(lambda engine: event.listen(engine, "commit", commits.append))
    await asyncio.gather(*(store.add_step("t1", make_step(i)) for i in range(60)))
    assert count_steps(path) == 60
    assert 1 <= len(commits) <= 20


async def test_one_failure_in_a_group_spoils_no_other_write(any_store: Store, make_step: Callable) -> None:
    results = await asyncio.gather(
        any_store.add_step("t1", make_step(0)),
        any_store.add_feedback("unknown", "shown", {}),
        any_store.add_step("t1", make_step(1)),
        any_store._writer.write(lambda connection: connection.exec_driver_sql("SELECT nothing FROM nowhere")),
        any_store.add_step("t1", make_step(2)),
        return_exceptions=True,
    )
    assert [type(r) for r in results] == [type(None), NotFoundError, type(None), StoreError, type(None)]
    assert await any_store.count_steps("t1") == 3


async def test_a_caller_who_gives_up_takes_no_write_back(store: Store, make_step: Callable) -> None:
    writing = [asyncio.ensure_future(store.add_step("t1", make_step(i))) for i in range(10)]
    await asyncio.sleep(0)
    for task in writing:
        task.cancel()
    assert all(isinstance(r, asyncio.CancelledError) for r in await asyncio.gather(*writing, return_exceptions=True))
    await store.add_step("t1", make_step(10))
    assert await store.count_steps("t1") == 11


async def test_a_full_disk_is_told_and_loses_nothing_acknowledged(
    store: Store, path: Path, make_step: Callable
) -> None:
    def limit_pages(n_extra: int) -> Callable[..., None]:
        def apply(engine: object) -> None:
            with bare_sqlite(engine) as connection:
                (n_pages,) = connection.execute("PRAGMA page_count").fetchone()
                connection.execute(f"PRAGMA max_page_count={n_pages + n_extra}")

        return apply

    await store._writer.upkeep(limit_pages(30))
    code = [f"# {i} " + "x" * 6_000 for i in range(60)]
    results = await asyncio.gather(
        *(store.add_step("t1", make_step(i, code=code[i])) for i in range(60)), return_exceptions=True
    )
    failed = [r for r in results if r is not None]
    assert failed
    assert all(isinstance(r, StoreError) and str(path) in str(r) for r in failed)
    acknowledged = {i for i, r in enumerate(results) if r is None}
    assert acknowledged <= {s.index for s in await store.steps("t1")}
    await store._writer.upkeep(limit_pages(10_000))
    for i in range(60):
        await store.add_step("t1", make_step(i, code=code[i]))
    assert [s.code for s in await store.steps("t1")] == code


async def test_no_value_gets_into_an_error(any_store: Store, caplog: pytest.LogCaptureFixture) -> None:
    statement = "INSERT INTO steps (trajectory_id, step_index, kernel_id) VALUES ('t', 1, 'sk-secret')"
    with pytest.raises(StoreError) as caught:
        await any_store._writer.write(lambda connection: connection.exec_driver_sql(statement))
    assert "sk-secret" not in repr(caught.value)
    assert caught.value.__suppress_context__
    assert "sk-secret" not in caplog.text
