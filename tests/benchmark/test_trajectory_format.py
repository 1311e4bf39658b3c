from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from benchmark_helpers import ROOT, START, make_step, make_trajectory
from jsonschema import Draft202012Validator

from themisto_lab.benchmark.format import (
    UNKNOWN_TIME,
    read_trajectories,
    schema_text,
    to_json,
    write_trajectories,
)
from themisto_lab.errors import BadInputError
from themisto_lab.types import (
    MIME_ERROR,
    MIME_STDERR,
    MIME_STDOUT,
    MIME_TEXT,
    CellOutput,
    Step,
    Trajectory,
    VariableSnapshot,
)

RICH = Trajectory(
    id="t",
    notebook="houses.ipynb",
    task_description="Predict prices; 価格",
    language="python",
    kernel_id="kernel-1",
    started_at=START,
    replayed=True,
    steps=(
        Step(
            index=0,
            kernel_id="kernel-1",
            cell_id="c1",
            code="print('é\\n\u2028')",
            outputs=(
                CellOutput(mime=MIME_STDOUT, text="é\n\u2028\n"),
                CellOutput(mime=MIME_STDERR, text="careful\n"),
                CellOutput(mime="image/png", text="<Figure size 640x480 with 1 Axes>"),
                CellOutput(mime=MIME_TEXT, text="42", truncated=True),
            ),
            variables=(
                VariableSnapshot(
                    name="df",
                    type_name="pandas.core.frame.DataFrame",
                    shape=(3, 2),
                    dtype=None,
                    size_bytes=4096,
                    summary="a b",
                    changed=True,
                ),
                VariableSnapshot(name="x", type_name="int", size_bytes=28, summary="1"),
            ),
            memory_bytes=50_000_000,
            peak_memory_bytes=60_000_000,
            execution_time_s=0.25,
            hash_index="abc",
            execution_count=7,
            started_at=START,
        ),
        Step(
            index=1,
            kernel_id="kernel-1",
            code="1/0",
            outputs=(CellOutput(mime=MIME_ERROR, text="ZeroDivisionError: division by zero"),),
            status="error",
            started_at=UNKNOWN_TIME,
        ),
    ),
)


def test_round_trip_keeps_everything(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    assert write_trajectories(path, [RICH, RICH]) == 2
    assert list(read_trajectories(path)) == [RICH, RICH]


def test_the_papers_field_names() -> None:
    step = to_json(RICH)["steps"][0]
    assert list(step)[:7] == [
        "kernel_id",
        "code",
        "output",
        "execution_time",
        "memory_bytes",
        "runtime_variables",
        "hash_index",
    ]
    assert step["output"] == "é\n\u2028\n42"
    assert step["execution_time"] == 0.25
    assert step["runtime_variables"]["df"]["size"] == 4096
    assert step["runtime_variables"]["df"]["repr"] == "a b"
    assert {"cell_id", "status", "error", "execution_count", "started_at"} <= step.keys()


def test_what_is_unknown_is_null_and_what_is_plain_is_not_repeated() -> None:
    step = to_json(RICH)["steps"][1]
    assert step["execution_time"] is None
    assert step["started_at"] is None
    assert step["error"] == "ZeroDivisionError: division by zero"
    assert "outputs" not in step


def test_a_line_by_someone_else_needs_only_the_papers_fields(tmp_path: Path) -> None:
    step = {
        "kernel_id": "k",
        "code": "1+1",
        "output": "2",
        "execution_time": None,
        "memory_bytes": None,
        "runtime_variables": {"x": {"size": 28, "repr": "1", "more": True}},
        "hash_index": "",
    }
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"id": "a", "steps": [step], "more": 1}) + "\n\n")
    [trajectory] = read_trajectories(path)
    assert trajectory.steps[0].output_text == "2"
    assert trajectory.steps[0].variables[0].summary == "1"
    assert trajectory.started_at == UNKNOWN_TIME


