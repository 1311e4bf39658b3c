"""A fresh kernel with a recorder, which runs one cell at a time and outlives cells that hang or kill it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

from themisto_lab.capture.listener import Capability, KernelLife, RunStarted
from themisto_lab.capture.recorder import Recorder
from themisto_lab.errors import BadInputError
from themisto_lab.types import Look, Step, utc_now

_log = logging.getLogger(__name__)

_SPEC_NAME = "themisto-replay"
_INTERRUPT_GRACE_S = 3.0
_CHECK_TIMEOUT_S = 60.0
_LOOK_TIMEOUT_S = 5.0


class KernelStartError(Exception):
    """A kernel did not start, or not in time."""


@dataclass(slots=True)
class _Inbox:
    """Hears what the recorder tells."""

    steps: asyncio.Queue[Step] = field(default_factory=asyncio.Queue)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    capability: Capability = "starting"

    async def life_started(self, life: KernelLife) -> None:
        """Wait: nothing is known of the kernel yet."""

    async def life_changed(self, life: KernelLife) -> None:
        """Note what the kernel can tell."""
        if life.capability != "starting":
            self.capability = life.capability
            self.ready.set()

    async def life_ended(self, life: KernelLife) -> None:  # noqa: ARG002 - the protocol's signature
        """Note that the kernel is gone."""
        self.over.set()
        self.ready.set()

    async def run_started(self, run: RunStarted) -> None:
        """Wait for the step that follows."""

    async def step_recorded(self, life: KernelLife, step: Step) -> None:  # noqa: ARG002 - the protocol's signature
        """Pass a finished cell on."""
        self.steps.put_nowait(step)


async def find_interpreter(python: str) -> str:
    """Return the whole path of an interpreter that can start a kernel.

    Links are not followed: a virtual environment's interpreter is one, and works only by its own name.

    Raises
    ------
    BadInputError
        There is no such interpreter, or it has no ipykernel.
    """
    python = _whole_path(python)
    try:
        process = await asyncio.create_subprocess_exec(
            python,
            "-c",
            "import ipykernel",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError as error:
        raise BadInputError(f"{python} can't be run: {error.strerror or error}.") from error
    try:
        async with asyncio.timeout(_CHECK_TIMEOUT_S):
            code = await process.wait()
    except TimeoutError as error:
        process.kill()
        await process.wait()
        raise BadInputError(f"{python} does not answer: is it a Python interpreter?") from error
    if code != 0:
        raise BadInputError(f"{python} has no ipykernel; install it with: {python} -m pip install ipykernel")
    return python


def _whole_path(python: str) -> str:
    found = shutil.which(python)
    if found is None:
        raise BadInputError(f"{python} is not a program that can be run.")
    return str(Path(found).absolute())


@contextmanager
def kernel_specs(python: str) -> Iterator[KernelSpecManager]:
    """Provide a kernel spec for an interpreter, which is registered nowhere."""
    with tempfile.TemporaryDirectory(prefix="themisto-spec-") as name:
        folder = Path(name) / _SPEC_NAME
        folder.mkdir()
        spec = {
            "argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
            "display_name": "Replay",
            "language": "python",
            "metadata": {"debugger": False},
        }
        (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
        yield KernelSpecManager(kernel_dirs=[name], ensure_native_kernel=False)


class KernelSession:
    """One kernel from its start to its end.

    The kernel has its own empty IPython folder, so that neither a person's startup files nor their history play a
    part, and a fixed hash seed, so that sets print alike.

    Parameters
    ----------
    specs
        From `kernel_specs`.
    cwd
        The folder that the kernel works in.
    profile
        An empty folder for IPython's own files.
    """

    def __init__(self, specs: KernelSpecManager, cwd: Path, profile: Path) -> None:
        self._inbox = _Inbox()
        self._cwd = cwd
        self._profile = profile
        self._manager: Any = AsyncKernelManager(kernel_name=_SPEC_NAME, kernel_spec_manager=specs)
        self._client: Any = None
        self._recorder: Recorder | None = None

    @property
    def alive(self) -> bool:
        """Whether the kernel takes another cell."""
        return self._recorder is not None and not self._inbox.over.is_set()

    @property
    def capability(self) -> Capability:
        """What the kernel tells of its variables."""
        return self._inbox.capability

    async def start(self, timeout_s: float) -> None:
        """Start the kernel and its recording.

        Raises
        ------
        KernelStartError
            The kernel did not come up in time.
        """
        environment = {**os.environ, "IPYTHONDIR": str(self._profile), "PYTHONHASHSEED": "0"}
        try:
            async with asyncio.timeout(timeout_s):
                # What cells print comes as messages; what the kernel's own log prints is of no use here.
                await self._manager.start_kernel(
                    cwd=str(self._cwd), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                self._recorder = Recorder(str(uuid4()), self._manager, self._inbox, _no_notebook, _log)
                await self._recorder.start()
                self._client = self._manager.client()
                self._client.start_channels(iopub=False, stdin=False, hb=False, control=False)
                await self._inbox.ready.wait()
        except (OSError, RuntimeError, TimeoutError) as error:
            await self.close()
            raise KernelStartError(f"The kernel did not start ({type(error).__name__}).") from error
        if not self.alive:
            await self.close()
            raise KernelStartError("The kernel ended before its first cell.")

    async def run(self, code: str, cell_id: str | None, timeout_s: float) -> Step:
        """Run a cell and return its step.

        A cell that takes longer is interrupted; if that does not help, the kernel is killed and the step's status
        is ``died``.
        """
        content = {
            "code": code,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        metadata = {"cellId": cell_id} if cell_id else {}
        started_at = utc_now()
        self._client.shell_channel.send(self._client.session.msg("execute_request", content, metadata=metadata))
        step = await self._next_step(timeout_s)
        if step is None and self.alive:
            await self._manager.interrupt_kernel()
            step = await self._next_step(_INTERRUPT_GRACE_S)
        if step is None and self.alive:
            await self._manager.shutdown_kernel(now=True)
            step = await self._next_step(_INTERRUPT_GRACE_S)
        if step is None:
            # It was gone before the cell began.
            step = Step(index=0, kernel_id="", code=code, status="died", started_at=started_at)
        if step.status == "died":
            self._inbox.over.set()  # the end of the life is told a moment after its last step
        return step

    async def look(self, code: str) -> Look | None:
        """Look at what a cell's code touches, before it is run; None where the kernel does not tell."""
        return await self._recorder.look_closely(code, _LOOK_TIMEOUT_S) if self._recorder is not None else None

    async def close(self) -> None:
        """Stop recording and end the kernel. Safe to call twice."""
        client, self._client = self._client, None
        if client is not None:
            client.stop_channels()
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            await recorder.stop()
        if self._manager.has_kernel:
            await self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_connection_file()

    async def _next_step(self, timeout_s: float) -> Step | None:
        """Wait for the running cell's step; None where none comes in time or the kernel is gone."""
        step = asyncio.ensure_future(self._inbox.steps.get())
        over = asyncio.ensure_future(self._inbox.over.wait())
        try:
            await asyncio.wait((step, over), timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
            if step.done():
                return step.result()
            return None if self._inbox.steps.empty() else self._inbox.steps.get_nowait()
        finally:
            step.cancel()
            over.cancel()


async def _no_notebook() -> str:
    return ""


def default_python() -> str:
    """Return the interpreter that runs this program."""
    return sys.executable
