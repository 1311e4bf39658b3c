"""One kernel from its start to its end, as listeners hear of it."""

from __future__ import annotations

from tests.capture.conftest import OpenLab


async def test_a_run_becomes_a_step_with_all_fields_of_table_1(open_lab: OpenLab) -> None:
    lab = await open_lab()
    assert lab.heard.lives[0].capability == "full"
    await lab.run("x = [1, 2, 3]\nprint('hi')\nx", "cell-a")
    step = lab.heard.steps[0]
    assert step.index == 0
    assert step.kernel_id == lab.kernel_id
    assert step.cell_id == "cell-a"
    assert step.code == "x = [1, 2, 3]\nprint('hi')\nx"
    assert step.output_text == "hi\n[1, 2, 3]"
    assert [(v.name, v.type_name, v.shape, v.summary, v.changed) for v in step.variables] == [
        ("x", "list", (3,), "[1, 2, 3]", True)
    ]
    assert step.memory_bytes is not None
    assert step.memory_bytes > 10_000_000
    assert step.peak_memory_bytes is not None
    assert step.peak_memory_bytes >= step.memory_bytes
    assert 0 < step.execution_time_s < 30
    assert len(step.hash_index) == 32
    assert step.status == "ok"
    assert step.execution_count == 1
    assert lab.heard.lives[0].notebook == "work.ipynb"
    assert lab.heard.lives[0].language == "python"
