"""What a listener is told of a life: notebook path refreshed, steps complete and redacted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from themisto_lab.capture.install import ask_for_secrets, look_at
from themisto_lab.capture.life import EndedRun, LifeRecord, StateAfter
from themisto_lab.capture.link import KernelLink, Logger
from themisto_lab.capture.listener import RunListener, RunStarted
from themisto_lab.capture.teller import Teller

_ASK_TIMEOUT_S = 2.0


class LifeTeller:
    """Tells a listener of lives and runs, in order.

    Parameters
    ----------
    listener
        Who is told.
    resolve_notebook
        Awaited for the notebook's path; empty where there is none.
    log
        A logger.
    """

    def __init__(self, listener: RunListener, resolve_notebook: Callable[[], Awaitable[str]], log: Logger) -> None:
        self._listener = listener
        self._resolve_notebook = resolve_notebook
        self._log = log
        self._teller = Teller(log)

    def life_started(self, record: LifeRecord) -> None:
        """Tell of a new life."""

        async def tell() -> None:
            record.set_notebook(await self._notebook())
            await self._listener.life_started(record.life)

        self._teller.tell(tell)

    def life_changed(self, record: LifeRecord) -> None:
        """Tell that something about a life is known better."""

        async def tell() -> None:
            record.set_notebook(await self._notebook())
            await self._listener.life_changed(record.life)

        self._teller.tell(tell)

    def life_ended(self, record: LifeRecord, link: KernelLink | None) -> None:
        """Tell that a life is over, and close its sockets: the steps before it may have asked one last thing."""

        async def tell() -> None:
            if link is not None:
                await link.close()
            await self._listener.life_ended(record.life)

        self._teller.tell(tell)

    def run_started(self, record: LifeRecord, run: RunStarted) -> None:
        """Tell that a run began."""

        async def tell() -> None:
            await self._refresh_notebook(record)
            await self._listener.run_started(run)

        self._teller.tell(tell)

    def step(self, record: LifeRecord, ended: EndedRun, link: KernelLink | None) -> None:
        """Tell of a run that is over, once all is known that its redaction needs."""

        async def tell() -> None:
            if link is not None and (ended.state is not None or ended.awaits_state):
                await self._complete(record, ended, link)
            step = record.make_step(ended)
            await self._refresh_notebook(record)
            await self._listener.step_recorded(record.life, step)

        self._teller.tell(tell)

    async def close(self) -> None:
        """Tell what is left, then end."""
        await self._teller.close()

    async def _complete(self, record: LifeRecord, ended: EndedRun, link: KernelLink) -> None:
        """Ask the kernel for what a step lacks: secrets that are new, and variables if a message was missed or late."""
        version = "" if ended.state is None else str(ended.state.content.get("secrets_version") or "")
        if version != record.secrets_version:
            secrets = await ask_for_secrets(link, _ASK_TIMEOUT_S)
            if secrets is None:
                # What must be blanked is not known, so nothing that might hold it is told.
                self._log.warning("A step's outputs are withheld: the kernel did not tell what to blank")
                ended.withheld = True
            else:
                record.learn_secrets(secrets, version)
        if not record.namespace.complete or ended.state is None:
            variables = await look_at(link, None, _ASK_TIMEOUT_S)
            if variables is not None:
                record.namespace.replace(variables)
                ended.state = ended.state or StateAfter(record.namespace.variables, {})

    async def _refresh_notebook(self, record: LifeRecord) -> None:
        if record.set_notebook(await self._notebook()):
            await self._listener.life_changed(record.life)

    async def _notebook(self) -> str:
        try:
            return await self._resolve_notebook()
        except Exception as error:  # noqa: BLE001 - a session that is gone has no path; the last one stays
            self._log.debug("The notebook's path is not known: %s", type(error).__name__)
            return ""
