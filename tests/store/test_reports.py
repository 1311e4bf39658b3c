"""Means, counts and pairs, worked out by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from themisto_lab.store.records import Resolved, ScorePair, ScoreRow
from themisto_lab.store.store import Store
from themisto_lab.types import Score, Target, TaskKind, Trajectory


@pytest.fixture
def scored(any_store: Store, make_prediction: Callable) -> Callable:
    """Store a prediction and its score."""

    async def put(key: str, index: int, value: float | None, status: str = "scored", **fields: object) -> None:
        await any_store.put_prediction(make_prediction(key, index, **fields))
        scores = () if value is None else (Score(metric="chrf", value=value),)
        await any_store.resolve([Resolved(key, status, Target(text="x", step_index=index), scores)])

    return put


async def test_means_and_counts(any_store: Store, scored: Callable, make_prediction: Callable) -> None:
    await scored("a", 0, 0.25)
    await scored("b", 1, 0.75)
    await scored("c", 2, None, "missed")
    await scored("d", 3, None, "stale")
    await scored("e", 4, None, "stale")
    await any_store.put_prediction(make_prediction("f", 5, status="failed"))
    await any_store.put_prediction(make_prediction("g", 5, status="cancelled"))
    await scored("h", 0, 1.0, arm=None, predictor="baseline/repeat")
    await scored("i", 0, 0.5, task=TaskKind.CELL_OUTPUT, shown=True)
    empty = {"exact_match": None, "rouge_l": None, "rouge_l_code": None}
    none = {"n_missed": 0, "n_stale": 0, "n_failed": 0}
    output, following = TaskKind.CELL_OUTPUT, TaskKind.NEXT_CELL
    assert await any_store.score_rows() == (
        ScoreRow(output, "local/small", "runtime", True, n=1, **none, **empty, chrf=0.5),
        ScoreRow(following, "baseline/repeat", None, False, n=1, **none, **empty, chrf=1.0),
        ScoreRow(following, "local/small", "runtime", False, n=2, n_missed=1, n_stale=2, n_failed=1, **empty, chrf=0.5),
    )


async def test_a_row_has_every_metric(any_store: Store, make_prediction: Callable, make_scores: Callable) -> None:
    for index, value in enumerate((0.0, 1.0, 0.5, 0.5)):
        await any_store.put_prediction(make_prediction(f"p{index}", index))
        target = Target(text="x", step_index=index)
        await any_store.resolve([Resolved(f"p{index}", "scored", target, make_scores(value))])
    (row,) = await any_store.score_rows()
    assert (row.n, row.exact_match, row.rouge_l, row.rouge_l_code, row.chrf) == (4, 0.5, 0.5, 0.5, 0.5)


async def test_versions_of_a_metric_are_not_mixed(
    any_store: Store, make_prediction: Callable, make_scores: Callable
) -> None:
    for index, (value, version) in enumerate(((0.1, 1), (0.9, 2), (0.7, 2))):
        for arm in ("runtime", "no_runtime"):
            key = f"{arm}-{index}"
            await any_store.put_prediction(make_prediction(key, index, arm=arm))
            scores = make_scores(value, version)
            await any_store.resolve([Resolved(key, "scored", Target(text="x", step_index=index), scores)])
    rows = await any_store.score_rows()
    assert [(row.n, row.chrf) for row in rows] == [(3, pytest.approx(0.8))] * 2
    pairs = await any_store.paired("runtime", "no_runtime")
    assert {pair.target_index for pair in pairs} == {1, 2}
    assert len(pairs) == 8


async def test_only_the_very_same_question_makes_a_pair(any_store: Store, scored: Callable) -> None:
    output = {"task": TaskKind.CELL_OUTPUT, "cell_id": "c", "code": "x"}
    await scored("a1", 0, 0.75)
    await scored("a2", 0, 0.5, arm="no_runtime")
    await scored("b1", 1, 1.0, **output)
    await scored("b2", 1, 0.25, arm="no_runtime", **output)
    # Not pairs: another step, cell, code, predictor, trajectory; not scored; no partner.
    await scored("c1", 2, 1.0)
    await scored("c2", 3, 1.0, arm="no_runtime")
    await scored("d1", 4, 1.0, **output)
    await scored("d2", 4, 1.0, arm="no_runtime", **output | {"cell_id": "other"})
    await scored("e1", 5, 1.0, **output)
    await scored("e2", 5, 1.0, arm="no_runtime", **output | {"code": "y"})
    await scored("f1", 6, 1.0)
    await scored("f2", 6, 1.0, arm="no_runtime", predictor="local/large")
    await scored("g1", 7, 1.0)
    await scored("g2", 7, 1.0, arm="no_runtime", trajectory_id="t2")
    await scored("h1", 8, 1.0)
    await scored("h2", 8, None, "missed", arm="no_runtime")
    names = {"predictor": "local/small", "metric": "chrf", "arm": "runtime", "other_arm": "no_runtime"}
    assert await any_store.paired("runtime", "no_runtime") == (
        ScorePair("t1", 0, None, TaskKind.NEXT_CELL, value=0.75, other_value=0.5, **names),
        ScorePair("t1", 1, "c", TaskKind.CELL_OUTPUT, value=1.0, other_value=0.25, **names),
    )
    turned = await any_store.paired("no_runtime", "runtime")
    assert [(p.value, p.other_value) for p in turned] == [(0.5, 0.75), (0.25, 1.0)]


async def test_the_latest_answer_to_a_question_counts(
    any_store: Store, scored: Callable, make_prediction: Callable
) -> None:
    asked = make_prediction("x").created_at
    await scored("first", 0, 0.1, created_at=asked)
    await scored("last", 0, 0.2, created_at=asked.replace(second=31))
    await scored("late", 0, None, "missed", created_at=asked.replace(second=45))
    await scored("other", 0, 0.5, arm="no_runtime")
    (pair,) = await any_store.paired("runtime", "no_runtime")
    assert (pair.value, pair.other_value) == (0.2, 0.5)


async def test_reports_of_one_trajectory_or_notebook(any_store: Store, scored: Callable) -> None:
    for name, notebook in (("t1", "a.ipynb"), ("t2", "a.ipynb"), ("t3", "b.ipynb")):
        await any_store.add_trajectory(Trajectory(id=name, notebook=notebook))
        for arm in ("runtime", "no_runtime"):
            await scored(f"{name}-{arm}", 0, 0.5, arm=arm, trajectory_id=name)

    async def count(**scope: str) -> tuple[int, int]:
        rows = await any_store.score_rows(**scope)
        return sum(row.n for row in rows), len(await any_store.paired("runtime", "no_runtime", **scope))

    assert await count() == (6, 3)
    assert await count(trajectory_id="t1") == (2, 1)
    assert await count(notebook="a.ipynb") == (4, 2)
    assert await count(notebook="b.ipynb", trajectory_id="t1") == (0, 0)
