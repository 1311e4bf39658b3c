"""``jupyter themisto forget`` on a real store."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from themisto_lab.cli import forget
from themisto_lab.errors import NotFoundError, StoreError
from themisto_lab.store.store import Store
from themisto_lab.types import Prediction, Step, TaskKind, Trajectory

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def command(*arguments: str) -> int:
    parser = argparse.ArgumentParser(prog="jupyter themisto")
    forget.add_parser(parser.add_subparsers())
    args = parser.parse_args(["forget", *arguments])
    return int(args.run(args))


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The default store's file."""
    path = tmp_path / "record" / "store.sqlite"
    monkeypatch.setenv("THEMISTO_STORE", str(path))
    return path


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """A store with a notebook of March 1 and one of March 2, held open as by a server."""

    async def fill(store: Store) -> None:
        for days, name in enumerate(("a", "b")):
            at = DAY + timedelta(days=days)
            await store.add_trajectory(Trajectory(id=name, notebook=f"work/{name}.ipynb", started_at=at))
            for index in range(2):
                code = f"secret of {name} {index}"
                await store.add_step(name, Step(index=index, kernel_id="k", code=code, started_at=at))
        running = Prediction(
            id="p", task=TaskKind.NEXT_CELL, trajectory_id="b", target_index=2, predictor="echo", created_at=at
        )
        await store.put_prediction(running)

    store = Store.open(path, logging.getLogger())
    asyncio.run(fill(store))
    yield store
    asyncio.run(store.close())


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Put a real terminal on standard input, and type on it."""
    master, slave = os.openpty()
    with os.fdopen(slave, encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield lambda text: (os.write(master, text.encode()), None)[1]
    os.close(master)


def notebooks(store: Store) -> list[str]:
    return [head.notebook for head in asyncio.run(store.list_trajectories())]


def test_all(store: Store, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--all", "--yes") == 0
    said = capsys.readouterr().out
    assert said == f"Erased 2 kernel sessions, 4 runs and 1 prediction from {path}.\n"
    assert notebooks(store) == []
    for name in os.listdir(path.parent):
        assert b"secret of" not in path.with_name(name).read_bytes(), name


def test_a_notebook(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--notebook", "work/a.ipynb", "--yes") == 0
    assert "Erased 1 kernel session, 2 runs and 0 predictions" in capsys.readouterr().out
    assert notebooks(store) == ["work/b.ipynb"]


def test_a_server_at_work_is_not_disturbed(store: Store) -> None:
    assert command("--notebook", "work/a.ipynb", "--yes") == 0
    found = asyncio.run(store.get_prediction("p"))
    assert found is not None
    assert found.prediction.status == "running"
    asyncio.run(store.add_step("a", Step(index=2, kernel_id="k", code="goes on")))
    assert sorted(notebooks(store)) == ["work/a.ipynb", "work/b.ipynb"]


@pytest.mark.parametrize("moment", ["2026-03-02", "2026-03-02T12:00+00:00"])
def test_before_a_date(store: Store, capsys: pytest.CaptureFixture[str], moment: str) -> None:
    assert command("--before", moment, "--yes", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "store": store.path,
        "dry_run": False,
        "n_trajectories": 1,
        "n_steps": 2,
        "n_predictions": 0,
    }
    assert notebooks(store) == ["work/b.ipynb"]


def test_a_date_is_a_local_one(
    store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # March 1, 12:00 UTC is March 2, 02:00 on Kiritimati.
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        assert command("--before", "2026-03-02", "--dry-run", "--json") == 0
        assert json.loads(capsys.readouterr().out)["n_steps"] == 0
        assert command("--before", "2026-03-02T03:00", "--dry-run", "--json") == 0
        assert json.loads(capsys.readouterr().out)["n_steps"] == 2
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_dry_run_erases_nothing(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--all", "--dry-run") == 0
    assert capsys.readouterr().out.startswith("Would erase 2 kernel sessions, 4 runs and 1 prediction from ")
    assert len(notebooks(store)) == 2


@pytest.mark.parametrize(("answer", "code", "n_left"), [("y\n", 0, 0), ("n\n", 2, 2), ("\n", 2, 2), ("\x04", 2, 2)])
def test_it_asks_on_a_terminal(
    store: Store, terminal: Callable, capsys: pytest.CaptureFixture[str], answer: str, code: int, n_left: int
) -> None:
    terminal(answer)
    assert command("--all") == code
    assert "Erase 2 kernel sessions, 4 runs and 1 prediction from" in capsys.readouterr().err
    assert len(notebooks(store)) == n_left


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say what to forget"),
        (("--all", "--notebook", "a.ipynb", "--yes"), "say what to forget"),
        (("--before", "yesterday", "--yes"), "'yesterday' is not a date"),
        (("--all",), "add --yes"),
    ],
)
def test_a_wrong_command_line_erases_nothing(
    store: Store, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        command(*arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err
    assert len(notebooks(store)) == 2


def test_an_unknown_notebook_hints_at_a_known_one(store: Store) -> None:
    with pytest.raises(NotFoundError, match=r"Did you mean work/a\.ipynb\?"):
        command("--notebook", "/home/me/elsewhere/a.ipynb", "--yes")
    with pytest.raises(NotFoundError, match=r"no notebook 12345\.$"):
        command("--notebook", "12345", "--yes")
    assert len(notebooks(store)) == 2


def test_no_record_is_no_error_and_makes_none(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--all", "--yes") == 0
    assert capsys.readouterr().out == f"There is no record at {path}.\n"
    assert command("--all", "--yes", "--json") == 0
    assert json.loads(capsys.readouterr().out)["n_steps"] == 0
    assert not path.parent.exists()


def test_another_record(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--all", "--yes", "--store", str(tmp_path / "other.sqlite")) == 0
    assert "There is no record" in capsys.readouterr().out
    assert len(notebooks(store)) == 2
    (tmp_path / "other.sqlite").write_text("not a database, only words" * 100)
    with pytest.raises(StoreError, match=r"other\.sqlite"):
        command("--all", "--yes", "--store", str(tmp_path / "other.sqlite"))
