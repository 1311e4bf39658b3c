"""The tables' numbers, on answers small enough to work through by hand."""

from __future__ import annotations

import csv
import io
import itertools
import json

import numpy as np
import pytest

from themisto_lab.report.aggregate import interval
from themisto_lab.report.bootstrap import Estimate, estimate_columns
from themisto_lab.report.tables import Contestant, Item, Outcome, Row, Table, paired, rows
from themisto_lab.report.tables_grid import difference, main_tables, number, with_interval
from themisto_lab.report.tables_write import as_json, files, make_report
from themisto_lab.scoring.metrics import METRICS
from themisto_lab.types import TaskKind

FREE = Contestant("baseline/repeat", "none", None)
PLAIN = Contestant("m", "paper", "no_runtime")
STATE = Contestant("m", "paper", "runtime")


def outcome(value: float, raw: float | None = None) -> Outcome:
    return Outcome(dict.fromkeys(METRICS, value), dict.fromkeys(METRICS, value if raw is None else raw))


FAILED = Outcome()


def table_of(**columns: list[Outcome | None]) -> Table:
    """Six next cells of two sessions; None: not asked."""
    whos = {"free": FREE, "plain": PLAIN, "state": STATE}
    kinds = ["repeat", "edit", "novel"] * 2
    table = Table()
    for index in range(6):
        table.items[f"i{index}"] = Item(f"i{index}", TaskKind.NEXT_CELL, f"t{index // 3}", kinds[index])
    for name, outcomes in columns.items():
        found = {f"i{index}": one for index, one in enumerate(outcomes) if one is not None}
        table.outcomes[whos[name]] = found
    return table


def pick(found: list[Row], who: Contestant, postprocessed: bool = True) -> Row:
    [row] = [
        row
        for row in found
        if (row.model, row.prompt, row.arm) == who
        and row.postprocessed is postprocessed
        and row.metric == "exact_match"
    ]
    return row


ONES = [outcome(1.0)] * 6


def test_a_failure_counts_as_zero_and_is_left_out() -> None:
    row = pick(rows(table_of(plain=[FAILED, outcome(1.0), outcome(0.5), outcome(1.0), outcome(0.5), FAILED])), PLAIN)
    assert (row.counted.n, row.counted.mean, row.n_failed) == (6, 0.5, 2)
    assert (row.answered.n, row.answered.mean) == (4, 0.75)
    assert row.counted.low is not None
    assert row.answered.low is None, "four values are too few for an interval"


def test_raw_and_post_processed_are_two_rows() -> None:
    found = rows(table_of(plain=[outcome(1.0, 0.25)] * 6))
    assert pick(found, PLAIN).counted == Estimate(6, 1.0, 1.0, 1.0)
    assert pick(found, PLAIN, postprocessed=False).counted == Estimate(6, 0.25, 0.25, 0.25)


def test_novelty_is_told_apart() -> None:
    table = table_of(plain=[outcome(value) for value in (1.0, 0.5, 0.0, 1.0, 0.5, 0.0)])
    means = {kind: pick(rows(table, kind), PLAIN).counted for kind in ("repeat", "edit", "novel")}
    assert {kind: (one.n, one.mean) for kind, one in means.items()} == {
        "repeat": (2, 1.0),
        "edit": (2, 0.5),
        "novel": (2, 0.0),
    }


def test_paired_differences_are_taken_on_shared_items_only() -> None:
    plain = [outcome(0.0), outcome(0.5), outcome(0.5), outcome(0.0), outcome(0.0), FAILED]
    state = [outcome(1.0), outcome(0.5), FAILED, outcome(1.0), None, outcome(1.0)]
    found = [row for row in paired(table_of(plain=plain, state=state)) if row.metric == "chrf" and row.postprocessed]
    [row] = found
    # 1, 0, -.5, 1, and 1 against a failure.
    assert (row.counted.n, row.counted.mean) == (5, 0.5)
    assert (row.answered.n, row.answered.mean) == (3, pytest.approx(2 / 3))
    assert (row.model, row.arm) == ("m", "runtime")
    assert "state" in row.sentence


def test_without_a_second_arm_there_is_nothing_to_compare() -> None:
    assert paired(table_of(free=ONES, plain=ONES)) == []


def test_intervals_agree_with_those_of_the_live_report() -> None:
    random = np.random.default_rng(5)
    clusters = [random.uniform(size=size) for size in (3, 8, 5, 12, 7, 9)]
    names = [f"t{number}" for number, cluster in enumerate(clusters) for _ in cluster]
    [found] = estimate_columns(np.concatenate(clusters)[:, None], names)
    ends = interval([list(cluster) for cluster in clusters])
    assert ends is not None
    assert found.low == pytest.approx(ends[0], abs=0.01)
    assert found.high == pytest.approx(ends[1], abs=0.01)


