"""Rendered steps, kept: a step never changes, so its block is rendered and measured once for each kind of arm."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from themisto_lab.context.changes import NO_CHANGES, Changes, render_changes
from themisto_lab.context.names import Names, names_of
from themisto_lab.context.render import render_step
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import Step

_MAX_KEPT = 8192

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Block:
    """A rendered step.

    Attributes
    ----------
    text
        The cell, its output and, where the arm writes state in line, what the run changed.
    n_tokens
        The whole block's length, in tokens.
    changes
        What the run changed, as it stands at the end of the text.
    """

    text: str
    n_tokens: int
    changes: Changes


class _PerStep(Generic[T]):
    """Something that depends on a step alone, made once. Holds the steps, so that their identities stay taken."""

    def __init__(self, make: Callable[[Step], T]) -> None:
        self._make = make
        self._kept: OrderedDict[int, tuple[Step, T]] = OrderedDict()

    def __call__(self, step: Step) -> T:
        known = self._kept.get(id(step))
        if known is not None and known[0] is step:
            return known[1]
        made = self._make(step)
        self._kept[id(step)] = (step, made)
        if len(self._kept) > _MAX_KEPT:
            self._kept.popitem(last=False)
        return made

    def clear(self) -> None:
        """Let go of all."""
        self._kept.clear()


def _plain(step: Step) -> Block:
    text = render_step(step)
    return Block(text=text, n_tokens=estimate_tokens(text), changes=NO_CHANGES)


def _with_changes(step: Step) -> Block:
    changes = render_changes(step)
    text = render_step(step)
    return Block(text=text + changes.text, n_tokens=estimate_tokens(text) + changes.n_tokens, changes=changes)


_plain_blocks = _PerStep(_plain)
_blocks_with_changes = _PerStep(_with_changes)
_names = _PerStep(lambda step: names_of(step.code))


def block_of(step: Step, *, with_changes: bool = False) -> Block:
    """Render a step, or find it rendered. The result depends on the step and the kind of arm alone.

    Parameters
    ----------
    step
        The step.
    with_changes
        Whether what the run changed among the variables is written behind its output.
    """
    return (_blocks_with_changes if with_changes else _plain_blocks)(step)


def names_in(step: Step) -> Names:
    """Read off a step's code which names it needs and makes, or find it read."""
    return _names(step)


def forget_blocks() -> None:
    """Let go of all that is kept about steps: for a long run over many trajectories."""
    _plain_blocks.clear()
    _blocks_with_changes.clear()
    _names.clear()
