"""Rendered steps, kept: a step never changes, so its block is rendered and measured once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from themisto_lab.context.render import render_step
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import Step

_MAX_BLOCKS = 8192


@dataclass(frozen=True, slots=True)
class Block:
    """A rendered step and its length, in tokens. Holds its step, so that the identity stays taken."""

    step: Step
    text: str
    n_tokens: int


_kept: OrderedDict[int, Block] = OrderedDict()


def block_of(step: Step) -> Block:
    """Render a step, or find it rendered. The result depends on the step alone."""
    block = _kept.get(id(step))
    if block is None or block.step is not step:
        text = render_step(step)
        block = Block(step=step, text=text, n_tokens=estimate_tokens(text))
        _kept[id(step)] = block
        if len(_kept) > _MAX_BLOCKS:
            _kept.popitem(last=False)
    return block


def forget_blocks() -> None:
    """Let go of all kept blocks and their steps: for a long run over many trajectories."""
    _kept.clear()
