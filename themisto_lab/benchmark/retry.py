"""Asks a predictor again when its failure may pass, with pauses that grow."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from themisto_lab.types import Prediction

TRANSIENT = frozenset({"error", "engine_failed", "model_timeout", "model_unavailable", "remote_limit"})
"""Failures that another attempt may not meet."""

FATAL = frozenset({"model_damaged", "model_key_refused", "model_missing", "worker_differs"})
"""Failures that every other item would meet as well: the model is given up for this run."""

_MAX_PAUSE_S = 60.0


def pause_s(n_failed: int, first_pause_s: float, jitter: Callable[[float, float], float] = random.uniform) -> float:
    """Return the pause after so many failed attempts: doubled each time, at most a minute, spread by a fifth."""
    return min(first_pause_s * 2.0 ** (n_failed - 1), _MAX_PAUSE_S) * jitter(0.8, 1.2)


async def with_retries(
    ask: Callable[[], Awaitable[Prediction]], attempts: int, first_pause_s: float
) -> tuple[Prediction, int]:
    """Ask until there is an answer, the failure is one that stays, or the attempts are used up.

    Returns
    -------
    prediction : Prediction
        The answer, or the last failure.
    n_attempts : int
        How often it was asked.
    """
    n_attempts = 0
    while True:
        prediction = await ask()
        n_attempts += 1
        if prediction.error is None or prediction.error.code not in TRANSIENT or n_attempts >= attempts:
            return prediction, n_attempts
        await asyncio.sleep(pause_s(n_attempts, first_pause_s))
