"""Predicted against observed."""

from __future__ import annotations

import importlib.util
import json

import pytest

from themisto_lab.report.calibration import calibration_bins, calibration_error
from themisto_lab.report.tables import Contestant, Item, Outcome, Table
from themisto_lab.report.tables_write import files, make_report
from themisto_lab.types import TaskKind

HISTORY = Contestant("baseline/history", "none", None)


def scored_table() -> Table:
    """20 predictions at .25 of which 5 come true, 10 at .8 of which 8 do, one failure, and one without an estimate."""
    table = Table()
    outcomes = table.outcomes.setdefault(HISTORY, {})
    rows = [(0.25, i < 5) for i in range(20)] + [(0.8, i < 8) for i in range(10)] + [(None, True)]
    for place, (probability, right) in enumerate(rows):
        table.items[str(place)] = Item(str(place), TaskKind.NEXT_CELL, f"t{place % 4}", "repeat")
        scores = dict.fromkeys(("exact_match", "rouge_l", "rouge_l_code", "chrf"), float(right))
        outcomes[str(place)] = Outcome(scores, scores, probability)
    table.items["failed"] = Item("failed", TaskKind.NEXT_CELL, "t0", "repeat")
    outcomes["failed"] = Outcome(probability=0.9)
    return table


def test_bins_by_hand():
    bins = calibration_bins([(0.01, False), (0.05, True), (0.45, False), (1.0, True)])
    assert [(b.n, round(b.predicted, 3), b.observed) for b in bins] == [(2, 0.03, 0.5), (1, 0.45, 0.0), (1, 1.0, 1.0)]
    # Wilson's interval for 1 of 2, worked out apart.
    assert (bins[0].low, bins[0].high) == (pytest.approx(0.0945, abs=1e-4), pytest.approx(0.9055, abs=1e-4))
    assert bins[1].low == 0.0
    assert bins[2].high == 1.0
    assert calibration_error(bins) == pytest.approx((2 * 0.47 + 0.45 + 0) / 4)


def test_no_predictions_no_bins():
    assert calibration_bins([]) == []
    assert calibration_error([]) is None


def test_a_report_tells_calibration_where_there_are_probabilities():
    report = make_report(scored_table(), {"sample": "s"}, [], raw=False)
    texts = files(report)
    (found,) = json.loads(texts["report.json"])["calibration"]
    assert (found["model"], found["task"]) == ("baseline/history", "next_cell")
    assert [(b["n"], b["predicted"], b["observed"]) for b in found["bins"]] == [
        (20, pytest.approx(0.25), 0.25),
        (10, pytest.approx(0.8), 0.8),
    ]
    assert found["mean_error"] == pytest.approx(0.0)
    assert "Predicted against observed exact match" in texts["report.md"]
    if importlib.util.find_spec("matplotlib"):
        assert texts["calibration.svg"].startswith("<svg")
        assert "Observed exact match" in texts["calibration.svg"]
        assert texts["calibration.svg"] in texts["report.html"]


def test_a_report_without_probabilities_has_no_calibration():
    table = scored_table()
    for item_id, outcome in table.outcomes[HISTORY].items():
        table.outcomes[HISTORY][item_id] = Outcome(outcome.post, outcome.raw)
    texts = files(make_report(table, {"sample": "s"}, [], raw=False))
    assert "calibration.svg" not in texts
    assert "Predicted against observed" not in texts["report.md"]
    assert json.loads(texts["report.json"])["calibration"] == []
