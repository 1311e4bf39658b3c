"""The texts that a prompt is made of (pure). Each block depends on its own step only, so that prefixes are stable."""

from __future__ import annotations

from themisto_lab.types import MIME_ERROR, MIME_STDOUT, MIME_TEXT, Message, Step, TaskKind, VariableSnapshot

PROMPT_VERSION = 1
"""Rises with every change of the texts below; stored with results, since it changes what a model answers."""

MAX_OUTPUT_LINES = 24
MAX_LINE_CHARS = 160
MAX_CODE_CHARS = 4000
MAX_SUMMARY_CHARS = 120

STOPS: dict[TaskKind, tuple[str, ...]] = {
    TaskKind.NEXT_CELL: ("\n# %%", "\n# Output", "\n# No output", "\n# Variables"),
    TaskKind.CELL_OUTPUT: ("# %%", "\n# Variables", "\n# No"),
}
"""Where a raw completion ends, per task."""

_NEXT_CELL_ROLE = (
    "You are an expert Python programmer. You see the cells of a notebook in the order in which they were run. "
    "Write the code of the cell that is run next. Answer with the code alone: no explanation, no Markdown fence, "
    "no language tag."
)
_OUTPUT_ROLE = (
    "You are a Python REPL. You see the cells of a notebook in the order in which they were run. Write exactly what "
    "the last cell prints or returns. Answer with that text alone: no explanation, no Markdown fence, no language "
    "tag. If it prints nothing, answer with nothing."
)
_ROLES = {TaskKind.NEXT_CELL: _NEXT_CELL_ROLE, TaskKind.CELL_OUTPUT: _OUTPUT_ROLE}


def shorten(text: str, limit_chars: int) -> str:
    """Cut a text to a length; the cut shows."""
    return text if len(text) <= limit_chars else f"{text[: limit_chars - 2]} …"


def _output_lines(step: Step) -> list[str]:
    text = step.output_text
    lines = text.split("\n") if text else []
    lines += [output.text for output in step.outputs if output.mime == MIME_ERROR]
    if len(lines) > MAX_OUTPUT_LINES:
        head = MAX_OUTPUT_LINES * 2 // 3
        tail = MAX_OUTPUT_LINES - head - 1
        lines = [*lines[:head], f"… {len(lines) - head - tail} lines …", *lines[-tail:]]
    return [shorten(line, MAX_LINE_CHARS) for line in lines]


def render_code(code: str) -> str:
    """Render a cell's code without blank ends, at most `MAX_CODE_CHARS` of it."""
    return shorten(code.strip("\n"), MAX_CODE_CHARS)


def render_step(step: Step) -> str:
    """Render one run: a percent-format cell and its output as a comment block.

    Returns
    -------
    str
        ``# %% [n]``, the code, then ``# Output:`` with each line behind ``#> ``, or ``# No output``. Ends with
        a line end.
    """
    shown = any(output.mime in (MIME_STDOUT, MIME_TEXT, MIME_ERROR) for output in step.outputs)
    lines = _output_lines(step) if shown else []
    block = [f"# %% [{step.index + 1}]", render_code(step.code)]
    if lines:
        block += ["# Output:", *(f"#> {line}" for line in lines)]
    else:
        block.append("# No output")
    return "\n".join(block) + "\n"


def render_task(task_description: str) -> str:
    """Render the user's description of the notebook as the transcript's head; empty where there is none."""
    text = " ".join(task_description.split())
    return f"# Task: {text}\n" if text else ""


def render_variable(variable: VariableSnapshot) -> str:
    """Render one variable as the paper lists it: name, size, and a short text in place of its repr."""
    size = "" if variable.size_bytes is None else f" ({variable.size_bytes} B)"
    summary = " ".join(variable.summary.split()) or variable.type_name.rsplit(".", 1)[-1]
    return f"{variable.name}{size} = {shorten(summary, MAX_SUMMARY_CHARS)}"


def render_state(variables: list[VariableSnapshot]) -> str:
    """Render variables as one comment line; empty where there are none."""
    if not variables:
        return ""
    return "# Variables: " + "; ".join(render_variable(variable) for variable in variables) + "\n"


def render_target(task: TaskKind, number: int, code: str) -> str:
    """Render the end of a raw prompt: the point at which the model goes on.

    Parameters
    ----------
    task
        What is predicted.
    number
        The number of the cell that is predicted, from 1.
    code
        For an output, the code of the cell in focus.
    """
    if task is TaskKind.NEXT_CELL:
        return f"# %% [{number}]\n"
    return f"# %% [{number}]\n{render_code(code)}\n# Output:\n#>"


def render_messages(task: TaskKind, transcript: str, state: str, code: str) -> tuple[Message, ...]:
    """Render the chat form: a role, then one message with transcript, state and the question.

    Source: the roles and the ban on language tags are the paper's (arXiv 2504.12365, section 3), in our words.
    """
    parts = [transcript or "# Nothing was run yet.\n", state]
    if task is TaskKind.CELL_OUTPUT:
        parts += ["# The cell whose output you write:\n", render_code(code), "\n"]
    else:
        parts.append("# Write the cell that is run next.\n")
    return (
        Message(role="system", content=_ROLES[task]),
        Message(role="user", content="".join(parts)),
    )
