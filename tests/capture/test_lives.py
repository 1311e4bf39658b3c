"""Lives of a kernel: restarts, deaths, and who is connected meanwhile."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest
from jupyter_client.manager import AsyncKernelManager

from tests.capture.conftest import Client, Heard, Lab, OpenLab
from themisto_lab.capture.manager import RecorderManager
from themisto_lab.capture.recorder import Recorder
from themisto_lab.types import Step

Fetch = Callable[..., Awaitable[Any]]
N_CELLS = 30


class Tab:
    """A browser tab: a websocket on the kernel, as JupyterLab opens one."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._session = uuid4().hex

    async def ready(self) -> None:
        """Wait until the kernel answers."""
        self._send("kernel_info_request", {})
        await self._until("kernel_info_reply")

    def send(self, code: str, cell_id: str) -> None:
        """Send a cell and return at once."""
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": True,
            "stop_on_error": True,
        }
        self._send("execute_request", content, {"cellId": cell_id})

    def close(self) -> None:
        """Close the tab."""
        self._socket.close()

    def _send(self, kind: str, content: dict[str, Any], metadata: dict[str, Any] | None = None) -> None:
        header = {
            "msg_id": uuid4().hex,
            "msg_type": kind,
            "username": "",
            "session": self._session,
            "date": "2026-01-01T00:00:00Z",
            "version": "5.3",
        }
        self._socket.write_message(
            json.dumps(
                {
                    "channel": "shell",
                    "header": header,
                    "parent_header": {},
                    "metadata": metadata or {},
                    "content": content,
                    "buffers": [],
                }
            )
        )

    async def _until(self, kind: str) -> None:
        async with asyncio.timeout(30):
            while True:
                message = json.loads(await self._socket.read_message())
                if message["header"]["msg_type"] == kind:
                    return


def expected(n: int) -> list[tuple[int, str, str, str]]:
    return [(i, f"cell-{i}", str(i), "ok") for i in range(n)]


def told(steps: list[Step]) -> list[tuple[int, str | None, str, str]]:
    return [(step.index, step.cell_id, step.output_text, step.status) for step in steps]


@pytest.mark.parametrize("n_tabs", [2, 0])
async def test_restart_and_an_immediate_run_all(
    open_lab: OpenLab, jp_fetch: Fetch, jp_ws_fetch: Fetch, n_tabs: int
) -> None:
    lab = await open_lab()
    tabs = [Tab(await jp_ws_fetch("api", "kernels", lab.kernel_id, "channels")) for _ in range(n_tabs)]
    for tab in tabs:
        await tab.ready()
    await lab.run("old = 1", "before")
    await jp_fetch("api", "kernels", lab.kernel_id, "restart", method="POST", body="")
    # Nothing is waited for: the kernel is still starting.
    for i in range(N_CELLS):
        code = f"v{i} = {i}\nprint(v{i})"
        if tabs:
            tabs[0].send(code, f"cell-{i}")
        else:
            lab.client.send(code, f"cell-{i}")
    steps = await lab.heard.steps_are(1 + N_CELLS)
    marker = await lab.run("'marker'")
    assert marker.index == N_CELLS
    assert told(steps[1 : 1 + N_CELLS]) == expected(N_CELLS)
    assert [[v.name for v in s.variables] for s in steps[1 : 1 + N_CELLS]] == [
        [f"v{k}" for k in range(i + 1)] for i in range(N_CELLS)
    ]
    kinds = [kind for kind in lab.heard.kinds() if kind in ("life_started", "life_ended")]
    assert kinds == ["life_started", "life_ended", "life_started"]
    assert [len(steps) for steps in lab.heard.by_life.values()] == [1, N_CELLS + 1]
    assert len(lab.heard.runs) == N_CELLS + 2
    for tab in tabs:
        tab.close()


async def test_a_run_that_comes_before_the_probe_gets_its_state_all_the_same(open_lab: OpenLab) -> None:
    lab = await open_lab(wait=False)
    # Both may stand in the kernel's queue, the cell first.
    step = await lab.run("early = 1\nearly", "early-cell")
    assert (step.cell_id, [v.name for v in step.variables], step.output_text) == ("early-cell", ["early"], "1")
    assert len(step.hash_index) == 32


