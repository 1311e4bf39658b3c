"""The curated arm: state in line, a look at the end, and what dropped cells say about the target's names."""

import pytest

from themisto_lab.context.build import build_context, build_prefix
from themisto_lab.context.select import ARMS
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import (
    MIME_ERROR,
    MIME_STDOUT,
    CellOutput,
    Look,
    LookedValue,
    ProbeReceipt,
    Step,
    TaskKind,
    Trajectory,
    VariableSnapshot,
)

CURATED = ARMS["curated"]


def variable(name, summary, changed=False, type_name="int", **facts):
    return VariableSnapshot(name=name, type_name=type_name, summary=summary, changed=changed, **facts)


def step(index, code, printed=None, variables=(), error=None, cell_id=None):
    outputs = []
    if printed is not None:
        outputs.append(CellOutput(mime=MIME_STDOUT, text=printed))
    if error is not None:
        outputs.append(CellOutput(mime=MIME_ERROR, text=error))
    return Step(
        index=index,
        kernel_id="k",
        cell_id=cell_id,
        code=code,
        outputs=tuple(outputs),
        variables=variables,
        status="error" if error else "ok",
    )


def trajectory(*steps, **kwargs):
    return Trajectory(id="t", steps=steps, **kwargs)


def curated(past, code="", look=None, **options):
    task = TaskKind.CELL_OUTPUT if code else TaskKind.NEXT_CELL
    return build_context(past, CURATED, task, code=code, look=look, **options)


PAST = trajectory(
    step(0, "x = 3", variables=(variable("x", "3", changed=True),)),
    step(1, "y = x * 7\nprint(y)", "21\n", variables=(variable("x", "3"), variable("y", "21", changed=True))),
    step(2, "x", "3\n", variables=(variable("x", "3"), variable("y", "21"))),
)
LOOK = Look(
    values=(
        LookedValue(expression="x", type_name="int", shown="3", exact=True),
        LookedValue(expression="x + y", type_name="int", shown="24", exact=True),
    )
)


def long_past(n_steps=60, first=()):
    """Return a past that begins with some steps and is far longer than a small budget."""
    steps = list(first)
    made = [one.model_copy(update={"changed": False}) for s in first for one in s.variables]
    for i in range(len(steps), n_steps):
        now = (*made, variable(f"v{i}", str(i), changed=True))
        steps.append(step(i, f"v{i} = {i}\nprint('step', v{i}, 'of many')", f"step {i} of many\n", variables=now))
        made.append(variable(f"v{i}", str(i)))
    return trajectory(*steps)


def test_changes_stand_in_line_and_the_look_before_the_target():
    assert curated(PAST, "print(x + y)", LOOK).prompt == (
        "# %% [1]\nx = 3\n# No output\n# Variables: x = 3\n"
        "# %% [2]\ny = x * 7\nprint(y)\n# Output:\n#> 21\n# Variables: y = 21\n"
        "# %% [3]\nx\n# Output:\n#> 3\n"
        "# x -> 3\n# x + y ->\n#> 24\n"
        "# %% [4]\nprint(x + y)\n# Output:\n#>"
    )


def test_a_next_cell_sees_the_changes_and_no_look():
    assert curated(PAST, look=LOOK).prompt == (
        "# %% [1]\nx = 3\n# No output\n# Variables: x = 3\n"
        "# %% [2]\ny = x * 7\nprint(y)\n# Output:\n#> 21\n# Variables: y = 21\n"
        "# %% [3]\nx\n# Output:\n#> 3\n"
        "# %% [4]\n"
    )


def test_only_the_state_tells_the_curated_arm_from_the_one_without():
    lines = curated(PAST, "print(x + y)", LOOK).prompt.splitlines()
    bare = [line for line in lines if not line.startswith(("# Variables: ", "# x ", "#> 24"))]
    plain = build_context(PAST, ARMS["no_runtime"], TaskKind.CELL_OUTPUT, code="print(x + y)").prompt
    assert bare == plain.splitlines()


