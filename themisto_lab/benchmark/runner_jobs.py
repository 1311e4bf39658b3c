"""From items to what is asked: requests, the hash of all that determines a reply, and what is known already."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from themisto_lab.benchmark.contenders import Contender, package_version
from themisto_lab.benchmark.manifest import Manifest
from themisto_lab.benchmark.results import Reply, Results
from themisto_lab.benchmark.runner_options import ANSWER_TOKENS, BenchOptions
from themisto_lab.benchmark.sample_file import SampleItem
from themisto_lab.context.blocks import forget_blocks
from themisto_lab.context.build import build_context
from themisto_lab.context.select import ARMS
from themisto_lab.predict.base import PredictRequest
from themisto_lab.scoring.resolve import target_text
from themisto_lab.types import Context, JsonObject, Prediction, TaskKind, Trajectory

_CHUNK = 32

SampleStream = Iterable[tuple[SampleItem, Trajectory]]


@dataclass(frozen=True, slots=True)
class Setup:
    """One contender's settings in a run.

    Attributes
    ----------
    contender
        Who is asked.
    options
        The options of the run.
    sample_sha256
        The hash of the sample file.
    digest
        A hash of all that determines its answers, but for the items.
    """

    contender: Contender
    options: BenchOptions
    sample_sha256: str
    digest: str


def make_setup(contender: Contender, options: BenchOptions, manifest: Manifest) -> Setup:
    """Return a contender's settings in a run."""
    determined_by = {
        "identity": contender.identity,
        "sample": manifest.sample_sha256,
        "prompt_version": manifest.prompt_version,
        "context_tokens": options.context_tokens,
        "answer_tokens": manifest.answer_tokens,
        "metrics": manifest.metrics,
        "version": manifest.packages.get("themisto_lab"),
    }
    return Setup(contender, options, manifest.sample_sha256, _hash(determined_by))


@dataclass(frozen=True, slots=True)
class Job:
    """One question to one contender.

    Attributes
    ----------
    setup
        Who is asked, and how.
    item, target
        What it is about, and the text to compare with.
    arm
        The arm; empty for a predictor that reads no prompt.
    request
        What is asked.
    key
        A hash of all that determines the reply.
    """

    setup: Setup
    item: SampleItem
    target: str
    arm: str
    request: PredictRequest
    key: str

    def prediction(self) -> Prediction:
        """Return the prediction to complete; it begins now."""
        return Prediction(
            id=self.key,
            task=self.item.task,
            trajectory_id=self.item.trajectory_id,
            target_index=self.item.target_index,
            cell_id=self.request.cell_id,
            code=self.request.code,
            arm=self.arm or None,
            predictor=self.setup.contender.name,
            context=self.request.context,
        )


@dataclass(frozen=True, slots=True)
class Chunk:
    """The jobs of a few items.

    Attributes
    ----------
    jobs
        What is to be answered.
    replies
        Replies that are there already, by key.
    n_done
        How many answers of these items stand already.
    """

    jobs: list[Job]
    replies: dict[str, Reply]
    n_done: int


def chunks(sample: SampleStream, setups: Sequence[Setup], results: Results | None, limited: bool) -> Iterator[Chunk]:
    """Yield the jobs of a few items at a time.

    Parameters
    ----------
    sample
        Items with their trajectories.
    setups
        Who is asked.
    results
        What is known already; None for nothing.
    limited
        Whether the run is about a part of the sample only, which its results tell.
    """
    rest = iter(sample)
    while pairs := list(islice(rest, _CHUNK)):
        ids = [item.id for item, _ in pairs]
        if limited and results is not None:
            own = results.items_among(ids)
            pairs = [(item, trajectory) for item, trajectory in pairs if item.id in own]
        known = results.answered(ids) if results is not None else {}
        jobs: list[Job] = []
        n_done = 0
        for item, trajectory in pairs:
            for setup in setups:
                if item.task not in setup.contender.predictor.tasks:
                    continue
                for arm in setup.contender.arms:
                    name = (item.id, setup.contender.name, arm or "", setup.contender.prompt)
                    if known.get(name) == setup.digest:
                        n_done += 1
                    else:
                        jobs.append(make_job(setup, item, trajectory, arm))
        keys = sorted({job.key for job in jobs if not job.setup.contender.free})
        yield Chunk(jobs, results.replies(keys) if results is not None and keys else {}, n_done)
        # Rendered steps are kept with all their variables; of a large sample they would fill the memory.
        forget_blocks()


def make_job(setup: Setup, item: SampleItem, trajectory: Trajectory, arm: str | None) -> Job:
    """Return one question to one contender: the same that the live driver asks at that moment."""
    history = item.history(trajectory)
    code = item.code(trajectory)
    predictor, options = setup.contender.predictor, setup.options
    max_tokens = ANSWER_TOKENS[item.task]
    step = trajectory.steps[item.target_index]
    # Taken before the step ran, as a person's own look is.
    look = step.look if item.task is TaskKind.CELL_OUTPUT else None
    context = None
    if arm is not None:
        context = build_context(
            history,
            ARMS[arm],
            item.task,
            code=code,
            look=look,
            chat=predictor.form == "chat",
            limit_tokens=min(options.context_tokens, predictor.context_tokens - max_tokens),
        )
    request = PredictRequest(
        task=item.task,
        trajectory=history,
        code=code,
        context=context,
        cell_id=step.cell_id if code else None,
        look=look,
        max_tokens=max_tokens,
        timeout_s=options.timeout_s,
    )
    key = _reply_key(setup, item, context, max_tokens)
    return Job(setup, item, target_text(item.task, step), arm or "", request, key)


def _reply_key(setup: Setup, item: SampleItem, context: Context | None, max_tokens: int) -> str:
    """Hash what a reply depends on. Without a prompt that is the item in its sample; the arm is not part of it."""
    contender = setup.contender
    asked: JsonObject
    if context is None:
        asked = {"sample": setup.sample_sha256, "item": item.id, "version": package_version("themisto_lab")}
    else:
        asked = {
            "prompt": context.prompt,
            "messages": [(message.role, message.content) for message in context.messages],
            "stop": context.stop,
        }
    return _hash(
        {
            "model": contender.name,
            "identity": contender.identity,
            "form": contender.prompt,
            "task": item.task.value,
            "max_tokens": max_tokens,
            **asked,
        }
    )


def _hash(value: Any) -> str:
    # Lone surrogates in a cell's output have no UTF-8: escapes stand for them.
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("ascii")).hexdigest()
