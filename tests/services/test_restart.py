"""After a restart no prompt knows anything of the dead kernel."""

import json

import pytest
from waiting import until

MODEL = "local/qwen2.5-coder-0.5b"


@pytest.mark.model
async def test_a_prompt_after_a_restart_knows_nothing_of_the_dead_kernel(start_kernel, themisto, api, jp_fetch):
    kernel_id, client = await start_kernel()
    await api("PUT", "settings", body={**themisto.driver.settings.model_dump(), "model": MODEL})
    await client.run("dead_variable = 41", "c1")
    await until(lambda: themisto.driver.session(kernel_id).steps)
    old = themisto.driver.session(kernel_id).life.trajectory_id

    await jp_fetch("api", "kernels", kernel_id, "restart", method="POST", body=json.dumps({}))
    await until(lambda: _life(themisto, kernel_id) not in (None, old))
    body = {"task": "cell_output", "kernel_id": kernel_id, "cell_id": "c2", "code": "print(dead_variable + 1)"}
    _, lines = await api("POST", "predictions", body=body)
    _, sent = await api("GET", "predictions", lines[-1]["id"], "sent")
    assert sent["prompt"] == "# %% [1]\nprint(dead_variable + 1)\n# Output:\n#>"
    _, view = await api("GET", "kernels", kernel_id)
    assert (view["n_steps"], view["next_cell"]) == (0, None)
    _, state = await api("GET", "kernels", kernel_id, "state")
    assert state["variables"] == []


def _life(themisto, kernel_id):
    session = themisto.driver._sessions.get(kernel_id)
    return session and session.life.trajectory_id
