"""Results that were made before replies had a probability."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from themisto_lab.benchmark.results import AnswerRow, Reply, Results
from themisto_lab.types import utc_now

ANSWER = AnswerRow(item_id="i", model="m", arm="", prompt="none", setup="s", key="k", scores={"post": {"x": 1.0}})


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A results file with one reply, without the column."""
    place = tmp_path / "results.sqlite"
    with Results(place, "run") as results:
        results.put_replies([Reply(key="k", raw_text="a", latency_s=0.5, answered_at=utc_now())])
        results.put_answers([ANSWER])
    connection = sqlite3.connect(place)
    connection.execute("ALTER TABLE bench_replies DROP COLUMN probability")
    connection.commit()
    connection.close()
    return place


def test_they_can_be_read_and_are_left_as_they_are(older: Path) -> None:
    with Results(older, "run", write=False) as results:
        ((answer, reply),) = results.answers()
        assert answer == ANSWER
        assert reply is not None
        assert (reply.raw_text, reply.probability) == ("a", None)
        assert results.replies(["k"])["k"].latency_s == 0.5
    connection = sqlite3.connect(older)
    assert "probability" not in {row[1] for row in connection.execute("PRAGMA table_info(bench_replies)")}
    connection.close()


def test_they_can_be_gone_on_with(older: Path) -> None:
    with Results(older, "run") as results:
        results.put_replies([Reply(key="n", raw_text="b", probability=0.75, latency_s=0.5, answered_at=utc_now())])
        found = results.replies(["k", "n"])
    assert {key: reply.probability for key, reply in found.items()} == {"k": None, "n": 0.75}
