"""The domain types: frozen models that every stage reads and none changes.

This module imports nothing of ours, so that every other module may import it. The TypeScript types of
the front end are generated from these models' JSON Schema (``scripts/generate_types.py``).
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["ok", "error", "interrupted", "died"]
"""How a run ended. ``died``: the kernel was gone before the run came to its end."""

MIME_STDOUT = "application/vnd.jupyter.stdout"
MIME_STDERR = "application/vnd.jupyter.stderr"
MIME_ERROR = "application/vnd.jupyter.error"
MIME_TEXT = "text/plain"


def utc_now() -> datetime:
    """Return the present moment as an aware datetime in UTC."""
    return datetime.now(UTC)


class Frozen(BaseModel):
    """The base of all domain types: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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


class VariableSnapshot(Frozen):
    """One variable of the kernel's namespace, as seen after a run.

    Attributes
    ----------
    name
        The variable's name.
    type_name
        The qualified name of its exact type, ``pandas.core.frame.DataFrame``.
    shape
        Its shape, or its length as a 1-tuple, where the type tells without calling user code.
    dtype
        The element type where there is one.
    size_bytes
        An estimate of the memory that it holds, in bytes.
    summary
        A short text in place of a repr. It never results from calling user code.
    changed
        Whether the run that the snapshot follows created or changed the variable.
    """

    name: str
    type_name: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    size_bytes: int | None = None
    summary: str = ""
    changed: bool = False


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


class TaskKind(StrEnum):
    """What is predicted."""

    NEXT_CELL = "next_cell"
    CELL_OUTPUT = "cell_output"


class Arm(Frozen):
    """One way to choose the runtime state that a prompt carries.

    Attributes
    ----------
    name
        The name in settings, the store and tables.
    policy
        ``none``: no state. ``all``: every variable up to the budget, as in the paper.
    """

    name: str
    policy: Literal["none", "all"]


class Message(Frozen):
    """One message of a chat prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class Context(Frozen):
    """What a model is sent: either a raw prompt or chat messages.

    Attributes
    ----------
    prompt
        The raw transcript, for embedded and base models.
    messages
        The chat form of the same content, for chat models.
    stop
        Texts at which generation ends.
    n_tokens
        An estimate of the prompt's length, in tokens.
    dropped
        What the budget left out, in words: ``{"steps": 12, "variables": 40}``.
    redactions
        How many secrets were blanked in what the prompt shows.
    """

    prompt: str | None = None
    messages: tuple[Message, ...] = ()
    stop: tuple[str, ...] = ()
    n_tokens: int = 0
    dropped: dict[str, int] = Field(default_factory=dict)
    redactions: int = 0


class Usage(Frozen):
    """Tokens that a prediction took.

    Attributes
    ----------
    prompt_tokens, completion_tokens
        As the model's server counts them.
    cached_tokens
        The part of the prompt that was reused from a cache.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


PredictionStatus = Literal["running", "ready", "failed", "cancelled", "scored", "missed", "stale"]
"""Where a prediction stands.

``ready``: complete and stored. ``scored``: ready before the run began, and compared with it. ``missed``: the
run began before the prediction was ready. ``stale``: the cell or the state changed after the prediction was
made. ``failed``: the predictor gave an error. ``cancelled``: given up for another reason than a run.
"""


class PredictionError(Frozen):
    """Why a prediction failed.

    Attributes
    ----------
    code
        A stable word, the class of the error: ``model_missing``, ``model_key_refused``, ``model_timeout``.
    message
        One sentence for a person, with the remedy.
    """

    code: str
    message: str


class Prediction(Frozen):
    """One predictor's answer for one target.

    Attributes
    ----------
    id
        A random id.
    task
        What is predicted.
    trajectory_id
        The trajectory that it belongs to.
    target_index
        The index of the step that it is about: the number of steps done when it was asked for.
    cell_id
        For an output, the cell in focus; for a next cell, None.
    code
        For an output, the code of the cell in focus; for a next cell, empty.
    arm
        The name of the arm; None for predictors that see no prompt.
    predictor
        The predictor's name, ``local/qwen2.5-coder-0.5b``.
    text
        The prediction after post-processing.
    raw_text
        What the model wrote.
    source
        Where the text came from: ``model``, ``history``, ``syntax``.
    reason
        Why this text, in words that a person understands; empty for a model.
    shown
        Whether this is the prediction that a person is shown.
    created_at, completed_at
        When it was asked for, and when it was complete.
    usage, cost
        Tokens, and price in US dollars where known.
    context
        What the model was sent; None for predictors that see no prompt.
    status, error
        Where it stands, and why it failed.
    """

    id: str
    task: TaskKind
    trajectory_id: str
    target_index: int = Field(ge=0)
    cell_id: str | None = None
    code: str = ""
    arm: str | None = None
    predictor: str
    text: str = ""
    raw_text: str = ""
    source: str = "model"
    reason: str = ""
    shown: bool = False
    created_at: datetime = Field(default_factory=utc_now)
    completed_at: datetime | None = None
    usage: Usage | None = None
    cost: float | None = None
    context: Context | None = None
    status: PredictionStatus = "running"
    error: PredictionError | None = None

    @property
    def latency_s(self) -> float | None:
        """Seconds from the request to the complete answer."""
        if self.completed_at is None:
            return None
        return (self.completed_at - self.created_at).total_seconds()


class Target(Frozen):
    """What really happened: the text that a prediction is compared with."""

    text: str
    step_index: int = Field(ge=0)


Metric = Literal["exact_match", "rouge_l", "rouge_l_code", "chrf"]


class Score(Frozen):
    """One metric's value for one prediction, in [0, 1], higher is better.

    Attributes
    ----------
    metric
        The metric's name.
    value
        Its value.
    version
        The version of the metric's definition; scores of different versions are not mixed.
    """

    metric: Metric
    value: Annotated[float, Field(ge=0, le=1)]
    version: int = 1


JsonObject = dict[str, Any]
