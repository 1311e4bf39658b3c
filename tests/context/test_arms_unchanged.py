"""The prompts of the arms without curation, to the byte: results that were made with them stay comparable."""

import hashlib

from themisto_lab.context.build import build_context
from themisto_lab.context.render import PROMPT_VERSION
from themisto_lab.context.select import ARMS
from themisto_lab.types import (
    MIME_ERROR,
    MIME_STDOUT,
    CellOutput,
    Look,
    LookedValue,
    Step,
    TaskKind,
    Trajectory,
    VariableSnapshot,
)

PROMPTS_SHA256 = {1: "576517c96c30fd149d56f66efd1bfe6313a0c03f6ad23f0ec190aaf561946813"}
"""By version of the prompts: who changes a text on purpose raises the version and adds its sum here."""


def trajectory(n_steps):
    steps, variables = [], []
    for i in range(n_steps):
        variables.append(
            VariableSnapshot(
                name=f"v{i}", type_name="builtins.int", size_bytes=28 + i, summary=str(i * i), changed=True
            )
        )
        lines = "\n".join(f"line {j} of {i}" for j in range(i))
        outputs = [CellOutput(mime=MIME_STDOUT, text=lines)] if i % 3 else []
        failed = i % 7 == 6
        if failed:
            outputs.append(CellOutput(mime=MIME_ERROR, text=f"KeyError: 'c{i}'"))
        steps.append(
            Step(
                index=i,
                kernel_id="k",
                code=f"v{i} = {i} ** 2\nfor j in range({i}):\n    print('line', j, 'of', {i})",
                outputs=tuple(outputs),
                variables=tuple(variables),
                status="error" if failed else "ok",
            )
        )
    return Trajectory(id="t", task_description="Squares — and lines", steps=tuple(steps))


def test_the_prompts_of_the_arms_without_curation_are_the_same_to_the_byte():
    look = Look(values=(LookedValue(expression="v1 + v3", type_name="int", shown="10", exact=True),))
    cases = ((TaskKind.NEXT_CELL, "", None), (TaskKind.CELL_OUTPUT, "print(v1 + v3)", look))
    found = hashlib.sha256()
    for n_steps in (0, 1, 5, 20, 40):
        past = trajectory(n_steps)
        for arm in ("no_runtime", "runtime"):
            for task, code, looked in cases:
                for chat in (False, True):
                    for limit in (512, 2048):
                        context = build_context(
                            past, ARMS[arm], task, code=code, look=looked, chat=chat, limit_tokens=limit
                        )
                        messages = [(message.role, message.content) for message in context.messages]
                        facts = (context.n_tokens, context.dropped, context.redactions)
                        found.update(repr((context.prompt, messages, context.stop, *facts)).encode())
    assert found.hexdigest() == PROMPTS_SHA256[PROMPT_VERSION]
