"""Importers on real records, which are not part of the project; skipped where they are absent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from themisto_lab.benchmark.importers.source import ImportReport
from themisto_lab.types import Trajectory

Import = Callable[..., tuple[list[Trajectory], ImportReport]]


def test_verdant_houses(shared_data: Path, run_import: Import) -> None:
    [trajectory], report = run_import(shared_data / "verdant-houses" / "houses_kc.ipyhistory")
    steps = trajectory.steps
    assert len(steps) == 108
    assert len({step.cell_id for step in steps}) == 18
    assert sum(bool(step.output_text) for step in steps) == 28
    assert [step.index for step in steps if step.raised] == [50]
    assert steps[50].outputs[-1].text == "NameError: name 'mean_squared_error' is not defined"
    assert steps[0].code.startswith("import pandas as pd")
    assert all(a.started_at <= b.started_at for a, b in pairwise(steps))
    assert report.skipped["cell version without code"] == 25
    assert trajectory.notebook == "houses_kc.ipynb"


def test_verdant_upstream_cells_come_first_within_a_checkpoint(shared_data: Path, run_import: Import) -> None:
    """At one moment the imports, the features and the model were all new: they are run from above."""
    [trajectory], _ = run_import(shared_data / "verdant-houses" / "houses_kc.ipyhistory")
    moments = Counter(step.started_at for step in trajectory.steps)
    moment = next(m for m, n in moments.items() if n == 3)
    assert [s.cell_id for s in trajectory.steps if s.started_at == moment] == ["c.0", "c.12", "c.11"]


def test_seattle_history(shared_data: Path, run_import: Import) -> None:
    trajectories, report = run_import(shared_data / "seattle-history" / "history.sqlite")
    assert len(trajectories) == 12
    assert report.steps == 522
    assert max(len(t.steps) for t in trajectories) == 178
    assert report.notes["trajectory of one step"] == 3
    assert not any(step.outputs for t in trajectories for step in t.steps)


def test_cruxeval(shared_data: Path, run_import: Import) -> None:
    trajectories, report = run_import(shared_data / "cruxeval" / "cruxeval.jsonl")
    assert len(trajectories) == 800
    assert report.steps == 1600
    assert trajectories[0].steps[1].output_text == "[(4, 1), (4, 1), (4, 1), (4, 1), (2, 3), (2, 3)]"


def test_files_that_are_no_records_are_refused(shared_data: Path, run_import: Import) -> None:
    _, report = run_import(shared_data / "README.md", shared_data / "verdant-houses" / "kc_house_data.csv")
    assert report.skipped["source that can't be read"] == 2
