"""Progress bars on standard error; nothing where that is not a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from tqdm import tqdm

from themisto_lab.types import Trajectory

T = TypeVar("T")

Watch = Callable[[Iterable[Trajectory], str], Iterable[Trajectory]]
"""Passes trajectories on and shows how many went by; the text says what is done with them."""


def bar(items: Iterable[T], what: str, total: int | None = None, unit: str = " trajectories") -> Iterable[T]:
    """Show a bar while the items go by."""
    return tqdm(items, desc=what, total=total, unit=unit, disable=None, leave=False)


def silent(items: Iterable[T], what: str) -> Iterable[T]:  # noqa: ARG001 - the signature of `bar`
    """Show nothing."""
    return items
