"""A trajectory and an arm become a prompt."""

import pytest

from themisto_lab.context.build import build_context, build_prefix
from themisto_lab.context.select import ARMS
from themisto_lab.types import MIME_ERROR, MIME_STDOUT, CellOutput, Step, TaskKind, Trajectory, VariableSnapshot


def step(index, code, printed=None, variables=(), error=None):
    outputs = []
    if printed is not None:
        outputs.append(CellOutput(mime=MIME_STDOUT, text=printed))
    if error is not None:
        outputs.append(CellOutput(mime=MIME_ERROR, text=error))
    return Step(index=index, kernel_id="k", code=code, outputs=tuple(outputs), variables=variables)


def trajectory(*steps, **kwargs):
    return Trajectory(id="t", steps=steps, **kwargs)


X = VariableSnapshot(name="x", type_name="int", size_bytes=28, summary="3")
Y = VariableSnapshot(name="y", type_name="int", size_bytes=28, summary="21")
PAST = trajectory(step(0, "x = 3", variables=(X,)), step(1, "y = x * 7\nprint(y)", "21\n", variables=(X, Y)))


def test_the_raw_prompt_of_an_output_to_the_letter():
    context = build_context(PAST, ARMS["runtime"], TaskKind.CELL_OUTPUT, code="print(x + y)")
    assert context.prompt == (
        "# %% [1]\nx = 3\n# No output\n"
        "# %% [2]\ny = x * 7\nprint(y)\n# Output:\n#> 21\n"
        "# Variables: x (28 B) = 3; y (28 B) = 21\n"
        "# %% [3]\nprint(x + y)\n# Output:\n#>"
    )
    assert "# %%" in context.stop
    assert context.messages == ()


def test_the_raw_prompt_of_a_next_cell_to_the_letter():
    context = build_context(PAST, ARMS["no_runtime"], TaskKind.NEXT_CELL)
    assert context.prompt == (
        "# %% [1]\nx = 3\n# No output\n# %% [2]\ny = x * 7\nprint(y)\n# Output:\n#> 21\n# %% [3]\n"
    )


def test_arms_differ_by_the_state_alone():
    with_state = build_context(PAST, ARMS["runtime"], TaskKind.CELL_OUTPUT, code="x").prompt
    without = build_context(PAST, ARMS["no_runtime"], TaskKind.CELL_OUTPUT, code="x").prompt
    assert with_state.replace("# Variables: x (28 B) = 3; y (28 B) = 21\n", "") == without


def test_the_chat_form_has_a_role_and_bans_language_tags():
    context = build_context(PAST, ARMS["runtime"], TaskKind.CELL_OUTPUT, code="print(x + y)", chat=True)
    assert context.prompt is None
    assert [message.role for message in context.messages] == ["system", "user"]
    assert "Python REPL" in context.messages[0].content
    assert "no language tag" in context.messages[0].content.replace("language\ntag", "language tag")
    assert "x (28 B) = 3" in context.messages[1].content
    assert context.messages[1].content.rstrip().endswith("print(x + y)")


def test_the_task_description_leads():
    described = PAST.model_copy(update={"task_description": "Find\nthe price."})
    prompt = build_context(described, ARMS["no_runtime"], TaskKind.NEXT_CELL).prompt
    assert prompt.startswith("# Task: Find the price.\n# %% [1]\n")


def test_errors_are_part_of_the_past():
    past = trajectory(step(0, "z", error="NameError: name 'z' is not defined"))
    prompt = build_context(past, ARMS["no_runtime"], TaskKind.NEXT_CELL).prompt
    assert "#> NameError: name 'z' is not defined\n" in prompt


@pytest.mark.parametrize("arm", ["no_runtime", "runtime"])
def test_prompts_share_the_transcript_as_a_prefix_and_grow_by_it(arm):
    steps = [step(i, f"a{i} = {i}\nprint(a{i})", f"{i}\n", variables=(X, Y)) for i in range(12)]
    shared = build_context(trajectory(*steps), ARMS["no_runtime"], TaskKind.NEXT_CELL).prompt.removesuffix(
        "# %% [13]\n"
    )
    for task, code in ((TaskKind.NEXT_CELL, ""), (TaskKind.CELL_OUTPUT, "print(1)")):
        prompt = build_context(trajectory(*steps), ARMS[arm], task, code=code).prompt
        assert prompt.startswith(shared)
        later = trajectory(*steps, step(12, "b = 1"))
        assert build_context(later, ARMS[arm], task, code=code).prompt.startswith(shared)


def test_what_is_read_ahead_is_a_prefix_of_what_follows():
    steps = [step(0, "x = 3"), step(1, "print(x)", "3\n")]
    ahead = build_prefix(trajectory(steps[0]), ARMS["runtime"], "print(x)\n").prompt
    assert build_context(trajectory(*steps), ARMS["runtime"], TaskKind.NEXT_CELL).prompt.startswith(ahead)


@pytest.mark.parametrize("limit", [256, 512, 2048])
def test_a_prompt_fits_its_limit_and_says_what_was_dropped(limit):
    variables = tuple(
        VariableSnapshot(name=f"variable_{i}", type_name="int", size_bytes=28, summary=str(i)) for i in range(400)
    )
    steps = [step(i, f"print({i})\n" * 5, "some output\n" * 8, variables=variables) for i in range(80)]
    context = build_context(trajectory(*steps), ARMS["runtime"], TaskKind.NEXT_CELL, limit_tokens=limit)
    assert context.n_tokens <= limit
    assert context.dropped["steps"] > 0
    assert context.dropped["variables"] > 0


def test_long_outputs_and_lines_are_cut_in_the_middle_and_at_the_end():
    past = trajectory(step(0, "show()", "\n".join([f"line {i}" for i in range(500)] + ["x" * 5000])))
    prompt = build_context(past, ARMS["no_runtime"], TaskKind.NEXT_CELL).prompt
    assert "#> line 0\n" in prompt
    assert "lines …" in prompt
    assert max(map(len, prompt.splitlines())) < 200


def test_redactions_are_counted():
    past = trajectory(step(0, "key = '[redacted]'", "[redacted]\n"))
    assert build_context(past, ARMS["no_runtime"], TaskKind.NEXT_CELL).redactions == 2


def test_an_empty_trajectory_gives_a_prompt():
    assert build_context(trajectory(), ARMS["runtime"], TaskKind.NEXT_CELL).prompt == "# %% [1]\n"
    chat = build_context(trajectory(), ARMS["runtime"], TaskKind.NEXT_CELL, chat=True)
    assert "Nothing was run yet" in chat.messages[1].content
