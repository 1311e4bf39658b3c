"""The size cap: the oldest texts go, scores and counts stay, and the files really are smaller."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from themisto_lab.store.records import Resolved
from themisto_lab.store.store import Store
from themisto_lab.types import CellOutput, Context, Target

CAP_BYTES = 1_000_000


async def fill(store: Store, make_step: Callable, make_prediction: Callable, make_scores: Callable) -> None:
    """Write about 3 MB in 60 steps, in text that does not shrink when it is compressed."""
    noise = random.Random(7)
    for i in range(60):
        text = noise.randbytes(10_000).hex()
        output = CellOutput(mime="text/plain", text=text)
        await store.add_step("t1", make_step(i, code=text, outputs=(output,)))
        context = Context(prompt=noise.randbytes(10_000).hex())
        await store.put_prediction(make_prediction(f"p{i:02}", i, context=context))
        await store.resolve([Resolved(f"p{i:02}", "scored", Target(text=text, step_index=i), make_scores(i / 60))])


async def test_the_oldest_texts_go_and_scores_stay(
    store: Store, path: Path, make_step: Callable, make_prediction: Callable, make_scores: Callable
) -> None:
    await fill(store, make_step, make_prediction, make_scores)
    rows, before = await store.score_rows(), await store.info()
    assert before.size_bytes > 3 * CAP_BYTES
    n_blanked = await store.enforce_cap(CAP_BYTES)
    after = await store.info()
    on_disk = sum(os.stat(path.with_name(n)).st_size for n in os.listdir(path.parent) if not n.endswith("-shm"))
    assert after.size_bytes == on_disk
    assert on_disk <= CAP_BYTES
    assert (after.n_steps, after.n_predictions) == (before.n_steps, before.n_predictions)
    assert await store.score_rows() == rows

    steps = await store.steps("t1")
    has_text = [bool(step.code) for step in steps]
    n_kept = sum(has_text)
    assert 5 < n_kept < 40
    assert has_text == [False] * (60 - n_kept) + [True] * n_kept
    assert steps[0] == make_step(0, code="", outputs=(), variables=(), look=None, receipt=None)
    predictions = await store.predictions("t1", with_context=True)
    n_erased = sum(p.content_erased for p in predictions)
    assert n_blanked == n_erased + 60 - n_kept
    assert abs(n_erased - (60 - n_kept)) <= 1
    first, last = predictions[0], predictions[-1]
    assert (first.content_erased, first.prediction.text, first.prediction.context, first.target) == (
        True,
        "",
        None,
        None,
    )
    assert first.prediction.latency_s == 2
    assert [s.value for s in first.scores] == [0.0] * 4
    assert not last.content_erased
    assert last.target is not None
    assert last.prediction.context is not None
    # It cut below the cap, so there is room for a while.
    assert await store.enforce_cap(CAP_BYTES) == 0
    await store.add_step("t1", make_step(60, code="x" * 20_000))
    assert await store.enforce_cap(CAP_BYTES) == 0


async def test_below_the_cap_nothing_is_touched(store: Store, make_step: Callable) -> None:
    await store.add_step("t1", make_step(0))
    assert await store.enforce_cap(5_000_000) == 0
    assert await store.steps("t1") == (make_step(0),)


async def test_a_cap_below_what_must_stay_is_told_once(
    store: Store, make_step: Callable, caplog: pytest.LogCaptureFixture
) -> None:
    await store.add_step("t1", make_step(0))
    assert await store.enforce_cap(1_000) == 1
    assert await store.enforce_cap(1_000) == 0
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "holds no texts any more" in caplog.text


async def test_writing_goes_on_on_every_database(
    any_store: Store, make_step: Callable, make_prediction: Callable, make_scores: Callable
) -> None:
    await fill(any_store, make_step, make_prediction, make_scores)
    rows = await any_store.score_rows()
    assert await any_store.enforce_cap(CAP_BYTES) > 0
    assert await any_store.score_rows() == rows
    steps = await any_store.steps("t1")
    assert steps[0].code == ""
    assert steps[-1].code
    await any_store.add_step("t1", make_step(60))
    assert (await any_store.steps("t1", after=60))[0] == make_step(60)
