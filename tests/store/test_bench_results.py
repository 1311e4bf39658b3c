"""A benchmark's results in a file and in a PostgreSQL database: the same rows, the same numbers."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

import pytest

from themisto_lab.benchmark.format import write_trajectories
from themisto_lab.benchmark.results import AnswerRow, ItemRow, Reply, Results
from themisto_lab.benchmark.sampling import SampleRules, sample
from themisto_lab.cli import bench, report, show
from themisto_lab.errors import BadInputError
from themisto_lab.types import MIME_TEXT, CellOutput, Step, Trajectory, utc_now

PLACES = ["path", pytest.param("postgres_url", marks=pytest.mark.postgres)]


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Iterator[Path | str]:
    return request.getfixturevalue(request.param)


def item(number: int) -> ItemRow:
    return ItemRow(
        item_id=f"i{number}",
        place=number,
        task="next_cell",
        trajectory_id="t",
        target_index=number,
        code="",
        target="x\0",
        novelty="edit",
    )


def test_rows_come_back_as_they_were(place: Path | str) -> None:
    reply = Reply(key="k", raw_text="a", prompt_tokens=3, cost=0.5, latency_s=0.25, answered_at=utc_now())
    answer = AnswerRow(
        item_id="i1",
        model="m",
        arm="runtime",
        prompt="paper",
        setup="s",
        key="k",
        text="a",
        scores={"post": {"x": 1.0}},
    )
    failure = AnswerRow(item_id="i2", model="m", arm="runtime", prompt="paper", setup="s", error_code="e", n_attempts=3)
    with Results(place, "run") as results, Results(place, "other") as other:
        results.put_items(item(number) for number in range(450))
        assert results.count_items() == {"next_cell": 450}
        assert [one.item_id for one in results.items()] == [f"i{number}" for number in range(450)]
        assert results.items_among(["i3", "none"]) == {"i3"}
        results.put_replies([reply])
        results.put_replies([reply.model_copy(update={"raw_text": "b"})])
        results.put_answers([answer.model_copy(update={"text": "old"}), failure])
        results.put_answers([answer])
        assert list(results.answers()) == [(answer, reply), (failure, None)]
        assert results.answered(["i1", "i2"]) == {("i1", "m", "runtime", "paper"): "s"}
        [totals] = results.totals()
        assert json.loads(json.dumps(totals)) == {
            "model": "m",
            "arm": "runtime",
            "prompt": "paper",
            "n_answered": 1,
            "n_failed": 1,
            "prompt_tokens": 3,
            "completion_tokens": None,
            "cost": 0.5,
            "mean_latency_s": 0.25,
        }
        # Runs in one database share replies and nothing else.
        assert (other.count_items(), list(other.answers())) == ({}, [])
        assert other.replies(["k"]) == {"k": reply}


def test_the_same_item_twice_leaves_nothing(place: Path | str) -> None:
    with Results(place, "run") as results:
        with pytest.raises(BadInputError, match="an item twice"):
            results.put_items([item(1), item(2), item(1)])
        assert results.count_items() == {}


def command(*words: object) -> int:
    parser = ArgumentParser()
    subparsers = parser.add_subparsers()
    for module in (bench, report, show):
        module.add_parser(subparsers)
    args = parser.parse_args([str(word) for word in words])
    return int(args.run(args))


@pytest.mark.postgres
def test_a_run_in_a_database(tmp_path: Path, postgres_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    steps = tuple(
        Step(index=n, kernel_id="k", code=f"print({n} + 1)", outputs=(CellOutput(mime=MIME_TEXT, text=str(n + 1)),))
        for n in range(9)
    )
    write_trajectories(tmp_path / "t.jsonl", [Trajectory(id="t", steps=steps)])
    sample(tmp_path / "t.jsonl", tmp_path / "s.jsonl", SampleRules(draw="all"))
    words = ("bench", tmp_path / "s.jsonl", "--out", tmp_path / "run", "--model", "echo", "--json")
    with_password = postgres_url.replace("themisto@", "themisto:a-secret@")
    assert command(*words, "--store", with_password) == 0
    assert "a-secret" not in (tmp_path / "run" / "manifest.json").read_text(encoding="utf-8")
    assert not (tmp_path / "run" / "results.sqlite").exists()
    capsys.readouterr()
    # The run knows where its results are.
    assert command(*words) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["n_resumed"], done["n_calls"]) == (done["n_answers"], 0)
    assert command("report", tmp_path / "run", "--out", tmp_path / "report", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["n"] for row in rows} == {4}
    assert command("show", tmp_path / "run", "cell_output:t:6") == 0
    assert "-- Reply\n   print(6 + 1)" in capsys.readouterr().out
    with pytest.raises(BadInputError, match="kept elsewhere"):
        command(*words, "--store", "postgresql://u@nowhere/db")
