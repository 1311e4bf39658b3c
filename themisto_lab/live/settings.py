"""What the user chose: the one settings object that the live driver reads."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from themisto_lab.types import Frozen


class Settings(Frozen):
    """What the user chose.

    Attributes
    ----------
    enabled
        Whether anything is captured and predicted at all.
    recording
        Whether what is captured is written to the store's file; if not, it lives in memory only.
    model
        The predictor whose predictions are shown.
    arms
        The arms that are predicted; the first one is shown.
    next_cell, output
        When each task is predicted: ``run_end`` (next cell) / ``pause`` (output), ``ask`` only, or ``never``.
    context_tokens
        The most tokens of context that a prompt takes.
    remote_allowed
        Whether a remote model may be asked at all.
    remote_per_hour
        The most requests to a remote model in an hour.
    timeout_s
        The most time that a prediction may take.
    store_cap_bytes
        The most that the store's file may hold; the oldest content goes first, scores stay.
    """

    enabled: bool = True
    recording: bool = True
    model: str = "local/qwen2.5-coder-0.5b"
    arms: tuple[str, ...] = ("runtime", "no_runtime")
    next_cell: Literal["run_end", "ask", "never"] = "run_end"
    output: Literal["pause", "ask", "never"] = "pause"
    context_tokens: int = Field(default=2048, ge=256, le=32768)
    remote_allowed: bool = False
    remote_per_hour: int = Field(default=60, ge=0)
    timeout_s: float = Field(default=60.0, gt=0, le=600)
    store_cap_bytes: int = Field(default=500_000_000, ge=1_000_000)
