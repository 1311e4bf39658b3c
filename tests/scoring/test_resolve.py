"""Which predictions a run settles, and how."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from themisto_lab.scoring.resolve import Pending, Resolution, resolve, target_text
from themisto_lab.types import MIME_ERROR, MIME_STDOUT, CellOutput, Prediction, Step, Target, TaskKind

RUN_BEGAN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
BEFORE = RUN_BEGAN - timedelta(microseconds=1)
CODE = "print(6 * 7)"


def step(**changes: Any) -> Step:
    """The sixth run of a session: cell c prints 42."""
    fields: dict[str, Any] = {
        "index": 5,
        "kernel_id": "k",
        "cell_id": "c",
        "code": CODE,
        "outputs": (CellOutput(mime=MIME_STDOUT, text="42\n"),),
        "started_at": RUN_BEGAN,
    }
    return Step(**fields | changes)


def pending(
    task: TaskKind, status: str = "ready", stored_at: datetime | None = BEFORE, target_index: int = 5, **changes: Any
) -> Pending:
    """A prediction about the sixth run."""
    fields: dict[str, Any] = {
        "id": "p",
        "task": task,
        "trajectory_id": "t",
        "target_index": target_index,
        "predictor": "m",
        "status": status,
    }
    if task is TaskKind.CELL_OUTPUT:
        fields |= {"cell_id": "c", "code": CODE}
    return Pending(Prediction(**fields | changes), stored_at if status == "ready" else None)


NEXT, OUTPUT = TaskKind.NEXT_CELL, TaskKind.CELL_OUTPUT
CODE_TARGET = Target(text=CODE, step_index=5)
OUTPUT_TARGET = Target(text="42", step_index=5)


@pytest.mark.parametrize(
    ("one", "status", "target"),
    [
        # The run that it is about.
        (pending(NEXT), "scored", CODE_TARGET),
        (pending(OUTPUT), "scored", OUTPUT_TARGET),
        # Frozen means stored before the run began, and not at the same moment.
        (pending(NEXT, stored_at=RUN_BEGAN), "missed", CODE_TARGET),
        (pending(OUTPUT, stored_at=RUN_BEGAN), "missed", OUTPUT_TARGET),
        (pending(NEXT, stored_at=RUN_BEGAN + timedelta(seconds=1)), "missed", CODE_TARGET),
        (pending(NEXT, stored_at=None), "missed", CODE_TARGET),
        (pending(NEXT, "running"), "missed", CODE_TARGET),
        (pending(OUTPUT, "running"), "missed", OUTPUT_TARGET),
        # Another cell, or other code in the cell.
        (pending(OUTPUT, cell_id="d"), "stale", None),
        (pending(OUTPUT, code="print(6 * 8)"), "stale", None),
        (pending(OUTPUT, "running", cell_id="d"), "stale", None),
        (pending(OUTPUT, code=CODE + "\n"), "scored", OUTPUT_TARGET),
        # The state moved on.
        (pending(NEXT, target_index=4), "stale", None),
        (pending(OUTPUT, target_index=4), "stale", None),
        (pending(NEXT, "running", target_index=4), "missed", None),
        (pending(OUTPUT, "running", target_index=4), "missed", None),
    ],
)
def test_a_run_settles_a_prediction(one: Pending, status: str, target: Target | None) -> None:
    assert resolve([one], step()) == [Resolution("p", status, target)]


@pytest.mark.parametrize("task", list(TaskKind))
@pytest.mark.parametrize("status", ["ready", "running"])
def test_a_prediction_about_a_later_run_waits(task: TaskKind, status: str) -> None:
    assert resolve([pending(task, status, target_index=6)], step()) == []


@pytest.mark.parametrize("status", ["failed", "cancelled", "scored", "missed", "stale"])
def test_a_prediction_that_is_over_is_left_alone(status: str) -> None:
    assert resolve([pending(NEXT, status)], step()) == []


@pytest.mark.parametrize("ended", ["error", "interrupted", "died"])
def test_a_run_that_raised(ended: str) -> None:
    outputs = (
        CellOutput(mime=MIME_STDOUT, text="before\n"),
        CellOutput(mime=MIME_ERROR, text="NameError: name 'x' is not defined"),
    )
    raised = step(status=ended, outputs=outputs)
    shown = Target(text="before", step_index=5)
    assert resolve([pending(OUTPUT)], raised) == [Resolution("p", "cancelled", shown)]
    assert resolve([pending(OUTPUT, "running")], raised) == [Resolution("p", "cancelled", shown)]
    assert resolve([pending(OUTPUT, cell_id="d")], raised) == [Resolution("p", "stale")]
    assert resolve([pending(NEXT)], raised) == [Resolution("p", "scored", CODE_TARGET)]
    assert resolve([pending(NEXT, "running")], raised) == [Resolution("p", "missed", CODE_TARGET)]


def test_a_kernel_that_tells_no_cell_ids() -> None:
    assert resolve([pending(OUTPUT)], step(cell_id=None)) == [Resolution("p", "scored", OUTPUT_TARGET)]
    assert resolve([pending(OUTPUT, code="other")], step(cell_id=None)) == [Resolution("p", "stale")]


def test_many_at_once_keep_their_order() -> None:
    many = [
        pending(NEXT, id="a", arm="runtime"),
        pending(NEXT, id="b", arm="no_runtime", stored_at=RUN_BEGAN),
        pending(OUTPUT, id="c"),
        pending(NEXT, id="d", target_index=9),
        pending(OUTPUT, id="e", cell_id="d"),
    ]
    found = [(r.prediction_id, r.status) for r in resolve(many, step())]
    assert found == [("a", "scored"), ("b", "missed"), ("c", "scored"), ("e", "stale")]


def test_target_texts() -> None:
    assert target_text(NEXT, step(code="\n  \nif x:\n    y\n\n")) == "if x:\n    y"
    table = "   mass  wing\n0   1.5   2.2\n"
    printed = step(outputs=(CellOutput(mime=MIME_STDOUT, text="\n" + table),))
    assert target_text(OUTPUT, printed) == "   mass  wing\n0   1.5   2.2"
    assert target_text(OUTPUT, step(outputs=())) == ""
    assert target_text(NEXT, step(code=" \n\n ")) == ""
