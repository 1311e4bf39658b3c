"""Outputs that need no model."""

from __future__ import annotations

import pytest

from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.known_output import KNOWN_OUTPUT
from themisto_lab.predict.registry import Registry
from themisto_lab.types import Look, TaskKind, Trajectory


@pytest.mark.parametrize(
    ("code", "look", "text", "source"),
    [
        ("x = 1", None, "", "syntax"),
        ("x = 1", Look(output=""), "", "syntax"),
        ("x", Look(output="41\n#> 42"), "41\n#> 42", "state"),
        ("draw(x)", Look(output=""), "", "state"),
        ("draw(x)", Look(output=None), "", "unknown"),
        ("draw(x)", None, "", "unknown"),
    ],
)
async def test_each_answer_says_where_it_came_from(code: str, look: Look | None, text: str, source: str) -> None:
    request = PredictRequest(task=TaskKind.CELL_OUTPUT, trajectory=Trajectory(id="t"), code=code, look=look)
    (chunk,) = [chunk async for chunk in Registry().get(KNOWN_OUTPUT).predict(request)]
    assert (chunk.raw_text, chunk.source) == (text, source)
    assert chunk.reason
