"""What a snapshot cost and left alone is told with each step; a faulty receipt is none."""

from __future__ import annotations

import pytest

from tests.capture.conftest import OpenLab
from themisto_lab.capture.namespace import receipt_from
from themisto_lab.types import ProbeReceipt


async def test_each_step_has_its_receipt(open_lab: OpenLab) -> None:
    lab = await open_lab()
    step = await lab.run("class Thing: pass\nthing, other, n = Thing(), Thing(), 1\nlines = (x for x in 'ab')")
    assert step.receipt is not None
    assert step.receipt.cost_ms > 0
    assert step.receipt.skipped == {"__main__.Thing": 2, "generator": 1}
    assert step.receipt.out_of_time == 0
    step = await lab.run("del thing, lines")
    assert step.receipt is not None
    assert step.receipt.skipped == {"__main__.Thing": 1}


async def test_a_kernel_that_was_used_before_tells_the_first_edit(open_lab: OpenLab) -> None:
    """Names that no cell has used since the probe came are hashed before the run that changes them."""
    lab = await open_lab()
    await lab.run("exec('kept = list(range(3000))'.replace('kept', 'un' 'named'))")
    step = await lab.run("len(unnamed)")
    assert [v.name for v in step.variables if v.changed] == []
    step = await lab.run("unnamed[1234] = -1")
    assert [v.name for v in step.variables if v.changed] == ["unnamed"]


@pytest.mark.parametrize(
    "content", [{}, {"receipt": None}, {"receipt": {"cost_ms": "much"}}, {"receipt": {"cost_ms": 1, "more": 2}}]
)
def test_a_receipt_of_another_form_is_none(content: dict[str, object]) -> None:
    assert receipt_from(content) is None


def test_a_receipt_is_taken_over() -> None:
    content = {"receipt": {"cost_ms": 1.5, "skipped": {"a.B": 2}, "out_of_time": 3}}
    assert receipt_from(content) == ProbeReceipt(cost_ms=1.5, skipped={"a.B": 2}, out_of_time=3)
