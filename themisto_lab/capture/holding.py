"""A run that is over waits for the namespace after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from themisto_lab.capture.life import EndedRun, StateAfter
from themisto_lab.capture.messages import Run

_HOLD_S = 2.0


class Holding:
    """Holds one run until its namespace is told, the next run begins, or time is up.

    Parameters
    ----------
    tell
        Called with the run when it is let go.
    """

    def __init__(self, tell: Callable[[EndedRun], None]) -> None:
        self._tell = tell
        self._held: tuple[EndedRun, asyncio.TimerHandle] | None = None

    def hold(self, ended: EndedRun) -> None:
        """Hold a run; one that is held already is let go."""
        self.release()
        self._held = ended, asyncio.get_running_loop().call_later(_HOLD_S, self.release)

    def is_held(self, run: Run | None) -> bool:
        """Whether it is this run that is held."""
        return self._held is not None and self._held[0].run is run

    def complete(self, state: StateAfter) -> None:
        """Let the held run go with the state after it."""
        if self._held is not None:
            self._held[0].state = state
            self.release()

    def complete_from_install(self, state: StateAfter, content: Mapping[str, Any]) -> None:
        """Do so if the probe's first message tells the state after the held run, and whose cell it was."""
        count = content.get("execution_count")
        if self._held is not None and count is not None and self._held[0].run.execution_count == count:
            self._held[0].run.cell_id = content.get("cell_id")
            self.complete(state)

    def give_up(self) -> None:
        """Let the held run go; what the probe did not get to tell can't be asked for any more."""
        if self._held is not None:
            self._held[0].awaits_state = False
            self.release()

    def release(self) -> None:
        """Let the held run go as it is."""
        if self._held is not None:
            (ended, timer), self._held = self._held, None
            timer.cancel()
            self._tell(ended)
