"""A recorder for each kernel of a Jupyter server."""

from __future__ import annotations

import asyncio
from typing import Any

from tornado.web import HTTPError

from themisto_lab.capture.link import Logger
from themisto_lab.capture.listener import RunListener
from themisto_lab.capture.probe.hooks import LOOK_REQUEST
from themisto_lab.capture.recorder import Recorder
from themisto_lab.types import Look

KERNEL_ACTIONS = "https://events.jupyter.org/jupyter_server/kernel_actions/v1"
"""The event that jupyter_server emits when a kernel is started, restarted, interrupted or shut down."""


class RecorderManager:
    """Follows a server's kernels and keeps one recorder for each.

    Parameters
    ----------
    kernel_manager
        The server's manager of all kernels.
    session_manager
        The server's manager of sessions, which knows notebooks' paths.
    event_logger
        The server's event logger.
    listener
        Who is told of lives and runs.
    log
        A logger.
    """

    def __init__(
        self, kernel_manager: Any, session_manager: Any, event_logger: Any, listener: RunListener, log: Logger
    ) -> None:
        self._kernel_manager = kernel_manager
        self._session_manager = session_manager
        self._event_logger = event_logger
        self._listener = listener
        self._log = log
        self._recorders: dict[str, Recorder] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._started = False

    async def start(self) -> None:
        """Record the kernels that run, and all that are started from now on."""
        self._started = True
        # A look on the control channel is no activity of the user's: it must not keep a kernel from culling.
        untracked = list(self._kernel_manager.untracked_message_types)
        if LOOK_REQUEST not in untracked:
            self._kernel_manager.untracked_message_types = [*untracked, LOOK_REQUEST]
        self._event_logger.add_listener(schema_id=KERNEL_ACTIONS, listener=self._on_action)
        for kernel_id in list(self._kernel_manager.list_kernel_ids()):
            await self._attach(kernel_id)

    async def stop(self) -> None:
        """End all recordings."""
        if not self._started:
            return
        self._started = False
        self._event_logger.remove_listener(schema_id=KERNEL_ACTIONS, listener=self._on_action)
        for kernel_id in list(self._recorders):
            await self._detach(kernel_id)
        await asyncio.gather(*self._closing, return_exceptions=True)

    def recorder(self, kernel_id: str) -> Recorder | None:
        """Return the recorder of a kernel; None if it has none."""
        return self._recorders.get(kernel_id)

    async def look_closely(self, kernel_id: str, code: str) -> Look | None:
        """Look, in a kernel, at what a cell's code touches; None where the kernel does not tell."""
        recorder = self._recorders.get(kernel_id)
        return None if recorder is None else await recorder.look_closely(code)

    @property
    def recorders(self) -> dict[str, Recorder]:
        """All recorders, by the kernel's id."""
        return dict(self._recorders)

    async def _on_action(self, logger: Any, schema_id: str, data: dict[str, Any]) -> None:  # noqa: ARG002 - given by name
        kernel_id, action = data.get("kernel_id"), data.get("action")
        if not self._started or not isinstance(kernel_id, str) or data.get("status") != "success":
            return
        try:
            if action in ("start", "restart"):
                await self._attach(kernel_id)
            elif action == "shutdown":
                await self._on_shutdown(kernel_id)
        except Exception as error:  # noqa: BLE001 - a fault of ours never reaches the server's own work
            self._log.warning("A kernel is not recorded: %s", type(error).__name__)

    async def _attach(self, kernel_id: str) -> None:
        async with self._locks.setdefault(kernel_id, asyncio.Lock()):
            if not await self._known(kernel_id):
                return
            manager = self._kernel_manager.get_kernel(kernel_id)
            recorder = self._recorders.get(kernel_id)
            if recorder is not None:
                await recorder.on_restart()
                return
            recorder = Recorder(
                kernel_id,
                manager,
                self._listener,
                lambda: self._notebook_of(kernel_id),
                self._log,
                on_dead=self._on_dead,
            )
            self._recorders[kernel_id] = recorder
            await recorder.start()

    async def _known(self, kernel_id: str) -> bool:
        """Wait for a kernel's entry: its start is announced a moment before the server lists it."""
        for _ in range(100):
            if kernel_id in self._kernel_manager:
                return True
            await asyncio.sleep(0.01)
        return False

    async def _on_shutdown(self, kernel_id: str) -> None:
        """End the life; a restart announces a shutdown as well, and then the kernel stays listed."""
        recorder = self._recorders.get(kernel_id)
        if recorder is not None:
            await recorder.end_life()
        for other in [k for k in self._recorders if k not in self._kernel_manager]:
            await self._detach(other)

    def _on_dead(self, recorder: Recorder) -> None:
        task = asyncio.get_running_loop().create_task(self._detach(recorder.kernel_id))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _detach(self, kernel_id: str) -> None:
        async with self._locks.setdefault(kernel_id, asyncio.Lock()):
            recorder = self._recorders.pop(kernel_id, None)
            if recorder is not None:
                await recorder.stop()
        self._locks.pop(kernel_id, None)

    async def _notebook_of(self, kernel_id: str) -> str:
        try:
            session = await self._session_manager.get_session(kernel_id=kernel_id)
        except (HTTPError, KeyError):
            return ""
        return str(session.get("path") or "")