async def test_a_new_life_has_no_variable_of_the_dead_kernel(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("secret_of_old_life = 1")
    await lab.app.kernel_manager.restart_kernel(lab.kernel_id)
    await lab.reconnect()
    life = await lab.heard.capability_known(2)
    assert life.capability == "full"
    assert await lab.recorder.look() == ()
    step = await lab.run("fresh = 2")
    assert (step.index, step.execution_count) == (0, 1)
    assert [v.name for v in step.variables] == ["fresh"]
    first, second = lab.heard.lives
    assert first.trajectory_id != second.trajectory_id
    assert first.kernel_id == second.kernel_id == lab.kernel_id
    assert second.notebook == "work.ipynb"


async def test_a_kernel_that_dies_in_mid_cell(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("a = 1")
    lab.client.send("print('last words', flush=True)\nimport os, time\ntime.sleep(0.2)\nos._exit(1)", "deadly")
    step = (await lab.heard.steps_are(2))[1]
    assert (step.status, step.output_text, step.index) == ("died", "last words", 1)
    assert step.cell_id == "deadly"
    await lab.heard.until(lambda: "life_ended" in lab.heard.kinds())
    # The server starts it anew by itself, on other ports when it is this young.
    await lab.heard.capability_known(2)
    await lab.reconnect()
    step = await lab.run("b = 2", "reborn")
    assert (step.index, step.cell_id, [v.name for v in step.variables]) == (0, "reborn", ["b"])
    assert len(lab.heard.lives) == 2


async def test_a_restart_in_mid_cell_ends_the_step_as_died(open_lab: OpenLab) -> None:
    lab = await open_lab()
    message_id = lab.client.send("print('begun', flush=True)\nimport time\ntime.sleep(60)", "cut")
    await lab.client.heard_on_iopub("stream", message_id)
    await lab.app.kernel_manager.restart_kernel(lab.kernel_id, now=True)
    step = (await lab.heard.steps_are(1))[0]
    assert (step.status, step.output_text, step.cell_id) == ("died", "begun", "cut")
    await lab.heard.capability_known(2)


async def test_shutdown_ends_the_life_and_the_recording(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("1")
    await lab.app.kernel_manager.shutdown_kernel(lab.kernel_id, now=True)
    await lab.heard.until(lambda: lab.heard.kinds()[-1] == "life_ended")
    await lab.app.event_logger.gather_listeners()
    assert lab.recorders.recorder(lab.kernel_id) is None


async def test_kernels_that_run_already_are_recorded(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("a = 1")
    second = Heard()
    app = lab.app
    recorders = RecorderManager(app.kernel_manager, app.session_manager, app.event_logger, second, app.log)
    await recorders.start()
    await second.capability_known()
    await lab.client.run("b = 2", "later")
    steps = await second.steps_are(1)
    await recorders.stop()
    assert [(s.cell_id, s.index, [v.name for v in s.variables]) for s in steps] == [("later", 0, ["a", "b"])]
    assert steps[0].variables[0].changed is False
    # The first recorder goes on, although the probe was installed once more.
    assert [s.cell_id for s in await lab.heard.steps_are(2)] == [None, "later"]
    assert [v.name for v in lab.heard.steps[1].variables] == ["a", "b"]


async def test_a_probe_is_not_doubled_by_a_second_install(open_lab: OpenLab) -> None:
    lab = await open_lab()
    before = await lab.client.look("len(get_ipython().events.callbacks['post_run_cell'])")
    recorder = Recorder(lab.kernel_id, lab.kernel, Heard(), _no_notebook, logging.getLogger("test"))
    await recorder.start()
    await lab.run("1")
    await recorder.stop()
    assert await lab.client.look("len(get_ipython().events.callbacks['post_run_cell'])") == before


async def test_a_bare_kernel_manager_is_recorded_to_its_death() -> None:
    manager = AsyncKernelManager(kernel_name="python3")
    await manager.start_kernel()
    heard = Heard()
    recorder = Recorder("bare", manager, heard, _no_notebook, logging.getLogger("test"))
    await recorder.start()
    client = Client(manager)
    try:
        await client.ready()
        await client.run("x = 1", "first")
        client.send("print('on', flush=True)\nimport os, time; time.sleep(0.2); os._exit(3)", "second")
        steps = await heard.steps_are(2)
        assert [(s.cell_id, s.status) for s in steps] == [("first", "ok"), ("second", "died")]
        await heard.until(lambda: heard.kinds()[-1] == "life_ended")
        assert recorder.life is None
        client.close()
        await manager.restart_kernel(now=True)
        await recorder.on_restart()
        client = Client(manager)
        await client.ready()
        await client.run("y = 2", "third")
        steps = await heard.steps_are(3)
        assert (steps[2].index, [v.name for v in steps[2].variables]) == (0, ["y"])
    finally:
        client.close()
        await recorder.stop()
        await manager.shutdown_kernel(now=True)
        manager.context.destroy(linger=0)


async def _no_notebook() -> str:
    return ""


async def test_output_of_a_thread_after_its_cell_is_not_part_of_another(open_lab: OpenLab) -> None:
    lab: Lab = await open_lab()
    await lab.run(
        "import threading\ngo = threading.Event()\n"
        "def late():\n    go.wait()\n    print('late')\n"
        "t = threading.Thread(target=late); t.start()"
    )
    step = await lab.run("go.set(); t.join(); print('now')")
    assert step.output_text.splitlines()[-1] == "now"
    assert lab.heard.steps[0].output_text == ""
