"""Known outputs first, a model for the rest, and three arms against each other, worked through by hand."""

from __future__ import annotations

import pytest

from themisto_lab.report.known_first import PREFIX, SourceRow, add_known_first, source_rows
from themisto_lab.report.tables import Contestant, Item, Outcome, Table, paired, rows
from themisto_lab.report.tables_write import as_json, files, make_report
from themisto_lab.scoring.metrics import METRICS
from themisto_lab.types import TaskKind

RULE = Contestant("rule/known-output", "none", None)
ARMS = [Contestant("m", "transcript", arm) for arm in ("no_runtime", "runtime", "curated")]
FIRST = [who._replace(model=PREFIX + "m") for who in ARMS]


def outcome(value: float, source: str) -> Outcome:
    return Outcome(dict.fromkeys(METRICS, value), dict.fromkeys(METRICS, value), source=source)


def a_table() -> Table:
    """Four outputs: one that prints nothing, two that the state tells (one of them wrongly), one for the model."""
    table = Table()
    for index in range(4):
        table.items[f"i{index}"] = Item(f"i{index}", TaskKind.CELL_OUTPUT, f"t{index % 2}")
    told = [(1.0, "syntax"), (1.0, "state"), (0.0, "state"), (0.0, "unknown")]
    table.outcomes[RULE] = {f"i{n}": outcome(*one) for n, one in enumerate(told)}
    for who, values in zip(ARMS, ([0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 1]), strict=True):
        table.outcomes[who] = {f"i{n}": outcome(float(value), "model") for n, value in enumerate(values)}
    return table


def exact(table: Table, who: Contestant) -> float | None:
    [row] = [
        row
        for row in rows(table)
        if (row.model, row.prompt, row.arm) == who and row.metric == "exact_match" and row.postprocessed
    ]
    return row.counted.mean


def test_the_rule_answers_first_and_the_model_the_rest() -> None:
    table = a_table()
    add_known_first(table, "rule/known-output", "unknown")
    assert [exact(table, who) for who in FIRST] == [0.5, 0.75, 0.75]
    # The model's own rows are as they were.
    assert [exact(table, who) for who in ARMS] == [0.0, 0.25, 0.75]


def test_sources_are_told_apart() -> None:
    table = a_table()
    assert source_rows(table) == []
    add_known_first(table, "rule/known-output", "unknown")
    assert [row for row in source_rows(table) if row.who.arm == "curated"] == [
        SourceRow(FIRST[2], "syntax", 1, 4, 1.0),
        SourceRow(FIRST[2], "state", 2, 4, 0.5),
        SourceRow(FIRST[2], "model", 1, 4, 1.0),
    ]
    report = make_report(table, {}, [], raw=False)
    told = as_json(report)["sources"]
    assert {"model": PREFIX + "m", "arm": "curated", "prompt": "transcript", "source": "state"}.items() <= told[
        7
    ].items()
    assert told[7]["share"] == 0.5
    assert "Outputs by where they came from" in files(report)["report.md"]


def test_a_failed_rule_and_items_that_it_was_not_asked_leave_the_model_alone() -> None:
    table = a_table()
    table.outcomes[RULE]["i1"] = Outcome()
    del table.outcomes[RULE]["i0"]
    add_known_first(table, "rule/known-output", "unknown")
    assert sorted(table.outcomes[FIRST[2]]) == ["i1", "i2", "i3"]
    assert table.outcomes[FIRST[2]]["i1"].source == "model"


def test_without_the_rule_nothing_is_added() -> None:
    table = a_table()
    del table.outcomes[RULE]
    add_known_first(table, "rule/known-output", "unknown")
    assert set(table.outcomes) == set(ARMS)


def test_each_arm_is_compared_with_each_before_it() -> None:
    found = {
        (row.arm, row.other_arm): row.counted.mean
        for row in paired(a_table())
        if row.metric == "exact_match" and row.postprocessed
    }
    assert found == {
        ("runtime", "no_runtime"): 0.25,
        ("curated", "no_runtime"): 0.75,
        ("curated", "runtime"): pytest.approx(0.5),
    }
