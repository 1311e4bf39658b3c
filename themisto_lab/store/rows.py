"""Domain types to rows and back (pure)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel

from themisto_lab.store.records import StoredPrediction
from themisto_lab.types import (
    CellOutput,
    Context,
    Look,
    Prediction,
    PredictionError,
    ProbeReceipt,
    Score,
    Step,
    Target,
    TaskKind,
    Trajectory,
    Usage,
    VariableSnapshot,
)

M = TypeVar("M", bound=BaseModel)
Row = dict[str, Any]
RowLike = Mapping[str, Any]


def code_hash(code: str) -> str:
    """Return a short hash of a cell's code, to tell whether two predictions were about the same code."""
    return hashlib.blake2b(code.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def trajectory_row(trajectory: Trajectory) -> Row:
    """Return the head of a trajectory, without its steps."""
    return trajectory.model_dump(exclude={"steps"})


def trajectory_of(row: RowLike, steps: tuple[Step, ...] = ()) -> Trajectory:
    """Build a trajectory from its head and its steps."""
    return Trajectory(steps=steps, **row)


def step_rows(trajectory_id: str, step: Step) -> tuple[Row, Row]:
    """Return the row of a step and the row of its content."""
    key = {"trajectory_id": trajectory_id, "step_index": step.index}
    row = key | step.model_dump(exclude={"index", "code", "outputs", "variables", "look", "receipt"})
    outputs = [output.model_dump() for output in step.outputs]
    # Most fields of most variables are empty: what is left out comes back as its default.
    variables = [variable.model_dump(mode="json", exclude_defaults=True) for variable in step.variables]
    size = len(step.code) + sum(len(o.text) for o in step.outputs) + sum(len(v.summary) for v in step.variables)
    if step.look is not None:
        size += len(step.look.output or "") + sum(len(v.shown) + len(v.printed or "") for v in step.look.values)
    content = key | {
        "at": step.started_at,
        "n_bytes": size,
        "code": step.code,
        "outputs": outputs,
        "variables": variables,
        "look": None if step.look is None else step.look.model_dump(mode="json", exclude_defaults=True),
        "receipt": None if step.receipt is None else step.receipt.model_dump(mode="json"),
    }
    return row, content


def step_of(row: RowLike) -> Step:
    """Build a step; one whose content the size cap took has no code, outputs and variables."""
    fields = dict(row)
    fields.pop("trajectory_id")
    return Step(
        index=fields.pop("step_index"),
        code=fields.pop("code") or "",
        outputs=tuple(CellOutput(**output) for output in fields.pop("outputs") or ()),
        variables=tuple(VariableSnapshot(**variable) for variable in fields.pop("variables") or ()),
        look=_optional(Look, fields.pop("look")),
        receipt=_optional(ProbeReceipt, fields.pop("receipt")),
        **fields,
    )


def _optional(model: type[M], fields: Any) -> M | None:
    return None if fields is None else model.model_validate(fields)


def prediction_rows(prediction: Prediction, stored_at: datetime | None) -> tuple[Row, Row]:
    """Return the row of a prediction and the row of its content."""
    usage, error = prediction.usage, prediction.error
    row: Row = prediction.model_dump(
        include={
            "id",
            "trajectory_id",
            "target_index",
            "cell_id",
            "arm",
            "predictor",
            "source",
            "probability",
            "shown",
            "status",
            "created_at",
            "completed_at",
            "cost",
        }
    )
    row |= {
        "task": prediction.task.value,
        "code_hash": code_hash(prediction.code),
        "stored_at": stored_at,
        "prompt_tokens": usage.prompt_tokens if usage else None,
        "completion_tokens": usage.completion_tokens if usage else None,
        "cached_tokens": usage.cached_tokens if usage else None,
        "error_code": error.code if error else None,
    }
    context = prediction.context.model_dump(mode="json") if prediction.context else None
    content = {
        "prediction_id": prediction.id,
        "at": prediction.created_at,
        "n_bytes": len(prediction.code) + len(prediction.text) + len(prediction.raw_text) + _context_size(prediction),
        "code": prediction.code,
        "text": prediction.text,
        "raw_text": prediction.raw_text,
        "reason": prediction.reason,
        "error_message": error.message if error else "",
        "context": context,
    }
    return row, content


def _context_size(prediction: Prediction) -> int:
    context = prediction.context
    if context is None:
        return 0
    return len(context.prompt or "") + sum(len(message.content) for message in context.messages)


def stored_prediction_of(row: RowLike, scores: tuple[Score, ...]) -> StoredPrediction:
    """Build a stored prediction from the joined row of `themisto_lab.store.queries`."""
    erased = row["text"] is None
    usage = None
    if row["prompt_tokens"] is not None:
        usage = Usage(
            prompt_tokens=row["prompt_tokens"],
            completion_tokens=row["completion_tokens"],
            cached_tokens=row["cached_tokens"],
        )
    error = None
    if row["error_code"] is not None:
        error = PredictionError(code=row["error_code"], message=row["error_message"] or "")
    prediction = Prediction(
        id=row["id"],
        task=TaskKind(row["task"]),
        trajectory_id=row["trajectory_id"],
        target_index=row["target_index"],
        cell_id=row["cell_id"],
        code=row["code"] or "",
        arm=row["arm"],
        predictor=row["predictor"],
        text=row["text"] or "",
        raw_text=row["raw_text"] or "",
        source=row["source"],
        reason=row["reason"] or "",
        probability=row["probability"],
        shown=row["shown"],
        created_at=row["created_at"],
        completed_at=row["completed_at"],
        usage=usage,
        cost=row["cost"],
        context=Context.model_validate(row["context"]) if row["context"] is not None else None,
        status=row["status"],
        error=error,
    )
    target = None
    if row["target_text"] is not None:
        target = Target(text=row["target_text"], step_index=row["target_step_index"])
    return StoredPrediction(
        prediction=prediction,
        stored_at=row["stored_at"],
        target=target,
        scores=scores,
        content_erased=erased,
    )
