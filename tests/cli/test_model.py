"""``jupyter themisto model``."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from themisto_lab.cli.main import main
from themisto_lab.predict.files import models_dir

NAME = "qwen2.5-coder-0.5b"
SHARED_FOLDER = models_dir()  # where the real file is, before the tests look elsewhere


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for models."""
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(tmp_path / "models"))
    return tmp_path / "models"


def test_list_as_json(capsys, folder):
    assert main(["model", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == ["qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"]
    assert rows[0]["predictor"] == f"local/{NAME}"
    assert rows[0]["state"] == "missing"
    assert rows[0]["size_bytes"] == 491_400_064
    assert rows[0]["path"] == str(folder / f"{NAME}.gguf")
    assert rows[0]["licence"] == "Apache-2.0"
    assert "Qwen" in rows[0]["attribution"]


def test_list_for_people(capsys, folder):
    folder.mkdir()
    (folder / f"{NAME}.gguf").write_bytes(b"GGUF")
    assert main(["model", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == [NAME, "491", "MB", "damaged"]
    assert "missing" in lines[1]


@pytest.mark.parametrize("action", ["path", "verify"])
def test_a_missing_file_says_how_to_get_it(capsys, action):
    assert main(["model", action, f"local/{NAME}"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert f"run: jupyter themisto model pull {NAME}" in printed.err


@pytest.mark.parametrize("action", ["pull", "path", "verify"])
def test_an_unknown_name_lists_the_known_ones(capsys, action):
    assert main(["model", action, "gpt-4o"]) == 1
    assert "known are: qwen2.5-coder-0.5b, qwen2.5-coder-1.5b" in capsys.readouterr().err


def test_a_pull_that_fails_names_what_was_tried(capsys, tmp_path):
    assert main(["model", "pull", NAME, "--from", str(tmp_path / "nowhere")]) == 1
    assert f"Tried {tmp_path / 'nowhere'}: no such file" in capsys.readouterr().err


@pytest.mark.model
def test_pull_from_a_path_then_path_and_verify(capsys, folder, monkeypatch):
    own_folder = folder
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(SHARED_FOLDER))
    assert main(["model", "pull", NAME]) == 0
    source = capsys.readouterr().out.strip()
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(own_folder))
    assert main(["model", "pull", NAME, "--from", source]) == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == str(own_folder / f"{NAME}.gguf")
    assert "Qwen team" in printed.err
    assert main(["model", "path", NAME]) == 0
    assert main(["model", "verify", NAME]) == 0
    assert "checksum is right" in capsys.readouterr().out
    (own_folder / f"{NAME}.gguf").unlink()


def test_an_interrupt_ends_cleanly_and_says_that_it_resumes():
    # The source takes the connection and then says nothing.
    with socket.create_server(("127.0.0.1", 0)) as source:
        source.settimeout(60)
        address = f"http://127.0.0.1:{source.getsockname()[1]}"
        pull = subprocess.Popen(
            [sys.executable, "-m", "themisto_lab.cli.main", "model", "pull", NAME],
            env={**os.environ, "HF_ENDPOINT": address},
            stderr=subprocess.PIPE,
            text=True,
        )
        connection, _ = source.accept()
        with connection:
            assert connection.recv(3) == b"GET"
            pull.send_signal(signal.SIGINT)
            interrupted_s = time.monotonic()
            _, message = pull.communicate(timeout=30)
    assert time.monotonic() - interrupted_s < 5
    assert pull.returncode == 130
    assert f"'jupyter themisto model pull {NAME}' goes on from there" in message
    assert "Traceback" not in message
