"""The paper's rules, worked through by hand on small sets."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from benchmark_helpers import make_step, make_trajectory

from themisto_lab.benchmark.format import write_trajectories
from themisto_lab.benchmark.sample_file import SampleItem, read_header, read_sample
from themisto_lab.benchmark.sampling import SampleRules, TaskReport, quantile, sample
from themisto_lab.errors import BadInputError
from themisto_lab.types import MIME_STDOUT, MIME_TEXT, CellOutput, Step, TaskKind, Trajectory

CODE = SampleRules(tasks=(TaskKind.NEXT_CELL,))
OUTPUT = SampleRules(tasks=(TaskKind.CELL_OUTPUT,))


def draw(
    tmp_path: Path, trajectories: list[Trajectory], rules: SampleRules
) -> tuple[list[tuple[SampleItem, Trajectory]], TaskReport]:
    """Write, sample and read back; for rules of one task."""
    source, out = tmp_path / "t.jsonl", tmp_path / "s.jsonl"
    write_trajectories(source, trajectories)
    [report] = sample(source, out, rules).values()
    return list(read_sample(out)), report


def codes(lengths: list[int], before: int = 5) -> list[Step]:
    """Some first steps, then one with code of each length."""
    return [
        make_step(index, "x" * (1 if index < before else lengths[index - before]))
        for index in range(before + len(lengths))
    ]


def test_the_rules_by_hand(tmp_path: Path) -> None:
    """Ten targets of the lengths 1 1 2 2 3 3 4 4 10 100 and one that raised.

    0.99 quantile: place 0.99 * 9 = 8.91, so 10 + 0.91 * 90 = 91.9, and 100 goes. Of the nine left the places
    2, 4, 6 hold 2, 3 and 4: the first quartile is 1 1 2 2 (both twos: equal lengths stay together), the second
    3 3, the third 4 4, the fourth 10. Of 20 asked for, 1 each is from the tails and 18 from the middle, which holds 4.
    """
    steps = codes([4, 1, 100, 3, 2, 10, 2, 3, 1, 4])
    steps.append(make_step(15, "x" * 7, status="error"))
    items, report = draw(tmp_path, [make_trajectory("a", steps)], replace(CODE, n=20))
    assert report.n_steps == 16
    assert report.excluded == {
        "fewer than 5 actions before": 5,
        "exception": 1,
        "longer than the 0.99 quantile": 1,
    }
    assert report.longest_length == pytest.approx(91.9)
    assert report.quartile_lengths == (2, 3, 4)
    assert report.groups == {
        "2nd and 3rd quartile": {"available": 4, "asked": 18, "drawn": 4},
        "4th quartile": {"available": 1, "asked": 1, "drawn": 1},
        "1st quartile": {"available": 4, "asked": 1, "drawn": 1},
    }
    assert (report.n_items, report.n_asked) == (6, 20)
    lengths = sorted((item.quartile, len(item.target)) for item, _ in items)
    assert lengths[1:] == [(2, 3), (2, 3), (3, 4), (3, 4), (4, 10)]
    first = min((5 + 1, 5 + 4, 5 + 6, 5 + 8), key=lambda i: hashlib.sha256(f"0:next_cell:a:{i}".encode()).digest())
    assert [item.target_index for item, _ in items if item.quartile == 1] == [first]


def test_equal_lengths_are_all_in_the_first_quartile(tmp_path: Path) -> None:
    items, report = draw(tmp_path, [make_trajectory("a", codes([6] * 40))], replace(CODE, n=200))
    assert report.longest_length == 6
    assert "longer than the 0.99 quantile" not in report.excluded
    assert report.groups["1st quartile"] == {"available": 40, "asked": 10, "drawn": 10}
    assert len(items) == 10


def test_two_hundred_are_180_and_10_and_10(tmp_path: Path) -> None:
    trajectories = [make_trajectory(f"t{n}", codes(list(range(1 + n, 101 + n)))) for n in range(10)]
    items, report = draw(tmp_path, trajectories, CODE)
    assert Counter(item.quartile in (2, 3) for item, _ in items) == {True: 180, False: 20}
    assert Counter(item.quartile for item, _ in items)[1] == 10
    assert report.n_items == 200
    assert len({item.id for item, _ in items}) == 200


@pytest.mark.parametrize(
    ("ordered", "share", "expected"),
    [([1, 2, 3, 4], 0.25, 1.75), ([1, 2, 3, 4], 0.5, 2.5), ([5], 0.99, 5), ([1, 3], 0.5, 2), ([1, 9], 1.0, 9)],
)
def test_quantiles_by_hand(ordered: list[int], share: float, expected: float) -> None:
    assert quantile(ordered, share) == pytest.approx(expected)


def test_quantiles_are_numpys_own() -> None:
    import numpy as np

    ordered = sorted(int(hashlib.sha256(str(n).encode()).hexdigest()[:4], 16) for n in range(137))
    for share in (0.25, 0.5, 0.75, 0.99):
        assert quantile(ordered, share) == pytest.approx(float(np.quantile(ordered, share)), abs=1e-9)


def test_five_actions_before_or_in_the_trajectory(tmp_path: Path) -> None:
    trajectories = [
        make_trajectory("five", codes([], 5)),
        make_trajectory("four", codes([], 4)),
        make_trajectory("one", codes([], 1)),
    ]
    everything = replace(CODE, draw="all")
    items, report = draw(tmp_path, trajectories, everything)
    assert items == []
    assert report.excluded == {"fewer than 5 actions before": 10}
    items, report = draw(tmp_path, trajectories, replace(everything, actions_in="trajectory"))
    assert [item.target_index for item, _ in items] == [1, 2, 3, 4]
    assert report.excluded == {"fewer than 5 actions in trajectory": 5, "no step before the next cell": 1}


def test_a_first_cell_has_an_output_to_predict(tmp_path: Path) -> None:
    trajectory = make_trajectory("five", [make_step(index, "x", "out") for index in range(5)])
    items, _ = draw(tmp_path, [trajectory], replace(OUTPUT, draw="all", actions_in="trajectory"))
    assert [item.target_index for item, _ in items] == [0, 1, 2, 3, 4]


def test_outputs_that_cannot_be_targets(tmp_path: Path) -> None:
    def with_outputs(index: int, *outputs: CellOutput) -> Step:
        return make_step(index, "f()", outputs=outputs)

    trajectory = make_trajectory(
        "a",
        [
            make_step(0, "x", "good"),
            make_step(1, "x"),
            make_step(2, "x", " \n "),
            make_step(3, "x", "half", status="error"),
            make_step(4, "x", "lost", status="died"),
            with_outputs(5, CellOutput(mime=MIME_STDOUT, text="Traceback (most recent call last):\n...")),
            with_outputs(6, CellOutput(mime=MIME_TEXT, text="", truncated=True)),
            with_outputs(7, CellOutput(mime=MIME_TEXT, text="begin", truncated=True)),
            with_outputs(8, CellOutput(mime="image/png", text="<Figure>", truncated=True)),
        ],
    )
    items, report = draw(tmp_path, [trajectory], replace(OUTPUT, draw="all", min_actions=0))
    assert [item.target for item, _ in items] == ["good"]
    assert report.excluded == {
        "exception": 3,
        "empty": 3,
        "output not recorded": 1,
        "output cut off": 1,
    }


def test_a_reason_is_counted_once_and_the_counts_add_up(tmp_path: Path) -> None:
    steps = codes([3, 9, 27, 81, 243, 5])
    steps[0] = make_step(0, "x", status="error")
    items, report = draw(tmp_path, [make_trajectory("a", steps)], replace(CODE, n=1000))
    available = sum(group["available"] for group in report.groups.values())
    assert report.excluded.total() + available == report.n_steps == 11
    assert len(items) == available


def test_the_draw_does_not_depend_on_the_files_order_and_depends_on_the_seed(tmp_path: Path) -> None:
    trajectories = [make_trajectory(f"t{n}", codes(list(range(1, 40)))) for n in range(4)]
    rules = replace(CODE, n=20)
    first = {item.id for item, _ in draw(tmp_path, trajectories, rules)[0]}
    assert {item.id for item, _ in draw(tmp_path, trajectories[::-1], rules)[0]} == first
    assert {item.id for item, _ in draw(tmp_path, trajectories, replace(rules, seed=1))[0]} != first
    assert {item.id for item, _ in draw(tmp_path, trajectories, replace(rules, n=40))[0]} > first


def test_parts_share_no_trajectory_and_hold_all_of_them(tmp_path: Path) -> None:
    trajectories = [make_trajectory(f"t{n}", codes(list(range(1, 9)))) for n in range(12)]
    rules = replace(CODE, draw="all", n_parts=3)
    drawn = [draw(tmp_path, trajectories, replace(rules, part=part)) for part in (1, 2, 3)]
    ids = [{trajectory.id for _, trajectory in items} for items, _ in drawn]
    assert all(ids)
    assert sum(map(len, ids)) == 12 == len(set.union(*ids))
    whole, _ = draw(tmp_path, trajectories, replace(rules, n_parts=1))
    assert {item.id for items, _ in drawn for item, _ in items} == {item.id for item, _ in whole}
    assert all(report.n_steps == 12 * 13 for _, report in drawn)
    # A trajectory keeps its part when others come to the file.
    fewer, _ = draw(tmp_path, trajectories[:5], rules)
    assert {trajectory.id for _, trajectory in fewer} == ids[0] & {f"t{n}" for n in range(5)}


def test_each_target_is_equally_likely(tmp_path: Path) -> None:
    trajectory = make_trajectory("a", codes([1, 2, 3, 4]))
    rules = replace(CODE, draw="uniform", n=1)
    drawn = Counter(
        draw(tmp_path, [trajectory], replace(rules, seed=seed))[0][0][0].target_index for seed in range(200)
    )
    # Fifty each; 26 to 74 is four standard deviations.
    assert set(drawn) == {5, 6, 7, 8}
    assert all(26 <= count <= 74 for count in drawn.values())


def test_the_file_is_self_contained_and_no_larger_than_needed(tmp_path: Path) -> None:
    trajectories = [
        make_trajectory("a", [make_step(index, f"code_{index}", f"out {index}") for index in range(12)]),
        make_trajectory("unused", [make_step(0, "x")]),
    ]
    source, out = tmp_path / "t.jsonl", tmp_path / "s.jsonl"
    write_trajectories(source, trajectories)
    sample(source, out, SampleRules(n=1, draw="uniform", seed=3))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["sample", "trajectory", "item", "item"]
    pairs = list(read_sample(out))
    last = max(item.target_index for item, _ in pairs)
    assert len(lines[1]["steps"]) == last + 1
    for item, trajectory in pairs:
        step = trajectories[0].steps[item.target_index]
        history = item.history(trajectory)
        assert [s.index for s in history.steps] == list(range(item.target_index))
        if item.task is TaskKind.NEXT_CELL:
            assert (item.target, item.code(trajectory)) == (step.code, "")
        else:
            assert (item.target, item.code(trajectory)) == (step.output_text, step.code)
    header = read_header(out)
    assert header.source_sha256 == hashlib.sha256(source.read_bytes()).hexdigest()
    assert header.rules["seed"] == 3
    assert header.tasks["next_cell"]["n_items"] == 1


def test_two_trajectories_of_one_name_are_refused(tmp_path: Path) -> None:
    trajectory = make_trajectory("a", codes([1]))
    with pytest.raises(BadInputError, match="two trajectories have the id a"):
        draw(tmp_path, [trajectory, trajectory], CODE)


def test_files_that_are_no_samples_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "t.jsonl"
    write_trajectories(source, [make_trajectory("a", codes([1, 2, 3]))])
    with pytest.raises(BadInputError, match="is not a sample; make one with"):
        list(read_sample(source))
    out = tmp_path / "s.jsonl"
    sample(source, out, replace(CODE, draw="all"))
    lines = out.read_text().splitlines()
    bad = tmp_path / "bad.jsonl"
    for spoiled, message in [
        ([lines[0], lines[2]], "line 2: the item does not follow its trajectory"),
        ([lines[0], lines[1], lines[2].replace('"target_index":5', '"target_index":50')], "line 3: .* no step 50"),
        ([lines[0], lines[1], lines[2].replace('"task":"next_cell"', '"task":"x"')], "line 3: SampleItem has a wrong"),
        ([lines[0], '{"kind":"x"}'], "line 2: neither a trajectory nor an item"),
        ([lines[0], lines[1][:-4]], "line 2, column .* cut off"),
    ]:
        bad.write_text("\n".join(spoiled))
        with pytest.raises(BadInputError, match=message):
            list(read_sample(bad))


def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    source, out = tmp_path / "t.jsonl", tmp_path / "s.jsonl"
    steps = [make_step(index, "x" * (index + 1), "y" * 50_000) for index in range(10)]
    write_trajectories(source, (make_trajectory(f"t{n}", steps) for n in range(30)))
    assert source.stat().st_size > 15_000_000
    tracemalloc.start()
    try:
        sample(source, out, replace(CODE, draw="all"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000
