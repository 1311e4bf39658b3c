"""A real Jupyter server with the extension, real kernels, and clients over its websocket."""

from __future__ import annotations

import asyncio
import json
from uuid import uuid4

import pytest
from waiting import until


@pytest.fixture
def jp_server_config(tmp_path):
    return {
        "ServerApp": {"jpserver_extensions": {"themisto_lab": True}},
        "ThemistoApp": {"model": "baseline/follower", "store": str(tmp_path / "store.sqlite")},
    }


@pytest.fixture
def themisto(jp_serverapp):
    """The context that the handlers call."""
    return jp_serverapp.web_app.settings["themisto"]


class Client:
    """A front end's kernel connection: runs cells over the server's websocket."""

    def __init__(self, socket) -> None:
        self._socket = socket

    async def send(self, code, cell_id=None, **content):
        """Send an execute request and return its message's id."""
        message_id = uuid4().hex
        await self._socket.write_message(
            json.dumps(
                {
                    "channel": "shell",
                    "header": {
                        "msg_id": message_id,
                        "msg_type": "execute_request",
                        "username": "",
                        "session": uuid4().hex,
                        "version": "5.3",
                    },
                    "parent_header": {},
                    "metadata": {"cellId": cell_id} if cell_id else {},
                    "content": {
                        "code": code,
                        "silent": False,
                        "store_history": True,
                        "user_expressions": {},
                        "allow_stdin": False,
                        "stop_on_error": True,
                        **content,
                    },
                    "buffers": [],
                }
            )
        )
        return message_id

    async def run(self, code, cell_id=None, **content):
        """Send an execute request, wait for its reply, and return the reply's content."""
        message_id = await self.send(code, cell_id, **content)
        while True:
            text = await asyncio.wait_for(self._socket.read_message(), 60)
            message = json.loads(text)
            if message["parent_header"].get("msg_id") == message_id and message["msg_type"] == "execute_reply":
                return message["content"]

    def close(self):
        self._socket.close()


@pytest.fixture
def start_kernel(jp_fetch, jp_ws_fetch, themisto):
    """Return a function that starts a kernel for a notebook and connects a client to it."""

    async def start(path="a.ipynb"):
        response = await jp_fetch(
            "api",
            "sessions",
            method="POST",
            body=json.dumps({"path": path, "type": "notebook", "name": path, "kernel": {"name": "python3"}}),
        )
        kernel_id = json.loads(response.body)["kernel"]["id"]
        socket = await jp_ws_fetch("api", "kernels", kernel_id, "channels")
        await until(lambda: _capability(themisto, kernel_id) == "full")
        return kernel_id, Client(socket)

    return start


def _capability(themisto, kernel_id):
    try:
        return themisto.driver.session(kernel_id).life.capability
    except Exception:
        return None


@pytest.fixture
def api(jp_fetch):
    """Return a function that calls a route and returns the status and the JSON."""
    from tornado.httpclient import HTTPClientError

    async def call(method, *path, body=None, params=None):
        keywords = {"method": method, "params": params or {}, "request_timeout": 120}
        if method in ("POST", "PUT"):
            keywords["body"] = json.dumps(body or {})
        try:
            response = await jp_fetch("themisto", "api", *path, **keywords)
        except HTTPClientError as error:
            return error.code, json.loads(error.response.body)
        lines = [json.loads(line) for line in response.body.decode().splitlines() if line]
        if "ndjson" in response.headers.get("Content-Type", ""):
            return response.code, lines
        return response.code, (lines[0] if lines else None)

    return call
