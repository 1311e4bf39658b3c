"""Replays in real kernels."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import venv
from collections import Counter
from pathlib import Path

import pytest
from benchmark_helpers import ROOT, START, make_step, make_trajectory
from jsonschema import Draft202012Validator

from themisto_lab.benchmark.format import UNKNOWN_TIME, read_trajectories, write_trajectories
from themisto_lab.benchmark.replay import ReplayOptions, ReplayReport
from themisto_lab.benchmark.replay_run import PartialFile, ReplaySummary, check_source, replay_file
from themisto_lab.errors import BadInputError
from themisto_lab.types import CellOutput, Step, Trajectory

OPTIONS = ReplayOptions(python=sys.executable, timeout_s=20, jobs=1)


def replay(
    tmp_path: Path, trajectories: list[Trajectory], options: ReplayOptions = OPTIONS
) -> tuple[list[Trajectory], ReplaySummary]:
    source, out = tmp_path / "t.jsonl", tmp_path / "r.jsonl"
    write_trajectories(source, trajectories)
    ids, n_steps = check_source(source)
    seen = Counter[str]()
    summary = asyncio.run(replay_file(source, out, options, ids, lambda: seen.update(["step"])))
    assert seen["step"] == n_steps
    assert not out.with_name("r.jsonl.partial").exists()
    return list(read_trajectories(out)), summary


def steps_of(*codes: str | tuple[str, str]) -> list[Step]:
    pairs = [(code, "") if isinstance(code, str) else code for code in codes]
    return [make_step(index, code, output, cell_id=f"c{index}") for index, (code, output) in enumerate(pairs)]


def test_a_replay_records_all_fields_and_counts_outputs(tmp_path: Path, schema: Draft202012Validator) -> None:
    trajectory = make_trajectory(
        "a",
        steps_of(
            "import numpy as np\nx = np.arange(6)",
            ("int(x.sum())", "15"),
            ("float(x.mean())", "3"),
            ("object()", "<object at 0x7f0123456789>"),
            "print('noise'); {'z', 'a'}",
        ),
    ).model_copy(update={"task_description": "sums", "notebook": "n.ipynb"})
    [replayed], summary = replay(tmp_path, [trajectory])
    assert replayed.replayed
    assert not trajectory.replayed
    assert (replayed.id, replayed.notebook, replayed.task_description) == ("a", "n.ipynb", "sums")
    assert [step.code for step in replayed.steps] == [step.code for step in trajectory.steps]
    assert [step.cell_id for step in replayed.steps] == [f"c{n}" for n in range(5)]
    assert [step.started_at for step in replayed.steps] == [step.started_at for step in trajectory.steps]
    assert [step.output_text for step in replayed.steps[1:3]] == ["15", "2.5"]
    first = replayed.steps[0]
    assert first.kernel_id == "k"
    assert first.execution_time_s > 0
    assert first.memory_bytes > 10_000_000
    assert first.hash_index
    assert replayed.steps[0].hash_index == replayed.steps[1].hash_index
    [variable] = [v for v in first.variables if v.name == "x"]
    assert (variable.shape, variable.size_bytes >= 48) == ((6,), True)
    total = summary.total
    assert (total.n_steps, total.n_ok, total.n_recorded_outputs, total.n_same_outputs) == (5, 5, 3, 2)
    schema.validate(json.loads((tmp_path / "r.jsonl").read_text()))


def test_outputs_are_the_same_in_two_replays(tmp_path: Path) -> None:
    trajectory = make_trajectory("a", steps_of("{str(n) for n in range(20)}", "hash('x')"))
    first, _ = replay(tmp_path, [trajectory])
    second, summary = replay(tmp_path, first)
    assert [s.output_text for s in second[0].steps] == [s.output_text for s in first[0].steps]
    assert (summary.total.n_recorded_outputs, summary.total.n_same_outputs) == (2, 2)


def test_a_cell_that_hangs_or_kills_costs_its_step_only(tmp_path: Path) -> None:
    stubborn = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    trajectory = make_trajectory(
        "a",
        steps_of(
            "x = 20",
            "import time\nprint('begun', flush=True)\ntime.sleep(60)",
            "1 / 0",
            "x += 1",
            "import os\nos._exit(1)",
            ("x", "21"),
            stubborn,
            ("x + 1", "22"),
        ),
    )
    began = time.monotonic()
    [replayed], summary = replay(tmp_path, [trajectory], ReplayOptions(python=sys.executable, timeout_s=3, jobs=1))
    assert time.monotonic() - began < 50
    assert [step.status for step in replayed.steps] == ["ok", "interrupted", "error", "ok", "died", "ok", "died", "ok"]
    assert [step.index for step in replayed.steps] == list(range(8))
    assert replayed.steps[1].output_text == "begun"
    assert [replayed.steps[n].output_text for n in (5, 7)] == ["21", "22"]
    total = summary.total
    assert (total.n_ok, total.n_error, total.n_interrupted, total.n_died) == (4, 1, 1, 2)
    assert (total.n_restarts, total.n_new_errors, total.n_not_replayed, total.n_same_outputs) == (2, 4, 0, 2)


def test_a_kernel_that_dies_again_and_again_ends_the_trajectory_and_not_the_run(tmp_path: Path) -> None:
    deadly = make_trajectory("deadly", steps_of(*["import os; os._exit(1)"] * 6))
    harmless = make_trajectory("harmless", steps_of("1"))
    replayed, summary = replay(tmp_path, [deadly, harmless])
    assert [len(trajectory.steps) for trajectory in replayed] == [4, 1]
    assert summary.total.n_not_replayed == 2
    assert summary.notes == {"deadly": "the kernel could not be kept up"}


def test_another_language_is_left_out_with_a_reason(tmp_path: Path) -> None:
    other = make_trajectory("r", steps_of("x <- 1")).model_copy(update={"language": "R"})
    replayed, summary = replay(tmp_path, [other, make_trajectory("a", steps_of("1"))])
    assert [trajectory.id for trajectory in replayed] == ["a"]
    assert summary.left_out == {"r": "the language is R"}
    with pytest.raises(BadInputError, match="No trajectory could be replayed: the language is R"):
        replay(tmp_path, [other])


def test_healing_runs_stale_cells_again(tmp_path: Path) -> None:
    """The log holds the edit of the first cell and not the runs that followed it."""
    cells = [
        ("c1", "x = 2", ""),
        ("c2", "y = x * 10", ""),
        ("c3", "y + 1", "21"),
        ("c1", "x = 3", ""),
        ("c3", "y + 2", "32"),
        ("c4", "z = w", ""),
        ("c5", "w = 5", ""),
        ("c6", "z", "5"),
    ]
    steps = [make_step(n, code, output, cell_id=cell) for n, (cell, code, output) in enumerate(cells)]
    trajectory = make_trajectory("a", steps)
    [plain], summary = replay(tmp_path, [trajectory])
    assert plain.steps[4].output_text == "22"
    assert plain.steps[7].status == "error"
    assert (summary.total.n_same_outputs, summary.total.n_new_errors) == (1, 2)
    [healed], summary = replay(tmp_path, [trajectory], ReplayOptions(python=sys.executable, heal=True, jobs=1))
    assert len(healed.steps) == 8
    assert [healed.steps[n].output_text for n in (2, 4, 7)] == ["21", "32", "5"]
    assert (summary.total.n_same_outputs, summary.total.n_new_errors, summary.total.n_healing_runs) == (3, 1, 2)


def test_healing_runs_the_upstream_cells_when_a_step_fails_anew(tmp_path: Path) -> None:
    """A change in place is lost when its cell was run, unlogged, after the data was read again."""
    cells = [
        ("c1", "d = {}"),
        ("c2", "d['n'] = 1"),
        ("c1", "d = {}  # again"),
        ("c3", "d['n']"),
    ]
    steps = [make_step(n, code, cell_id=cell) for n, (cell, code) in enumerate(cells)]
    [healed], summary = replay(
        tmp_path, [make_trajectory("a", steps)], ReplayOptions(python=sys.executable, heal=True, jobs=1)
    )
    assert healed.steps[3].output_text == "1"
    assert summary.total.n_new_errors == 0


def test_several_kernels_run_at_once(tmp_path: Path) -> None:
    """Each waits for the other two, so that one after the other none would end."""
    work = tmp_path / "work"
    work.mkdir()
    wait = "import os, time\nopen('{name}', 'w').close()\nwhile len(os.listdir('.')) < 3: time.sleep(0.01)"
    trajectories = [make_trajectory(name, steps_of(wait.format(name=name), "'met'")) for name in "abc"]
    options = ReplayOptions(python=sys.executable, timeout_s=60, jobs=3, cwd=work)
    replayed, summary = replay(tmp_path, trajectories, options)
    assert [trajectory.id for trajectory in replayed] == ["a", "b", "c"]
    assert summary.total.n_ok == 6


def test_without_a_folder_each_trajectory_has_an_empty_one(tmp_path: Path) -> None:
    make = "import os\nopen('made', 'w').close()"
    look = "os.listdir('.'), os.environ['IPYTHONDIR'] != os.path.expanduser('~/.ipython')"
    replayed, _ = replay(tmp_path, [make_trajectory(name, steps_of(make, look)) for name in "ab"])
    assert [trajectory.steps[1].output_text for trajectory in replayed] == ["(['made'], True)"] * 2
    assert not Path("made").exists()


def test_a_step_of_an_unknown_time_gets_the_replays(tmp_path: Path) -> None:
    [replayed], _ = replay(tmp_path, [make_trajectory("a", [make_step(0, "1", started_at=UNKNOWN_TIME)])])
    assert replayed.steps[0].started_at > START


def test_an_interpreter_without_ipykernel_is_refused(tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", symlinks=True, with_pip=False)
    python = str(tmp_path / "bare" / "bin" / "python")
    trajectory = make_trajectory("a", steps_of("1"))
    with pytest.raises(BadInputError, match=f"{python} has no ipykernel; install it with: {python} -m pip"):
        replay(tmp_path, [trajectory], ReplayOptions(python=python))
    with pytest.raises(BadInputError, match="none is not a program that can be run"):
        replay(tmp_path, [trajectory], ReplayOptions(python=str(tmp_path / "none")))
    with pytest.raises(BadInputError, match="is not a folder"):
        replay(tmp_path, [trajectory], ReplayOptions(python=sys.executable, cwd=tmp_path / "none"))


def test_a_bad_line_is_found_before_anything_runs(tmp_path: Path) -> None:
    source = tmp_path / "t.jsonl"
    write_trajectories(source, [make_trajectory("a", steps_of("1"))])
    source.write_text(source.read_text() + '{"id": "b"')
    with pytest.raises(BadInputError, match="line 2"):
        check_source(source)
    write_trajectories(source, [make_trajectory("a", steps_of("1"))] * 2)
    with pytest.raises(BadInputError, match="two trajectories have the id a"):
        check_source(source)


def test_truncated_outputs_are_not_compared() -> None:
    report = ReplayReport()
    recorded = make_step(0, "x", outputs=(CellOutput(mime="text/plain", text="12", truncated=True),))
    report.count(recorded, make_step(0, "x", "123"))
    assert (report.n_recorded_outputs, report.n_same_outputs, report.n_ok) == (0, 0, 1)


def test_what_is_done_is_kept_and_a_cut_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "r.partial"
    fingerprint = {"source": "s"}
    trajectory = make_trajectory("a", [make_step(0, "1")])
    partial = PartialFile(path)
    partial.open(fingerprint)
    partial.append("a", ReplayReport(n_ok=1), trajectory)
    partial.append("none", ReplayReport(note="why"), None)
    partial.close()
    path.write_bytes(path.read_bytes() + b'{"id": "b", "rep')
    partial = PartialFile(path)
    partial.open(fingerprint)
    assert ("a" in partial, "none" in partial, "b" in partial) == (True, True, False)
    assert partial.read("a")["report"]["n_ok"] == 1
    assert partial.read("none")["trajectory"] is None
    partial.append("b", ReplayReport(), trajectory)
    partial.close()
    assert len(path.read_bytes().splitlines()) == 4
    partial = PartialFile(path)
    partial.open({"source": "another"})
    assert "a" not in partial
    partial.remove()
    assert not path.exists()


def test_a_replay_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    mark = "with open('log', 'a') as f: f.write('{name}\\n')"
    trajectories = [
        make_trajectory(f"t{n}", steps_of(mark.format(name=f"t{n}"), "import time; time.sleep(0.3)", str(n)))
        for n in range(4)
    ]
    source, out = tmp_path / "t.jsonl", tmp_path / "r.jsonl"
    write_trajectories(source, trajectories)
    program = (
        "import argparse, sys\nfrom themisto_lab.cli import replay\n"
        "parser = argparse.ArgumentParser()\nreplay.add_parser(parser.add_subparsers())\n"
        "args = parser.parse_args(sys.argv[1:])\nsys.exit(args.run(args))"
    )
    command = [sys.executable, "-c", program, "replay", str(source), "--out", str(out), "--cwd", str(work)]
    command += ["--jobs", "1", "--json"]
    partial = out.with_name("r.jsonl.partial")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    for n_done in (1, 2):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while not (partial.exists() and partial.read_bytes().count(b"\n") > n_done):
                assert process.poll() is None
                assert time.monotonic() < deadline
                time.sleep(0.02)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert not out.exists()
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    summary = json.loads(finished.stdout)
    assert summary["resumed"] >= 2
    assert (summary["trajectories"], summary["n_ok"]) == (4, 12)
    assert [t.steps[2].output_text for t in read_trajectories(out)] == ["0", "1", "2", "3"]
    assert not partial.exists()
    runs = Counter((work / "log").read_text().split())
    # Only what was in the middle of its run when the kill came has run more than once.
    assert set(runs) == {"t0", "t1", "t2", "t3"}
    assert runs["t0"] == 1
    assert sum(runs.values()) <= 4 + 2
