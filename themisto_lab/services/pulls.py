"""The model downloads under way: one a model, however many tabs look on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator

from themisto_lab.errors import NotFoundError, ThemistoError
from themisto_lab.live.events import Events
from themisto_lab.predict.download import pull
from themisto_lab.predict.models import ModelSpec, find_spec
from themisto_lab.predict.transfer import PullCancelledError, PullProgress
from themisto_lab.services.views import ErrorView, PullView


class _Pull:
    """One download: its latest view, and a way to wait for the next."""

    def __init__(self, spec: ModelSpec) -> None:
        self.cancel = threading.Event()
        self.task: asyncio.Task[None] | None = None
        self.view = PullView(
            name=spec.predictor_name,
            state="running",
            done_bytes=0,
            total_bytes=spec.size_bytes,
            bytes_per_s=None,
            left_s=None,
            source="",
            error=None,
        )
        self.changed = asyncio.Event()

    def update(self, **changes: object) -> None:
        self.view = self.view.model_copy(update=changes)
        self.changed.set()
        self.changed = asyncio.Event()


class Pulls:
    """Starts, follows and cancels downloads.

    Parameters
    ----------
    events
        Where beginnings and ends are told.
    """

    def __init__(self, events: Events) -> None:
        self._events = events
        self._pulls: dict[str, _Pull] = {}

    def start(self, name: str) -> PullView:
        """Start to fetch a model, or join the fetch that is under way.

        Raises
        ------
        UnknownModelError
            If there is no such model to fetch.
        """
        spec = find_spec(name)
        known = self._pulls.get(spec.predictor_name)
        if known is not None and known.view.state == "running":
            return known.view
        job = self._pulls[spec.predictor_name] = _Pull(spec)
        job.task = asyncio.create_task(self._run(spec, job))
        return job.view

    def is_running(self, name: str) -> bool:
        """Tell whether a model is being fetched."""
        job = self._pulls.get(name)
        return job is not None and job.view.state == "running"

    def get(self, name: str) -> PullView:
        """Return how far a fetch is, or how it ended.

        Raises
        ------
        NotFoundError
            If it was not started.
        """
        return self._job(name).view

    async def follow(self, name: str) -> AsyncGenerator[PullView]:
        """Yield how far a fetch is, each time that changes, until it ends."""
        job = self._job(name)
        while True:
            changed = job.changed
            view = job.view
            yield view
            if view.state != "running":
                return
            await changed.wait()

    async def cancel(self, name: str) -> None:
        """Give a fetch up; what has come so far is kept for the next one."""
        job = self._job(name)
        job.cancel.set()
        if job.task is not None:
            await asyncio.wait([job.task])

    async def close(self) -> None:
        """Give all fetches up."""
        for job in self._pulls.values():
            job.cancel.set()
        await asyncio.gather(*(job.task for job in self._pulls.values() if job.task), return_exceptions=True)

    def _job(self, name: str) -> _Pull:
        job = self._pulls.get(name)
        if job is None:
            raise NotFoundError(f"No download of {name} was started.")
        return job

    async def _run(self, spec: ModelSpec, job: _Pull) -> None:
        loop = asyncio.get_running_loop()

        def on_progress(progress: PullProgress) -> None:
            loop.call_soon_threadsafe(_advance, job, progress)

        self._events.model(spec.predictor_name, "pulling")
        try:
            await asyncio.to_thread(pull, spec.name, on_progress, job.cancel)
        except PullCancelledError:
            job.update(state="cancelled", bytes_per_s=None, left_s=None)
        except ThemistoError as error:
            job.update(state="failed", error=ErrorView(code=error.code, message=str(error)))
        else:
            job.update(state="done", done_bytes=spec.size_bytes, left_s=0.0)
        self._events.model(spec.predictor_name, "pulled" if job.view.state == "done" else "failed")


def _advance(job: _Pull, progress: PullProgress) -> None:
    if job.view.state == "running":
        job.update(
            done_bytes=progress.done_bytes,
            total_bytes=progress.total_bytes,
            bytes_per_s=progress.bytes_per_s,
            left_s=progress.left_s,
            source=progress.source,
        )