def test_clusters_widen_an_interval() -> None:
    # Two sessions that are all right and all wrong say less than twenty items that are no sessions.
    values = np.array([1.0] * 10 + [0.0] * 10)[:, None]
    [clustered] = estimate_columns(values, ["a"] * 10 + ["b"] * 10)
    [free] = estimate_columns(values, [str(number) for number in range(20)])
    assert (clustered.low, clustered.high) == (0.0, 1.0)
    assert 0.2 < (free.low or 0) < (free.high or 1) < 0.8


def test_a_column_with_gaps_is_as_if_it_stood_alone() -> None:
    values = np.array([[1.0, 1.0], [0.0, np.nan], [0.5, 0.5], [1.0, 1.0], [0.2, 0.2], [0.4, np.nan], [0.9, 0.9]])
    both = estimate_columns(values, list("aabbccc"))
    assert (both[1].n, both[1].mean) == (5, pytest.approx(0.72))
    assert both[1].low is not None
    assert both[1].low >= 0.2
    empty = estimate_columns(np.full((6, 1), np.nan), list("aabbcc"))
    assert empty == [Estimate(0, None, None, None)]


def test_common_items_only() -> None:
    table = table_of(free=ONES, plain=[outcome(1.0), None, outcome(1.0), None, FAILED, outcome(1.0)])
    table.only_common()
    assert sorted(table.items) == ["i0", "i2", "i4", "i5"]
    assert pick(rows(table), FREE).counted.n == 4


def test_the_table_has_one_row_a_model_and_a_block_an_arm() -> None:
    table = table_of(free=ONES, plain=[outcome(0.25)] * 6, state=[outcome(0.5)] * 6)
    found = rows(table)
    [grid] = main_tables(found, raw=False)
    assert grid.title == "Table 2. Next cell prediction, post-processed"
    assert grid.header[4:] == tuple(
        f"{arm} {metric}" for arm, metric in itertools.product(("No Runtime", "Runtime"), ("EM", "ROUGE-L", "ChrF"))
    )
    assert [row[0] for row in grid.rows] == ["baseline/repeat", "m", "best of the paper (other data)"]
    assert grid.rows[0][4:] == ("1.00 (1.00 to 1.00)",) * 3 + ("--",) * 3
    assert grid.rows[1][4:] == (".25 (.25 to .25)",) * 3 + (".50 (.50 to .50)",) * 3
    assert grid.rows[2][4:7] == (".14†", ".35†", ".47†")
    assert [one.title for one in main_tables(found, raw=True)] == [
        "Table 2. Next cell prediction, post-processed",
        "Table 3. Next cell prediction, without post-processing",
    ]


def test_failures_make_a_second_table() -> None:
    table = table_of(plain=[FAILED, *[outcome(1.0)] * 5])
    first, second = main_tables(rows(table), raw=False)
    assert second.title.endswith("failures left out")
    assert first.rows[0][3] == "1"
    assert first.rows[0][4].startswith(".83")
    assert second.rows[0][2] == "5"
    assert second.rows[0][4].startswith("1.00")


def test_the_files_hold_the_same_numbers() -> None:
    table = table_of(free=ONES, plain=[outcome(0.25, 0.0)] * 6, state=[*[outcome(0.5)] * 5, FAILED])
    report = make_report(table, {"sample": "<s>.jsonl", "sample_sha256": "ab" * 32}, ["A | note"], raw=True)
    texts = files(report)
    assert texts.keys() == {"report.md", "report.csv", "report.json", "report.html"}
    numbers = json.loads(texts["report.json"])
    assert numbers == json.loads(json.dumps(as_json(report)))
    keys = {"task", "model", "arm", "postprocessed", "metric", "mean", "ci_low", "ci_high", "n", "n_failed"}
    assert all(keys <= row.keys() for row in numbers["rows"])
    assert len(numbers["rows"]) == 3 * 2 * len(METRICS)
    assert len(numbers["novelty"]) == 3 * len(numbers["rows"])
    assert {row["mean"] for row in numbers["published"] if row["task"] == "cell_output"} == {0.19, 0.38, 0.55}
    assert all(row["other_data"] for row in numbers["published"])
    read = list(csv.DictReader(io.StringIO(texts["report.csv"])))
    assert len(read) == 4 * len(numbers["rows"])
    assert [float(row["mean"]) for row in read[: len(numbers["rows"])]] == [row["mean"] for row in numbers["rows"]]
    assert "Table 3. Next cell prediction" in texts["report.md"]
    assert "## " in texts["report.md"]
    assert "&lt;s&gt;.jsonl" in texts["report.html"]
    assert "<svg" in texts["report.html"]
    assert "<script" not in texts["report.html"]
    assert files(make_report(table, {"sample": "<s>.jsonl", "sample_sha256": "ab" * 32}, ["A | note"], True)) == texts


def test_how_numbers_are_written() -> None:
    assert number(0.144) == ".14"
    assert number(None) == "--"
    assert with_interval(Estimate(9, 0.5, 0.25, 0.75)) == ".50 (.25 to .75)"
    assert difference(Estimate(9, -0.05, -0.1, 0.02)) == "\N{MINUS SIGN}.05 (\N{MINUS SIGN}.10 to +.02)"
