"""Kernels that tell less: not IPython, not Python, not on this machine."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import AsyncKernelManager

from tests.capture.conftest import Heard, OpenLab
from themisto_lab.capture.kernels import describe_kernel, note_for
from themisto_lab.capture.recorder import Recorder

ECHO_KERNEL = """
import os
import time
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class EchoKernel(Kernel):
    implementation = "echo"
    implementation_version = "1"
    language_info = {"name": "python", "mimetype": "text/plain", "file_extension": ".txt"}
    banner = "echo"

    async def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False):
        if code.startswith("die"):
            time.sleep(0.3)  # what it published before must be out
            os._exit(1)
        if not silent:
            self.send_response(self.iopub_socket, "stream", {"name": "stdout", "text": code.upper()})
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}


IPKernelApp.launch_instance(kernel_class=EchoKernel)
"""

AddSpec = Callable[[str, dict[str, Any]], None]


async def test_a_kernel_without_ipython_gives_steps_without_variables(
    open_lab: OpenLab, add_kernel_spec: AddSpec, tmp_path: Path
) -> None:
    file = tmp_path / "echo_kernel.py"
    file.write_text(ECHO_KERNEL)
    argv = [sys.executable, str(file), "-f", "{connection_file}"]
    add_kernel_spec("echo", {"argv": argv, "display_name": "Echo", "language": "python"})
    lab = await open_lab("echo")
    life = lab.heard.lives[0]
    assert life.capability == "no_variables"
    assert life.note == "This kernel (Echo) shows no variables; code and outputs are used."
    assert life.kernel_name == "echo"
    step = await lab.run("hello", "c1")
    assert (step.output_text, step.status, step.variables, step.execution_count) == ("HELLO", "ok", (), 1)
    assert step.cell_id is None
    assert step.memory_bytes is not None
    assert await lab.recorder.look() is None
    lab.client.send("die")
    step = (await lab.heard.steps_are(2))[1]
    assert (step.code, step.status) == ("die", "died")


@pytest.mark.r_kernel
async def test_an_r_kernel_gives_steps_without_variables(open_lab: OpenLab, add_kernel_spec: AddSpec) -> None:
    assert shutil.which("R"), "R and its package IRkernel must be installed"
    argv = ["R", "--slave", "-e", "IRkernel::main()", "--args", "{connection_file}"]
    add_kernel_spec("ir", {"argv": argv, "display_name": "R", "language": "R"})
    lab = await open_lab("ir")
    life = lab.heard.lives[0]
    assert (life.capability, life.language) == ("no_variables", "r")
    assert life.note == "This kernel (R) shows no variables; code and outputs are used."
    step = await lab.run("x <- 40 + 2\nprint(x)")
    assert (step.output_text, step.status, step.variables) == ("[1] 42", "ok", ())
    assert step.memory_bytes is not None
    step = await lab.run("stop('no')")
    assert step.status == "error"
    assert step.index == 1


async def test_a_kernel_elsewhere_is_called_so(open_lab: OpenLab) -> None:
    """A manager whose provisioner knows no process: what a gateway's kernel looks like from here."""
    lab = await open_lab()
    provisioner = lab.kernel.provisioner
    pid, provisioner.pid = provisioner.pid, None
    try:
        await lab.recorder.end_life()
        await lab.recorder.on_restart()
        life = await lab.heard.capability_known(2)
    finally:
        provisioner.pid = pid
    assert life.capability == "remote"
    assert life.note == "This kernel runs on another machine; code, outputs and variables are used."
    step = await lab.run("x = 1\nx")
    assert (step.output_text, [v.name for v in step.variables]) == ("1", ["x"])


def test_a_kernel_whose_spec_is_gone_is_still_described(tmp_path: Path) -> None:
    manager = AsyncKernelManager(kernel_name="never-installed")
    kernel = describe_kernel(manager)
    assert (kernel.name, kernel.language, kernel.pid, kernel.is_ipykernel) == ("never-installed", "python", None, False)
    assert "behind a gateway" in note_for(kernel, "no_variables", language="python", implementation="x")
    assert json.dumps(kernel.display_name) == '"never-installed"'


async def test_a_gateways_kernel_is_told_of_and_not_read() -> None:
    """A manager without a provisioner is what jupyter_server's gateway manager is from here."""
    manager = AsyncKernelManager(kernel_name="python3")
    heard = Heard()
    recorder = Recorder("far", manager, heard, _work, logging.getLogger("test"))
    await recorder.start()
    life = await heard.capability_known()
    assert (life.capability, life.notebook) == ("remote", "work.ipynb")
    assert life.note == "This kernel runs behind a gateway: its runs can't be recorded from here."
    assert await recorder.look() is None
    await recorder.stop()
    assert heard.kinds() == ["life_started", "life_changed", "life_ended"]
    manager.context.destroy(linger=0)


async def _work() -> str:
    return "work.ipynb"
