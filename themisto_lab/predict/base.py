"""What every predictor is: a name, the form of prompt that it reads, and a stream of growing text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from themisto_lab.types import Context, Look, TaskKind, Trajectory, Usage

PromptForm = Literal["none", "transcript", "chat"]
"""What a predictor reads: the trajectory alone, a raw transcript, or chat messages."""

ALL_TASKS: frozenset[TaskKind] = frozenset(TaskKind)

PredictorKind = Literal["baseline", "local", "remote", "test"]


@dataclass(frozen=True, slots=True)
class PredictRequest:
    """One question to a predictor.

    Attributes
    ----------
    task
        What is asked for.
    trajectory
        All that has been run so far.
    code
        For an output, the code of the cell in focus; empty for a next cell.
    context
        The prompt, in the predictor's own form; None for the form ``none``.
    cell_id
        For an output, the cell in focus.
    look
        For an output, a closer look at what the code touches; None where nobody looked.
    below
        The source of the cell below the one that ran last, where it is known.
    max_tokens
        The most that the answer may take.
    timeout_s
        How long the whole answer may take, in seconds.
    """

    task: TaskKind
    trajectory: Trajectory
    code: str = ""
    context: Context | None = None
    cell_id: str | None = None
    look: Look | None = None
    below: str | None = None
    max_tokens: int = 256
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Chunk:
    """One state of a growing answer.

    Attributes
    ----------
    raw_text
        All that the predictor has said so far (cumulative, not a difference).
    usage, cost
        Set on the last chunk where the predictor knows them; cost in US dollars.
    source, reason
        Where the text came from and why, in words; see `themisto_lab.types.Prediction`.
    probability
        The predictor's own estimate that the text is right to the letter; None where it has none.
    context
        What was sent in the end, where that is not the request's context.
    """

    raw_text: str
    usage: Usage | None = None
    cost: float | None = None
    source: str = "model"
    reason: str = ""
    probability: float | None = None
    context: Context | None = None


class Guess(NamedTuple):
    """What a predictor without a prompt answers at once: the text, its reason in words, its probability and source."""

    text: str
    reason: str
    probability: float | None = None
    source: str | None = None


@runtime_checkable
class Predictor(Protocol):
    """Something that answers a `PredictRequest`.

    Closing the iterator cancels the answer and frees what it holds. Errors are children of
    `themisto_lab.errors.ThemistoError`; anything else is a defect.
    """

    @property
    def name(self) -> str:
        """The name in settings, the store and tables, ``local/qwen2.5-coder-0.5b``."""

    @property
    def kind(self) -> PredictorKind:
        """What it costs: nothing, this machine's time, or a provider's."""

    @property
    def form(self) -> PromptForm:
        """The form of prompt that it reads."""

    @property
    def tasks(self) -> frozenset[TaskKind]:
        """The tasks that it can be asked for."""

    @property
    def context_tokens(self) -> int:
        """The longest prompt that it takes, in tokens; 0 for the form ``none``."""

    def predict(self, request: PredictRequest) -> AsyncIterator[Chunk]:
        """Answer a request as a stream of cumulative chunks."""

    async def warm(self, context: Context) -> None:
        """Read a prompt ahead of the question, where that saves time later; else do nothing."""
