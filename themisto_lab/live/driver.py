"""The driver while a person codes: it hears of runs, predicts what follows, and scores what it had predicted."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable

from themisto_lab.capture.listener import KernelLife, RunStarted
from themisto_lab.capture.redact import redact_code, redact_text, server_secrets
from themisto_lab.errors import BadInputError, NotFoundError, ThemistoError
from themisto_lab.live.board import Board
from themisto_lab.live.events import Events
from themisto_lab.live.judge import Judge
from themisto_lab.live.looking import LookTaker, look_in_time, no_look
from themisto_lab.live.options import NotebookOptions
from themisto_lab.live.roster import chosen_model, plan_for
from themisto_lab.live.session import Session
from themisto_lab.live.settings import Settings
from themisto_lab.live.tracked import Tracked
from themisto_lab.predict.base import Predictor
from themisto_lab.predict.registry import Registry
from themisto_lab.store.store import Store
from themisto_lab.types import Step, TaskKind

_CAP_EVERY_STEPS = 50

OptionsReader = Callable[[str], Awaitable[NotebookOptions]]
"""Reads a notebook's options from its metadata, by path."""


async def _no_options(notebook: str) -> NotebookOptions:
    del notebook
    return NotebookOptions()


class LiveDriver:
    """Hears what the recorder tells (`RunListener`) and answers what the front end asks.

    Parameters
    ----------
    store
        The record on disk.
    registry
        The predictors.
    settings
        The settings at the start; see `change_settings`.
    events
        Where changes are told.
    log
        Gets classes of errors, never code or values.
    read_options
        Reads a notebook's own options.
    take_look
        Looks at what a cell's code touches, before the cell is run.
    """

    def __init__(
        self,
        store: Store,
        registry: Registry,
        settings: Settings,
        *,
        events: Events | None = None,
        log: logging.Logger,
        read_options: OptionsReader = _no_options,
        take_look: LookTaker = no_look,
    ) -> None:
        self.store = store
        self.registry = registry
        self.settings = settings
        self._obstacle: ThemistoError | None = None
        self._memory: Store | None = None
        self.events = events or Events()
        self._log = log
        self._read_options = read_options
        self.take_look = take_look
        self._secrets = server_secrets(os.environ)
        self._sessions: dict[str, Session] = {}
        self.board = Board(lambda: self.settings, self.store_for, self.events, log)
        self._judge = Judge(self.store_for, self.events)

    def session(self, kernel_id: str) -> Session:
        """Return the present life of a kernel.

        Raises
        ------
        NotFoundError
            If no such kernel is recorded.
        """
        session = self._sessions.get(kernel_id)
        if session is None:
            raise NotFoundError("This kernel is not recorded. Run a cell, or restart the kernel.")
        return session

    def store_for(self, session: Session) -> Store:
        """Return where a session's record goes: the file, or memory while the user records nothing."""
        del session
        if self.settings.recording:
            return self.store
        if self._memory is None:
            self._memory = Store.open_memory(self._log)
        return self._memory

    # -- what the recorder tells ------------------------------------------------------------------------------

    async def life_started(self, life: KernelLife) -> None:
        """Open a session for a new kernel life."""
        session = Session(life)
        self._sessions[life.kernel_id] = session
        await self._load_options(session)
        self.events.life(life.kernel_id, life.trajectory_id, "started")

    async def life_changed(self, life: KernelLife) -> None:
        """Take over a new capability or notebook path."""
        session = self._sessions.get(life.kernel_id)
        if session is None:
            return
        renamed = session.life.notebook != life.notebook
        session.life = life
        if renamed:
            await self._load_options(session)
            if session.steps:
                await self.store_for(session).update_trajectory(session.trajectory_id, notebook=life.notebook)
        self.events.life(life.kernel_id, life.trajectory_id, "changed")

    async def life_ended(self, life: KernelLife) -> None:
        """Give up what is open about a life that ended, and forget the session."""
        session = self._sessions.get(life.kernel_id)
        if session is None or session.life.trajectory_id != life.trajectory_id:
            return
        await self.board.give_up(session, list(session.open.values()), "cancelled")
        del self._sessions[life.kernel_id]
        self.events.life(life.kernel_id, life.trajectory_id, "ended")

    async def run_started(self, run: RunStarted) -> None:
        """Stop predicting at once: a run has begun."""
        session = self._sessions.get(run.kernel_id)
        if session is None:
            return
        session.running = True
        if not self._active(session):
            return
        missed: list[Tracked] = []
        dropped: list[Tracked] = []
        for tracked in session.open.values():
            is_about_it = tracked.prediction.task is TaskKind.NEXT_CELL or tracked.prediction.code == run.code
            (missed if is_about_it else dropped).append(tracked)
        await self.board.give_up(session, missed, "missed")
        await self.board.give_up(session, dropped, "cancelled")
        self.events.run(run.kernel_id, run.trajectory_id, "started", None)
        model = self._model()
        if model is not None and self.settings.next_cell == "run_end":
            self.board.warm(session, model, run.code)

    async def step_recorded(self, life: KernelLife, step: Step) -> None:
        """Store a run, score what had been predicted about it, and predict what follows."""
        session = self._sessions.get(life.kernel_id)
        if session is None:
            return
        session.running = False
        if self._active(session):
            async with session.settling:
                await self._take_step(session, step)

    async def _take_step(self, session: Session, step: Step) -> None:
        life = session.life
        store = self.store_for(session)
        if store is self.store and await store.count_steps(session.trajectory_id) < session.n_in_file:
            await self.forget_session(session)  # another program erased it; prompts must not bring it back
        # Steps that were not captured (while the notebook was off) leave no gap.
        step = step.model_copy(update={"index": len(session.steps)})
        step = step.model_copy(update={"look": session.look_before(step)})
        session.steps.append(step)
        if store is not self.store or session.n_in_file == 0:
            await store.add_trajectory(session.head())
        await store.add_step(session.trajectory_id, step)
        session.n_in_file += store is self.store
        self.events.run(life.kernel_id, session.trajectory_id, "finished", step.index)
        await self._judge.settle(session, step)
        if step.index % _CAP_EVERY_STEPS == _CAP_EVERY_STEPS - 1:
            await self.store.enforce_cap(self.settings.store_cap_bytes)
        if self.settings.next_cell == "run_end" and step.code.strip():
            await self._predict(session, TaskKind.NEXT_CELL)

    # -- what the front end asks ------------------------------------------------------------------------------

    async def ask(
        self,
        kernel_id: str,
        task: TaskKind,
        *,
        cell_id: str | None = None,
        code: str = "",
        below: str | None = None,
        only_while_followed: bool = False,
    ) -> Tracked:
        """Predict now, or return the shown prediction that answers the same question already.

        Parameters
        ----------
        kernel_id
            The kernel.
        task
            What is predicted.
        cell_id, code
            For an output, the cell in focus.
        below
            The source of the cell below.
        only_while_followed
            Whether to give up when nobody follows it any more.

        Raises
        ------
        NotFoundError
            If no such kernel is recorded.
        BadInputError
            If predictions are off here, or a cell without code is asked about.
        """
        session = self.session(kernel_id)
        if not self._active(session):
            raise BadInputError("Predictions are off for this notebook. Turn them on in the sidebar's menu.")
        if task is TaskKind.CELL_OUTPUT and not code.strip():
            raise BadInputError("This cell is empty. Write code in it to see its output predicted.")
        code = redact_code(code, self._secrets)[0]
        session.below = None if below is None else redact_code(below, self._secrets)[0]
        known = session.shown.get(task)
        if known is not None and self._answers(session, known, cell_id, code):
            return known
        await self.board.give_up(session, [t for t in session.of_task(task) if not t.done], "cancelled")
        shown = await self._predict(session, task, cell_id=cell_id, code=code)
        if shown is None:
            raise NotFoundError("No predictor can answer this. Choose a model in the sidebar.")
        shown.only_while_followed = only_while_followed
        return shown

    async def cancel(self, prediction_id: str) -> None:
        """Give up a prediction and its shadows.

        Raises
        ------
        NotFoundError
            If no such prediction is under way.
        """
        for session in self._sessions.values():
            tracked = session.open.get(prediction_id)
            if tracked is not None:
                task = tracked.prediction.task
                await self.board.give_up(session, list(session.of_task(task)), "cancelled")
                return
        raise NotFoundError("There is no such prediction under way.")

    def find(self, prediction_id: str) -> Tracked | None:
        """Find a prediction that is still in memory."""
        session = self.session_of(prediction_id)
        return None if session is None else session.find(prediction_id)

    async def settled(self, kernel_id: str) -> None:
        """Wait until a kernel's last run is stored and scored, and no prediction runs."""
        session = self._sessions.get(kernel_id)
        if session is not None:
            async with session.settling:
                pass
            await self.board.settled(session)

    async def close(self) -> None:
        """Stop all predictions and close the memory store. The store on disk is its owner's to close."""
        await self.board.close()
        if self._memory is not None:
            await self._memory.close()

    # -- inner ------------------------------------------------------------------------------------------------

    def redacted(self, text: str) -> str:
        """Blank the secrets in what a user wrote about a notebook."""
        return redact_text(text, self._secrets)[0]

    def sessions(self) -> list[Session]:
        """Return the present life of each kernel."""
        return list(self._sessions.values())

    async def forget_session(self, session: Session) -> None:
        """Let go of a session's past: nothing of it may come into a later prompt."""
        await self.board.give_up(session, list(session.open.values()), "cancelled", store=False)
        session.forget_past()

    def session_of(self, prediction_id: str) -> Session | None:
        """Find the session that holds a prediction in memory."""
        return next((session for session in self._sessions.values() if session.find(prediction_id)), None)

    def _active(self, session: Session) -> bool:
        return self.settings.enabled and session.enabled

    def _answers(self, session: Session, known: Tracked, cell_id: str | None, code: str) -> bool:
        prediction = known.prediction
        return (
            prediction.status in ("running", "ready")
            and prediction.target_index == session.next_index
            and prediction.cell_id == cell_id
            and prediction.code == code
        )

    def _model(self) -> Predictor | None:
        model, self._obstacle = chosen_model(self.registry, self.settings)
        return model

    async def _predict(
        self, session: Session, task: TaskKind, *, cell_id: str | None = None, code: str = ""
    ) -> Tracked | None:
        look = None
        if task is TaskKind.CELL_OUTPUT and session.life.language == "python":
            index = session.next_index
            look = await look_in_time(self.take_look, session.life.kernel_id, code, self._log)
            if session.next_index != index:
                look = None  # a run began or ended in the meantime: it shows another state
        planned, self._obstacle = plan_for(task, session, code, self.registry, self.settings, look)
        return await self.board.start(session, task, planned, cell_id=cell_id, code=code, look=look)

    async def _load_options(self, session: Session) -> None:
        if not session.life.notebook:
            return
        try:
            options = await self._read_options(session.life.notebook)
        except Exception as error:  # noqa: BLE001 - a notebook that can't be read is no reason to stop recording
            self._log.warning("The options of a notebook could not be read: %s", type(error).__name__)
            return
        session.enabled = options.enabled
        session.task_description = self.redacted(options.task_description)
