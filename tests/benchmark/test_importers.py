"""Importers on small files that the tests make: what is taken, what is left out and counted, what is refused."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from themisto_lab.benchmark.format import UNKNOWN_TIME
from themisto_lab.benchmark.importers.source import ImportReport
from themisto_lab.errors import BadInputError
from themisto_lab.types import MIME_ERROR, MIME_STDERR, MIME_STDOUT, MIME_TEXT, CellOutput, Trajectory

Import = Callable[..., tuple[list[Trajectory], ImportReport]]


def code_cell(source: str | list[str], count: int | None, outputs: list[object] | None = None, **more: object) -> dict:
    return {
        "cell_type": "code",
        "source": source,
        "execution_count": count,
        "outputs": outputs or [],
        "metadata": {},
        **more,
    }


def notebook(path: Path, cells: list[dict], metadata: dict | None = None) -> Path:
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata or {}, "cells": cells}))
    return path


def test_notebook_cells_come_in_the_order_of_their_counts(tmp_path: Path, run_import: Import) -> None:
    path = notebook(
        tmp_path / "anything",
        [
            {"cell_type": "markdown", "source": "# Title", "metadata": {}},
            code_cell("b = 2", 5, id="second"),
            code_cell(["a = 1\n", "a"], 2, id="first"),
        ],
        {"language_info": {"name": "python"}},
    )
    [trajectory], report = run_import(path, task_description="Add")
    assert [step.code for step in trajectory.steps] == ["a = 1\na", "b = 2"]
    assert [step.cell_id for step in trajectory.steps] == ["first", "second"]
    assert [step.execution_count for step in trajectory.steps] == [2, 5]
    assert trajectory.task_description == "Add"
    assert trajectory.notebook == "anything"
    assert report.warnings == []
    assert (report.trajectories, report.steps, report.kinds) == (1, 2, {"ipynb": 1})


def test_notebook_outputs_of_every_kind(tmp_path: Path, run_import: Import) -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
        {"output_type": "stream", "name": "stderr", "text": "careful\n"},
        {"output_type": "execute_result", "data": {"text/html": "<b>", "text/plain": "7"}, "execution_count": 1},
        {"output_type": "display_data", "data": {"image/png": "iVBO", "text/plain": "<Figure>"}},
        {"output_type": "display_data", "data": {"application/json": {"a": 1}}},
        {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": []},
        {"output_type": "new_kind"},
        "junk",
    ]
    [trajectory], _ = run_import(notebook(tmp_path / "n.ipynb", [code_cell("f()", 1, outputs)]))
    [step] = trajectory.steps
    assert step.outputs == (
        CellOutput(mime=MIME_STDOUT, text="a\nb\n"),
        CellOutput(mime=MIME_STDERR, text="careful\n"),
        CellOutput(mime=MIME_TEXT, text="7"),
        CellOutput(mime="image/png", text="<Figure>"),
        CellOutput(mime="application/json", text=""),
        CellOutput(mime=MIME_ERROR, text="KeyError: 'x'"),
    )
    assert step.output_text == "a\nb\n7"
    assert step.status == "error"


def test_notebook_without_any_count_keeps_its_own_order_and_says_so(tmp_path: Path, run_import: Import) -> None:
    [trajectory], report = run_import(notebook(tmp_path / "n.ipynb", [code_cell("a", None), code_cell("b", None)]))
    assert [step.code for step in trajectory.steps] == ["a", "b"]
    [warning] = report.warnings
    assert "no cell has an execution count" in warning


def test_notebook_with_missing_and_repeated_counts(tmp_path: Path, run_import: Import) -> None:
    cells = [code_cell("a", 2), code_cell("b", None), code_cell("c", 2), code_cell("d", 1), code_cell(" ", 3)]
    [trajectory], report = run_import(notebook(tmp_path / "n.ipynb", cells))
    assert [step.code for step in trajectory.steps] == ["d", "a", "c"]
    assert report.skipped == {"cell without an execution count": 1, "cell without code": 1}
    assert report.notes["repeated execution count"] == 1
    assert ["no execution count" in w for w in report.warnings] == [True, False]
    assert "repeat" in report.warnings[1]


def test_notebook_timing_where_jupyterlab_recorded_it(tmp_path: Path, run_import: Import) -> None:
    timing = {"iopub.execute_input": "2024-05-01T10:00:00.000Z", "iopub.status.idle": "2024-05-01T10:00:01.500Z"}
    cells = [code_cell("a", 1, metadata={"execution": timing}), code_cell("b", 2)]
    [trajectory], _ = run_import(notebook(tmp_path / "n.ipynb", cells))
    assert trajectory.steps[0].execution_time_s == 1.5
    assert trajectory.steps[0].started_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert trajectory.steps[1].started_at == UNKNOWN_TIME


def test_a_notebook_of_the_old_form(tmp_path: Path, run_import: Import) -> None:
    cell = {
        "cell_type": "code",
        "input": ["1+1"],
        "prompt_number": 4,
        "outputs": [
            {"output_type": "pyout", "text": ["2"], "prompt_number": 4},
            {"output_type": "stream", "stream": "stderr", "text": "w"},
            {"output_type": "pyerr", "ename": "E", "evalue": "v"},
        ],
    }
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps({"nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": [cell]}]}))
    [trajectory], _ = run_import(path)
    assert trajectory.steps[0].code == "1+1"
    assert trajectory.steps[0].execution_count == 4
    assert [o.text for o in trajectory.steps[0].outputs] == ["2", "w", "E: v"]
    assert trajectory.steps[0].outputs[1].mime == MIME_STDERR


def test_another_language_is_kept(tmp_path: Path, run_import: Import) -> None:
    metadata = {"kernelspec": {"language": "R", "name": "ir"}}
    [trajectory], _ = run_import(notebook(tmp_path / "n.ipynb", [code_cell("x <- 1", 1)], metadata))
    assert trajectory.language == "R"


def test_the_same_source_gives_the_same_ids_and_comes_in_once(tmp_path: Path, run_import: Import) -> None:
    path = notebook(tmp_path / "n.ipynb", [code_cell("a", 1)])
    first, _ = run_import(path)
    both, report = run_import(path, path)
    assert both == first
    assert report.skipped["trajectory that came twice"] == 1


def test_text_that_utf8_cannot_hold_is_replaced(tmp_path: Path, run_import: Import) -> None:
    path = notebook(tmp_path / "n.ipynb", [code_cell("x = '\ud800'", 1)])
    [trajectory], _ = run_import(path)
    assert trajectory.steps[0].code == "x = '?'"


def test_an_empty_notebook_gives_nothing_and_is_counted(tmp_path: Path, run_import: Import) -> None:
    trajectories, report = run_import(notebook(tmp_path / "n.ipynb", []))
    assert trajectories == []
    assert report.skipped["notebook without code"] == 1


def test_secrets_are_blanked_before_anything_is_written(tmp_path: Path, run_import: Import) -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": "connecting with hunter2-xyz\n"}
    cells = [code_cell('password = "hunter2-xyz"', 1), code_cell("connect(password)", 2, [stream])]
    [trajectory], report = run_import(notebook(tmp_path / "n.ipynb", cells))
    assert "hunter2" not in str(trajectory)
    assert trajectory.steps[0].code == 'password = "[redacted]"'
    assert trajectory.steps[1].output_text == "connecting with [redacted]"
    assert report.notes["secret that was blanked"] == 2


def test_outputs_are_bounded_and_shown_as_a_terminal_would(tmp_path: Path, run_import: Import) -> None:
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": "10%\r100%\n\x1b[31mred\x1b[0m\n"},
        {"output_type": "execute_result", "data": {"text/plain": "x" * 1_000_000}},
    ]
    [trajectory], _ = run_import(notebook(tmp_path / "n.ipynb", [code_cell("f()", 1, outputs)]))
    [stream, value] = trajectory.steps[0].outputs
    assert stream.text == "100%\nred\n"
    assert value.truncated
    assert len(value.text) < 100_000


def make_history(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript("""
            CREATE TABLE sessions (session integer primary key, start timestamp, end timestamp, num_cmds integer,
                                   remark text);
            CREATE TABLE history (session integer, line integer, source text, source_raw text,
                                  PRIMARY KEY (session, line));
            CREATE TABLE output_history (session integer, line integer, output text, PRIMARY KEY (session, line));
            INSERT INTO sessions VALUES (1, '2023-03-30 06:32:38.172186', NULL, NULL, ''), (2, NULL, NULL, NULL, '');
            INSERT INTO history VALUES (2, 1, 'x', 'x'), (1, 2, 'get_ipython().x', '%x'), (1, 1, 'a', 'a'),
                                       (1, 3, '', ' ');
            INSERT INTO output_history VALUES (1, 1, '41');
        """)


def test_ipython_history_gives_a_trajectory_a_session(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "renamed.bin"
    make_history(path)
    [first, second], report = run_import(path)
    assert [step.code for step in first.steps] == ["a", "%x"]
    assert [step.execution_count for step in first.steps] == [1, 2]
    assert first.steps[0].output_text == "41"
    assert first.started_at == datetime(2023, 3, 30, 6, 32, 38, 172186, tzinfo=UTC)
    assert second.started_at == UNKNOWN_TIME
    assert [step.code for step in second.steps] == ["x"]
    assert report.skipped == {"step without code": 1}
    assert +report.notes == {"trajectory of one step": 1}


def test_a_locked_history_is_named(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "history.sqlite"
    make_history(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(BadInputError, match="is locked by another program"):
            run_import(path)


@pytest.mark.parametrize("keep", [4096, 100])
def test_a_corrupt_history_is_named(tmp_path: Path, run_import: Import, keep: int) -> None:
    path = tmp_path / "history.sqlite"
    make_history(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:keep] + b"\x77" * (len(whole) - keep))
    with pytest.raises(BadInputError, match=f"{path} (is corrupt|can't be read as a SQLite database)"):
        run_import(path)


def test_cruxeval_gives_a_definition_and_a_call(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "items.jsonl"
    item = {"code": "def f(x):\n    return x + 1", "input": "1", "output": "2", "id": "sample_0"}
    path.write_text(json.dumps(item) + "\n" + json.dumps({**item, "id": "sample_1"}) + "\n")
    trajectories, _ = run_import(path)
    assert [t.id for t in trajectories] == ["cruxeval-sample_0", "cruxeval-sample_1"]
    assert [step.code for step in trajectories[0].steps] == ["def f(x):\n    return x + 1", "f(1)"]
    assert [step.output_text for step in trajectories[0].steps] == ["", "2"]


def test_cruxeval_with_a_bad_item_names_the_line(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "items.jsonl"
    item = {"code": "def f(): ...", "input": "", "output": "None", "id": "sample_0"}
    path.write_text(json.dumps(item) + "\n" + '{"code": "de')
    with pytest.raises(BadInputError, match="line 2, column 10: the line is cut off"):
        run_import(path)
    path.write_text(json.dumps(item) + "\n" + json.dumps({"code": "def f(): ..."}))
    with pytest.raises(BadInputError, match="line 2: not a CRUXEval item"):
        run_import(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"just some words\n", "is of no known kind"),
        (b"\x00\x01\x02", "is of no known kind"),
        (b'{"nbformat": 4, "cells": [{"cell_type"', r"is not whole JSON \(line 1, column 39"),
        (b'{"nbformat": 4,\n "cells": [\xff]}', "not UTF-8"),
        (b'{"some": "object"}', "is of no known kind"),
        (b'{"id": "a", "steps": []}\n{"id": "b"}', "is a trajectory file already"),
        (b"a,b,c\n1,2,3\n", "is of no known kind"),
        (b"SQLite format 3\x00 and no more", "is corrupt"),
    ],
)
def test_what_is_not_a_source_is_refused(tmp_path: Path, run_import: Import, content: bytes, message: str) -> None:
    path = tmp_path / "source"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=message):
        run_import(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path, run_import: Import) -> None:
    with pytest.raises(BadInputError, match="No such file"):
        run_import(tmp_path / "none")
    with pytest.raises(BadInputError, match="is a folder"):
        run_import(tmp_path)


def test_one_bad_source_of_several_is_left_out_with_a_warning(tmp_path: Path, run_import: Import) -> None:
    good = notebook(tmp_path / "n.ipynb", [code_cell("a", 1)])
    trajectories, report = run_import(tmp_path / "none", good)
    assert len(trajectories) == 1
    assert report.skipped["source that can't be read"] == 1
    assert "No such file" in report.warnings[0]


def test_a_database_of_something_else_is_refused(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE user_logs (id INTEGER)")
    with pytest.raises(BadInputError, match="is of no known kind"):
        run_import(path)


def test_ipython_history_in_a_folder_that_cannot_be_written(tmp_path: Path, run_import: Import) -> None:
    """A file in WAL mode needs lock files beside it, which a read-only folder can't have."""
    path = tmp_path / "history.sqlite"
    make_history(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
    before = path.read_bytes()
    trajectories, _ = run_import(path)
    assert len(trajectories) == 2
    assert path.read_bytes() == before
