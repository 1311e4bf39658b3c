"""The commands bench, report and show, as a person would give them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from runner_helpers import MODEL, FakeModel, bench_with, command, make_sample, registry_with, trajectories

from themisto_lab.benchmark.dry_run import estimate
from themisto_lab.benchmark.runner_options import ANSWER_TOKENS, PAPER_MODELS, BenchOptions, model_names
from themisto_lab.benchmark.sample_file import read_sample
from themisto_lab.errors import BadInputError, ModelUnavailableError, NotFoundError
from themisto_lab.predict.remote_keys import REMOTE_PROVIDERS
from themisto_lab.types import TaskKind

Captured = pytest.CaptureFixture[str]


def test_from_sample_to_tables(tmp_path: Path, capsys: Captured) -> None:
    path, run, out = make_sample(tmp_path), tmp_path / "run", tmp_path / "report"
    assert command("bench", path, "--out", run, "--model", "echo", "--json") == 0
    done = json.loads(capsys.readouterr().out)
    assert done["n_items"] == {"next_cell": 21, "cell_output": 15}
    assert {one["model"]: one["n_answered"] for one in done["totals"]} == {
        "baseline/follower": 21,
        "baseline/history": 21,
        "baseline/last-output": 15,
        "baseline/repeat": 21,
        "echo": 36,
        "rule/known-output": 15,
    }
    assert command("bench", path, "--out", run, "--model", "echo") == 0
    told = capsys.readouterr().out
    assert "129 answers, 129 of them from before; 0 requests to models." in told
    assert command("report", run, "--out", out, "--raw") == 0
    told = capsys.readouterr().out
    for part in ("Table 2. Next cell prediction", "Table 3. Cell output prediction", "Next cells by how new they are"):
        assert part in told
    assert {one.name for one in out.iterdir()} == {
        "report.md",
        "report.csv",
        "report.json",
        "report.html",
        "calibration.svg",
    }
    assert command("report", run, "--out", out, "--json") == 0
    numbers = json.loads(capsys.readouterr().out)
    stored = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert numbers == {"out": str(out), **stored}
    row = next(row for row in stored["rows"] if row["model"] == "echo" and row["task"] == "next_cell")
    assert (row["n"], row["n_failed"], row["arm"], row["prompt"]) == (21, 0, None, "none")
    # The echo says the last cell again, as the baseline does.
    means = {
        model: [row["mean"] for row in stored["rows"] if row["model"] == model and row["task"] == "next_cell"]
        for model in ("echo", "baseline/repeat")
    }
    assert means["echo"] == means["baseline/repeat"]
    assert 0 < means["echo"][1] < 1
    assert stored["n_items"] == {"next_cell": 21, "cell_output": 15}


def test_show_prints_prompt_reply_target_and_scores(tmp_path: Path, capsys: Captured) -> None:
    path, run = make_sample(tmp_path), tmp_path / "run"
    asyncio.run(bench_with(FakeModel(), path, run))
    assert command("show", run, "next_cell:t1:7") == 0
    told = capsys.readouterr().out
    assert "next_cell:t1:7: next_cell, step 8 of its trajectory (edit)" in told
    assert "-- Target\n   print('step 7 of 1', 7 * 1)" in told
    assert "-- Prompt, system\n   You are an expert Python programmer." in told
    assert "-- Reply\n   ```python\n   total_1 = 1\n   ```" in told
    assert "-- Prediction\n   total_1 = 1" in told
    assert "scores: exact_match 0.000, rouge_l" in told
    assert "== baseline/follower · prompt: none" in told
    assert command("show", run, "cell_output:t1:7", "--model", MODEL, "--arm", "runtime", "--json") == 0
    item = json.loads(capsys.readouterr().out)
    [answer] = item["answers"]
    assert (item["target"], item["code"]) == ("step 7 of 1 7", "print('step 7 of 1', 7 * 1)")
    assert (answer["model"], answer["arm"], answer["prompt_form"]) == (MODEL, "runtime", "paper")
    assert "v (28 B) = 6" in answer["messages"][1]["content"]
    with pytest.raises(NotFoundError, match=r"no item nothing; one that it holds is \w+:t0:"):
        command("show", run, "nothing")


def test_show_tells_of_a_failure(tmp_path: Path, capsys: Captured) -> None:
    path, run = make_sample(tmp_path), tmp_path / "run"
    model = FakeModel(lambda *_: ModelUnavailableError("The provider is down."))
    asyncio.run(bench_with(model, path, run, baselines=False, attempts=1))
    assert command("show", run, "next_cell:t0:6") == 0
    assert "failed: The provider is down." in capsys.readouterr().out
    assert command("report", run, "--out", tmp_path / "report") == 0
    assert "failures left out" in capsys.readouterr().out


def test_two_runs_of_one_sample_stand_in_one_report(tmp_path: Path, capsys: Captured) -> None:
    path = make_sample(tmp_path)
    assert command("bench", path, "--out", tmp_path / "a", "--json") == 0
    asyncio.run(bench_with(FakeModel(), path, tmp_path / "b", limit=6))
    assert command("report", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "ab") == 0
    assert "--common keeps the items that all share" in capsys.readouterr().err
    report = json.loads((tmp_path / "ab" / "report.json").read_text(encoding="utf-8"))
    n = {(row["model"], row["task"]): row["n"] for row in report["rows"]}
    assert n[MODEL, "next_cell"] == 6
    assert n["baseline/repeat", "next_cell"] == 21
    assert {row["arm"] for row in report["differences"]} == {"runtime"}
    assert command("report", tmp_path / "a", tmp_path / "b", "--common", "--out", tmp_path / "ab", "--json") == 0
    report = json.loads((tmp_path / "ab" / "report.json").read_text(encoding="utf-8"))
    assert {row["n"] for row in report["rows"]} == {6}


def test_runs_of_different_samples_are_not_mixed(tmp_path: Path) -> None:
    first = make_sample(tmp_path)
    (tmp_path / "other").mkdir()
    second = make_sample(tmp_path / "other", trajectories(2))
    for path, name in ((first, "a"), (second, "b")):
        command("bench", path, "--out", tmp_path / name, "--json")
    with pytest.raises(BadInputError, match=r"a and .*b are about different samples"):
        command("report", tmp_path / "a", tmp_path / "b", "--out", tmp_path / "ab")
    assert not (tmp_path / "ab").exists()
    with pytest.raises(BadInputError, match="holds no run"):
        command("report", tmp_path / "other", "--out", tmp_path / "ab")


def test_a_dry_run_asks_and_writes_nothing(tmp_path: Path, capsys: Captured) -> None:
    path = make_sample(tmp_path)
    words = ("bench", path, "--out", tmp_path / "run", "--model", "paper", "--dry-run")
    assert command(*words, "--json") == 0
    found = json.loads(capsys.readouterr().out)["models"]
    assert not (tmp_path / "run").exists()
    assert [one["model"] for one in found] == list(PAPER_MODELS.values())
    tasks = [item.task for item, _ in read_sample(path)]
    for one in found:
        assert one["n_answers"] == one["n_calls"] == 2 * len(tasks)
        assert one["completion_tokens"] == 2 * sum(ANSWER_TOKENS[task] for task in tasks)
        assert one["cost"] > 0, "litellm knows no price of it"
    assert command(*words, "--limit", 5) == 0
    told = capsys.readouterr().out
    assert "openai/gpt-4o" in told
    assert "USD, at most" in told


def test_a_dry_run_leaves_out_what_is_answered(tmp_path: Path) -> None:
    path, run = make_sample(tmp_path), tmp_path / "run"
    asyncio.run(bench_with(FakeModel(), path, run, arms=("runtime",)))
    options = BenchOptions(sample=path, out=run, models=(MODEL,), arms=("no_runtime", "runtime"))
    [found] = estimate(options, registry_with(FakeModel()))
    assert (found.n_answers, found.n_calls, found.cost) == (36, 36, 0.0)


def test_the_names_of_models() -> None:
    assert model_names(["a,b", " b , c"]) == ("a", "b", "c")
    assert model_names(["echo,paper"]) == ("echo", *PAPER_MODELS.values())
    assert len(PAPER_MODELS) == 5
    assert {name.partition("/")[0] for name in PAPER_MODELS.values()} <= REMOTE_PROVIDERS.keys()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 0}, "--limit must be at least 1"),
        ({"attempts": 0}, "--attempts must be at least 1"),
        ({"context_tokens": 100}, "--context-tokens must be more than"),
        ({"timeout_s": 0.0}, "--timeout must be more than 0"),
        ({"models": (), "baselines": False}, "Nobody is asked"),
    ],
)
def test_options_that_make_no_sense(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        asyncio.run(bench_with(FakeModel(), tmp_path / "s.jsonl", tmp_path / "run", **options))


def test_both_tasks_have_a_length_of_answer() -> None:
    assert ANSWER_TOKENS.keys() == set(TaskKind)
