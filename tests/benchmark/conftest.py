from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from benchmark_helpers import ROOT
from jsonschema import Draft202012Validator, FormatChecker

from themisto_lab.benchmark.format import to_json
from themisto_lab.benchmark.importers.registry import import_sources
from themisto_lab.benchmark.importers.source import ImportReport
from themisto_lab.types import Trajectory


@pytest.fixture
def shared_data() -> Path:
    """The folder of real trajectories, which is not part of the project."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the real trajectories are not here: {folder}")
    return folder


@pytest.fixture(scope="session")
def schema() -> Draft202012Validator:
    """The published schema of a trajectory file's line, as it stands in docs/."""
    text = (ROOT / "docs" / "trajectory.schema.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text), format_checker=FormatChecker())


@pytest.fixture
def run_import(schema: Draft202012Validator) -> Callable[..., tuple[list[Trajectory], ImportReport]]:
    """Import files and hold each result against the published schema."""

    def run(*paths: Path, task_description: str = "") -> tuple[list[Trajectory], ImportReport]:
        report = ImportReport()
        trajectories = list(import_sources(paths, report, task_description))
        for trajectory in trajectories:
            schema.validate(json.loads(json.dumps(to_json(trajectory))))
        return trajectories, report

    return run
