"""Predictors that cost nothing: what the session's own past says. They stand beside every model, always."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass

from themisto_lab.predict.base import Chunk, Guess, PredictorKind, PredictRequest, PromptForm
from themisto_lab.predict.history import HISTORY
from themisto_lab.predict.known_output import KNOWN_OUTPUT, UNKNOWN, guess_known_output
from themisto_lab.types import Context, Step, TaskKind


@dataclass(frozen=True, slots=True)
class Baseline:
    """A predictor that is a pure function of the request; it reads no prompt.

    Attributes
    ----------
    name
        The predictor's name, ``baseline/follower``.
    task
        The one task that it can be asked for.
    guess
        The function. Its text is empty where there is nothing to go by.
    source
        What it goes by, in a word.
    """

    name: str
    task: TaskKind
    guess: Callable[[PredictRequest], Guess]
    source: str = "history"

    @property
    def kind(self) -> PredictorKind:
        """It costs nothing."""
        return "baseline"

    @property
    def form(self) -> PromptForm:
        """It reads the trajectory, not a prompt."""
        return "none"

    @property
    def tasks(self) -> frozenset[TaskKind]:
        """The one task that it can be asked for."""
        return frozenset({self.task})

    @property
    def context_tokens(self) -> int:
        """It takes no prompt."""
        return 0

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        """Answer at once, in one chunk."""
        guess = self.guess(request)
        yield Chunk(guess.text, source=guess.source or self.source, reason=guess.reason, probability=guess.probability)

    async def warm(self, context: Context) -> None:
        """Do nothing: there is no prompt to read."""


def guess_repeat(request: PredictRequest) -> Guess:
    """Guess that the last cell is run again."""
    steps = request.trajectory.steps
    if not steps:
        return Guess("", "nothing was run yet")
    return Guess(steps[-1].code, "the last cell again")


def guess_follower(request: PredictRequest) -> Guess:
    """Guess what followed the last cell's code when it was run before; else that it is run again."""
    steps = request.trajectory.steps
    if steps:
        last = steps[-1].code.strip()
        for index in range(len(steps) - 2, -1, -1):
            if steps[index].code.strip() == last:
                return Guess(steps[index + 1].code, "what followed this cell last time")
    return guess_repeat(request)


def guess_below(request: PredictRequest) -> Guess:
    """Guess the cell below the one that ran last."""
    if not request.below or not request.below.strip():
        return Guess("", "there is no code cell below")
    return Guess(request.below, "the cell below")


def guess_last_output(request: PredictRequest) -> Guess:
    """Guess what this cell printed or returned the last time it ran; else what any cell did last."""
    steps = request.trajectory.steps
    code = request.code.strip()
    same_cell = _last(steps, lambda step: request.cell_id is not None and step.cell_id == request.cell_id)
    if same_cell is not None:
        return Guess(same_cell.output_text, "this cell's last output")
    same_code = _last(steps, lambda step: step.code.strip() == code)
    if same_code is not None:
        return Guess(same_code.output_text, "the last output of the same code")
    with_output = _last(steps, lambda step: bool(step.output_text))
    if with_output is not None:
        return Guess(with_output.output_text, "the last output of another cell")
    return Guess("", "nothing was put out yet")


def _last(steps: Sequence[Step], fits: Callable[[Step], bool]) -> Step | None:
    """Return the latest step that fits."""
    return next((step for step in reversed(steps) if fits(step)), None)


BASELINES = (
    Baseline("baseline/repeat", TaskKind.NEXT_CELL, guess_repeat),
    Baseline("baseline/follower", TaskKind.NEXT_CELL, guess_follower),
    Baseline("baseline/below", TaskKind.NEXT_CELL, guess_below),
    Baseline("baseline/history", TaskKind.NEXT_CELL, HISTORY.guess),
    Baseline(KNOWN_OUTPUT, TaskKind.CELL_OUTPUT, guess_known_output, source=UNKNOWN),
    Baseline("baseline/last-output", TaskKind.CELL_OUTPUT, guess_last_output),
)
