"""What the driver knows of one kernel life: its steps and the predictions about it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from themisto_lab.capture.listener import KernelLife
from themisto_lab.live.tracked import Tracked
from themisto_lab.types import Look, Step, TaskKind, Trajectory


@dataclass(slots=True)
class Session:
    """One kernel life, in memory.

    Attributes
    ----------
    life
        The life, with the notebook's latest path.
    trajectory_id
        The trajectory that its steps go to: the life's own, or another once the user had its past forgotten.
    steps
        The steps recorded so far, ``steps[i].index == i``.
    running
        Whether a cell is running now.
    enabled
        Whether this notebook is captured and predicted.
    task_description
        What the notebook is for, in the user's words.
    open
        Predictions whose run has not come, by id.
    shown
        The shown prediction that is open, by task.
    last_shown
        The shown prediction that was settled last, by task.
    n_in_file
        How many of its steps were stored on disk (none that were run while nothing was recorded).
    settling
        Held while a finished run is stored and scored.
    below
        The source of the cell below the one in focus, as the front end last told it.
    """

    life: KernelLife
    trajectory_id: str = ""
    steps: list[Step] = field(default_factory=list)
    running: bool = False
    enabled: bool = True
    task_description: str = ""
    open: dict[str, Tracked] = field(default_factory=dict)
    shown: dict[TaskKind, Tracked] = field(default_factory=dict)
    last_shown: dict[TaskKind, Tracked] = field(default_factory=dict)
    n_in_file: int = 0
    settling: asyncio.Lock = field(default_factory=asyncio.Lock)
    below: str | None = None

    def __post_init__(self) -> None:
        self.trajectory_id = self.trajectory_id or self.life.trajectory_id

    @property
    def next_index(self) -> int:
        """The index of the step that a prediction made now is about."""
        return len(self.steps) + (1 if self.running else 0)

    def trajectory(self) -> Trajectory:
        """Return all that has been run so far as a trajectory."""
        # The steps were validated when they were made; validating thousands again at each prediction is waste.
        return Trajectory.model_construct(
            id=self.trajectory_id,
            notebook=self.life.notebook,
            task_description=self.task_description,
            steps=tuple(self.steps),
            language=self.life.language,
            kernel_id=self.life.kernel_id,
            started_at=self.life.started_at,
            replayed=False,
        )

    def head(self) -> Trajectory:
        """Return the trajectory without its steps: what the store keeps as its head."""
        return self.trajectory().model_copy(update={"steps": ()})

    def forget_past(self) -> None:
        """Begin a new trajectory: no step, prediction or text of the old one is held any more."""
        self.trajectory_id = uuid4().hex
        self.n_in_file = 0
        self.steps.clear()
        self.open.clear()
        self.shown.clear()
        self.last_shown.clear()

    def began_before(self, moment: datetime) -> bool:
        """Tell whether any of its steps began before a moment."""
        return bool(self.steps) and self.steps[0].started_at < moment

    def find(self, prediction_id: str) -> Tracked | None:
        """Find a prediction that is open, shown, or was shown last."""
        known = (*self.open.values(), *self.shown.values(), *self.last_shown.values())
        return next((tracked for tracked in known if tracked.prediction.id == prediction_id), None)

    def look_before(self, step: Step) -> Look | None:
        """Return the look that was taken for a forecast of a step, at the state that it met; None where none was."""
        for tracked in self.of_task(TaskKind.CELL_OUTPUT):
            asked = tracked.prediction
            same_cell = asked.cell_id == step.cell_id and asked.code.rstrip() == step.code.rstrip()
            if tracked.look is not None and same_cell and asked.target_index == step.index and not tracked.is_early:
                return tracked.look
        return None

    def of_task(self, task: TaskKind) -> Iterator[Tracked]:
        """Go over the open predictions of one task."""
        return (tracked for tracked in list(self.open.values()) if tracked.prediction.task is task)
