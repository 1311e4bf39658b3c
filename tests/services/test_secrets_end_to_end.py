"""A secret that a cell prints, holds or passes on is in no prompt, no row of the store, no answer and no log."""

import logging

import pytest
from waiting import until

from themisto_lab.types import TaskKind

MODEL = "local/qwen2.5-coder-0.5b"
KEY = "correct-horse-battery-9271"  # of no known form: only its name in the environment gives it away
PASSWORD = "hunter2"
CELLS = (
    "import os",
    'print(os.environ["OPENAI_API_KEY"])',
    'key = os.environ["OPENAI_API_KEY"]\nkey',
    'cfg = {"password": "hunter2", "url": "postgresql://u:pw@h/db", "port": 5432}\ncfg',
    'raise ValueError("no access with " + key)',
)


@pytest.fixture
def secret_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.mark.model
async def test_a_secret_is_nowhere(secret_environment, start_kernel, themisto, api, caplog):
    caplog.set_level(logging.DEBUG)
    kernel_id, client = await start_kernel()
    await api("PUT", "settings", body={**themisto.driver.settings.model_dump(), "model": MODEL})
    for number, code in enumerate(CELLS, 1):
        await client.run(code, f"c{number}")
        await until(lambda n=number: len(themisto.driver.session(kernel_id).steps) == n)
        await themisto.driver.settled(kernel_id)
    body = {
        "task": "cell_output",
        "kernel_id": kernel_id,
        "cell_id": "c9",
        "code": f"connect(password='{PASSWORD}', key='{KEY}')",
        "below": f"token = '{KEY}'",
    }
    _, lines = await api("POST", "predictions", body=body)
    _, sent = await api("GET", "predictions", lines[-1]["id"], "sent")
    _, steps = await api("GET", "kernels", kernel_id, "steps")
    _, state = await api("GET", "kernels", kernel_id, "state")
    trajectory_id = themisto.driver.session(kernel_id).trajectory_id
    store = themisto.driver.store
    rows = await store.predictions(trajectory_id, with_context=True)
    assert any(row.prediction.task is TaskKind.NEXT_CELL and row.prediction.context for row in rows)
    everything = {
        "prompt": sent["prompt"],
        "answers": str((lines, steps, state)),
        "store": str((rows, await store.get_trajectory(trajectory_id))),
        "log": "\n".join(record.getMessage() for record in caplog.records),
    }
    for place, text in everything.items():
        assert KEY not in text, place
        assert PASSWORD not in text, place
        assert "u:pw@" not in text, place
    # The rest is readable.
    assert "5432" in everything["prompt"]
    assert "[redacted]" in everything["prompt"]
    assert sent["redactions"] > 3
