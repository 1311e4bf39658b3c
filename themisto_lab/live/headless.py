"""Runs a notebook's cells one by one through the live driver, with no browser."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import nbformat
from jupyter_client.kernelspec import NoSuchKernel
from jupyter_client.manager import AsyncKernelManager

from themisto_lab.capture.listener import KernelLife, RunStarted
from themisto_lab.capture.recorder import Recorder
from themisto_lab.errors import BadInputError
from themisto_lab.live.driver import LiveDriver
from themisto_lab.live.options import NotebookOptions, options_from_metadata
from themisto_lab.live.owner import Owner
from themisto_lab.types import Look, Step, TaskKind

_START_WAIT_S = 60.0
_INTERRUPT_WAIT_S = 30.0
_DIED = "The kernel died while it ran cell {number}. What came before is kept."


@dataclass(frozen=True, slots=True)
class NotebookCells:
    """What is run of a notebook.

    Attributes
    ----------
    path
        Its file.
    kernel_name
        The kernel that it asks for.
    cells
        Id and source of each code cell that is not blank.
    options
        The notebook's own options.
    """

    path: Path
    kernel_name: str
    cells: tuple[tuple[str, str], ...]
    options: NotebookOptions


def read_notebook(path: Path) -> NotebookCells:
    """Read a notebook.

    Raises
    ------
    BadInputError
        If there is no such file, it is not a notebook, or it has no code.
    """
    try:
        notebook = nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise BadInputError(f"{path}: there is no such file.") from None
    except (nbformat.reader.NotJSONError, nbformat.ValidationError, UnicodeDecodeError, AttributeError, KeyError):
        raise BadInputError(f"{path}: this is not a notebook. Give an .ipynb file.") from None
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror or 'it could not be read'}.") from None
    cells = tuple(
        (cell.get("id") or uuid4().hex, cell.source)
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.source.strip()
    )
    if not cells:
        raise BadInputError(f"{path}: this notebook has no code cell to run.")
    kernel_name = notebook.metadata.get("kernelspec", {}).get("name", "python3")
    return NotebookCells(path, kernel_name, cells, options_from_metadata(notebook.metadata))


class _Relay:
    """Passes what the recorder tells to the driver, and lets a runner wait for the end of a step."""

    def __init__(self, driver: LiveDriver) -> None:
        self._driver = driver
        self.steps: asyncio.Queue[Step] = asyncio.Queue()
        self.life: KernelLife | None = None
        self.ready = asyncio.Event()

    async def life_started(self, life: KernelLife) -> None:
        if self.life is None:  # a kernel that died and was started again is another life: not ours to follow
            self.life = life
        await self._driver.life_started(life)
        self._note(life)

    async def life_changed(self, life: KernelLife) -> None:
        await self._driver.life_changed(life)
        self._note(life)

    async def life_ended(self, life: KernelLife) -> None:
        await self._driver.life_ended(life)

    async def run_started(self, run: RunStarted) -> None:
        await self._driver.run_started(run)

    async def step_recorded(self, life: KernelLife, step: Step) -> None:
        await self._driver.step_recorded(life, step)
        self.steps.put_nowait(step)

    def _note(self, life: KernelLife) -> None:
        if life.capability != "starting":
            self.life = life
            self.ready.set()


OnStep = Callable[[int, Step], None]
"""Hears of each finished run: its cell's number from 1, and its step."""


