"""A real HTTP server on this machine that speaks a chat provider's protocol, well or badly as told."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import tornado.httpserver
import tornado.netutil
import tornado.web
from tornado.iostream import StreamClosedError

Behaviour = Callable[["_Handler"], Awaitable[None]]


@dataclass
class Seen:
    """One request as it came."""

    body: dict[str, Any]
    headers: dict[str, str] = field(repr=False)


class FakeProvider:
    """Answers ``POST /v1/chat/completions`` by a list of behaviours, the last of which stays."""

    def __init__(self, ssl_options: Any = None) -> None:
        self.seen: list[Seen] = []
        self.n_hung_up = 0
        self._behaviours: list[Behaviour] = [answer("42")]
        self._ssl_options = ssl_options
        self._loop = asyncio.new_event_loop()
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0

    def __enter__(self) -> FakeProvider:
        self._thread.start()
        assert self._up.wait(10)
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(10)

    @property
    def api_base(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def behave(self, *behaviours: Behaviour) -> None:
        """Set what is done with the next requests, and forget those that were seen."""
        self.seen.clear()
        self.n_hung_up = 0
        self._behaviours = list(behaviours)

    def next_behaviour(self) -> Behaviour:
        return self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._done = asyncio.Event()
        app = tornado.web.Application([(r"/v1/chat/completions", _Handler, {"provider": self})])
        sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
        self.port = sockets[0].getsockname()[1]
        server = tornado.httpserver.HTTPServer(app, ssl_options=self._ssl_options)
        server.add_sockets(sockets)
        self._up.set()
        await self._done.wait()
        server.stop()
        await server.close_all_connections()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()


class _Handler(tornado.web.RequestHandler):
    def initialize(self, provider: FakeProvider) -> None:
        self.provider = provider
        self.hung_up = asyncio.Event()

    def on_connection_close(self) -> None:
        self.provider.n_hung_up += 1
        self.hung_up.set()

    def log_exception(self, *args: Any) -> None:
        """Say nothing: clients that hang up are part of the tests."""

    @property
    def asked(self) -> dict[str, Any]:
        return json.loads(self.request.body)

    async def post(self) -> None:
        self.provider.seen.append(Seen(self.asked, dict(self.request.headers)))
        try:
            await self.provider.next_behaviour()(self)
        except StreamClosedError:
            self.hung_up.set()

    async def event(self, delta: dict[str, Any] | None, finish: str | None = None, **fields: Any) -> None:
        choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
        piece = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": choices}
        self.write(f"data: {json.dumps(piece | fields)}\n\n")
        await self.flush()


def answer(text: str, *, pause_s: float = 0.0) -> Behaviour:
    """Stream a text in pieces of three characters, then the usage."""

    async def behave(handler: _Handler) -> None:
        handler.set_header("Content-Type", "text/event-stream")
        for start in range(0, len(text), 3):
            await handler.event({"role": "assistant", "content": text[start : start + 3]})
            await asyncio.sleep(pause_s)
        await handler.event({}, "stop")
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        await handler.event(None, usage=usage | {"prompt_tokens_details": {"cached_tokens": 64}})
        handler.write("data: [DONE]\n\n")

    return behave


def refuse(status: int, error: dict[str, Any] | None = None, **headers: str) -> Behaviour:
    """Answer with an error object."""

    async def behave(handler: _Handler) -> None:
        handler.set_status(status)
        for name, value in headers.items():
            handler.set_header(name.replace("_", "-"), value)
        handler.write({"error": error or {"message": "no", "type": "error", "param": None, "code": None}})

    return behave


def refuse_setting(setting: str) -> Behaviour:
    """Refuse requests that have a setting, and answer those that have not."""

    async def behave(handler: _Handler) -> None:
        if setting in handler.asked:
            message = f"Unsupported value: '{setting}' does not support 0.0 with this model."
            await refuse(400, {"message": message, "type": "invalid_request_error", "param": setting, "code": "x"})(
                handler
            )
        else:
            await answer("42")(handler)

    return behave


async def never_answer(handler: _Handler) -> None:
    """Send nothing at all until the client hangs up."""
    await handler.hung_up.wait()


async def headers_only(handler: _Handler) -> None:
    """Begin a stream and never send a byte of it."""
    handler.set_header("Content-Type", "text/event-stream")
    await handler.flush()
    await handler.hung_up.wait()


async def stall(handler: _Handler) -> None:
    """Stream one piece and then nothing."""
    handler.set_header("Content-Type", "text/event-stream")
    await handler.event({"role": "assistant", "content": "4"})
    await handler.hung_up.wait()


async def break_off_later(handler: _Handler) -> None:
    """Close the connection after one piece of the answer."""
    handler.set_header("Content-Type", "text/event-stream")
    await handler.event({"role": "assistant", "content": "4"})
    handler.request.connection.stream.close()


async def break_off(handler: _Handler) -> None:
    """Close the connection without an answer."""
    handler.request.connection.stream.close()
