"""How a fetch tells its progress, is given up, and reports that a source is of no use."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from themisto_lab.errors import ThemistoError

_SPEED_WINDOW_S = 10.0
_REPORT_EVERY_S = 0.2


class PullCancelledError(ThemistoError):
    """The fetch was given up on request; what has come so far is kept, and the next one goes on from there."""

    code = "pull_cancelled"
    http_status = 409


class SourceError(Exception):
    """One source of a file is of no use. The message is a short reason, without addresses or credentials."""


class WrongFileError(SourceError):
    """What a source offers is another file; what has come of it is of no use."""


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a fetch is.

    Attributes
    ----------
    name
        The model's name.
    source
        Where it comes from, in words.
    done_bytes, total_bytes
        What has come, and the whole.
    bytes_per_s, left_s
        Speed over the last seconds, and the time that is left at that speed; None until they are known.
    """

    name: str
    source: str
    done_bytes: int
    total_bytes: int
    bytes_per_s: float | None
    left_s: float | None


class Transfer:
    """One fetch as its sources see it: they report bytes to it and ask it whether to go on.

    Parameters
    ----------
    name, total_bytes
        The model's name and the file's length.
    on_progress
        Called in the fetching thread, a few times a second.
    cancel
        Set by another thread to give the fetch up.
    """

    def __init__(
        self,
        name: str,
        total_bytes: int,
        on_progress: Callable[[PullProgress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        self.cancel = cancel or threading.Event()
        self._name = name
        self._total_bytes = total_bytes
        self._on_progress = on_progress
        self._source = ""
        self._done_bytes = 0
        self._marks: deque[tuple[float, int]] = deque()
        self._reported_s = 0.0

    def start_source(self, source: str, done_bytes: int = 0) -> None:
        """Begin with a source, of which a part may be here already."""
        self._source = source
        self._marks.clear()
        self.report(done_bytes, now=True)

    def report(self, done_bytes: int, *, now: bool = False) -> None:
        """Tell how much of the whole file is here, and raise `PullCancelledError` if the fetch was given up."""
        self.check()
        moment_s = time.monotonic()
        self._done_bytes = min(done_bytes, self._total_bytes)
        self._marks.append((moment_s, self._done_bytes))
        while moment_s - self._marks[0][0] > _SPEED_WINDOW_S:
            self._marks.popleft()
        if self._on_progress is not None and (now or moment_s - self._reported_s >= _REPORT_EVERY_S):
            self._reported_s = moment_s
            self._on_progress(self._progress())

    def check(self) -> None:
        """Raise `PullCancelledError` if the fetch was given up."""
        if self.cancel.is_set():
            raise PullCancelledError(
                f"Pulling {self._name} was cancelled; what has come is kept and the next pull goes on from there."
            )

    def _progress(self) -> PullProgress:
        first_s, first_bytes = self._marks[0]
        last_s, last_bytes = self._marks[-1]
        elapsed_s = last_s - first_s
        speed = (last_bytes - first_bytes) / elapsed_s if elapsed_s > 0 and last_bytes > first_bytes else None
        return PullProgress(
            name=self._name,
            source=self._source,
            done_bytes=self._done_bytes,
            total_bytes=self._total_bytes,
            bytes_per_s=speed,
            left_s=(self._total_bytes - self._done_bytes) / speed if speed else None,
        )
