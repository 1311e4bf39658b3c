"""What the recorder tells, and to whom: the only way from capture to the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from themisto_lab.types import Step, utc_now

Capability = Literal["full", "no_variables", "remote", "starting"]
"""``full``: code, outputs, variables. ``no_variables``: not IPython. ``remote``: not on this machine."""


@dataclass(frozen=True, slots=True)
class KernelLife:
    """One life of a kernel, from a start or restart to its end: one trajectory.

    Attributes
    ----------
    trajectory_id
        A random id, new for each life.
    kernel_id
        The Jupyter server's id of the kernel; the same over restarts.
    kernel_name
        The name of the kernel's spec, ``python3``.
    language
        The kernel's language, ``python`` or another.
    capability
        What can be had from this kernel.
    note
        One sentence for a person where something can't be had; else empty.
    notebook
        The notebook's path relative to the server's root; empty where no session names one.
    started_at
        When the life began, in UTC.
    """

    trajectory_id: str
    kernel_id: str
    kernel_name: str = ""
    language: str = "python"
    capability: Capability = "starting"
    note: str = ""
    notebook: str = ""
    started_at: datetime = field(default_factory=utc_now)


@dataclass(frozen=True, slots=True)
class RunStarted:
    """A cell has begun to run.

    Attributes
    ----------
    trajectory_id, kernel_id
        Where.
    code
        What is run, redacted.
    execution_count
        The kernel's prompt number.
    started_at
        When the kernel says that it began; the recorder's own clock where that is earlier.
    """

    trajectory_id: str
    kernel_id: str
    code: str
    execution_count: int | None
    started_at: datetime


class RunListener(Protocol):
    """Hears of kernel lives and runs, in order, one call at a time for each kernel.

    An exception that a listener raises is logged and does not stop the recorder.
    """

    async def life_started(self, life: KernelLife) -> None:
        """Hear that a kernel began a new life. Its trajectory has no steps yet."""

    async def life_changed(self, life: KernelLife) -> None:
        """Hear that the capability, the note or the notebook path of a life changed."""

    async def life_ended(self, life: KernelLife) -> None:
        """Hear that the kernel was restarted, shut down, or died. No step of this life follows."""

    async def run_started(self, run: RunStarted) -> None:
        """Hear that a cell began to run."""

    async def step_recorded(self, life: KernelLife, step: Step) -> None:
        """Hear of a run that is over, complete with outputs, variables and timing. Its text is redacted and bounded."""
