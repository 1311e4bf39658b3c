"""The namespace is looked at once the kernel has answered, and is nevertheless that of the run."""

from __future__ import annotations

import asyncio

from tests.capture.conftest import Client, OpenLab
from themisto_lab.capture.probe.hooks import SNAPSHOT_MESSAGE
from themisto_lab.types import Step

GRAPHICAL_LOOP = """
from ipykernel.eventloops import register_integration
@register_integration('mine')
def _(kernel):
    import time
    time.sleep(0.05)
"""
BUSY_AFTER_ITS_CELL = """
import asyncio, time
async def hog():
    await asyncio.sleep(0)
    time.sleep(8)
task = asyncio.create_task(hog())
password = 'tell-nobody-of-this'
print(password)
"""


def values(step: Step) -> dict[str, str]:
    return {v.name: v.summary for v in step.variables}


async def published(client: Client, message_id: str, n_after_idle: int) -> list[str]:
    """Return the types of what a run publishes, with some messages after its ``idle``."""
    kinds: list[str] = []
    left = n_after_idle
    while "idle" not in kinds or left:
        message = await client.kc.get_iopub_msg(timeout=30)
        if message["parent_header"].get("msg_id") != message_id:
            continue
        left -= "idle" in kinds
        kinds.append(message["content"].get("execution_state") or message["header"]["msg_type"])
    return kinds


async def test_no_cell_waits_for_the_look(open_lab: OpenLab) -> None:
    lab = await open_lab()
    message_id = lab.client.send("x = 1\nx", "c")
    assert await published(lab.client, message_id, 1) == [
        "busy",
        "execute_input",
        "themisto_run",
        "execute_result",
        "idle",
        SNAPSHOT_MESSAGE,
    ]
    step = (await lab.heard.steps_are(1))[0]
    assert (step.cell_id, step.output_text, values(step)) == ("c", "1", {"x": "1"})
    assert step.receipt is not None


async def test_what_comes_at_once_does_not_change_the_state_before_it(open_lab: OpenLab) -> None:
    lab = await open_lab()
    for code in ("x = 1", "x = 2; y = 1", "del x"):
        lab.client.send(code)
    assert [values(step) for step in await lab.heard.steps_are(3)] == [{"x": "1"}, {"x": "2", "y": "1"}, {"y": "1"}]
    lab.client.send("z = 1")
    await lab.client.run("z = 'of a tool'", silent=True)
    assert values((await lab.heard.steps_are(4))[3]) == {"y": "1", "z": "1"}
    assert values(await lab.run("0")) == {"y": "1", "z": "'of a tool'"}


async def test_a_cell_that_awaits_is_not_looked_at_before_its_end(open_lab: OpenLab) -> None:
    lab = await open_lab()
    lab.client.send("x = 1")
    lab.client.send("import asyncio\nawait asyncio.sleep(0.1)\nx = 2")
    steps = await lab.heard.steps_are(2)
    assert [(step.index, values(step)) for step in steps] == [(0, {"x": "1"}), (1, {"x": "2"})]


async def test_a_graphical_loop_holds_no_step_up(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run(GRAPHICAL_LOOP)
    await lab.run("%gui mine")
    message_id = lab.client.send("x = 1")
    kinds = await published(lab.client, message_id, 0)
    assert kinds[-2:] == [SNAPSHOT_MESSAGE, "idle"]
    assert values((await lab.heard.steps_are(3))[2])["x"] == "1"


async def test_a_kernel_that_is_held_up_after_its_cell_loses_no_state_and_shows_no_secret(open_lab: OpenLab) -> None:
    lab = await open_lab()
    began = asyncio.get_running_loop().time()
    step = await lab.run(BUSY_AFTER_ITS_CELL)
    assert asyncio.get_running_loop().time() - began < 7
    assert {"task", "hog", "password"} <= set(values(step))
    assert "tell-nobody" not in step.model_dump_json()
    # Once it is free again, all goes on as before.
    step = await lab.run("x = 1")
    assert step.index == 1
    assert values(step)["x"] == "1"


async def test_runs_in_subshells_are_recorded_with_their_state(open_lab: OpenLab) -> None:
    lab = await open_lab()
    session, channel = lab.client.kc.session, lab.client.kc.control_channel
    channel.send(session.msg("create_subshell_request", {}))
    subshell_id = (await lab.client.kc.get_control_msg(timeout=30))["content"]["subshell_id"]

    def send(code: str) -> None:
        message = session.msg("execute_request", {"code": code, "store_history": True, "silent": False})
        message["header"]["subshell_id"] = subshell_id
        lab.client.kc.shell_channel.send(message)

    send("x = 1")
    step = (await lab.heard.steps_are(1))[0]
    assert (step.code, values(step)) == ("x = 1", {"x": "1"})
    # Both end at about the same time.
    for at in range(5):
        lab.client.send(f"import time; time.sleep(0.2); y = {at}")
        send(f"import time; time.sleep(0.21); z = {at}")
        steps = (await lab.heard.steps_are(3 + 2 * at))[1 + 2 * at :]
        found = {step.code.split("; ")[-1]: values(step) for step in steps}
        assert found[f"y = {at}"]["y"] == found[f"z = {at}"]["z"] == f"{at}"


async def test_a_restart_right_after_a_cell_keeps_its_step(open_lab: OpenLab) -> None:
    lab = await open_lab()
    message_id = lab.client.send("print('shown')", "last")
    await published(lab.client, message_id, 0)
    await lab.app.kernel_manager.restart_kernel(lab.kernel_id, now=True)
    step = (await lab.heard.steps_are(1))[0]
    assert (step.status, step.output_text, step.cell_id) == ("ok", "shown", "last")
    await lab.heard.capability_known(2)
