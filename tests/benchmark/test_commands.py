"""The commands from end to end, as a person would give them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from june_files import event, run_of, write_user_logs
from test_importers import code_cell, notebook
from test_live_import import fill, recorded

from themisto_lab.benchmark.format import read_trajectories
from themisto_lab.benchmark.sample_file import read_sample
from themisto_lab.cli import diversity, import_, replay, sample
from themisto_lab.errors import BadInputError


def command(*words: object) -> int:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    for module in (import_, replay, sample, diversity):
        module.add_parser(subparsers)
    args = parser.parse_args([str(word) for word in words])
    return int(args.run(args))


def test_a_june_log_from_import_to_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = [*run_of(0, "z", "from mining_extension import check_logging"), event(1, "finished_execute", "y", "", [])]
    for number in range(14):
        log += run_of(10 * number + 2, f"c{number % 4}", f"v{number} = {number}\nprint('value', v{number} * {number})")
    log += [event(200, "execute", "c1", "1 / 0"), event(201, "error", "c1", "", {"ename": "ZeroDivisionError"})]
    write_user_logs(tmp_path / "log", log)
    t, r, s, figures = (tmp_path / name for name in ("t.jsonl", "r.jsonl", "s.jsonl", "figures"))
    assert command("import", tmp_path / "log", "--out", t, "--json", "--task-description", "Values") == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["trajectories"], done["steps"], done["kinds"]) == (1, 15, {"june": 1})
    assert done["skipped"] == {"boilerplate cell of the logging": 1}
    assert done["notes"]["end without an execution"] == 1
    assert command("replay", t, "--out", r, "--json", "--jobs", 1) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["n_ok"], done["n_error"], done["n_recorded_outputs"], done["n_new_errors"]) == (14, 1, 0, 0)
    assert command("sample", r, "--out", s, "--n", 100, "--json") == 0
    done = json.loads(capsys.readouterr().out)["tasks"]
    assert done["cell_output"]["excluded"]["exception"] == 1
    assert done["cell_output"]["n_items"] == len([1 for item, _ in read_sample(s) if item.task == "cell_output"]) > 3
    [trajectory] = {id(t): t for _, t in read_sample(s)}.values()
    assert trajectory.replayed
    assert trajectory.task_description == "Values"
    assert command("diversity", s, "--out", figures, "--json") == 0
    assert json.loads(capsys.readouterr().out)["tasks"]["next_cell"]["scores"]["jaccard"]["mean"] > 0
    assert {path.name for path in figures.iterdir()} == {"diversity.json", "diversity.svg", "diversity.png"}


def test_what_people_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [code_cell(f"x{n} = {n}", n + 1) for n in range(12)]
    path = notebook(tmp_path / "n.ipynb", [*cells, code_cell("lost", None)])
    t, s = tmp_path / "t.jsonl", tmp_path / "s.jsonl"
    assert command("import", path, "--out", t) == 0
    printed = capsys.readouterr()
    assert f"{t}: 1 trajectories, 12 steps (1 ipynb).\n" in printed.out
    assert "1  cell without an execution count" in printed.out
    assert "1 of 13 cells have no execution count" in printed.err
    assert command("sample", t, "--out", s, "--task", "next_cell", "--draw", "uniform", "--n", 50) == 0
    printed = capsys.readouterr().out
    assert "next_cell: 7 items of 50 asked for (a group holds no more), from 12 steps." in printed
    assert "5  fewer than 5 actions before" in printed
    assert command("diversity", s, "--out", tmp_path / "d", "--max-items", 3) == 0
    printed = capsys.readouterr().out
    assert "next_cell: 3 of 7 items were compared (--max-items)." in printed
    assert command("replay", t, "--out", tmp_path / "r.jsonl", "--jobs", 1) == 0
    printed = capsys.readouterr().out
    assert "0 of 0 recorded outputs came out the same." in printed
    assert [row.split()[-1] for row in printed.splitlines() if row.startswith("ended well")] == ["12"]


def test_the_live_record_is_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, out = tmp_path / "store.sqlite", tmp_path / "t.jsonl"
    fill(store, recorded())
    assert command("import", "--live", "--store", store, "--out", out) == 0
    assert list(read_trajectories(out)) == recorded()[:1]
    assert "(1 live)" in capsys.readouterr().out


def test_the_stores_own_place_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THEMISTO_STORE", str(tmp_path / "none.sqlite"))
    with pytest.raises(BadInputError, match=r"There is no record at .*none\.sqlite"):
        command("import", "--live", "--out", tmp_path / "t.jsonl")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["import", "--out", "t"], "Name at least one SOURCE, or give --live alone"),
        (["import", "x", "--live", "--out", "t"], "Name at least one SOURCE, or give --live alone"),
        (["sample", "x", "--out", "t", "--n", "0"], "--n must be at least 1"),
        (["sample", "x", "--out", "t"], "x can't be read"),
        (["replay", "x", "--out", "t", "--timeout", "0"], "--timeout more than 0"),
        (["replay", "x", "--out", "t", "--jobs", "0"], "--jobs must be at least 1"),
        (["diversity", "x", "--out", "t", "--max-items", "1"], "--max-items must be at least 2"),
    ],
)
def test_wrong_words_are_answered_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInputError, match=message):
        command(*words)
    assert list(tmp_path.iterdir()) == []


def test_an_empty_notebook_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    path = notebook(tmp_path / "n.ipynb", [code_cell(" ", 1)])
    with pytest.raises(BadInputError, match=r"There is no step to import .*1 x notebook without code"):
        command("import", path, "--out", tmp_path / "t.jsonl")
    assert not (tmp_path / "t.jsonl").exists()
