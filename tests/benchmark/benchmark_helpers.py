"""Small trajectories for tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from themisto_lab.types import MIME_ERROR, MIME_TEXT, CellOutput, Status, Step, Trajectory

ROOT = Path(__file__).parents[2]
START = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


def make_step(index: int, code: str, output: str = "", status: Status = "ok", **fields: object) -> Step:
    """A step whose output is one returned value; an error adds its last line."""
    outputs = [CellOutput(mime=MIME_TEXT, text=output)] if output else []
    if status == "error":
        outputs.append(CellOutput(mime=MIME_ERROR, text="ValueError: no"))
    values: dict[str, object] = {
        "index": index,
        "kernel_id": "k",
        "code": code,
        "outputs": tuple(outputs),
        "status": status,
        "execution_count": index + 1,
        "started_at": START + timedelta(seconds=index),
    }
    return Step.model_validate({**values, **fields})


def make_trajectory(name: str, steps: list[Step]) -> Trajectory:
    return Trajectory(id=name, kernel_id="k", started_at=START, steps=tuple(steps))
