"""When a run is over: what had been predicted about it meets the truth."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from themisto_lab.live.events import Events
from themisto_lab.live.session import Session
from themisto_lab.live.tracked import Tracked
from themisto_lab.scoring.metrics import score_text
from themisto_lab.scoring.resolve import Pending, Resolution, resolve
from themisto_lab.store.records import Resolved
from themisto_lab.store.store import Store
from themisto_lab.types import Step


class Judge:
    """Scores predictions off the event loop and stores the verdicts in one commit.

    Parameters
    ----------
    store_for
        Returns the store that a session's predictions are in.
    events
        Where verdicts are told.
    """

    def __init__(self, store_for: Callable[[Session], Store], events: Events) -> None:
        self._store_for = store_for
        self._events = events

    async def settle(self, session: Session, step: Step) -> None:
        """Settle the open predictions that a step decides."""
        resolutions = resolve([_pending(tracked) for tracked in session.open.values()], step)
        if not resolutions:
            return
        texts = {id_: tracked.prediction.text for id_, tracked in session.open.items()}
        results = await asyncio.to_thread(_score, resolutions, texts)
        await self._store_for(session).resolve(results)
        for result in results:
            tracked = session.open.pop(result.prediction_id)
            tracked.target, tracked.scores = result.target, result.scores
            tracked.update(tracked.prediction.model_copy(update={"status": result.status}))
            prediction = tracked.prediction
            if session.shown.get(prediction.task) is tracked:
                del session.shown[prediction.task]
                session.last_shown[prediction.task] = tracked
            self._events.prediction(
                prediction.id,
                tracked.kernel_id,
                prediction.task.value,
                prediction.cell_id,
                prediction.shown,
                prediction.status,
            )


def _pending(tracked: Tracked) -> Pending:
    prediction = tracked.prediction
    if prediction.status == "missed":  # it was stopped when the run began; now its truth is known
        prediction = prediction.model_copy(update={"status": "running"})
    return Pending(prediction, tracked.stored_at)


def _score(resolutions: Sequence[Resolution], texts: dict[str, str]) -> list[Resolved]:
    return [
        Resolved(
            prediction_id=resolution.prediction_id,
            status=resolution.status,
            target=resolution.target,
            scores=score_text(texts[resolution.prediction_id], resolution.target.text)
            if resolution.status == "scored" and resolution.target is not None
            else (),
        )
        for resolution in resolutions
    ]
