"""One job from its request to a scored answer on disk."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from themisto_lab.benchmark.group_commit import GroupCommit
from themisto_lab.benchmark.results import AnswerRow, Reply, Results
from themisto_lab.benchmark.retry import FATAL, with_retries
from themisto_lab.benchmark.runner_jobs import Job
from themisto_lab.predict.postprocess import prediction_text
from themisto_lab.predict.run import run_prediction
from themisto_lab.scoring.metrics import score_text
from themisto_lab.types import Prediction, PredictionError

_REMEMBERED = 1024
"""Answered questions that are remembered: more than can lie between the look into the results and the asking."""

_GATHER_S = 0.02
"""How long scored answers gather, in seconds. Replies do not: each may have cost money."""

Kept = tuple[Reply, asyncio.Future[None]]
"""A reply, and a future that is done when it is committed."""


Ask = Callable[[Job], Awaitable[Prediction]]
"""Asks once; a failure is part of the prediction."""


async def ask_here(job: Job) -> Prediction:
    """Ask in this process."""
    return await run_prediction(job.setup.contender.predictor, job.prediction(), job.request)


class ModelStopError(Exception):
    """A model can't be asked any more; its failure would be the same for every other item."""

    def __init__(self, model: str, error: PredictionError) -> None:
        super().__init__(error.message)
        self.model = model
        self.error = error


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer that has no scores yet; ``committed`` is done when its reply is on disk."""

    job: Job
    reply: Reply | None = None
    n_attempts: int = 0
    error: PredictionError | None = None
    committed: asyncio.Future[None] | None = None


class Answers:
    """Asks, and writes replies as soon as they are there and answers once they are scored.

    Parameters
    ----------
    results
        Where both go.
    ask
        How to ask.
    """

    def __init__(self, results: Results, ask: Ask = ask_here) -> None:
        self._ask = ask
        self._replies: GroupCommit[Reply] = GroupCommit(results.put_replies)
        self._drafts: GroupCommit[Draft] = GroupCommit(lambda drafts: results.put_answers(scored(drafts)), _GATHER_S)
        self._asked: OrderedDict[str, asyncio.Future[Kept | None]] = OrderedDict()
        self.n_calls = 0

    async def ask(self, job: Job) -> Draft:
        """Ask for a reply, or share that of the same question when it was asked a moment ago.

        Raises
        ------
        ModelStopError
            The model can't be asked any more.
        """
        while (shared := self._asked.get(job.key)) is not None:
            kept = await asyncio.shield(shared)
            if kept is not None:
                return Draft(job, kept[0], committed=kept[1])
            if self._asked.get(job.key) is shared:
                break  # it failed, and failures are not shared
        waiting: asyncio.Future[Kept | None] = asyncio.get_running_loop().create_future()
        self._asked[job.key] = waiting
        if len(self._asked) > _REMEMBERED:
            self._asked.popitem(last=False)
        kept = None
        try:
            draft = await self._call(job)
            if draft.reply is not None and draft.committed is not None:
                kept = (draft.reply.model_copy(update={"context": None}), draft.committed)
        finally:
            waiting.set_result(kept)
        return draft

    async def write(self, draft: Draft) -> None:
        """Score an answer and write it, after its reply; return when it is committed."""
        if draft.committed is not None:
            await asyncio.shield(draft.committed)
        await asyncio.shield(self._drafts.put(draft))

    async def close(self) -> None:
        """Wait until all that was given to be written is committed."""
        await self._replies.close()
        await self._drafts.close()

    async def _call(self, job: Job) -> Draft:
        options, predictor = job.setup.options, job.setup.contender.predictor

        async def ask() -> Prediction:
            self.n_calls += not job.setup.contender.free
            return await self._ask(job)

        prediction, n_attempts = await with_retries(ask, options.attempts, options.first_pause_s)
        error = prediction.error
        if error is not None:
            if error.code in FATAL:
                raise ModelStopError(predictor.name, error)
            return Draft(job, None, n_attempts, error)
        # Given to be written before anything else can happen: it may have cost money.
        reply = _reply(job.key, prediction)
        return Draft(job, reply, n_attempts, committed=self._replies.put(reply))


def _reply(key: str, prediction: Prediction) -> Reply:
    usage = prediction.usage
    return Reply(
        key=key,
        raw_text=prediction.raw_text,
        source=prediction.source,
        reason=prediction.reason,
        probability=prediction.probability,
        prompt_tokens=usage.prompt_tokens if usage else None,
        completion_tokens=usage.completion_tokens if usage else None,
        cached_tokens=usage.cached_tokens if usage else None,
        cost=prediction.cost,
        latency_s=prediction.latency_s or 0.0,
        answered_at=prediction.completed_at or prediction.created_at,
        context=prediction.context.model_dump(mode="json") if prediction.context else None,
    )


def scored(drafts: Sequence[Draft]) -> list[AnswerRow]:
    """Score answers with and without post-processing. It blocks."""
    return [_answer(draft) for draft in drafts]


def _answer(draft: Draft) -> AnswerRow:
    job, contender = draft.job, draft.job.setup.contender
    names = {
        "item_id": job.item.id,
        "model": contender.name,
        "arm": job.arm,
        "prompt": contender.prompt,
        "setup": job.setup.digest,
        "n_attempts": draft.n_attempts,
    }
    if draft.reply is None:
        error = draft.error
        return AnswerRow(
            **names, error_code=error.code if error else "error", error_message=error.message if error else ""
        )
    raw_text = draft.reply.raw_text
    text = prediction_text(raw_text, job.item.task, contender.predictor.form)
    post = _values(text, job.target)
    raw = post if text == raw_text else _values(raw_text, job.target)
    return AnswerRow(**names, key=job.key, text=text, scores={"post": post, "raw": raw})


def _values(text: str, target: str) -> dict[str, float]:
    return {score.metric: score.value for score in score_text(text, target)}
