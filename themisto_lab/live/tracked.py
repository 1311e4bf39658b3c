"""One prediction on its way: its latest state, and those who follow its text as it grows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime

from themisto_lab.types import Look, Prediction, Score, Target


class Tracked:
    """A prediction with followers.

    Parameters
    ----------
    prediction
        The prediction, ``running``.
    kernel_id
        The kernel that it is about.
    look
        For an output, the look that was taken for it.
    is_early
        Whether another cell was still running: then the look shows another state than the run will meet.
    """

    def __init__(
        self, prediction: Prediction, kernel_id: str, look: Look | None = None, *, is_early: bool = False
    ) -> None:
        self.prediction = prediction
        self.kernel_id = kernel_id
        self.look = look
        self.is_early = is_early
        self.text = prediction.text
        self.stored_at: datetime | None = None
        self.target: Target | None = None
        self.scores: tuple[Score, ...] = ()
        self.followers = 0
        self.only_while_followed = False
        self._changed = asyncio.Event()

    @property
    def done(self) -> bool:
        """Whether no more text comes."""
        return self.prediction.status != "running"

    def grow(self, text: str) -> None:
        """Take over the text so far and wake the followers."""
        self.text = text
        self._wake()

    def update(self, prediction: Prediction) -> None:
        """Take over a later state and wake the followers."""
        self.prediction = prediction
        self.text = prediction.text
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self) -> AsyncGenerator[str]:
        """Yield the text each time it grew, until the prediction is done. Slow readers skip states."""
        self.followers += 1
        try:
            last: str | None = None
            while True:
                changed = self._changed
                if self.text != last:
                    last = self.text
                    yield last
                    continue
                if self.done:
                    return
                await changed.wait()
        finally:
            self.followers -= 1

    async def finished(self) -> None:
        """Wait until no more text comes."""
        while not self.done:
            await self._changed.wait()
