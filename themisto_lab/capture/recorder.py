"""Records one kernel over all its lives: the only capture I/O."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any

import psutil

from themisto_lab.capture.holding import Holding
from themisto_lab.capture.install import ask_kernel, install_probe, look_at, look_closely_at
from themisto_lab.capture.kernels import KernelKind, describe_kernel, note_for
from themisto_lab.capture.life import EndedRun, LifeRecord
from themisto_lab.capture.link import KernelLink, Logger, Message
from themisto_lab.capture.listener import Capability, KernelLife, RunListener
from themisto_lab.capture.looks import redact_look
from themisto_lab.capture.redact import redact_variables, server_secrets
from themisto_lab.capture.runs import Began, Ended, Snapshot
from themisto_lab.capture.telling import LifeTeller
from themisto_lab.types import Look, VariableSnapshot

_SNAPSHOT_TIMEOUT_S = 5.0
_DEATH_CHECKS = 40


class Recorder:
    """Turns what a kernel publishes into lives and steps, whoever runs the cells.

    Parameters
    ----------
    kernel_id
        The Jupyter server's id of the kernel.
    kernel_manager
        Its manager: the server's, or a bare ``AsyncKernelManager``.
    listener
        Who is told.
    resolve_notebook
        Awaited for the notebook's path; empty where there is none.
    log
        A logger.
    environment
        The server's environment, which local kernels inherit; its secrets are blanked.
    on_dead
        Called when the kernel has died and is not started again.
    """

    def __init__(
        self,
        kernel_id: str,
        kernel_manager: Any,
        listener: RunListener,
        resolve_notebook: Callable[[], Awaitable[str]],
        log: Logger,
        *,
        environment: Mapping[str, str] | None = None,
        on_dead: Callable[[Recorder], None] | None = None,
    ) -> None:
        self.kernel_id = kernel_id
        self._kernel_manager = kernel_manager
        self._log = log
        self._secrets = server_secrets(os.environ if environment is None else environment)
        self._on_dead = on_dead
        self._teller = LifeTeller(listener, resolve_notebook, log)
        self._lock = asyncio.Lock()
        self._link: KernelLink | None = None
        self._record: LifeRecord | None = None
        self._installing: asyncio.Task[None] | None = None
        self._installed = asyncio.Event()
        self._holding = Holding(self._tell_step)
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def life(self) -> KernelLife | None:
        """The present life; None while there is none."""
        record = self._record
        return None if record is None or record.over else record.life

    @property
    def running(self) -> bool:
        """Whether a cell is running."""
        return self.life is not None and self._record is not None and self._record.tracker.running

    async def start(self) -> None:
        """Begin to record. The kernel must have been started."""
        self._kernel_manager.add_restart_callback(self._on_autorestart, "restart")
        self._kernel_manager.add_restart_callback(self._on_gone_for_good, "dead")
        await self.on_restart()

    async def stop(self) -> None:
        """End the life, tell it, and close everything."""
        self._kernel_manager.remove_restart_callback(self._on_autorestart, "restart")
        self._kernel_manager.remove_restart_callback(self._on_gone_for_good, "dead")
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.end_life()
        await self._teller.close()

    async def on_restart(self) -> None:
        """Begin a new life, unless the kernel's process is the one that is recorded."""
        async with self._lock:
            kernel = describe_kernel(self._kernel_manager)
            if self.life is not None and self._record is not None and self._record.pid == kernel.pid is not None:
                return
            await self._end_life()
            record = LifeRecord.begin(
                kernel_id=self.kernel_id,
                kernel_name=kernel.name,
                language=kernel.language,
                pid=kernel.pid,
                known=self._secrets,
            )
            self._record = record
            self._installed.clear()
            self._teller.life_started(record)
            self._link = self._open_link(kernel)
            if self._link is None:
                record.set_capability(
                    "remote", note_for(kernel, "no_variables", language=kernel.language, implementation="")
                )
                self._teller.life_changed(record)
                return
            self._link.start()
            self._installing = asyncio.create_task(self._install(record, self._link))

    async def end_life(self) -> None:
        """End the present life: what was running ends as ``died``."""
        async with self._lock:
            await self._end_life()

    async def look(
        self, names: Sequence[str] | None = None, timeout_s: float = 1.0
    ) -> tuple[VariableSnapshot, ...] | None:
        """Look at variables as they are now, also while a cell is running.

        Parameters
        ----------
        names
            Which variables; None for all.
        timeout_s
            How long to wait for the kernel.

        Returns
        -------
        tuple of VariableSnapshot or None
            Those that exist, redacted; None when the kernel does not tell.
        """
        record, link = self._record, self._link
        if record is None or link is None or not record.tracker.has_probe:
            return None
        variables = await look_at(link, None if names is None else list(names), timeout_s)
        return None if variables is None else redact_variables(variables, frozenset(record.known))[0]

    async def look_closely(self, code: str, timeout_s: float = 1.0) -> Look | None:
        """Look at what a cell's code touches, before it is run; while another cell runs, at what can be read only.

        Parameters
        ----------
        code
            The cell's source.
        timeout_s
            How long to wait for the kernel.

        Returns
        -------
        Look or None
            Redacted; None when the kernel does not tell.
        """
        record, link = self._record, self._link
        if record is None or link is None or not record.tracker.has_probe:
            return None
        look = await look_closely_at(link, code, timeout_s)
        return None if look is None else redact_look(look, frozenset(record.known))

    # Lives

    def _open_link(self, kernel: KernelKind) -> KernelLink | None:
        if not kernel.has_sockets:
            return None
        return KernelLink(self._kernel_manager, self._on_message, self._on_disconnect, self._log)

    async def _end_life(self) -> None:
        record, link = self._record, self._link
        if self._installing is not None:
            self._installing.cancel()
            await asyncio.gather(self._installing, return_exceptions=True)
            self._installing = None
        if record is None or record.over:
            return
        if link is not None:
            await link.drain()
        self._holding.give_up()
        for event in record.tracker.die():
            self._take(record, event)
        record.over = True
        self._link = None
        self._teller.life_ended(record, link)

    def _on_autorestart(self) -> None:
        self._spawn(self._follow_autorestart())

    async def _follow_autorestart(self) -> None:
        await self.end_life()
        ready = self._kernel_manager.ready
        await (ready if isinstance(ready, asyncio.Future) else asyncio.wrap_future(ready))
        await self.on_restart()

    def _on_gone_for_good(self) -> None:
        self._spawn(self.end_life())
        if self._on_dead is not None:
            self._on_dead(self)

    def _on_disconnect(self) -> None:
        self._spawn(self._check_death(self._record))

    async def _check_death(self, record: LifeRecord | None) -> None:
        """End the life if the process is gone; its sockets close a moment before that shows."""
        for _ in range(_DEATH_CHECKS):
            if record is not self._record or record is None or record.over:
                return
            if not await self._kernel_manager.is_alive():
                async with self._lock:
                    if record is self._record:
                        await self._end_life()
                return
            await asyncio.sleep(0.05)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget_task)

    def _forget_task(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._log.warning("Following a kernel failed: %s", type(task.exception()).__name__)

    # The probe

    async def _install(self, record: LifeRecord, link: KernelLink) -> None:
        """Find out what the kernel can tell, and put the probe into it."""
        kernel = describe_kernel(self._kernel_manager)
        info = await ask_kernel(link, kernel)
        capability: Capability = "no_variables"
        if info.is_ipython and await install_probe(link) and await self._probe_answers():
            capability = "full"
        note = note_for(kernel, capability, language=info.language, implementation=info.implementation)
        if kernel.pid is None:
            capability = "remote"
        if record.set_capability(capability, note, info.language):
            self._teller.life_changed(record)
        self._installing = None
        self._holding.release()

    async def _probe_answers(self) -> bool:
        """Wait for the probe's first snapshot, which comes on another socket than the reply."""
        try:
            await asyncio.wait_for(self._installed.wait(), _SNAPSHOT_TIMEOUT_S)
        except TimeoutError:
            return False
        return True

    # Messages

    def _on_message(self, message: Message) -> None:
        record = self._record
        if record is None or record.over:
            return
        for event in record.tracker.feed(message):
            self._take(record, event)

    def _take(self, record: LifeRecord, event: Began | Ended | Snapshot) -> None:
        if isinstance(event, Snapshot):
            self._take_snapshot(record, event)
        elif isinstance(event, Began):
            self._holding.release()
            self._teller.run_started(record, record.run_started(event.run))
        else:
            self._holding.release()
            ended = record.ended(event, _memory_of(record.pid))
            may_come = ended.awaits_state or (ended.state is None and self._installing is not None)
            if may_come and event.run.status != "died":
                # The probe will tell the state after this run, before any other begins. Or it is on its way into
                # the kernel, and tells it if no other run comes first.
                self._holding.hold(ended)
            else:
                self._tell_step(ended)

    def _take_snapshot(self, record: LifeRecord, event: Snapshot) -> None:
        error = event.content.get("error")
        if error is not None:
            self._log.warning("The probe failed in the kernel: %s", str(error)[:80])
            if self._holding.is_held(event.run):
                self._holding.release()
            return
        state = record.take_snapshot(event.run, event.content)
        if self._holding.is_held(event.run):
            self._holding.complete(state)
        elif event.run is None:
            record.tracker.has_probe = True
            self._installed.set()
            self._holding.complete_from_install(state, event.content)

    def _tell_step(self, ended: EndedRun) -> None:
        if self._record is not None:
            self._teller.step(self._record, ended, self._link)


def _memory_of(pid: int | None) -> int | None:
    """Return a process's resident memory in bytes, for kernels that do not tell it themselves."""
    if pid is None:
        return None
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return None
