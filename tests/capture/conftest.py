"""A real server, real kernels, and a listener that remembers what it was told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from themisto_lab.capture.listener import KernelLife, RunStarted
from themisto_lab.capture.manager import RecorderManager
from themisto_lab.capture.recorder import Recorder
from themisto_lab.types import Step

WAIT_S = 30.0


@dataclass
class Heard:
    """A listener that keeps everything in order."""

    events: list[tuple[str, Any]] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    runs: list[RunStarted] = field(default_factory=list)
    lives: list[KernelLife] = field(default_factory=list)
    by_life: dict[str, list[Step]] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def life_started(self, life: KernelLife) -> None:
        self.lives.append(life)
        self.by_life[life.trajectory_id] = []
        self._tell("life_started", life)

    async def life_changed(self, life: KernelLife) -> None:
        self.lives = [life if each.trajectory_id == life.trajectory_id else each for each in self.lives]
        self._tell("life_changed", life)

    async def life_ended(self, life: KernelLife) -> None:
        self._tell("life_ended", life)

    async def run_started(self, run: RunStarted) -> None:
        self.runs.append(run)
        self._tell("run_started", run)

    async def step_recorded(self, life: KernelLife, step: Step) -> None:
        self.steps.append(step)
        self.by_life[life.trajectory_id].append(step)
        self._tell("step_recorded", step)

    def _tell(self, kind: str, what: Any) -> None:
        self.events.append((kind, what))
        self._news.set()

    def kinds(self) -> list[str]:
        """Return the names of what was told, in order."""
        return [kind for kind, _ in self.events]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition holds; it is looked at whenever something is told."""
        async with asyncio.timeout(WAIT_S):
            while not condition():
                self._news.clear()
                await self._news.wait()

    async def steps_are(self, n: int) -> list[Step]:
        """Wait for the n-th step."""
        await self.until(lambda: len(self.steps) >= n)
        return self.steps

    async def capability_known(self, n_lives: int = 1) -> KernelLife:
        """Wait until it is known what the n-th life's kernel can tell."""
        await self.until(lambda: len(self.lives) >= n_lives and self.lives[n_lives - 1].capability != "starting")
        return self.lives[n_lives - 1]


class Client:
    """A front end: sends cells and waits for their replies."""

    def __init__(self, kernel_manager: Any) -> None:
        self.kc = kernel_manager.client()
        self.kc.start_channels(hb=False)

    def send(self, code: str, cell_id: str | None = None, **content: Any) -> str:
        """Send a cell and return at once."""
        request = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
            **content,
        }
        message = self.kc.session.msg("execute_request", request, metadata={"cellId": cell_id} if cell_id else {})
        self.kc.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    async def reply_to(self, message_id: str) -> dict[str, Any]:
        """Wait for the reply to a cell."""
        async with asyncio.timeout(WAIT_S):
            while True:
                reply: dict[str, Any] = await self.kc.get_shell_msg(timeout=WAIT_S)
                if reply["parent_header"].get("msg_id") == message_id:
                    return dict(reply["content"])

    async def run(self, code: str, cell_id: str | None = None, **content: Any) -> dict[str, Any]:
        """Run a cell and wait for its reply."""
        return await self.reply_to(self.send(code, cell_id, **content))

    async def look(self, expression: str) -> str:
        """Evaluate an expression in the kernel without a trace, and return its repr."""
        reply = await self.run("", silent=True, store_history=False, user_expressions={"it": expression})
        shown = reply["user_expressions"]["it"]
        assert shown["status"] == "ok", shown
        return str(shown["data"]["text/plain"])

    async def heard_on_iopub(self, kind: str, message_id: str) -> dict[str, Any]:
        """Wait for a message of a type among what the kernel publishes of a run."""
        async with asyncio.timeout(WAIT_S):
            while True:
                message: dict[str, Any] = await self.kc.get_iopub_msg(timeout=WAIT_S)
                parent_id = message["parent_header"].get("msg_id")
                if message["header"]["msg_type"] == kind and parent_id == message_id:
                    return dict(message["content"])

    async def ready(self) -> None:
        """Wait until the kernel answers."""
        message_id = self.kc.kernel_info()
        await self.reply_to(message_id)

    def close(self) -> None:
        """Close the sockets."""
        self.kc.stop_channels()


@dataclass
class Lab:
    """A server with its recorders and one client of one kernel."""

    app: Any
    heard: Heard
    recorders: RecorderManager
    kernel_id: str
    client: Client

    @property
    def kernel(self) -> Any:
        """The kernel's manager."""
        return self.app.kernel_manager.get_kernel(self.kernel_id)

    @property
    def recorder(self) -> Recorder:
        """The kernel's recorder."""
        recorder = self.recorders.recorder(self.kernel_id)
        assert recorder is not None
        return recorder

    async def run(self, code: str, cell_id: str | None = None, **content: Any) -> Step:
        """Run a cell and wait for its step."""
        n = len(self.heard.steps)
        await self.client.run(code, cell_id, **content)
        return (await self.heard.steps_are(n + 1))[n]

    async def reconnect(self) -> None:
        """Connect a new client: after a restart on other ports the old one hears nothing."""
        self.client.close()
        self.client = Client(self.kernel)
        await self.client.ready()


OpenLab = Callable[..., Awaitable[Lab]]


@pytest.fixture
def open_lab(jp_serverapp: Any, jp_asyncio_loop: asyncio.AbstractEventLoop) -> Iterator[OpenLab]:
    """Start a server's recorders and a kernel in it."""
    labs: list[Lab] = []

    async def start(kernel_name: str = "python3", path: str = "work.ipynb", **kwargs: Any) -> Lab:
        app = jp_serverapp
        heard = Heard()
        recorders = RecorderManager(app.kernel_manager, app.session_manager, app.event_logger, heard, app.log)
        await recorders.start()
        session = await app.session_manager.create_session(
            path=path, name=path, type="notebook", kernel_name=kernel_name
        )
        kernel_id = str(session["kernel"]["id"])
        lab = Lab(app, heard, recorders, kernel_id, Client(app.kernel_manager.get_kernel(kernel_id)))
        labs.append(lab)
        await lab.client.ready()
        if kwargs.get("wait", True):
            await heard.capability_known()
        return lab

    async def stop() -> None:
        for lab in labs:
            lab.client.close()
            await lab.recorders.stop()
            await lab.app.kernel_manager.shutdown_all(now=True)

    yield start
    jp_asyncio_loop.run_until_complete(stop())


@pytest.fixture
def add_kernel_spec(jp_data_dir: Path) -> Callable[[str, dict[str, Any]], None]:
    """Add a kernel spec that only this test's server knows."""

    def add(name: str, spec: dict[str, Any]) -> None:
        folder = jp_data_dir / "kernels" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernel.json").write_text(json.dumps(spec))

    return add
