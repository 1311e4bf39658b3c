"""Waiting for something to hold, in place of sleeping."""

from __future__ import annotations

import asyncio
import time


async def until(condition, timeout_s=30.0):
    """Wait until a condition holds; return its value."""
    end = time.monotonic() + timeout_s
    while True:
        value = condition()
        if asyncio.iscoroutine(value):
            value = await value
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{condition} did not hold in {timeout_s} s")
        await asyncio.sleep(0.02)
