"""What is predicted, what a model is sent for it, and how the answer scores."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from themisto_lab.types.base import Frozen, utc_now
from themisto_lab.types.state import ProbeReceipt


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
        ``none``: no state. ``all``: every variable up to the budget, as in the paper. ``curated``: what changed
        after each step, in line, and a closer look at what the target's code touches.
    """

    name: str
    policy: Literal["none", "all", "curated"]


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
    parts
        The prompt's length by part, in tokens: ``transcript``, ``recalled``, ``state``, ``look``, ``target``.
    receipts
        What the looks at the kernel that the prompt shows had cost there, and what they left alone: ``snapshot`` for
        the variables after the last run, ``look`` for the closer look at the target.
    """

    prompt: str | None = None
    messages: tuple[Message, ...] = ()
    stop: tuple[str, ...] = ()
    n_tokens: int = 0
    dropped: dict[str, int] = Field(default_factory=dict)
    redactions: int = 0
    parts: dict[str, int] = Field(default_factory=dict)
    receipts: dict[str, ProbeReceipt] = Field(default_factory=dict)


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
        Where the text came from: ``model``, ``history``, ``syntax``, ``state``.
    reason
        Why this text, in words that a person understands; empty for a model.
    probability
        The predictor's own estimate that the text is right to the letter; None where it has none.
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
    probability: Annotated[float, Field(ge=0, le=1)] | None = None
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
