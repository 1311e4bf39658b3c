"""A predictor for tests: it says what it is told to, as fast or slowly as it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from themisto_lab.predict.base import ALL_TASKS, Chunk, PredictorKind, PredictRequest, PromptForm
from themisto_lab.types import Context, TaskKind, Usage


class EchoPredictor:
    """Answers with a given text, or else with the code that it was asked about or that ran last.

    Parameters
    ----------
    text
        The answer; None for the code.
    name, form
        As of any predictor.
    chunk_characters
        How many characters a chunk adds; 0 for one chunk.
    delay_s
        The pause before each chunk, in seconds.
    error
        Raised after the last chunk.
    """

    def __init__(
        self,
        text: str | None = None,
        *,
        name: str = "echo",
        form: PromptForm = "none",
        chunk_characters: int = 0,
        delay_s: float = 0.0,
        error: Exception | None = None,
    ) -> None:
        self._text = text
        self._name = name
        self._form: PromptForm = form
        self._chunk_characters = chunk_characters
        self._delay_s = delay_s
        self._error = error
        self.n_closed = 0
        self.warmed: list[Context] = []
        self.requests: list[PredictRequest] = []

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    @property
    def kind(self) -> PredictorKind:
        """It is for tests."""
        return "test"

    @property
    def form(self) -> PromptForm:
        """The form of prompt that it was told to ask for."""
        return self._form

    @property
    def tasks(self) -> frozenset[TaskKind]:
        """Both tasks."""
        return ALL_TASKS

    @property
    def context_tokens(self) -> int:
        """As long as any model's, unless it takes no prompt."""
        return 0 if self._form == "none" else 4096

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        """Answer in chunks; `n_closed` counts the answers that are over, however they ended."""
        self.requests.append(request)
        try:
            answer = self._answer(request)
            for end in self._ends(answer):
                await asyncio.sleep(self._delay_s)
                yield Chunk(answer[:end])
            if self._error is not None:
                raise self._error
            yield Chunk(answer, usage=Usage(completion_tokens=len(answer.split())), reason="an echo")
        finally:
            self.n_closed += 1

    async def warm(self, context: Context) -> None:
        """Remember that it was warmed."""
        self.warmed.append(context)

    def _answer(self, request: PredictRequest) -> str:
        if self._text is not None:
            return self._text
        steps = request.trajectory.steps
        return request.code or (steps[-1].code if steps else "")

    def _ends(self, answer: str) -> Sequence[int]:
        step = self._chunk_characters or len(answer) or 1
        return [*range(step, len(answer), step), len(answer)]