@dataclass(slots=True)
class _Run:
    """One notebook on its way through a kernel."""

    notebook: NotebookCells
    driver: LiveDriver
    relay: _Relay
    manager: AsyncKernelManager
    kernel_id: str
    cell_timeout_s: float
    on_step: OnStep | None

    async def all_cells(self, client: Any) -> str:
        """Run all cells; return a note where it ended early."""
        for number, (cell_id, code) in enumerate(self.notebook.cells, 1):
            await self.driver.settled(self.kernel_id)
            await self.driver.ask(self.kernel_id, TaskKind.CELL_OUTPUT, cell_id=cell_id, code=code)
            await self.driver.settled(self.kernel_id)
            _execute(client, cell_id, code)
            step = await self._next_step()
            if self.on_step is not None:
                self.on_step(number, step)
            if step.status == "died":
                return _DIED.format(number=number)
        await self.driver.settled(self.kernel_id)
        return ""

    async def _next_step(self) -> Step:
        try:
            return await asyncio.wait_for(self.relay.steps.get(), self.cell_timeout_s)
        except TimeoutError:
            await self.manager.interrupt_kernel()
        try:
            return await asyncio.wait_for(self.relay.steps.get(), _INTERRUPT_WAIT_S)
        except TimeoutError:
            raise BadInputError(
                f"{self.notebook.path}: a cell ran for over {self.cell_timeout_s:g} s and could not be interrupted."
            ) from None


async def run_notebook(
    notebook: NotebookCells,
    driver: LiveDriver,
    *,
    log: logging.Logger,
    cell_timeout_s: float = 600.0,
    on_step: OnStep | None = None,
) -> tuple[str, str]:
    """Run a notebook through the live driver, waiting for each prediction before the run that decides it.

    Parameters
    ----------
    notebook
        What is run.
    driver
        The live driver; what it predicts and scores is in its store afterwards.
    log
        Gets classes of errors.
    cell_timeout_s
        The most that one cell may take, in seconds; a cell that takes longer is interrupted.
    on_step
        Hears of each finished run.

    Returns
    -------
    trajectory_id : str
        The trajectory that was recorded.
    note : str
        One sentence where something could not be had, or the run ended early; else empty.

    Raises
    ------
    BadInputError
        If the notebook's kernel is not installed or does not start, or a cell can't be stopped.
    """
    manager = AsyncKernelManager(kernel_name=notebook.kernel_name)
    try:
        await manager.start_kernel(cwd=str(notebook.path.resolve().parent))
    except NoSuchKernel:
        raise BadInputError(
            f"{notebook.path}: its kernel '{notebook.kernel_name}' is not installed. "
            "Install it, or change the notebook's kernel."
        ) from None
    kernel_id = str(uuid4())
    relay = _Relay(driver)

    async def resolve_notebook() -> str:
        return notebook.path.name

    recorder = Recorder(kernel_id, manager, relay, resolve_notebook, log)
    client = manager.client()

    async def take_look(_: str, code: str) -> Look | None:
        return await recorder.look_closely(code)

    driver.take_look = take_look
    try:
        await recorder.start()
        client.start_channels()
        await _wait_until_ready(client, relay, notebook)
        await Owner(driver).set_options(kernel_id, notebook.options)
        run = _Run(notebook, driver, relay, manager, kernel_id, cell_timeout_s, on_step)
        note = await run.all_cells(client)
        life = relay.life
        return (life.trajectory_id if life else "", note or (life.note if life else ""))
    finally:
        client.stop_channels()
        await recorder.stop()
        await manager.shutdown_kernel(now=True)


async def _wait_until_ready(client: Any, relay: _Relay, notebook: NotebookCells) -> None:
    try:
        await client.wait_for_ready(timeout=_START_WAIT_S)
        await asyncio.wait_for(relay.ready.wait(), _START_WAIT_S)
    except (RuntimeError, TimeoutError):
        raise BadInputError(
            f"{notebook.path}: its kernel '{notebook.kernel_name}' did not start. Try it in Jupyter first."
        ) from None


def _execute(client: Any, cell_id: str, code: str) -> None:
    """Send an execute request with the cell's id, as front ends do; the client's own method has no place for it."""
    content = {
        "code": code,
        "silent": False,
        "store_history": True,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": False,
    }
    message = client.session.msg("execute_request", content, metadata={"cellId": cell_id})
    client.shell_channel.send(message)
