"""``jupyter themisto try``: a notebook through the live driver, in a real kernel."""

import json
import shutil

import nbformat
import pytest

from themisto_lab.cli.main import main

KEYS = {"step", "task", "predictor", "arm", "text", "target", "status", "scores", "latency_s"}


def notebook(path, *sources, kernel="python3", metadata=None):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernelspec = {"name": kernel, "display_name": kernel, "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernelspec, **(metadata or {})}), path)
    return path


def try_it(path, tmp_path, *options, model="baseline/follower"):
    out = tmp_path / "out.json"
    code = main(["try", str(path), "--model", model, "--json", str(out), *options])
    return code, json.loads(out.read_text()) if out.exists() else None


@pytest.mark.model
def test_the_embedded_model_in_both_arms(data_path, tmp_path, capsys):
    code, result = try_it(data_path / "three_cells.ipynb", tmp_path, model="local/qwen2.5-coder-0.5b")
    assert code == 0
    assert all(set(row) >= KEYS for row in result["steps"])
    by_question = {(row["step"], row["task"], row["predictor"], row["arm"]): row for row in result["steps"]}
    model = "local/qwen2.5-coder-0.5b"
    for arm in ("runtime", "no_runtime"):
        row = by_question[1, "cell_output", model, arm]
        assert (row["status"], row["target"]) == ("scored", "42")
        assert set(row["scores"]) == {"exact_match", "rouge_l", "rouge_l_code", "chrf"}
        assert row["latency_s"] > 0
        assert by_question[1, "next_cell", model, arm]["target"] == "print(x * 7)"
    assert by_question[0, "cell_output", "rule/known-output", None]["scores"]["exact_match"] == 1
    assert result["summary"]["n_steps"] == 3
    rows = {(row["task"], row["predictor"], row["arm"]): row for row in result["summary"]["rows"]}
    assert rows["next_cell", model, "runtime"]["n"] == rows["next_cell", model, "no_runtime"]["n"] == 2
    printed = capsys.readouterr().out
    assert "print(x * 7)" in printed
    assert "truth" in printed


def test_the_cell_below_is_no_candidate_where_it_is_the_answer(data_path, tmp_path):
    _, result = try_it(data_path / "three_cells.ipynb", tmp_path)
    assert "baseline/below" not in {row["predictor"] for row in result["steps"]}


def test_a_cell_that_raises_does_not_end_the_run(tmp_path, capsys):
    path = notebook(tmp_path / "a.ipynb", "x = 1", "raise ValueError('no')", "print(x)")
    code, result = try_it(path, tmp_path)
    assert code == 0
    assert result["summary"]["n_steps"] == 3
    forecast = next(row for row in result["steps"] if (row["step"], row["task"]) == (1, "cell_output"))
    assert forecast["status"] == "cancelled"
    assert "Cell 2 raised an error" in capsys.readouterr().err


def test_a_kernel_that_dies_keeps_the_trajectory(tmp_path, capsys):
    path = notebook(tmp_path / "a.ipynb", "x = 1", "import time, os; time.sleep(0.5); os._exit(1)", "print(x)")
    code, result = try_it(path, tmp_path)
    assert code == 0
    assert "died while it ran cell 2" in result["note"]
    assert result["summary"]["n_steps"] == 2
    assert "died" in capsys.readouterr().err


def test_a_cell_without_end_is_interrupted(tmp_path):
    path = notebook(tmp_path / "a.ipynb", "x = 1", "while True: pass", "print(x)")
    code, result = try_it(path, tmp_path, "--cell-timeout", "2")
    assert code == 0
    assert result["summary"]["n_steps"] == 3


def test_the_notebooks_own_description_and_arms_are_used(tmp_path):
    path = notebook(
        tmp_path / "a.ipynb", "x = 1", "print(x)", metadata={"themisto": {"task_description": "Count birds."}}
    )
    store = tmp_path / "kept.sqlite"
    code, _ = try_it(path, tmp_path, "--store", str(store), "--arm", "runtime", model="echo")
    assert code == 0
    assert store.exists()


@pytest.mark.r_kernel
def test_an_r_kernel_gives_code_and_outputs(tmp_path, capsys):
    assert shutil.which("R"), "R is not here. Run: make system"
    path = notebook(tmp_path / "r.ipynb", "x <- 6", "print(x * 7)", kernel="ir")
    code, result = try_it(path, tmp_path)
    assert code == 0
    assert "shows no variables" in result["note"]
    forecast = next(row for row in result["steps"] if (row["step"], row["task"]) == (1, "cell_output"))
    assert forecast["target"] == "[1] 42"


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (lambda p: p / "missing.ipynb", [], "there is no such file"),
        (lambda p: _text(p / "text.ipynb", "not a notebook"), [], "this is not a notebook"),
        (lambda p: _text(p / "list.ipynb", "[1, 2]"), [], "this is not a notebook"),
        (lambda p: notebook(p / "empty.ipynb"), [], "no code cell"),
        (lambda p: notebook(p / "kernel.ipynb", "x = 1", kernel="none-such"), [], "'none-such' is not installed"),
        (lambda p: notebook(p / "a.ipynb", "x = 1"), ["--model", "gpt-9"], "baseline/follower"),
        (lambda p: notebook(p / "a.ipynb", "x = 1"), ["--model", "openai/gpt-4o"], "remote"),
        (lambda p: notebook(p / "a.ipynb", "x = 1"), ["--json", "no/such/folder/out.json"], "folder does not exist"),
    ],
)
def test_bad_input_is_named_with_its_remedy(make, options, message, tmp_path, capsys):
    assert main(["try", str(make(tmp_path)), "--model", "baseline/follower", *options]) == 1
    told = capsys.readouterr().err
    assert message in told
    assert "Traceback" not in told


def test_a_missing_model_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(tmp_path / "nowhere"))
    path = notebook(tmp_path / "a.ipynb", "x = 1")
    assert main(["try", str(path), "--model", "local/qwen2.5-coder-0.5b"]) == 1
    assert "jupyter themisto model pull qwen2.5-coder-0.5b" in capsys.readouterr().err


def test_the_command_line_tells_its_version_and_commands(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("0.")
    assert main([]) == 2
    told = capsys.readouterr().out
    for command in ("try", "model", "forget", "import", "replay", "sample", "diversity", "bench", "report", "show"):
        assert command in told


def _text(path, text):
    path.write_text(text)
    return path
