"""Domain objects become views: pure but for the reads that `scores_view` makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from themisto_lab.errors import ThemistoError
from themisto_lab.live.session import Session
from themisto_lab.live.settings import Settings
from themisto_lab.live.tracked import Tracked
from themisto_lab.report.aggregate import Difference, differences
from themisto_lab.services.views import (
    ArmDifference,
    ErrorView,
    KernelView,
    PredictionView,
    ScoreRow,
    ScoresView,
    ScoreView,
    SentView,
    StepView,
    StoreView,
)
from themisto_lab.store.records import StoredPrediction, StoreInfo
from themisto_lab.store.store import Store
from themisto_lab.types import Prediction, PredictionError, Score, Step, Target, TaskKind

BASE_ARM = "no_runtime"
"""The arm that the others are compared with."""


def error_view(error: ThemistoError | PredictionError) -> ErrorView:
    """Show an error."""
    return ErrorView(code=error.code, message=error.message if isinstance(error, PredictionError) else str(error))


def _prediction_view(
    prediction: Prediction, text: str, kernel_id: str, target: Target | None, scores: Sequence[Score]
) -> PredictionView:
    error = prediction.error
    return PredictionView(
        id=prediction.id,
        task=prediction.task,
        kernel_id=kernel_id,
        trajectory_id=prediction.trajectory_id,
        target_index=prediction.target_index,
        cell_id=prediction.cell_id,
        text=text,
        source=prediction.source,
        reason=prediction.reason,
        status=prediction.status,
        shown=prediction.shown,
        latency_s=prediction.latency_s,
        error=error_view(error) if error else None,
        truth=target.text if target else None,
        scores=tuple(ScoreView(metric=score.metric, value=score.value) for score in scores),
        arm=prediction.arm,
        predictor=prediction.predictor,
    )


def prediction_view(tracked: Tracked) -> PredictionView:
    """Show a prediction that is in memory, with the text that there is so far."""
    return _prediction_view(tracked.prediction, tracked.text, tracked.kernel_id, tracked.target, tracked.scores)


def stored_prediction_view(stored: StoredPrediction) -> PredictionView:
    """Show a prediction from the store. Its kernel is gone: the id is empty."""
    prediction = stored.prediction
    return _prediction_view(prediction, prediction.text, "", stored.target, stored.scores)


def sent_view(prediction: Prediction) -> SentView:
    """Show exactly what a model was sent."""
    context = prediction.context
    return SentView(
        prediction_id=prediction.id,
        predictor=prediction.predictor,
        arm=prediction.arm,
        prompt=context.prompt if context else None,
        messages=context.messages if context else (),
        n_tokens=context.n_tokens if context else 0,
        parts=context.parts if context else {},
        receipts=context.receipts if context else {},
        dropped=context.dropped if context else {},
        redactions=context.redactions if context else 0,
        usage=prediction.usage,
        cost=prediction.cost,
        created_at=prediction.created_at,
    )


def step_view(step: Step) -> StepView:
    """Show a step without its variables."""
    return StepView(**{name: getattr(step, name) for name in StepView.model_fields})


def kernel_view(session: Session, *, enabled: bool) -> KernelView:
    """Show a kernel."""

    def current(task: TaskKind) -> PredictionView | None:
        tracked = session.shown.get(task)
        return prediction_view(tracked) if tracked else None

    def last(task: TaskKind) -> PredictionView | None:
        tracked = session.last_shown.get(task)
        return prediction_view(tracked) if tracked else None

    life = session.life
    return KernelView(
        kernel_id=life.kernel_id,
        trajectory_id=life.trajectory_id,
        notebook=life.notebook,
        language=life.language,
        capability=life.capability,
        note=life.note,
        enabled=enabled and session.enabled,
        running=session.running,
        n_steps=len(session.steps),
        task_description=session.task_description,
        next_cell=current(TaskKind.NEXT_CELL),
        last_next_cell=last(TaskKind.NEXT_CELL),
        output=current(TaskKind.CELL_OUTPUT),
        last_output=last(TaskKind.CELL_OUTPUT),
    )


def store_view(info: StoreInfo, settings: Settings) -> StoreView:
    """Show the record."""
    return StoreView(
        path=info.path,
        size_bytes=info.size_bytes,
        cap_bytes=settings.store_cap_bytes,
        recording=settings.recording,
        n_trajectories=info.n_trajectories,
        n_steps=info.n_steps,
        n_predictions=info.n_predictions,
    )


async def scores_view(
    store: Store, *, trajectory_id: str | None, notebook: str | None, n_steps: int | None
) -> ScoresView:
    """Show mean scores and paired differences of one trajectory, one notebook, or all."""
    rows = await store.score_rows(trajectory_id=trajectory_id, notebook=notebook)
    others = sorted({row.arm for row in rows if row.arm is not None and row.arm != BASE_ARM})
    found: list[Difference] = []
    for arm in others:
        found += differences(await store.paired(arm, BASE_ARM, trajectory_id=trajectory_id, notebook=notebook))
    return ScoresView(
        n_steps=n_steps if n_steps is not None else (await store.info()).n_steps,
        rows=tuple(ScoreRow(**asdict(row)) for row in rows),
        differences=tuple(ArmDifference(**asdict(difference)) for difference in found),
    )
