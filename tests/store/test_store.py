"""What goes into a store comes out of it, on every database."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from themisto_lab.errors import NotFoundError, StoreError
from themisto_lab.store.records import Resolved
from themisto_lab.store.store import Store
from themisto_lab.types import (
    CellOutput,
    Context,
    Message,
    PredictionError,
    Score,
    Target,
    TaskKind,
    Trajectory,
    Usage,
)


async def test_a_trajectory_comes_back_whole(any_store: Store, trajectory: Trajectory, make_step: Callable) -> None:
    steps = tuple(make_step(i) for i in range(3))
    await any_store.add_trajectory(trajectory.model_copy(update={"steps": steps}))
    assert await any_store.get_trajectory("t1") == trajectory
    for step in steps:
        await any_store.add_step("t1", step)
    assert await any_store.get_trajectory("t1") == trajectory.model_copy(update={"steps": steps})
    assert await any_store.get_trajectory("nobody") is None


async def test_a_moment_in_another_zone_comes_back_as_the_same_moment(any_store: Store, make_step: Callable) -> None:
    tokyo = datetime(2026, 3, 1, 8, 30, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    await any_store.add_step("t1", make_step(0, started_at=tokyo))
    (step,) = await any_store.steps("t1")
    assert step.started_at == tokyo
    assert step.started_at.tzinfo == UTC


async def test_a_step_is_stored_once(any_store: Store, trajectory: Trajectory, make_step: Callable) -> None:
    await any_store.add_trajectory(trajectory)
    await any_store.add_step("t1", make_step(0))
    await any_store.add_step("t1", make_step(0, code="another"))
    assert await any_store.steps("t1") == (make_step(0),)
    assert await any_store.count_steps("t1") == 1


async def test_steps_come_in_pages(any_store: Store, make_step: Callable) -> None:
    for index in (2, 0, 3, 1, 4):
        await any_store.add_step("t1", make_step(index))
    assert [s.index for s in await any_store.steps("t1")] == [0, 1, 2, 3, 4]
    assert [s.index for s in await any_store.steps("t1", after=1, limit=2)] == [1, 2]
    assert await any_store.steps("t1", after=5) == ()
    assert await any_store.count_steps() == 5
    assert await any_store.count_steps("t2") == 0


async def test_odd_text_is_stored(any_store: Store, make_step: Callable, make_prediction: Callable) -> None:
    odd = "é 日本語 🐢 \x00 \x1b[31m 'quoted' \r\n\t \ud83d."
    output = CellOutput(mime="text/plain", text=odd)
    await any_store.add_step("t1", make_step(0, code=odd, cell_id=odd, outputs=(output,)))
    await any_store.put_prediction(make_prediction("p", text=odd, context=Context(prompt=odd), code=odd))
    (step,) = await any_store.steps("t1")
    found = await any_store.get_prediction("p")
    assert found is not None
    # No database holds half a surrogate pair, and PostgreSQL's text no NUL either.
    plain = odd.replace("\ud83d", "\ufffd")
    if any_store.path.startswith("postgresql"):
        plain = plain.replace("\0", "\ufffd")
    assert step.code == step.cell_id == plain
    assert found.prediction.text == found.prediction.code == plain
    # Compressed parts keep every character.
    assert step.outputs == (output,)
    assert found.prediction.context == Context(prompt=odd)


async def test_heads_are_changed_and_listed(any_store: Store, trajectory: Trajectory, make_step: Callable) -> None:
    later = trajectory.model_copy(
        update={"id": "t2", "notebook": "b.ipynb", "started_at": trajectory.started_at + timedelta(days=1)}
    )
    await any_store.add_trajectory(later)
    await any_store.add_trajectory(trajectory)
    await any_store.add_step("t1", make_step(0))
    await any_store.update_trajectory("t1", notebook="renamed.ipynb")
    await any_store.update_trajectory("t2", task_description="")
    heads = await any_store.list_trajectories()
    assert [(h.id, h.notebook, h.task_description) for h in heads] == [
        ("t1", "renamed.ipynb", "count birds"),
        ("t2", "b.ipynb", ""),
    ]
    assert [h.id for h in await any_store.list_trajectories("b.ipynb")] == ["t2"]
    assert await any_store.count_steps(notebook="renamed.ipynb") == 1
    # Inserting the head again replaces it and leaves the steps.
    await any_store.add_trajectory(trajectory)
    assert (await any_store.list_trajectories("work/a.ipynb"))[0].task_description == "count birds"
    assert await any_store.count_steps("t1") == 1


async def test_a_prediction_comes_back_whole(any_store: Store, make_prediction: Callable) -> None:
    told = make_prediction(
        "p",
        3,
        task=TaskKind.CELL_OUTPUT,
        cell_id="cell-3",
        code="x",
        source="model",
        reason="because",
        shown=True,
        usage=Usage(prompt_tokens=900, completion_tokens=12, cached_tokens=800),
        cost=0.0125,
        context=Context(messages=(Message(role="user", content="?"),), stop=("# %%",), redactions=2),
    )
    stored_at = await any_store.put_prediction(told)
    found = await any_store.get_prediction("p")
    assert found is not None
    assert found.prediction == told
    assert found.stored_at == stored_at
    assert (found.target, found.scores, found.feedback, found.content_erased) == (None, (), (), False)
    assert await any_store.get_prediction("q") is None


async def test_a_failed_prediction_keeps_its_error(any_store: Store, make_prediction: Callable) -> None:
    error = PredictionError(code="model_timeout", message="The model took too long.")
    failed = make_prediction("p", status="failed", text="", raw_text="", context=None, error=error)
    await any_store.put_prediction(failed)
    found = await any_store.get_prediction("p")
    assert found is not None
    assert found.prediction == failed
    assert found.stored_at is None


async def test_a_prediction_is_frozen_once_ready(any_store: Store, make_prediction: Callable) -> None:
    running = make_prediction("p", status="running", text="x", completed_at=None)
    await any_store.put_prediction(running)
    found = await any_store.get_prediction("p")
    assert found is not None
    assert found.stored_at is None

    ready = make_prediction("p", text="x = 1")
    stored_at = await any_store.put_prediction(ready)
    changed = ready.model_copy(update={"text": "y = 2", "context": None, "status": "cancelled", "shown": True})
    assert await any_store.put_prediction(changed) == stored_at
    found = await any_store.get_prediction("p")
    assert found is not None
    assert found.prediction == ready.model_copy(update={"status": "cancelled", "shown": True})
    assert found.stored_at == stored_at


@pytest.mark.parametrize("verdict", ["scored", "missed", "stale"])
async def test_a_verdict_is_final(any_store: Store, make_prediction: Callable, verdict: str) -> None:
    await any_store.put_prediction(make_prediction("p", status="running"))
    await any_store.resolve([Resolved("p", verdict)])
    await any_store.put_prediction(make_prediction("p"))
    await any_store.put_prediction(make_prediction("p", status="cancelled"))
    found = await any_store.get_prediction("p")
    assert found is not None
    assert found.prediction.status == verdict


async def test_results_and_feedback(any_store: Store, make_prediction: Callable, make_scores: Callable) -> None:
    await any_store.put_prediction(make_prediction("p", 2))
    await any_store.put_prediction(make_prediction("late", 2))
    target = Target(text="x = 2", step_index=2)
    await any_store.resolve(
        [
            Resolved("p", "scored", target, make_scores(0.1 + 0.2)),
            Resolved("late", "missed", target),
            Resolved("erased meanwhile", "scored", target, make_scores(1.0)),
        ]
    )
    await any_store.add_feedback("p", "shown", {})
    await any_store.add_feedback("p", "accepted_part", {"characters": 3, "surface": "ghost"})
    with pytest.raises(NotFoundError):
        await any_store.add_feedback("erased meanwhile", "shown", {})

    found, late = await any_store.get_prediction("p"), await any_store.get_prediction("late")
    assert found is not None
    assert late is not None
    assert found.prediction.status == "scored"
    assert found.target == target
    assert {s.metric: s.value for s in found.scores} == dict.fromkeys(
        ("chrf", "exact_match", "rouge_l", "rouge_l_code"), 0.1 + 0.2
    )
    assert [(f.action, f.detail) for f in found.feedback] == [
        ("shown", {}),
        ("accepted_part", {"characters": 3, "surface": "ghost"}),
    ]
    assert (late.prediction.status, late.target, late.scores) == ("missed", target, ())
    # A second verdict takes the place of the first.
    await any_store.resolve([Resolved("p", "scored", target, (Score(metric="chrf", value=0.5),))])
    found = await any_store.get_prediction("p")
    assert found is not None
    assert found.scores == (Score(metric="chrf", value=0.5),)


async def test_predictions_are_filtered_and_ordered(any_store: Store, make_prediction: Callable) -> None:
    await any_store.put_prediction(make_prediction("a", 0, shown=True))
    await any_store.put_prediction(make_prediction("b", 1, status="running"))
    await any_store.put_prediction(make_prediction("c", 2, task=TaskKind.CELL_OUTPUT, shown=True))
    await any_store.put_prediction(make_prediction("other", 2, trajectory_id="t2"))

    async def keys(**conditions: object) -> str:
        return "".join(s.prediction.id for s in await any_store.predictions("t1", **conditions))

    assert await keys() == "abc"
    assert await keys(newest_first=True, limit=2) == "cb"
    assert await keys(task=TaskKind.NEXT_CELL) == "ab"
    assert await keys(statuses=("ready",)) == "ac"
    assert await keys(shown=True) == "ac"
    await any_store.set_status(["a", "b", "unknown"], "cancelled")
    assert await keys(statuses=("cancelled",)) == "ab"
    with_prompt = await any_store.predictions("t1", with_context=True)
    without = await any_store.predictions("t1")
    assert with_prompt[0].prediction.context == make_prediction("a").context
    assert without[0].prediction.context is None


async def test_info_counts(any_store: Store, make_step: Callable, make_prediction: Callable) -> None:
    await any_store.add_step("t1", make_step(0))
    await any_store.add_step("t1", make_step(1))
    await any_store.put_prediction(make_prediction("p"))
    info = await any_store.info()
    assert (info.path, info.n_trajectories, info.n_steps, info.n_predictions) == (any_store.path, 1, 2, 1)
    assert info.size_bytes > 10_000


async def test_what_was_left_running_is_cancelled(
    path: Path, reopen: Callable, make_prediction: Callable, caplog: pytest.LogCaptureFixture
) -> None:
    first = reopen(path)
    await first.put_prediction(make_prediction("left", status="running"))
    await first.put_prediction(make_prediction("done"))
    beside = reopen(path, recover=False)
    found = await beside.get_prediction("left")
    assert found is not None
    assert found.prediction.status == "running"
    await first.close()
    with caplog.at_level("INFO"):
        again = reopen(path)
    assert [r.message for r in caplog.records] == ["The store had 1 unfinished predictions: cancelled"]
    statuses = {s.prediction.id: s.prediction.status for s in await again.predictions("t1")}
    assert statuses == {"left": "cancelled", "done": "ready"}
    # A second server that starts beside a first one does no harm: the answer is still taken.
    await again.put_prediction(make_prediction("left"))
    found = await again.get_prediction("left")
    assert found is not None
    assert found.prediction.status == "ready"


async def test_a_closed_store_says_so(any_store: Store, make_step: Callable) -> None:
    writing = [asyncio.ensure_future(any_store.add_step("t1", make_step(i))) for i in range(20)]
    await asyncio.sleep(0)
    await any_store.close()
    await any_store.close()
    # What was asked for before is done.
    await asyncio.gather(*writing)
    with pytest.raises(StoreError, match="closed"):
        await any_store.add_step("t1", make_step(20))
    with pytest.raises(StoreError, match="closed"):
        await any_store.steps("t1")


async def test_memory_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_step: Callable, log: logging.Logger
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store.open_memory(log)
    await store.add_step("t1", make_step(0))
    assert (await store.info()).n_steps == 1
    await store.close()
    assert os.listdir(tmp_path) == []


async def test_work_is_done_off_the_event_loop(store: Store) -> None:
    writing = await store._writer.write(lambda _: threading.current_thread())
    reading = await store._read(lambda _: threading.current_thread())
    assert len({writing, reading, threading.current_thread()}) == 3
