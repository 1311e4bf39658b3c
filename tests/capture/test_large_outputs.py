"""Outputs without bound, on a real kernel."""

from __future__ import annotations

import tracemalloc

from tests.capture.conftest import OpenLab
from themisto_lab.capture.messages import MAX_OUTPUT_CHARS, MAX_OUTPUTS


async def test_50_mb_of_output_is_bounded(open_lab: OpenLab) -> None:
    lab = await open_lab()
    lab.client.kc.iopub_channel.stop()  # this client would keep all of it
    code = "lines = ('z' * 99 + '\\n') * 100\nfor i in range(5_000):\n    print(lines, end='')\nprint('the end')"
    await lab.run("1")
    tracemalloc.start()
    await lab.run(code)
    kept_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    step = lab.heard.steps[-1]
    assert kept_bytes < 5_000_000
    assert len(step.outputs) == 1
    assert step.outputs[0].truncated
    assert len(step.outputs[0].text) <= MAX_OUTPUT_CHARS
    assert step.outputs[0].text.startswith("z" * 99 + "\n")
    assert step.outputs[0].text.endswith("the end\n")


async def test_200_images_are_bounded(open_lab: OpenLab) -> None:
    lab = await open_lab()
    code = (
        "from IPython.display import Image, display\nimport base64\n"
        "png = base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhf'\n"
        "    'DwAChwGA60e6kgAAAABJRU5ErkJggg==')\n"
        "for _ in range(200):\n    display(Image(png))"
    )
    step = await lab.run(code)
    assert len(step.outputs) == MAX_OUTPUTS
    assert {output.mime for output in step.outputs} == {"image/png"}
    assert {output.text for output in step.outputs} == {"<IPython.core.display.Image object>"}
    assert sum(output.truncated for output in step.outputs) == 1
    assert all("iVBOR" not in output.text for output in step.outputs)
    assert len(step.model_dump_json()) < 20_000
