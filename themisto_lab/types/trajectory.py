"""What was run: steps with their outputs and state, in the order of a kernel's life."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from themisto_lab.types.base import Frozen, utc_now
from themisto_lab.types.state import Look, ProbeReceipt, VariableSnapshot

Status = Literal["ok", "error", "interrupted", "died"]
"""How a run ended. ``died``: the kernel was gone before the run came to its end."""

MIME_STDOUT = "application/vnd.jupyter.stdout"
MIME_STDERR = "application/vnd.jupyter.stderr"
MIME_ERROR = "application/vnd.jupyter.error"
MIME_TEXT = "text/plain"


class CellOutput(Frozen):
    """One output of a run, as text.

    Attributes
    ----------
    mime
        What the output is: one of ``MIME_STDOUT``, ``MIME_STDERR``, ``MIME_ERROR``, ``text/plain`` for a
        returned or displayed value, or the richest type of a value that has no useful text (``image/png``).
    text
        The text of it; for ``MIME_ERROR`` the last line of the traceback, ``"NameError: ..."``; for a
        picture the text that stands for it, such as ``<Figure size 640x480 with 1 Axes>``.
    truncated
        Whether text was cut away to stay within the limit on stored output.
    """

    mime: str
    text: str
    truncated: bool = False


class Step(Frozen):
    """One run of one cell, with the runtime state after it (the paper's Table 1).

    Attributes
    ----------
    index
        Position in its trajectory, from 0.
    kernel_id
        The Jupyter server's id of the kernel.
    cell_id
        The id of the cell that was run; None where the kernel does not tell.
    code
        The code that was run.
    outputs
        What it printed, displayed, returned and raised, in order.
    variables
        The namespace after the run; empty where the kernel does not tell.
    memory_bytes
        Resident memory of the kernel's process at the end of the run, in bytes.
    peak_memory_bytes
        The process's peak resident memory up to the end of the run, in bytes, where the system tells.
    execution_time_s
        Wall time from the kernel's start of the run to its end, in seconds.
    hash_index
        A hash of the execution state, free of addresses, equal for equal states.
    status
        How the run ended.
    execution_count
        The kernel's own prompt number.
    started_at
        When the kernel began the run, in UTC.
    look
        What its code touched, as it was just before the run; None where nobody looked.
    receipt
        What the snapshot of the variables cost; None where there is none.
    """

    index: int = Field(ge=0)
    kernel_id: str
    cell_id: str | None = None
    code: str
    outputs: tuple[CellOutput, ...] = ()
    variables: tuple[VariableSnapshot, ...] = ()
    memory_bytes: int | None = None
    peak_memory_bytes: int | None = None
    execution_time_s: float = Field(default=0.0, ge=0)
    hash_index: str = ""
    status: Status = "ok"
    execution_count: int | None = None
    started_at: datetime = Field(default_factory=utc_now)
    look: Look | None = None
    receipt: ProbeReceipt | None = None

    @property
    def output_text(self) -> str:
        """The text that the run printed or returned: the target of output prediction.

        Streams keep their own line ends; a returned or displayed value starts on a line of its own.
        Errors, standard error and pictures are not part of it.
        """
        text = ""
        for output in self.outputs:
            if output.mime not in (MIME_STDOUT, MIME_TEXT):
                continue
            if output.mime == MIME_TEXT and text and not text.endswith("\n"):
                text += "\n"
            text += output.text
            if output.mime == MIME_TEXT:
                text += "\n"
        return text.rstrip("\n")

    @property
    def raised(self) -> bool:
        """Whether the run ended in an exception or did not end."""
        return self.status != "ok"


class Trajectory(Frozen):
    """The runs of one kernel life in the order in which a person made them.

    Attributes
    ----------
    id
        A random id.
    notebook
        The path of the notebook, relative to the server's root; the latest one after renames.
    task_description
        What the notebook is for, in the user's words.
    steps
        The runs, ``steps[i].index == i``.
    language
        The kernel's language, ``python`` or another.
    kernel_id
        The Jupyter server's id of the kernel.
    started_at
        When the kernel life began.
    replayed
        Whether the outputs come from a later replay and not from the original session.
    """

    id: str
    notebook: str = ""
    task_description: str = ""
    steps: tuple[Step, ...] = ()
    language: str = "python"
    kernel_id: str = ""
    started_at: datetime = Field(default_factory=utc_now)
    replayed: bool = False
