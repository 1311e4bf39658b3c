"""Trajectories out of the live record."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest
from benchmark_helpers import START, make_step, make_trajectory
from jsonschema import Draft202012Validator

from themisto_lab.benchmark.format import to_json
from themisto_lab.benchmark.importers.live_store import import_live
from themisto_lab.benchmark.importers.registry import import_sources
from themisto_lab.benchmark.importers.source import ImportReport
from themisto_lab.errors import BadInputError
from themisto_lab.store.store import Store
from themisto_lab.types import Step, Trajectory, VariableSnapshot

VARIABLE = VariableSnapshot(name="x", type_name="int", size_bytes=28, summary="1", changed=True)


def fill(path: Path, trajectories: list[Trajectory]) -> None:
    async def write() -> None:
        store = Store.open(path, logging.getLogger("test"))
        try:
            for trajectory in trajectories:
                await store.add_trajectory(trajectory)
                for step in trajectory.steps:
                    await store.add_step(trajectory.id, step)
        finally:
            await store.close()

    asyncio.run(write())


def recorded() -> list[Trajectory]:
    steps: list[Step] = [
        make_step(0, "x = 1", variables=(VARIABLE,), execution_time_s=0.5, memory_bytes=1000, hash_index="h"),
        make_step(1, "x", "1", cell_id="c"),
    ]
    whole = make_trajectory("a", steps).model_copy(update={"notebook": "n.ipynb", "task_description": "own words"})
    return [whole, make_trajectory("empty", [])]


def test_the_live_record_comes_as_it_was_captured(tmp_path: Path, schema: Draft202012Validator) -> None:
    path = tmp_path / "store.sqlite"
    fill(path, recorded())
    report = ImportReport()
    [trajectory] = import_live(path, report)
    assert trajectory == recorded()[0]
    assert trajectory.started_at == START
    schema.validate(json.loads(json.dumps(to_json(trajectory))))
    assert report.skipped == {"kernel life without a step": 1}
    assert (report.kinds, report.steps) == ({"live": 1}, 2)
    [described] = import_live(path, ImportReport(), "another task")
    assert described.task_description == "another task"


def test_steps_without_code_are_left_out_and_the_rest_numbered_anew(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    fill(path, [make_trajectory("a", [make_step(0, "x"), make_step(1, " "), make_step(2, "y")])])
    report = ImportReport()
    [trajectory] = import_live(path, report)
    assert [(step.index, step.code) for step in trajectory.steps] == [(0, "x"), (1, "y")]
    assert report.skipped == {"step without code": 1}


def test_no_record_is_an_error_and_makes_none(tmp_path: Path) -> None:
    path = tmp_path / "none.sqlite"
    with pytest.raises(BadInputError, match="There is no record at"):
        list(import_live(path, ImportReport()))
    assert not path.exists()


def test_the_record_named_as_a_source_says_how_to_read_it(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    fill(path, recorded())
    with pytest.raises(BadInputError, match="read it with --live --store"):
        list(import_sources([path], ImportReport()))
