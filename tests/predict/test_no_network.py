"""With no network at all, the free predictors and the embedded model work and nothing waits for anything."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.model

CODE = """
import asyncio, ipaddress, json, sys

tried = []

def audit(event, args):
    # Sees each name that is looked up and each connection, whatever library makes it.
    if event == "socket.getaddrinfo" and args[0] not in ("127.0.0.1", "localhost", None):
        tried.append(str(args[0]))
        raise OSError("no network")
    if event == "socket.connect" and isinstance(args[1], tuple):
        if not ipaddress.ip_address(args[1][0]).is_loopback:
            tried.append(str(args[1][0]))
            raise OSError("no network")
    if event == "import" and args[0].partition(".")[0] == "litellm":
        tried.append("import litellm")
        raise ImportError("litellm")

sys.addaudithook(audit)

from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.run import run_prediction
from themisto_lab.types import Context, Prediction, Step, TaskKind, Trajectory

async def main():
    registry = Registry()
    trajectory = Trajectory(id="t", steps=(Step(index=0, kernel_id="k", code="x = 3"),))
    prompt = "# %% [1]\\nx = 3\\n# No output\\n# %% [2]\\nprint(x * 7)\\n# Output:\\n#>"
    context = Context(prompt=prompt, stop=("# %%",))
    answers = {}
    for name in registry.names():
        predictor = registry.get(name)
        for task in sorted(predictor.tasks):
            request = PredictRequest(task, trajectory, code="print(x * 7)", context=context, timeout_s=100)
            if name.endswith("local/qwen2.5-coder-1.5b"):
                continue
            blank = Prediction(id="p", task=task, trajectory_id="t", target_index=1, predictor=name)
            done = await run_prediction(predictor, blank, request)
            answers[f"{name} {task}"] = [done.status, done.text]
    await registry.close()
    print(json.dumps({"answers": answers, "tried": tried}))

asyncio.run(main())
"""


def test_nothing_needs_the_network(model_path):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(CODE)], capture_output=True, text=True, check=True, timeout=150
    )
    result = json.loads(done.stdout)
    assert result["tried"] == []
    answers = result["answers"]
    assert answers["local/qwen2.5-coder-0.5b cell_output"] == ["ready", "21"]
    assert answers["baseline/repeat next_cell"] == ["ready", "x = 3"]
    assert {status for status, _ in answers.values()} == {"ready"}
    assert len(answers) >= 6
