"""A closer look at the kernel for a forecast: taken through whoever has the kernel, and never in a forecast's way."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from themisto_lab.types import Look

LookTaker = Callable[[str, str], Awaitable[Look | None]]
"""Looks, in the kernel of an id, at what some code touches; None where the kernel can't tell."""

_TIMEOUT_S = 0.5
"""A look takes some milliseconds. A forecast waits no longer than this for one, in seconds."""


async def no_look(kernel_id: str, code: str) -> Look | None:
    """Look at nothing: where nobody has the kernel."""
    del kernel_id, code
    return None


async def look_in_time(take: LookTaker, kernel_id: str, code: str, log: logging.Logger) -> Look | None:
    """Take a look; None where it fails or takes too long, since a forecast does without."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            return await take(kernel_id, code)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the kernel, the forecast goes on
        log.debug("A look at a kernel failed: %s", type(error).__name__)
        return None
