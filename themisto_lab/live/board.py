"""The predictions under way: started, streamed, stored when complete, given up at once when a run begins."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from uuid import uuid4

from themisto_lab.context.build import build_context, build_prefix
from themisto_lab.context.select import ARMS
from themisto_lab.errors import ThemistoError
from themisto_lab.live.events import Events
from themisto_lab.live.gate import Gate
from themisto_lab.live.limits import HourlyLimit
from themisto_lab.live.plan import Planned
from themisto_lab.live.session import Session
from themisto_lab.live.settings import Settings
from themisto_lab.live.tracked import Tracked
from themisto_lab.predict.base import Predictor, PredictRequest
from themisto_lab.predict.run import run_prediction
from themisto_lab.store.store import Store
from themisto_lab.types import Look, Prediction, PredictionError, PredictionStatus, TaskKind, Trajectory

_SETTLE_S = 0.06
"""A model is not asked before this long after a run, in seconds: with Run All the next run has begun by then."""

_WARM_AFTER_S = 0.15
"""A run this long is worth reading ahead for, in seconds."""

_OLD_STATE = "from the state before the cell that is running"

_ANSWER_TOKENS = {TaskKind.NEXT_CELL: 192, TaskKind.CELL_OUTPUT: 256}


class Board:
    """Runs predictions for all sessions.

    Parameters
    ----------
    settings
        Returns the settings in force.
    store_for
        Returns the store that a session's predictions go to.
    events
        Where changes are told.
    log
        Gets classes of errors, never text of a prompt or an answer.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        store_for: Callable[[Session], Store],
        events: Events,
        log: logging.Logger,
    ) -> None:
        self._settings = settings
        self._store_for = store_for
        self._events = events
        self._log = log
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._gates: defaultdict[str, Gate] = defaultdict(Gate)
        self._limit = HourlyLimit()
        self._warming: dict[str, asyncio.Task[None]] = {}
        self.last_failure: PredictionError | None = None

    async def start(
        self,
        session: Session,
        task: TaskKind,
        planned: Sequence[Planned],
        *,
        cell_id: str | None = None,
        code: str = "",
        look: Look | None = None,
    ) -> Tracked | None:
        """Start predictions about the session's next run; free ones are complete when this returns.

        Parameters
        ----------
        session
            The session.
        task
            What is predicted.
        planned
            By whom.
        cell_id, code
            For an output, the cell in focus.
        look
            For an output, a closer look at what the code touches.

        Returns
        -------
        Tracked or None
            The shown one.
        """
        trajectory = session.trajectory()
        shown: Tracked | None = None
        begun: list[tuple[Tracked, Planned]] = []
        for item in planned:
            prediction = Prediction(
                id=uuid4().hex,
                task=task,
                trajectory_id=trajectory.id,
                target_index=session.next_index,
                cell_id=cell_id,
                code=code,
                arm=item.arm,
                predictor=item.predictor.name,
                shown=item.shown,
            )
            tracked = Tracked(prediction, session.life.kernel_id, look, is_early=session.running)
            session.open[prediction.id] = tracked
            if item.shown:
                shown = session.shown[task] = tracked
            begun.append((tracked, item))
        for tracked, item in begun:
            self._tell(tracked, "started")
            if item.predictor.kind != "baseline":
                work = self._predict(session, tracked, item, trajectory)
                running = asyncio.create_task(work, name=f"themisto-predict-{tracked.prediction.id}")
                self._tasks[tracked.prediction.id] = running
                running.add_done_callback(partial(self._finished, tracked.prediction.id))
        # Together, so that they share a commit.
        await asyncio.gather(
            *(self._predict(session, *one, trajectory) for one in begun if one[1].predictor.kind == "baseline")
        )
        return shown

    def _finished(self, prediction_id: str, task: asyncio.Task[None]) -> None:
        self._tasks.pop(prediction_id, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.error("A prediction ended in %s", type(error).__name__)

    def _request(
        self, session: Session, tracked: Tracked, predictor: Predictor, trajectory: Trajectory
    ) -> PredictRequest:
        settings = self._settings()
        prediction = tracked.prediction
        max_tokens = _ANSWER_TOKENS[prediction.task]
        context = None
        if prediction.arm is not None:
            context = build_context(
                trajectory,
                ARMS[prediction.arm],
                prediction.task,
                code=prediction.code,
                look=tracked.look,
                chat=predictor.form == "chat",
                limit_tokens=min(settings.context_tokens, predictor.context_tokens - max_tokens),
            )
        return PredictRequest(
            task=prediction.task,
            trajectory=trajectory,
            code=prediction.code,
            context=context,
            cell_id=prediction.cell_id,
            look=tracked.look,
            below=session.below,
            max_tokens=max_tokens,
            timeout_s=settings.timeout_s,
        )

    async def _predict(self, session: Session, tracked: Tracked, item: Planned, trajectory: Trajectory) -> None:
        predictor = item.predictor
        old_state = session.running
        if predictor.kind != "baseline" and tracked.prediction.task is TaskKind.NEXT_CELL:
            await asyncio.sleep(_SETTLE_S)
        request = self._request(session, tracked, predictor, trajectory)
        asked = tracked.prediction = tracked.prediction.model_copy(update={"context": request.context})
        answer = await self._answer(tracked, predictor, asked, request)
        if old_state:
            reason = f"{answer.reason}; {_OLD_STATE}" if answer.reason else _OLD_STATE
            answer = answer.model_copy(update={"reason": reason})
        # A prediction that is complete is stored even if a run begins in this moment: whether it came in time is
        # decided by the time of the commit.
        await asyncio.shield(self._settle(session, tracked, answer))

    async def _answer(
        self, tracked: Tracked, predictor: Predictor, asked: Prediction, request: PredictRequest
    ) -> Prediction:
        if predictor.kind == "local":
            async with self._gates[predictor.name].turn(0 if asked.shown else 1):
                return await run_prediction(predictor, asked, request, tracked.grow)
        if predictor.kind == "remote":
            try:
                self._limit.take(self._settings().remote_per_hour)
            except ThemistoError as error:
                return _failed(asked, error)
        return await run_prediction(predictor, asked, request, tracked.grow)

    async def _settle(self, session: Session, tracked: Tracked, answer: Prediction) -> None:
        if tracked.done:
            return  # given up in the meantime
        try:
            tracked.stored_at = await self._store_for(session).put_prediction(answer)
        except ThemistoError as error:
            self._log.warning("A prediction could not be stored: %s", error)
            answer = _failed(answer, error)
        if tracked.done:
            return
        tracked.update(answer)
        if answer.shown and answer.source == "model":
            self.last_failure = answer.error
        self._tell(tracked, answer.status)
        if answer.status == "failed":
            session.open.pop(answer.id, None)

    async def give_up(
        self, session: Session, tracked: Sequence[Tracked], status: PredictionStatus, *, store: bool = True
    ) -> None:
        """Stop predictions that are running, at once, and store how they ended.

        Parameters
        ----------
        session
            Their session.
        tracked
            Those to stop; what is complete already is left alone.
        status
            ``missed`` where a run began, else ``cancelled``.
        store
            Whether to store how they ended; not for what the user wants forgotten.
        """
        stopped = []
        for one in tracked:
            if one.done:
                continue
            running = self._tasks.pop(one.prediction.id, None)
            one.update(one.prediction.model_copy(update={"status": status, "text": one.text}))
            if running is not None:
                running.cancel()
            if status != "missed":  # a missed one stays open until its truth is known
                session.open.pop(one.prediction.id, None)
            stopped.append(one)
        if store:
            await asyncio.gather(*(self._store_for(session).put_prediction(one.prediction) for one in stopped))
        for one in stopped:
            self._tell(one, status)

    def warm(self, session: Session, predictor: Predictor, running_code: str) -> None:
        """Have a local model read the known part of the next prompts while a cell runs."""
        kernel_id = session.life.kernel_id
        if predictor.kind != "local" or kernel_id in self._warming:
            return
        task = asyncio.create_task(self._warm(session, predictor, running_code))
        self._warming[kernel_id] = task
        task.add_done_callback(lambda _: self._warming.pop(kernel_id, None))

    async def _warm(self, session: Session, predictor: Predictor, running_code: str) -> None:
        n_steps = len(session.steps)
        await asyncio.sleep(_WARM_AFTER_S)
        if not session.running or len(session.steps) != n_steps:
            return
        limit = min(self._settings().context_tokens, predictor.context_tokens - _ANSWER_TOKENS[TaskKind.NEXT_CELL])
        arm = ARMS[self._settings().arms[0]]
        context = build_prefix(session.trajectory(), arm, running_code, limit_tokens=limit)
        try:
            async with self._gates[predictor.name].turn(0):
                await predictor.warm(context)
        except ThemistoError as error:
            self._log.debug("The model could not read ahead: %s", type(error).__name__)

    async def settled(self, session: Session) -> None:
        """Wait until nothing runs for a session."""
        while running := [self._tasks[id_] for id_ in list(session.open) if id_ in self._tasks]:
            await asyncio.wait(running)

    async def close(self) -> None:
        """Stop everything."""
        tasks = [*self._tasks.values(), *self._warming.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _tell(self, tracked: Tracked, action: str) -> None:
        prediction = tracked.prediction
        self._events.prediction(
            prediction.id, tracked.kernel_id, prediction.task.value, prediction.cell_id, prediction.shown, action
        )


def _failed(prediction: Prediction, error: ThemistoError) -> Prediction:
    return prediction.model_copy(
        update={"status": "failed", "error": PredictionError(code=error.code, message=str(error))}
    )
