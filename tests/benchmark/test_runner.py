"""A run from its sample to scored answers on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from runner_helpers import MODEL, FakeModel, bench_with, make_sample, trajectories

from themisto_lab.benchmark.manifest import RESULTS_NAME, read_manifest
from themisto_lab.benchmark.results import Results
from themisto_lab.benchmark.run_reader import open_results
from themisto_lab.benchmark.sample_file import read_sample
from themisto_lab.benchmark.sampling import file_sha256
from themisto_lab.context.build import build_context
from themisto_lab.context.render import PROMPT_VERSION
from themisto_lab.context.select import ARMS
from themisto_lab.errors import (
    BadInputError,
    ModelKeyError,
    ModelRequestError,
    ModelUnavailableError,
    UnknownModelError,
)
from themisto_lab.scoring.metrics import score_text
from themisto_lab.types import TaskKind

N_NEXT, N_OUTPUT = 21, 15
"""What three sessions of twelve steps give when every eligible step is drawn."""


def open_run(out: Path) -> Results:
    return open_results(out, read_manifest(out))


async def test_every_item_is_asked_in_each_arm_with_the_live_prompt(tmp_path: Path) -> None:
    path, model = make_sample(tmp_path), FakeModel()
    summary = await bench_with(model, path, tmp_path / "run")
    assert summary.n_items == {"next_cell": N_NEXT, "cell_output": N_OUTPUT}
    n_baselines = 3 * N_NEXT + 2 * N_OUTPUT
    assert summary.n_answers == 2 * (N_NEXT + N_OUTPUT) + n_baselines
    assert summary.n_calls == len(model.requests) == 2 * (N_NEXT + N_OUTPUT)
    assert summary.n_resumed == 0
    expected = {
        (item.id, arm): build_context(
            item.history(trajectory), ARMS[arm], item.task, code=item.code(trajectory), chat=True, limit_tokens=2048
        )
        for item, trajectory in read_sample(path)
        for arm in ("no_runtime", "runtime")
    }
    with open_run(tmp_path / "run") as results:
        found = {}
        for item, _ in read_sample(path):
            for answer, reply in results.answers(item.id):
                if answer.model == MODEL:
                    assert reply is not None
                    assert reply.context is not None
                    found[item.id, answer.arm] = (answer, reply)
                    context = expected[item.id, answer.arm]
                    assert reply.context == context.model_dump(mode="json")
                    assert (answer.prompt, answer.n_attempts) == ("paper", 1)
    assert found.keys() == expected.keys()


async def test_scores_with_and_without_post_processing(tmp_path: Path) -> None:
    path = make_sample(tmp_path)
    await bench_with(FakeModel(), path, tmp_path / "run", arms=("runtime",))
    with open_run(tmp_path / "run") as results:
        items = {item.item_id: item for item in results.items()}
        checked = 0
        for answer, reply in results.answers():
            target = items[answer.item_id].target
            assert reply is not None
            post = {score.metric: score.value for score in score_text(answer.text, target)}
            raw = {score.metric: score.value for score in score_text(reply.raw_text, target)}
            assert answer.scores == {"post": post, "raw": raw}
            if answer.model == MODEL and items[answer.item_id].task == "next_cell":
                assert reply.raw_text == f"```python\n{answer.text}\n```"
                assert raw["exact_match"] == 0
            checked += 1
    assert checked == N_NEXT + N_OUTPUT + 3 * N_NEXT + 2 * N_OUTPUT


async def test_the_kinds_of_next_cells(tmp_path: Path) -> None:
    await bench_with(FakeModel(), make_sample(tmp_path), tmp_path / "run", models=())
    with open_run(tmp_path / "run") as results:
        kinds = {item.item_id: item.novelty for item in results.items()}
    assert kinds["next_cell:t1:6"] == "repeat"
    assert kinds["next_cell:t1:7"] == "edit"
    assert kinds["cell_output:t1:7"] == ""


async def test_a_second_run_asks_nothing_and_a_new_model_is_added(tmp_path: Path) -> None:
    path, out = make_sample(tmp_path), tmp_path / "run"
    first = await bench_with(FakeModel(), path, out, arms=("runtime",))
    again = FakeModel()
    summary = await bench_with(again, path, out, arms=("runtime",))
    assert again.requests == []
    assert (summary.n_calls, summary.n_resumed) == (0, first.n_answers)
    assert [one | {"mean_latency_s": 0} for one in summary.totals] == [
        one | {"mean_latency_s": 0} for one in first.totals
    ]
    more = FakeModel()
    summary = await bench_with(more, path, out, models=(MODEL, "echo"), arms=("no_runtime", "runtime"))
    assert len(more.requests) == N_NEXT + N_OUTPUT
    manifest = read_manifest(out)
    assert manifest.models[MODEL]["arms"] == ["runtime", "no_runtime"]
    assert "echo" in manifest.models


async def test_the_same_prompt_is_asked_once(tmp_path: Path) -> None:
    bare = [
        one.model_copy(update={"steps": tuple(step.model_copy(update={"variables": ()}) for step in one.steps)})
        for one in trajectories()
    ]
    model = FakeModel()
    summary = await bench_with(model, make_sample(tmp_path, bare), tmp_path / "run", baselines=False)
    # Without variables both arms have one prompt.
    assert len(model.requests) == N_NEXT + N_OUTPUT == summary.n_calls
    n_answered = {one["arm"]: one["n_answered"] for one in summary.totals}
    assert n_answered == dict.fromkeys(("no_runtime", "runtime"), N_NEXT + N_OUTPUT)


async def test_a_failure_that_passes_is_asked_again(tmp_path: Path) -> None:
    model = FakeModel(lambda n, _: ModelUnavailableError("busy") if n % 3 else None)
    options = {"arms": ("runtime",), "baselines": False, "concurrency": 1}
    summary = await bench_with(model, make_sample(tmp_path), tmp_path / "run", **options)
    assert summary.n_calls == 3 * (N_NEXT + N_OUTPUT)
    [total] = summary.totals
    assert (total["n_answered"], total["n_failed"]) == (N_NEXT + N_OUTPUT, 0)


async def test_a_failure_that_stays_is_counted_and_asked_again_by_the_next_run(tmp_path: Path) -> None:
    path, out = make_sample(tmp_path), tmp_path / "run"

    def fail(_: int, request: object) -> Exception | None:
        return ModelUnavailableError("down") if request.task is TaskKind.CELL_OUTPUT else None

    summary = await bench_with(FakeModel(fail), path, out, arms=("runtime",), baselines=False)
    assert summary.n_calls == N_NEXT + 3 * N_OUTPUT
    assert [(one["n_answered"], one["n_failed"]) for one in summary.totals] == [(N_NEXT, N_OUTPUT)]
    with open_run(out) as results:
        failed = [answer for answer, reply in results.answers() if reply is None]
    assert {(one.error_code, one.error_message, one.n_attempts) for one in failed} == {("model_unavailable", "down", 3)}
    mended = FakeModel()
    summary = await bench_with(mended, path, out, arms=("runtime",), baselines=False)
    assert len(mended.requests) == N_OUTPUT
    assert [(one["n_answered"], one["n_failed"]) for one in summary.totals] == [(N_NEXT + N_OUTPUT, 0)]


async def test_a_rejected_request_is_not_repeated_and_a_refused_key_ends_the_model(tmp_path: Path) -> None:
    path = make_sample(tmp_path)
    rejecting = FakeModel(lambda *_: ModelRequestError("no"))
    summary = await bench_with(rejecting, path, tmp_path / "a", arms=("runtime",), baselines=False)
    assert summary.n_calls == N_NEXT + N_OUTPUT == summary.totals[0]["n_failed"]

    model = FakeModel(lambda n, _: ModelKeyError("The key was refused.") if n > 5 else None)
    summary = await bench_with(model, path, tmp_path / "b", arms=("runtime",), concurrency=1)
    assert summary.stopped == {MODEL: "The key was refused."}
    assert len(model.requests) == 6
    # What was answered is kept, and is not asked again.
    later = FakeModel()
    await bench_with(later, path, tmp_path / "b", arms=("runtime",))
    assert len(later.requests) == N_NEXT + N_OUTPUT - 5


async def test_a_seeded_part(tmp_path: Path) -> None:
    path = make_sample(tmp_path)
    found = {}
    for name, limit, seed in (("a", 4, 0), ("b", 8, 0), ("c", 4, 1)):
        await bench_with(FakeModel(), path, tmp_path / name, limit=limit, seed=seed)
        with open_run(tmp_path / name) as results:
            found[name] = {item.item_id for item in results.items()}
            assert results.count_items() == {"next_cell": limit, "cell_output": limit}
            assert {answer.item_id for answer, _ in results.answers()} == found[name]
    assert found["a"] < found["b"]
    assert found["a"] != found["c"]


async def test_the_manifest(tmp_path: Path) -> None:
    path = make_sample(tmp_path)
    await bench_with(FakeModel(), path, tmp_path / "run", seed=7)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["sample_sha256"] == file_sha256(path)
    assert (manifest["seed"], manifest["prompt_version"]) == (7, PROMPT_VERSION)
    assert manifest["models"][MODEL] == {"kind": "test", "prompts": ["paper"], "arms": ["no_runtime", "runtime"]}
    assert {"themisto_lab", "rapidfuzz", "xllamacpp"} <= manifest["packages"].keys()
    assert (tmp_path / "run" / RESULTS_NAME).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("change", [{"seed": 1}, {"limit": 3}, {"context_tokens": 999}])
async def test_a_folder_is_about_one_run(tmp_path: Path, change: dict[str, int]) -> None:
    path = make_sample(tmp_path)
    await bench_with(FakeModel(), path, tmp_path / "run")
    with pytest.raises(BadInputError, match=f"another {next(iter(change)).replace('_', ' ')}"):
        await bench_with(FakeModel(), path, tmp_path / "run", **change)


async def test_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_sample(tmp_path)
    with pytest.raises(UnknownModelError, match="no model named 'nobody'"):
        await bench_with(FakeModel(), path, tmp_path / "a", models=("nobody",))
    with pytest.raises(BadInputError, match="no arm named 'curious'"):
        await bench_with(FakeModel(), path, tmp_path / "a", arms=("curious",))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelKeyError, match="OPENAI_API_KEY"):
        await bench_with(FakeModel(), path, tmp_path / "a", models=("openai/gpt-4o",))
    with pytest.raises(BadInputError, match="chat messages only"):
        await bench_with(FakeModel(), path, tmp_path / "a", prompt="transcript")
    with pytest.raises(BadInputError, match="is not a sample"):
        await bench_with(FakeModel(), tmp_path / "t.jsonl", tmp_path / "a")
    assert not (tmp_path / "a").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInputError, match="not a run"):
        await bench_with(FakeModel(), path, tmp_path / "mine")
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(BadInputError, match=r"cut.jsonl, line \d+, column \d+: the line is cut off"):
        await bench_with(FakeModel(), cut, tmp_path / "cut")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "twice.jsonl").write_text("".join([*lines, lines[-1]]), encoding="utf-8")
    with pytest.raises(BadInputError, match="an item twice"):
        await bench_with(FakeModel(), tmp_path / "twice.jsonl", tmp_path / "twice")
