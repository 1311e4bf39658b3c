"""Erasing: exactly what was meant, and out of the files."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from themisto_lab.errors import BadInputError
from themisto_lab.store.records import ForgetCounts, Resolved
from themisto_lab.store.store import Store
from themisto_lab.types import CellOutput, Context, Target, Trajectory, VariableSnapshot

MARKS = {name: f"{name}-4f1c9e77" for name in ("code", "output", "variable", "prompt", "text", "truth", "notebook")}


async def fill(store: Store, make_step: Callable, make_prediction: Callable, n_steps: int = 40) -> None:
    """Write a trajectory that is to be erased, full of marks, between two that stay."""
    for name in ("t0", "t1", "t2"):
        mark = MARKS if name == "t1" else dict.fromkeys(MARKS, "harmless")
        await store.add_trajectory(Trajectory(id=name, notebook=f"{mark['notebook']}.ipynb"))
        for i in range(n_steps):
            output = CellOutput(mime="text/plain", text=f"{mark['output']} {i} " * 30)
            variable = VariableSnapshot(name=mark["variable"], type_name="str", summary=f"{i}")
            code = f"{mark['code']} {i} " * 50
            await store.add_step(name, make_step(i, code=code, outputs=(output,), variables=(variable,)))
            prompt = Context(prompt=f"{mark['prompt']} {i} " * 50)
            key = f"{name}-{i}"
            text = f"{mark['text']} {i} " * 20
            await store.put_prediction(make_prediction(key, i, trajectory_id=name, text=text, context=prompt))
            await store.resolve([Resolved(key, "scored", Target(text=mark["truth"], step_index=i))])
            await store.add_feedback(key, "inserted", {"surface": mark["text"]})


def content_of(path: Path) -> dict[str, bytes]:
    return {name.name: name.read_bytes() for name in path.parent.iterdir() if not name.name.endswith("-shm")}


def blobs(path: Path, trajectory_id: str) -> list[bytes]:
    """Return the compressed contents of a trajectory, which no search for a text finds."""
    connection = sqlite3.connect(path)
    found = connection.execute(
        "SELECT outputs FROM step_contents WHERE trajectory_id = :t UNION ALL "
        "SELECT variables FROM step_contents WHERE trajectory_id = :t UNION ALL "
        "SELECT context FROM prediction_contents JOIN predictions ON id = prediction_id WHERE trajectory_id = :t",
        {"t": trajectory_id},
    ).fetchall()
    connection.close()
    return [blob for (blob,) in found]


async def test_no_byte_of_the_erased_text_is_left(
    store: Store, path: Path, reopen: Callable, make_step: Callable, make_prediction: Callable
) -> None:
    await fill(store, make_step, make_prediction)
    compressed = blobs(path, "t1")
    assert len(compressed) == 120
    assert any(MARKS["output"].encode() in zlib.decompress(blob) for blob in compressed)
    together = b"".join(content_of(path).values())
    plain = [MARKS[name].encode() for name in ("code", "text", "truth", "notebook")]
    assert all(mark in together for mark in plain)
    assert any(blob in together for blob in compressed)
    before = (await store.info()).size_bytes

    # Erased by another process' connection, while the first one stays open, as the command does beside a server.
    other = reopen(path, recover=False)
    counts = await other.forget(notebook=f"{MARKS['notebook']}.ipynb")
    assert counts == ForgetCounts(n_trajectories=1, n_steps=40, n_predictions=40)
    for name, content in content_of(path).items():
        assert not [mark for mark in plain if mark in content], name
        # A compressed text may share its first bytes with one that stays, but not its whole.
        assert not [blob for blob in compressed if blob in content], name
    info = await store.info()
    assert (info.n_trajectories, info.n_steps, info.n_predictions) == (2, 80, 80)
    assert info.size_bytes < before
    assert len(await store.steps("t0")) == 40
    await store.add_step("t0", make_step(40))
    assert len(await other.steps("t0")) == 41


async def test_everything(any_store: Store, make_step: Callable, make_prediction: Callable) -> None:
    await fill(any_store, make_step, make_prediction, n_steps=3)
    assert await any_store.forget(everything=True, dry_run=True) == ForgetCounts(3, 9, 9)
    assert await any_store.count_steps() == 9
    assert await any_store.forget(everything=True) == ForgetCounts(3, 9, 9)
    info = await any_store.info()
    assert (info.n_trajectories, info.n_steps, info.n_predictions) == (0, 0, 0)
    assert await any_store.score_rows() == ()
    assert await any_store.forget(everything=True) == ForgetCounts(0, 0, 0)


async def test_before_a_moment_is_exact(
    any_store: Store, start: datetime, trajectory: Trajectory, make_step: Callable, make_prediction: Callable
) -> None:
    old = Trajectory(id="old", notebook="old.ipynb", started_at=start - timedelta(days=2))
    empty = Trajectory(id="empty", notebook="empty.ipynb", started_at=start - timedelta(days=2))
    for head in (old, empty, trajectory):
        await any_store.add_trajectory(head)
    await any_store.add_step("old", make_step(0, started_at=start - timedelta(days=1)))
    for i in range(4):
        await any_store.add_step("t1", make_step(i))
        await any_store.put_prediction(make_prediction(f"p{i}", i))
    moment = (await any_store.steps("t1"))[2].started_at
    # Predictions are asked for half a minute before their step: that of step 2 goes, that of step 3 stays.
    counts = await any_store.forget(before=moment)
    assert counts == ForgetCounts(n_trajectories=2, n_steps=3, n_predictions=3)
    assert [t.id for t in await any_store.list_trajectories()] == ["t1"]
    assert [s.index for s in await any_store.steps("t1")] == [2, 3]
    (kept,) = await any_store.predictions("t1", with_context=True)
    assert kept.prediction.id == "p3"
    assert kept.prediction.text == "x = 3"
    # Its prompt repeated the steps that are gone.
    assert kept.prediction.context is None


async def test_before_and_notebook_must_both_match(any_store: Store, start: datetime, make_step: Callable) -> None:
    for name in ("a", "b"):
        await any_store.add_trajectory(Trajectory(id=name, notebook=f"{name}.ipynb", started_at=start))
        await any_store.add_step(name, make_step(0))
        await any_store.add_step(name, make_step(5))
    counts = await any_store.forget(before=start + timedelta(minutes=3), notebook="a.ipynb")
    assert counts == ForgetCounts(n_trajectories=0, n_steps=1, n_predictions=0)
    assert [len(await any_store.steps(name)) for name in ("a", "b")] == [1, 2]


async def test_an_untouched_trajectory_keeps_its_prompts(
    any_store: Store, start: datetime, make_step: Callable, make_prediction: Callable
) -> None:
    await any_store.add_step("old", make_step(0, started_at=start - timedelta(days=1)))
    await any_store.add_step("t1", make_step(1))
    await any_store.put_prediction(make_prediction("p", 1))
    await any_store.forget(before=start)
    found = await any_store.get_prediction("p")
    assert found is not None
    assert found.prediction.context == make_prediction("p", 1).context


async def test_a_kernel_that_lives_on_is_recorded_again(
    store: Store, path: Path, reopen: Callable, trajectory: Trajectory, make_step: Callable, make_prediction: Callable
) -> None:
    await store.add_trajectory(trajectory)
    await store.add_step("t1", make_step(0))
    await store.put_prediction(make_prediction("p", 1, status="running"))
    await store.update_trajectory("t1", notebook="renamed.ipynb")
    await reopen(path, recover=False).forget(everything=True)
    await store.put_prediction(make_prediction("p", 1))
    await store.add_step("t1", make_step(1))
    assert [t.notebook for t in await store.list_trajectories()] == ["renamed.ipynb"]
    assert [s.index for s in await store.steps("t1")] == [1]


@pytest.mark.parametrize(
    "selection",
    [{}, {"everything": True, "notebook": "a.ipynb"}, {"before": datetime(2026, 1, 1)}],
)
async def test_an_unclear_selection_erases_nothing(
    store: Store, make_step: Callable, selection: dict[str, object]
) -> None:
    await store.add_step("t1", make_step(0))
    with pytest.raises(BadInputError):
        await store.forget(**selection)
    assert await store.count_steps() == 1


async def test_a_reader_in_the_way_is_told(
    path: Path, reopen: Callable, make_step: Callable, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("themisto_lab.store.engine.BUSY_TIMEOUT_S", 0.1)
    store = reopen(path)
    await store.add_step("t1", make_step(0))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM steps").fetchall()
    with caplog.at_level(logging.WARNING):
        await store.forget(everything=True)
    assert "Another program was reading" in caplog.text
    other.execute("COMMIT")
    other.close()
    assert await store.count_steps() == 0


async def test_writing_goes_on_while_another_process_erases(
    path: Path, reopen: Callable, start_writer: Callable
) -> None:
    process = start_writer(path, "t1", 120)
    store = reopen(path, recover=False)
    n_erased = 0
    while process.poll() is None:
        n_erased += (await store.forget(notebook="t1.ipynb")).n_steps
        await asyncio.sleep(0.05)
    said = process.communicate()[0].splitlines()
    assert process.returncode == 0
    assert len([line for line in said if line.startswith("step ")]) == 120
    assert n_erased > 0
    assert n_erased + await store.count_steps("t1") == 120
