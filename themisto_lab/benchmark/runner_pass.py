"""One way through a sample: what is asked, answered and written at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TypeVar

from themisto_lab.benchmark.runner_answers import Answers, Draft
from themisto_lab.benchmark.runner_jobs import Chunk, Job

T = TypeVar("T")

_BACKLOG = 8
"""For each request at a time, how many questions may be between the sample and the disk."""


class Watch:
    """Hears how far a run is; a progress bar overrides it."""

    def begun(self, n_answers: int) -> None:
        """Hear how many answers the run is about."""

    def answered(self, n: int = 1) -> None:
        """Hear that answers stand on disk."""


async def in_thread(work: Callable[[], T], give_up: Callable[[], None] = lambda: None) -> T:
    """Run work in a thread; who gives up waits for its end all the same, so that nothing is closed under it."""
    thread = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        give_up()
        await asyncio.wait([thread])
        if not thread.cancelled():
            thread.exception()
        raise


class Pass:
    """One way through the sample. What is held is bounded by the number of requests at a time."""

    def __init__(self, answers: Answers, watch: Watch, width: int) -> None:
        self._answers = answers
        self._watch = watch
        self._width = width
        self._jobs: asyncio.Queue[Job | None] = asyncio.Queue()
        self._unwritten = asyncio.Semaphore(_BACKLOG * width)

    async def run(self, source: Iterator[Chunk]) -> int:
        """Answer all jobs; return how many answers stood already."""
        n_resumed = 0
        async with asyncio.TaskGroup() as tasks:
            for _ in range(self._width):
                tasks.create_task(self._work(tasks))
            # Reading and rendering go on in a thread while requests are under way.
            while (chunk := await in_thread(lambda: next(source, None))) is not None:
                n_resumed += chunk.n_done
                self._watch.answered(chunk.n_done)
                for job in chunk.jobs:
                    await self._unwritten.acquire()
                    reply = chunk.replies.get(job.key)
                    if reply is None:
                        await self._jobs.put(job)
                    else:
                        tasks.create_task(self._write(Draft(job, reply)))
            for _ in range(self._width):
                await self._jobs.put(None)
        return n_resumed

    async def _work(self, tasks: asyncio.TaskGroup) -> None:
        while (job := await self._jobs.get()) is not None:
            draft = await self._answers.ask(job)
            # The next request does not wait for the disk, nor for the scores.
            tasks.create_task(self._write(draft))

    async def _write(self, draft: Draft) -> None:
        await self._answers.write(draft)
        self._unwritten.release()
        self._watch.answered()
