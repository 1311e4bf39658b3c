"""Outputs that need no model: those of cells that print nothing, and those that the kernel's state tells by itself."""

from __future__ import annotations

from themisto_lab.predict.base import Guess, PredictRequest
from themisto_lab.predict.silent import is_silent

UNKNOWN = "unknown"
"""The source of an answer that is none."""

KNOWN_OUTPUT = "rule/known-output"
"""A predictor of its own, so that nobody takes its answers for a model's skill."""


def guess_known_output(request: PredictRequest) -> Guess:
    """Return a cell's output where its syntax or a closer look at the kernel tells it; else nothing, and say so."""
    if is_silent(request.code, request.trajectory.steps):
        return Guess("", "this cell only assigns, imports or defines", source="syntax")
    if request.look is not None and request.look.output is not None:
        return Guess(request.look.output, "the kernel's state tells it", source="state")
    return Guess("", "only a run can tell", source=UNKNOWN)
