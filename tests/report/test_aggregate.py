"""Paired differences of arms, worked out by hand and checked for honesty."""

from __future__ import annotations

import random
import statistics
import time

import pytest

from themisto_lab.report.aggregate import describe, differences, interval, signed
from themisto_lab.store.records import ScorePair
from themisto_lab.types import Metric, TaskKind

OUTPUT, NEXT = TaskKind.CELL_OUTPUT, TaskKind.NEXT_CELL


def pair(
    value: float,
    other: float,
    trajectory: str = "t1",
    index: int = 0,
    task: TaskKind = OUTPUT,
    metric: Metric = "rouge_l",
) -> ScorePair:
    return ScorePair(
        trajectory_id=trajectory,
        target_index=index,
        cell_id=None,
        task=task,
        predictor="local/small",
        metric=metric,
        arm="runtime",
        other_arm="no_runtime",
        value=value,
        other_value=other,
    )


def test_nothing_gives_nothing() -> None:
    assert differences([]) == ()


def test_fewer_than_five_pairs_have_a_mean_and_no_interval() -> None:
    (found,) = differences([pair(0.5, 0.25), pair(1.0, 0.25)])
    assert (found.n, found.mean, found.low, found.high) == (2, 0.5, None, None)
    assert found.sentence == "too few to tell: 2 pairs of 5 for state on output"
    (found,) = differences([pair(0.5, 0.25, task=NEXT)])
    assert found.sentence == "too few to tell: 1 pair of 5 for state on the next cell"


def test_a_constant_difference_has_no_width() -> None:
    (found,) = differences([pair(0.75, 0.5, index=i) for i in range(5)])
    assert (found.n, found.mean) == (5, 0.25)
    assert (found.low, found.high) == (pytest.approx(0.25), pytest.approx(0.25))
    assert found.sentence == "state helps output by +.25 (+.25 to +.25)"


def test_groups_are_kept_apart_and_ordered() -> None:
    pairs = [
        pair(1.0, 0.0, task=NEXT),
        pair(0.5, 0.0, task=OUTPUT, metric="rouge_l"),
        pair(0.25, 0.0, task=OUTPUT, metric="chrf"),
    ]
    found = [(d.task, d.metric, d.mean) for d in differences(pairs)]
    assert found == [(OUTPUT, "chrf", 0.25), (OUTPUT, "rouge_l", 0.5), (NEXT, "rouge_l", 1.0)]
    assert [d.mean for d in differences(reversed(pairs))] == [0.25, 0.5, 1.0]


def test_equal_input_gives_equal_output() -> None:
    pairs = [pair(i % 3 / 3, i % 2 / 2, f"t{i % 4}", i) for i in range(40)]
    assert differences(pairs) == differences(pairs)
    assert differences(pairs[::-1])[0].mean == pytest.approx(differences(pairs)[0].mean)


def test_the_plain_interval_is_near_the_normal_one() -> None:
    random_ = random.Random(3)
    for n in (200, 2_000):
        values = [random_.gauss(0.1, 0.3) for _ in range(n)]
        found = interval([values])
        assert found is not None
        low, high = found
        half = 1.96 * statistics.pstdev(values) / n**0.5
        assert low == pytest.approx(statistics.fmean(values) - half, abs=half * 0.15)
        assert high == pytest.approx(statistics.fmean(values) + half, abs=half * 0.15)


def test_steps_that_resemble_each_other_are_not_counted_as_independent() -> None:
    # Ten trajectories of thirty steps; all steps of one trajectory differ by about the same.
    random_ = random.Random(4)
    clusters = []
    for _ in range(10):
        centre = random_.gauss(0.0, 0.2)
        clusters.append([random_.gauss(centre, 0.02) for _ in range(30)])
    clustered, plain = interval(clusters), interval([[value for cluster in clusters for value in cluster]])
    assert clustered is not None
    assert plain is not None
    assert clustered[1] - clustered[0] > 3 * (plain[1] - plain[0])


def test_two_trajectories_that_agree_are_not_proof() -> None:
    # Both means are .1, so drawing whole trajectories alone would give an interval without any width.
    values = [0.4, -0.2, 0.3, -0.1, 0.1]
    found = interval([values, values])
    assert found is not None
    assert found[0] < 0.05 < 0.15 < found[1]


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    random_ = random.Random(5)
    n_covered = 0
    for _ in range(100):
        clusters = []
        for _ in range(20):
            centre = random_.gauss(0.05, 0.1)
            clusters.append([random_.gauss(centre, 0.3) for _ in range(6)])
        found = interval(clusters)
        assert found is not None
        n_covered += found[0] <= 0.05 <= found[1]
    assert 88 <= n_covered <= 100


def test_many_pairs_are_quick() -> None:
    pairs = [pair(i % 7 / 7, i % 5 / 5, "t1", i) for i in range(20_000)]
    started_s = time.perf_counter()
    (found,) = differences(pairs)
    assert time.perf_counter() - started_s < 2
    assert found.n == 20_000


@pytest.mark.parametrize(
    ("mean", "ends", "sentence"),
    [
        (0.08, (0.02, 0.18), "state helps output by +.08 (+.02 to +.18)"),
        (-0.08, (-0.18, -0.02), "state hurts output by -.08 (-.18 to -.02)"),
        (0.08, (-0.02, 0.18), "no clear difference yet: state changes output by +.08 (-.02 to +.18)"),
        (0.0, (0.0, 0.0), "no clear difference yet: state changes output by .00 (.00 to .00)"),
        (-0.001, (-0.5, 1.0), "no clear difference yet: state changes output by .00 (-.50 to +1.00)"),
    ],
)
def test_sentences(mean: float, ends: tuple[float, float], sentence: str) -> None:
    said = describe(OUTPUT, ("runtime", "no_runtime"), 40, mean, ends)
    assert said == sentence.replace("-", "\N{MINUS SIGN}")


def test_other_arms_are_named() -> None:
    said = describe(NEXT, ("curated", "runtime"), 9, 0.1, (0.05, 0.2))
    assert said == "curated over runtime helps the next cell by +.10 (+.05 to +.20)"


def test_signed_numbers() -> None:
    minus = "\N{MINUS SIGN}"
    values = (0.08, -0.02, 0, 1, -1, 0.004, -0.004, 0.995)
    assert [signed(v) for v in values] == ["+.08", f"{minus}.02", ".00", "+1.00", f"{minus}1.00", ".00", ".00", "+.99"]