def test_a_time_without_a_zone_is_utc_and_another_zone_is_kept(tmp_path: Path) -> None:
    line = to_json(make_trajectory("a", [make_step(0, "1"), make_step(1, "2")]))
    line["steps"][0]["started_at"] = "2024-05-01T12:00:00"
    line["steps"][1]["started_at"] = "2024-05-01T12:00:00+02:00"
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(line))
    [trajectory] = read_trajectories(path)
    assert trajectory.steps[0].started_at == datetime(2024, 5, 1, 12, tzinfo=UTC)
    assert trajectory.steps[1].started_at == datetime(2024, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))


def spoil(path: Path, text: str) -> None:
    good = json.dumps(to_json(make_trajectory("a", [make_step(0, "1")])))
    path.write_text(f"{good}\n\n{text}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "b", "steps": [{"kernel', "line 3, column 24: the line is cut off"),
        ("[1, 2]", "line 3: a JSON object is needed, not list"),
        ("{broken}", "line 3, column 2: not JSON"),
        ('{"id": "b", "steps": []}', "line 3: not a trajectory: steps: "),
        ('{"steps": [{}]}', "line 3: not a trajectory: id: "),
        ("[" * 100_000, "line 3: the JSON is nested too deeply"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.jsonl"
    spoil(path, text)
    found = []
    with pytest.raises(BadInputError) as caught:
        found.extend(trajectory.id for trajectory in read_trajectories(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_lines_before_a_bad_one_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    spoil(path, "{")
    lines = read_trajectories(path)
    assert next(lines).id == "a"
    with pytest.raises(BadInputError, match="line 3"):
        next(lines)


def test_a_step_without_code_is_named_and_its_values_are_not_shown(tmp_path: Path) -> None:
    line = to_json(make_trajectory("a", [make_step(0, "1"), make_step(1, "secret-code")]))
    line["steps"][1]["code"] = " \n"
    line["steps"][0]["output"] = "secret-output"
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(line))
    with pytest.raises(BadInputError, match=r"line 1: .*steps\.1\.code is empty") as caught:
        list(read_trajectories(path))
    assert "secret" not in str(caught.value)


def test_not_utf8_missing_and_empty_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b'{"id": "\xff\xfe"}\n')
    with pytest.raises(BadInputError, match="line 1: the text is not UTF-8"):
        list(read_trajectories(path))
    path.write_bytes(b"\n")
    with pytest.raises(BadInputError, match="holds no trajectory"):
        list(read_trajectories(path))
    with pytest.raises(BadInputError, match="No such file"):
        list(read_trajectories(tmp_path / "none.jsonl"))


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("old")

    def failing() -> object:
        yield RICH
        raise BadInputError("the source ends here")

    with pytest.raises(BadInputError, match="the source ends here"):
        write_trajectories(path, failing())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="can't be written"):
        write_trajectories(tmp_path / "none" / "t.jsonl", [RICH])


def test_reading_holds_one_line_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    big = make_trajectory("big", [make_step(0, "x", output="y" * 1_000_000)])
    write_trajectories(path, (big for _ in range(30)))
    import tracemalloc

    tracemalloc.start()
    try:
        assert sum(1 for _ in read_trajectories(path)) == 30
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert path.stat().st_size > 30_000_000
    assert peak < 10_000_000


def test_the_published_schema_is_that_of_the_models() -> None:
    published = (ROOT / "docs" / "trajectory.schema.json").read_text(encoding="utf-8")
    assert published == schema_text(), "run scripts/generate_trajectory_schema.py"


def test_the_schema_takes_what_is_written_and_refuses_what_is_not_read(schema: Draft202012Validator) -> None:
    Draft202012Validator.check_schema(schema.schema)
    good = json.loads(json.dumps(to_json(RICH)))
    schema.validate(good)
    for path, value in [
        (("steps",), []),
        (("steps", 0, "code"), "  "),
        (("steps", 0, "execution_time"), -1),
        (("steps", 0, "status"), "fine"),
        (("steps", 0, "runtime_variables"), []),
    ]:
        bad = json.loads(json.dumps(good))
        place = bad
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        assert not schema.is_valid(bad), path
    del good["steps"][0]["hash_index"]
    assert not schema.is_valid(good)
