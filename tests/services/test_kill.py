"""``kill -9`` on the whole server at random moments: no step that it had acknowledged is lost, and it starts again.

Acknowledged means: the event that names the step went out to a subscriber.
"""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import closing, suppress
from uuid import uuid4

import pytest
import websocket

N_KILLS = 15
SEED = 20261129
TOKEN = "only-for-this-test"


class Server:
    """A real Jupyter server in a process group of its own, with a kernel that runs cells as fast as it can."""

    def __init__(self, folder, store) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        environment = {**os.environ, "HOME": str(folder), "JUPYTER_NO_CONFIG": "1"}
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "jupyter_server",
                "--ServerApp.jpserver_extensions={'themisto_lab': True}",
                f"--ThemistoApp.store={store}",
                "--ThemistoApp.model=baseline/follower",
                f"--ServerApp.port={self.port}",
                "--ServerApp.ip=127.0.0.1",
                f"--IdentityProvider.token={TOKEN}",
                f"--ServerApp.root_dir={folder}",
                "--ServerApp.allow_root=True",
                "--no-browser",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        self._wait()

    def _wait(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                self.call("GET", "themisto/api/status")
            except OSError:
                assert self.process.poll() is None, "the server did not start"
                time.sleep(0.1)
            else:
                return
        raise AssertionError("the server did not answer")

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {TOKEN}"},
        )
        with urllib.request.urlopen(request, timeout=20) as response:
            return json.loads(response.read() or b"null")

    def socket(self, path):
        return websocket.create_connection(
            f"ws://127.0.0.1:{self.port}/{path}?token={TOKEN}", timeout=30, suppress_origin=True
        )

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def execute_request(code: str) -> str:
    return json.dumps(
        {
            "channel": "shell",
            "header": {
                "msg_id": uuid4().hex,
                "msg_type": "execute_request",
                "username": "",
                "session": "s",
                "version": "5.3",
            },
            "parent_header": {},
            "metadata": {},
            "content": {"code": code, "silent": False, "store_history": True, "stop_on_error": False},
            "buffers": [],
        }
    )


def acknowledged_until(events, moment: float) -> list[tuple[str, int]]:
    """Read the steps that events name, until a moment."""
    named = []
    while (left := moment - time.monotonic()) > 0:
        events.settimeout(left)
        try:
            message = json.loads(events.recv())
        except websocket.WebSocketTimeoutException:
            break
        if message.get("action") == "finished" and message.get("step_index") is not None:
            named.append((message["trajectory_id"], message["step_index"]))
    return named


def stored_steps(store) -> set[tuple[str, int]]:
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        return set(connection.execute("select trajectory_id, step_index from steps"))


@pytest.mark.timeout(400)
def test_no_acknowledged_step_is_lost(tmp_path):
    draw = random.Random(SEED)
    store = tmp_path / "store.sqlite"
    acknowledged: set[tuple[str, int]] = set()
    for _ in range(N_KILLS):
        server = Server(tmp_path, store)
        try:
            kernel = server.call("POST", "api/kernels", {"name": "python3"})["id"]
            with (
                closing(server.socket("api/events/subscribe")) as events,
                closing(server.socket(f"api/kernels/{kernel}/channels")) as cells,
            ):
                for number in range(400):
                    cells.send(execute_request(f"x{number} = {number}\nprint(x{number})"))
                acknowledged.update(acknowledged_until(events, time.monotonic() + draw.uniform(0.5, 3.0)))
                server.kill()
        finally:
            server.kill()
        assert acknowledged <= stored_steps(store)
    # It starts once more and still knows them all.
    server = Server(tmp_path, store)
    try:
        assert server.call("GET", "themisto/api/store")["n_steps"] == len(stored_steps(store))
    finally:
        server.kill()
    assert len(acknowledged) > N_KILLS
