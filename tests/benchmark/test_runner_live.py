"""One notebook, predicted live and offline: the same prompts, texts and scores."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from runner_helpers import command

from themisto_lab.benchmark.format import write_trajectories
from themisto_lab.benchmark.importers.live_store import import_live
from themisto_lab.benchmark.importers.source import ImportReport
from themisto_lab.benchmark.manifest import read_manifest
from themisto_lab.benchmark.run_reader import open_results
from themisto_lab.benchmark.runner_options import ANSWER_TOKENS
from themisto_lab.benchmark.sampling import SampleRules, sample
from themisto_lab.live.board import _ANSWER_TOKENS
from themisto_lab.live.driver import LiveDriver
from themisto_lab.live.headless import read_notebook, run_notebook
from themisto_lab.live.settings import Settings
from themisto_lab.predict.registry import Registry
from themisto_lab.store.store import Store

LOG = logging.getLogger("themisto_lab.tests")
MODEL = "local/qwen2.5-coder-0.5b"

Told = dict[tuple[str, str, str], dict[str, Any]]
"""What was asked and answered, by item, predictor and arm."""


async def predict_live(notebook: Path, store_path: Path) -> Told:
    registry, store = Registry(), Store.open(store_path, LOG)
    driver = LiveDriver(store, registry, Settings(model=MODEL), log=LOG)
    try:
        trajectory_id, note = await run_notebook(read_notebook(notebook), driver, log=LOG)
        assert note == ""
        stored = await store.predictions(trajectory_id, with_context=True)
    finally:
        await driver.close()
        await registry.close()
        await store.close()
    told: Told = {}
    for one in stored:
        prediction = one.prediction
        if prediction.status == "scored":
            assert one.target is not None
            item = f"{prediction.task.value}:{trajectory_id}:{prediction.target_index}"
            told[item, prediction.predictor, prediction.arm or ""] = {
                "context": prediction.context.model_dump(mode="json") if prediction.context else None,
                "raw_text": prediction.raw_text,
                "text": prediction.text,
                "target": one.target.text,
                "scores": {score.metric: score.value for score in one.scores},
            }
    return told


def predict_offline(store_path: Path, folder: Path) -> Told:
    write_trajectories(folder / "t.jsonl", import_live(store_path, ImportReport()))
    sample(folder / "t.jsonl", folder / "s.jsonl", SampleRules(min_actions=0, draw="all"))
    assert command("bench", folder / "s.jsonl", "--out", folder / "run", "--model", MODEL, "--json") == 0
    told: Told = {}
    with open_results(folder / "run", read_manifest(folder / "run")) as results:
        for item in results.items():
            for answer, reply in results.answers(item.item_id):
                assert reply is not None
                told[item.item_id, answer.model, answer.arm] = {
                    "context": reply.context,
                    "raw_text": reply.raw_text,
                    "text": answer.text,
                    "target": item.target,
                    "scores": answer.scores["post"],
                }
    return told


@pytest.mark.model
def test_a_number_measured_offline_is_the_number_that_a_user_gets_live(data_path: Path, tmp_path: Path) -> None:
    live = asyncio.run(predict_live(data_path / "three_cells.ipynb", tmp_path / "store.sqlite"))
    offline = predict_offline(tmp_path / "store.sqlite", tmp_path)
    # Live, the very first cell is no target, and a cell that by its syntax prints nothing is not asked about.
    both = live.keys() & offline.keys()
    assert {(item.partition(":")[0], model, arm) for item, model, arm in both} >= {
        ("next_cell", "baseline/repeat", ""),
        ("next_cell", "baseline/follower", ""),
        ("next_cell", "baseline/history", ""),
        ("cell_output", "baseline/last-output", ""),
        *((task, MODEL, arm) for task in ("next_cell", "cell_output") for arm in ("no_runtime", "runtime")),
    }
    assert {key: live[key] for key in both} == {key: offline[key] for key in both}
    assert offline.keys() <= live.keys()
    model_texts = [told["text"] for (_, model, _), told in offline.items() if model == MODEL]
    assert any(model_texts)


def test_answers_may_be_as_long_as_live() -> None:
    assert ANSWER_TOKENS == _ANSWER_TOKENS