def test_the_chat_form_carries_the_same_content():
    prompt = curated(PAST, "print(x + y)", LOOK).prompt
    system, user = curated(PAST, "print(x + y)", LOOK, chat=True).messages
    assert "Python REPL" in system.content
    shared = prompt.removesuffix("# %% [4]\nprint(x + y)\n# Output:\n#>")
    assert user.content == f"{shared}# The cell whose output you write:\nprint(x + y)\n"


@pytest.mark.parametrize(("limit", "most_moves"), [(600, 0.25), (2048, 0.1)])
def test_a_prompt_only_grows_at_its_end_until_half_of_it_is_dropped(limit, most_moves):
    past = long_past(120)
    shared = []
    for n in range(1, len(past.steps)):
        earlier, later = (trajectory(*past.steps[:m]) for m in (n, n + 1))
        transcript = curated(earlier, limit_tokens=limit).prompt.removesuffix(f"# %% [{n + 1}]\n")
        # What is recalled stands behind the transcript.
        transcript = transcript.partition("# Earlier, from")[0]
        shared.append(curated(later, limit_tokens=limit).prompt.startswith(transcript))
        for task, code in ((TaskKind.CELL_OUTPUT, f"print(v{n - 1})"), (TaskKind.NEXT_CELL, "")):
            assert build_context(earlier, CURATED, task, code=code, limit_tokens=limit).prompt.startswith(transcript)
    assert 0 < shared.count(False) < most_moves * len(shared)


def test_what_is_read_ahead_is_a_prefix_of_what_follows():
    ahead = build_prefix(trajectory(*PAST.steps[:2]), CURATED, "x\n").prompt
    assert curated(PAST).prompt.startswith(ahead)


@pytest.mark.parametrize("chat", [False, True])
@pytest.mark.parametrize("limit", [256, 512, 2048])
def test_the_parts_add_up_and_the_prompt_fits(limit, chat):
    first = (
        step(0, "def scale(v):\n    return 2 * v"),
        step(1, "table = load()", variables=(variable("table", "[1, 2]", changed=True, type_name="list"),)),
    )
    wide = "\n".join(f"{i:5d} {i / 7:.6f} {i / 3:.6f}" for i in range(400))
    look = Look(
        values=(
            LookedValue(expression="table", type_name="list", shown=wide, exact=True),
            LookedValue(expression="scale(table)", type_name="list", shown="a list", exact=False),
        )
    )
    context = curated(long_past(first=first), "print(scale(table))", look, limit_tokens=limit, chat=chat)
    text = context.prompt or "\n".join(message.content for message in context.messages)
    assert context.n_tokens == estimate_tokens(text) == sum(context.parts.values())
    assert context.n_tokens <= limit + (80 if chat else 0)  # the roles of a chat are not in the budget
    assert context.dropped["steps"] > 0
    if limit > 256:
        assert {"transcript", "state", "look", "target", "recalled"} == set(context.parts)
        assert context.dropped["lines"] > 0


def test_the_parts_say_where_the_tokens_went():
    context = curated(PAST, "print(x + y)", LOOK)
    assert context.parts == {
        "transcript": estimate_tokens(build_context(PAST, ARMS["no_runtime"], TaskKind.NEXT_CELL).prompt)
        - estimate_tokens("# %% [4]\n"),
        "state": estimate_tokens("# Variables: x = 3\n# Variables: y = 21\n"),
        "look": estimate_tokens("# x -> 3\n# x + y ->\n#> 24\n"),
        "target": estimate_tokens("# %% [4]\nprint(x + y)\n# Output:\n#>"),
    }


