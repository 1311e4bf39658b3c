"""The hourly limit on requests to a remote model."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from themisto_lab.errors import RemoteLimitError

_HOUR_S = 3600.0


class HourlyLimit:
    """Counts requests over the last hour.

    Parameters
    ----------
    clock
        Returns a monotonic time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken: deque[float] = deque()

    def take(self, limit: int) -> None:
        """Count one request.

        Raises
        ------
        RemoteLimitError
            If `limit` requests were counted within the last hour; this one is not counted then.
        """
        now = self._clock()
        while self._taken and self._taken[0] <= now - _HOUR_S:
            self._taken.popleft()
        if len(self._taken) >= limit:
            raise RemoteLimitError(
                f"The limit of {limit} requests an hour to a remote model is used up. "
                "Raise it in the settings, or choose a local model."
            )
        self._taken.append(now)
