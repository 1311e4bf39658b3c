"""``combined/<model>``: the history's candidate for the next cell or the model's, whichever is likelier to be right.

Both are checked without being run (`themisto_lab.predict.check`). What would surely fail is repaired once by the
model, or dropped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from themisto_lab.errors import ThemistoError
from themisto_lab.predict.base import Chunk, Predictor, PredictorKind, PredictRequest, PromptForm
from themisto_lab.predict.check import check_code
from themisto_lab.predict.combined_prompt import ROOM_TOKENS, with_candidates, with_findings
from themisto_lab.predict.history import HISTORY, Candidate, HistoryGuesser
from themisto_lab.predict.models import COMBINED_PREFIX
from themisto_lab.predict.postprocess import prediction_text
from themisto_lab.predict.run import answer_stream
from themisto_lab.types import Context, TaskKind, Trajectory, Usage

_SURE = 0.5
"""From this probability on, the history's candidate is shown at once: no model was ever right so often."""

_N_TOLD = 3
_LOCAL_PRIOR = 0.05
_REMOTE_PRIOR = 0.14
"""How often a model is right that names something new; remote: the best of the paper's models (arXiv 2504.12365)."""


@dataclass(frozen=True, slots=True)
class _Option:
    """One text that may be shown, with what speaks against it."""

    text: str
    raw_text: str
    source: str
    reason: str
    probability: float
    findings: tuple[str, ...] = ()


class CombinedPredictor:
    """A model and the session's past as one predictor of the next cell.

    Parameters
    ----------
    model
        Any predictor that reads a prompt.
    history
        The past's candidates.
    check
        Whether candidates are checked; without, the share that would run can be measured before and after.
    """

    def __init__(self, model: Predictor, history: HistoryGuesser = HISTORY, *, check: bool = True) -> None:
        self._model = model
        self._history = history
        self._check = check

    @property
    def name(self) -> str:
        """The model's name after ``combined/``."""
        return COMBINED_PREFIX + self._model.name

    @property
    def kind(self) -> PredictorKind:
        """It costs what the model costs."""
        return self._model.kind

    @property
    def form(self) -> PromptForm:
        """It reads what the model reads."""
        return self._model.form

    @property
    def tasks(self) -> frozenset[TaskKind]:
        """The model's; outputs are the model's alone."""
        return self._model.tasks

    @property
    def context_tokens(self) -> int:
        """The model's, less the room for candidates."""
        return max(0, self._model.context_tokens - ROOM_TOKENS)

    async def warm(self, context: Context) -> None:
        """Let the model read ahead: candidates come behind the part that is known."""
        await self._model.warm(context)

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        """Answer a next cell in one chunk, once it is decided what is shown; stream an output as the model does."""
        if request.task is TaskKind.CELL_OUTPUT:
            async with aclosing(answer_stream(self._model, request)) as chunks:
                async for chunk in chunks:
                    yield chunk
            return
        ranked = self._history.rank(request.trajectory, request.below)
        past = self._best_of_past(ranked, request.trajectory)
        if past is not None and past.probability >= _SURE:
            yield _chunk(past, None)
            return
        deadline_s = asyncio.get_running_loop().time() + request.timeout_s
        try:
            answer, sent, usage = await self._asked_model(request, ranked, deadline_s)
        except ThemistoError:
            if past is None:
                raise
            yield _chunk(replace(past, reason=f"{past.reason}; the model gave no answer"), None)
            return
        yield replace(_chunk(_choose(past, answer), usage), context=sent)

    def _findings(self, code: str, trajectory: Trajectory) -> tuple[str, ...]:
        return check_code(code, trajectory) if self._check else ()

    def _best_of_past(self, ranked: list[Candidate], trajectory: Trajectory) -> _Option | None:
        """Return the likeliest candidate that may run; what was dropped before it is told."""
        dropped: tuple[str, ...] = ()
        for candidate in sorted(ranked, key=lambda one: -one.probability):
            findings = self._findings(candidate.text, trajectory)
            if not findings:
                reason = candidate.reason + (f"; another would fail: {dropped[0]}" if dropped else "")
                return _Option(candidate.text, candidate.text, "history", reason, candidate.probability)
            dropped = dropped or findings
        return None

    async def _asked_model(
        self, request: PredictRequest, ranked: list[Candidate], deadline_s: float
    ) -> tuple[_Option, Context, Usage | None]:
        """Ask the model, and where its answer would fail, ask it once more."""
        context, n_steps = request.context or Context(), len(request.trajectory.steps)
        told = [candidate.text for candidate in ranked[:_N_TOLD]]
        first = with_candidates(context, n_steps, told)
        raw_text, usage = await self._asked_once(request, first, deadline_s)
        answer = self._judged(raw_text, ranked, request.trajectory)
        if not answer.findings:
            return answer, first, usage
        again = with_findings(context, n_steps, answer.text, answer.findings)
        raw_text, more = await self._asked_once(request, again, deadline_s)
        repaired = self._judged(raw_text, ranked, request.trajectory)
        why = answer.findings[0]
        reason = f"the model's, repaired: {why}" if not repaired.findings else f"the model's would fail: {why}"
        return replace(repaired, reason=reason), again, _sum(usage, more)

    async def _asked_once(
        self, request: PredictRequest, context: Context, deadline_s: float
    ) -> tuple[str, Usage | None]:
        left_s = max(0.1, deadline_s - asyncio.get_running_loop().time())
        last = Chunk("")
        async with aclosing(answer_stream(self._model, replace(request, context=context, timeout_s=left_s))) as chunks:
            async for chunk in chunks:
                last = chunk
        return last.raw_text, last.usage

    def _judged(self, raw_text: str, ranked: list[Candidate], trajectory: Trajectory) -> _Option:
        text = prediction_text(raw_text, TaskKind.NEXT_CELL, self._model.form)
        same = next((candidate for candidate in ranked if candidate.text == text.strip()), None)
        prior = _REMOTE_PRIOR if self.kind == "remote" else _LOCAL_PRIOR
        if same is not None:
            # The model was shown the candidate: that it names it is no more news than any answer of its own.
            probability = 1 - (1 - prior) * (1 - same.probability)
            reason = f"{same.reason}, and the model's too"
        else:
            probability, reason = prior, "the model's"
        findings = self._findings(text, trajectory)
        return _Option(text, raw_text, "model", reason, probability if text.strip() else 0.0, findings)


def _choose(past: _Option | None, answer: _Option) -> _Option:
    """Return the likelier one of those that may run; nothing where neither may."""
    if answer.findings or not answer.text.strip():
        if past is None:
            return _Option("", "", "model", answer.reason, 0.0)
        return replace(past, reason=f"{past.reason}; {answer.reason}" if answer.findings else past.reason)
    if past is not None and past.probability >= answer.probability:
        return past
    return answer


def _chunk(option: _Option, usage: Usage | None) -> Chunk:
    return Chunk(
        option.raw_text, usage=usage, source=option.source, reason=option.reason, probability=option.probability
    )


def _sum(one: Usage | None, other: Usage | None) -> Usage | None:
    if one is None or other is None:
        return one or other
    return Usage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        cached_tokens=one.cached_tokens + other.cached_tokens,
    )