def test_the_columns_of_a_frame_that_the_target_uses_are_in_the_prompt_however_old_it_is():
    frame = variable(
        "df",
        "columns: crim (float64), rooms (int64); first rows: crim=[0.1], rooms=[6]",
        changed=True,
        type_name="pandas.DataFrame",
        shape=(506, 2),
    )
    first = (step(0, "import pandas as pd\ndf = pd.read_csv('houses.csv')\nn = 1", variables=(frame,)),)
    near = curated(trajectory(*first), "df.describe()").prompt
    assert "# Variables: df = DataFrame 506 x 2: crim, rooms\n" in near
    far = curated(long_past(first=first), "df.describe()", limit_tokens=600)
    assert far.dropped["steps"] > 1
    assert "# %% [1]\n" not in far.prompt
    assert (
        "# Earlier, from [1]:\ndf = pd.read_csv('houses.csv')\n"
        "# Variables: df = DataFrame 506 x 2: crim, rooms\n"
        "# %% [61]\ndf.describe()\n"
    ) in far.prompt
    assert "n = 1" not in far.prompt
    assert "df" not in curated(long_past(first=first), "print(v59)", limit_tokens=600).prompt


def test_a_next_cell_brings_back_only_the_state_of_dropped_cells_that_the_last_cell_names():
    first = (step(0, "table = load()", variables=(variable("table", "[1, 2]", changed=True, type_name="list"),)),)
    past = long_past(first=first)
    last = step(60, "print(table[0])", "1\n", variables=(variable("table", "[1, 2]", type_name="list"),))
    prompt = curated(trajectory(*past.steps, last), limit_tokens=600).prompt
    assert prompt.endswith("# Output:\n#> 1\n# Variables: table = [1, 2]\n# %% [62]\n")
    assert "Earlier" not in prompt


def test_a_statement_that_only_changed_a_value_is_told_by_the_state_alone():
    columns = "columns: a (int64), b (int64)"
    frame = variable("df", columns, changed=True, type_name="pandas.DataFrame", shape=(3, 2))
    first = (step(0, "df = load()"), step(1, "df['b'] = 1", variables=(frame,)))
    prompt = curated(long_past(first=first), "df", limit_tokens=600).prompt
    assert "# Earlier, from [1]:\ndf = load()\n" in prompt
    assert "df['b']" not in prompt
    assert "# Variables: df = DataFrame 3 x 2: a, b\n" in prompt


def test_an_error_and_its_fix_come_back_where_the_target_is_about_the_same():
    first = (
        step(0, "df = load()"),
        step(1, "df['prize'].sum()", error="KeyError: 'prize'", cell_id="c"),
        step(2, "df['price'].sum()", "12\n", cell_id="c"),
    )
    past = long_past(first=first)
    prompt = curated(past, "df['price'].mean()", limit_tokens=600).prompt
    assert "# Earlier, [2] raised KeyError: 'prize'. In [3] it ran with:\ndf['price'].sum()\n" in prompt
    assert "prize" not in curated(past, "print(v59)", limit_tokens=600).prompt


def test_secrets_that_were_blanked_are_counted_in_state_and_look():
    past = trajectory(step(0, "key = load()", variables=(variable("key", "[redacted]", changed=True),)))
    look = Look(values=(LookedValue(expression="key", type_name="str", shown="[redacted]"),))
    assert curated(past, "print(key)", look).redactions == 2


def test_an_empty_trajectory_gives_a_prompt():
    assert curated(trajectory()).prompt == "# %% [1]\n"
    assert "Nothing was run yet" in curated(trajectory(), "x", LOOK, chat=True).messages[1].content


def test_a_context_keeps_what_the_looks_behind_it_had_cost():
    snapshot = ProbeReceipt(cost_ms=1.5, skipped={"sklearn.SVC": 2})
    past = Trajectory(id="t", steps=(step(0, "x = 6", variables=(variable("x", "6", True),)),))
    past = past.model_copy(update={"steps": (past.steps[0].model_copy(update={"receipt": snapshot}),)})
    looked = Look(
        values=(LookedValue(expression="x * 7", type_name="int", shown="42", exact=True),),
        receipt=ProbeReceipt(cost_ms=0.7),
    )
    receipts = {
        name: build_context(past, arm, TaskKind.CELL_OUTPUT, code="x * 7", look=looked).receipts
        for name, arm in ARMS.items()
    }
    assert receipts == {
        "no_runtime": {},
        "runtime": {"snapshot": snapshot},
        "curated": {"snapshot": snapshot, "look": looked.receipt},
    }
