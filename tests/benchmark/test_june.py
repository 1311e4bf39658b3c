"""JuNE logs as the tests write them: pairs, lost ends, restarts, errors, boilerplate, size."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from june_files import START, Event, event, run_of, write_csv, write_user_logs

from themisto_lab.benchmark.format import UNKNOWN_TIME, to_json
from themisto_lab.benchmark.importers.june_log import parse_time
from themisto_lab.benchmark.importers.registry import import_sources
from themisto_lab.benchmark.importers.source import ImportReport
from themisto_lab.errors import BadInputError
from themisto_lab.types import MIME_ERROR, MIME_STDOUT, MIME_TEXT, CellOutput, Trajectory

Import = Callable[..., tuple[list[Trajectory], ImportReport]]
Write = Callable[[Path, list[Event]], None]

both_forms = pytest.mark.parametrize("write", [write_csv, write_user_logs], ids=["csv", "user_logs"])
BOILERPLATE = "from mining_extension import check_logging\ncheck_logging()"


@both_forms
def test_executions_are_paired_with_their_ends(tmp_path: Path, run_import: Import, write: Write) -> None:
    path = tmp_path / "log"
    log = [
        event(0, "create", "a"),
        event(1, "execute", "a", "x = 1"),
        event(1.5, "execute", "b", "x,\n'y\"'"),
        event(3, "finished_execute", "a", "x = 1", []),
        event(4, "finished_execute", "b", "ignored", [{"output_type": "execute_result", "size": 4}]),
        event(5, "save_notebook"),
    ]
    write(path, log)
    [trajectory], report = run_import(path)
    first, second = trajectory.steps
    assert (first.code, first.cell_id, first.execution_time_s, first.outputs) == ("x = 1", "a", 2.0, ())
    assert (second.code, second.cell_id, second.execution_time_s) == ("x,\n'y\"'", "b", 2.5)
    assert second.outputs == (CellOutput(mime=MIME_TEXT, text="", truncated=True),)
    assert first.started_at == START + timedelta(seconds=1)
    assert trajectory.id == "june-k1"
    assert trajectory.notebook == "task.ipynb"
    assert not +report.skipped
    assert not +report.notes


@both_forms
def test_rows_are_ordered_by_time_within_each_kernel(tmp_path: Path, run_import: Import, write: Write) -> None:
    path = tmp_path / "log"
    write(
        path,
        [
            *run_of(10, "c", "third"),
            *run_of(0, "a", "other", kernel="k0"),
            *run_of(4, "b", "second"),
            *run_of(1, "a", "first"),
        ],
    )
    [k0, k1], _ = run_import(path)
    assert [step.code for step in k0.steps] == ["other"]
    assert [step.code for step in k1.steps] == ["first", "second", "third"]


@both_forms
def test_unpaired_events_are_counted_and_pairs_survive_them(tmp_path: Path, run_import: Import, write: Write) -> None:
    path = tmp_path / "log"
    log = [
        event(0, "finished_execute", "a", "", []),
        event(1, "execute", "a", "lost"),
        event(20, "execute", "a", "found"),
        event(22, "finished_execute", "a", "", []),
        event(23, "finished_execute", "a", "", []),
        event(30, "execute", "b", "open"),
    ]
    write(path, log)
    [trajectory], report = run_import(path)
    assert [(step.code, step.execution_time_s) for step in trajectory.steps] == [("lost", 0), ("found", 2), ("open", 0)]
    assert +report.notes == {"end without an execution": 2, "execution without an end": 2}


@both_forms
def test_boilerplate_text_cells_and_empty_cells_are_left_out(tmp_path: Path, run_import: Import, write: Write) -> None:
    path = tmp_path / "log"
    log = [
        *run_of(0, "z", BOILERPLATE),
        *run_of(2, "a", "# from mining\nx = 1"),
        *run_of(4, "b", "  \n"),
        event(6, "execute", "m", "# Title", cell_type="markdown"),
        event(6.1, "rendered", "m", "# Title", cell_type="markdown"),
        event(7, "error", "z", "", {"ename": "E", "evalue": ""}),
    ]
    write(path, log)
    [trajectory], report = run_import(path)
    assert [step.code for step in trajectory.steps] == ["# from mining\nx = 1"]
    assert report.skipped == {
        "boilerplate cell of the logging": 1,
        "step without code": 1,
        "execution of a cell that is not code": 1,
    }
    assert report.notes["end without an execution"] == 0


@both_forms
def test_errors_belong_to_the_run_of_their_cell(tmp_path: Path, run_import: Import, write: Write) -> None:
    path = tmp_path / "log"
    fault = {"ename": "KeyError", "evalue": "'price'"}
    log = [
        event(0, "execute", "a", "df['price']"),
        event(0.5, "error", "a", "", fault),
        event(1, "finished_execute", "a", "", [{"output_type": "error", "size": 40}]),
        *run_of(2, "b", "fine"),
        event(4, "execute", "c", "late"),
        event(5, "finished_execute", "c", "", []),
        event(5.1, "error", "c", "", {"ename": "KeyboardInterrupt", "evalue": ""}),
        event(6, "execute", "d", "untold"),
        event(7, "finished_execute", "d", "", [{"output_type": "error", "size": 40}]),
    ]
    write(path, log)
    [trajectory], _ = run_import(path)
    a, b, c, d = trajectory.steps
    assert (a.status, a.outputs) == ("error", (CellOutput(mime=MIME_ERROR, text="KeyError: 'price'"),))
    assert (b.status, b.outputs[0].mime, b.outputs[0].truncated) == ("ok", MIME_STDOUT, True)
    assert c.status == "interrupted"
    assert (d.status, d.outputs[0].truncated) == ("error", True)
    assert to_json(trajectory)["steps"][0]["error"] == "KeyError: 'price'"


@both_forms
def test_a_restart_begins_a_new_trajectory(tmp_path: Path, run_import: Import, write: Write) -> None:
    path = tmp_path / "log"
    log = [
        event(0, "kernel_restarting"),
        *run_of(1, "a", "x = 1"),
        event(3, "execute", "b", "while True: pass"),
        event(4, "kernel_interrupting"),
        event(5, "execute", "c", "y"),
        event(6, "kernel_restarting", notebook="renamed.ipynb"),
        *run_of(7, "a", "x = 2"),
        event(9, "notebook_renamed", notebook="last.ipynb"),
    ]
    write(path, log)
    [first, second], report = run_import(path)
    assert (first.id, second.id) == ("june-k1", "june-k1-1")
    assert [step.status for step in first.steps] == ["ok", "died", "died"]
    assert [step.code for step in second.steps] == ["x = 2"]
    assert first.kernel_id == second.kernel_id == "k1"
    assert (first.notebook, second.notebook) == ("renamed.ipynb", "last.ipynb")
    assert report.notes["execution without an end"] == 2


def test_an_interrupt_marks_the_running_cell(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "log"
    log = [
        event(3, "execute", "b", "sleep"),
        event(4, "kernel_interrupting"),
        event(4.1, "finished_execute", "b", "", [{"output_type": "error", "size": 9}]),
        *run_of(5, "c", "y"),
    ]
    write_csv(path, log)
    [trajectory], _ = run_import(path)
    assert [step.status for step in trajectory.steps] == ["interrupted", "ok"]


def test_the_address_of_a_machine_is_never_read(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "log"
    write_user_logs(path, run_of(0, "a", "x"))
    assert b"192.0.2.77" in path.read_bytes()
    [trajectory], _ = run_import(path)
    assert "192.0.2.77" not in str(to_json(trajectory))


def test_both_forms_give_the_same(tmp_path: Path, run_import: Import) -> None:
    log = [*run_of(0, "a", "x"), *run_of(3, "b", "日本\n'"), event(8, "execute", "a", "z")]
    write_csv(tmp_path / "csv", log)
    write_user_logs(tmp_path / "db", log)
    assert run_import(tmp_path / "csv")[0] == run_import(tmp_path / "db")[0]


def test_times_in_all_forms() -> None:
    assert parse_time("2023-11-02 09:00:00") == START
    assert parse_time("2023-11-02T10:00:00+01:00") == START
    assert parse_time("2023-11-02T09:00:00Z") == START
    assert parse_time(START.timestamp()) == START
    assert parse_time(str(START.timestamp() * 1000)) == START
    assert parse_time("") is None
    assert parse_time("yesterday") is None
    assert parse_time("1e300") is None
    assert parse_time(None) is None


def test_a_row_without_a_time_stays_in_its_place(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "log"
    log = [*run_of(0, "a", "first"), {**event(0, "execute", "b", "second"), "time": "?"}, *run_of(9, "c", "third")]
    write_csv(path, log)
    [trajectory], report = run_import(path)
    assert [step.code for step in trajectory.steps] == ["first", "second", "third"]
    assert trajectory.steps[1].started_at == UNKNOWN_TIME
    assert report.notes["row without a readable time"] == 1


def test_a_csv_that_is_cut_off_names_the_line(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "log.csv"
    write_csv(path, [*run_of(0, "a", "x"), *run_of(3, "b", 'print("long, text")')])
    path.write_bytes(path.read_bytes()[:-60])
    with pytest.raises(BadInputError, match="line 5: not whole CSV"):
        run_import(path)


def test_rows_that_do_not_fit_are_counted(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "log.csv"
    write_csv(path, [*run_of(0, "a", "x"), *run_of(2, "a", "y", kernel="")])
    path.write_text(path.read_text() + "1,2,3\n")
    [trajectory], report = run_import(path)
    assert len(trajectory.steps) == 1
    assert report.skipped == {"row with a wrong number of columns": 1, "row without a kernel": 2}


def test_a_null_character_does_no_harm(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "log.csv"
    write_csv(path, [*run_of(0, "a", "x = 'a\0b'"), *run_of(2, "b", "y")])
    [trajectory], _ = run_import(path)
    assert [step.code for step in trajectory.steps] == ["x = 'a\0b'", "y"]


def test_a_log_without_a_run_gives_nothing(tmp_path: Path, run_import: Import) -> None:
    path = tmp_path / "log.csv"
    write_csv(path, [event(0, "create", "a")])
    assert run_import(path)[0] == []


def long_log(n_rows: int, n_kernels: int, lines: int) -> Iterator[Event]:
    """Runs in turns on several kernels, among the events that say nothing about runs."""
    for number in range(n_rows // 3):
        kernel = f"k{number % n_kernels}"
        cell = f"c{number % 7}"
        yield event(number, "save_notebook", kernel=kernel)
        yield from run_of(number, cell, f"x{number} = 1\n" + "# filler\n" * lines, seconds=0.5, kernel=kernel)


@both_forms
def test_a_log_of_junes_size(tmp_path: Path, write: Write) -> None:
    path = tmp_path / "log"
    write(path, list(long_log(23_622, 31, lines=10)))
    report = ImportReport()
    assert sum(1 for _ in import_sources([path], report)) == 31
    assert report.steps == 23_622 // 3
    assert not +report.skipped
    assert not +report.notes


def test_memory_holds_one_kernel_and_not_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write_csv(path, long_log(9_000, 100, lines=400))
    assert path.stat().st_size > 20_000_000
    tracemalloc.start()
    try:
        n_steps = sum(len(trajectory.steps) for trajectory in import_sources([path], ImportReport()))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_steps == 3_000
    assert peak < 6_000_000
