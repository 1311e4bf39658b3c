"""A trajectory and an arm become a context: the one way to a prompt, live and offline (pure)."""

from __future__ import annotations

from themisto_lab.capture.redact import PLACEHOLDER
from themisto_lab.context.blocks import block_of
from themisto_lab.context.budget import divide, fill, first_kept
from themisto_lab.context.render import (
    STOPS,
    render_messages,
    render_state,
    render_target,
    render_task,
    render_variable,
)
from themisto_lab.context.select import select_variables
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import Arm, Context, TaskKind, Trajectory


def render_transcript(trajectory: Trajectory, limit_tokens: int) -> tuple[str, int]:
    """Render the past that fits, oldest first.

    Returns
    -------
    transcript : str
        The task's description and the kept steps.
    n_dropped : int
        How many of the oldest steps were left out.
    """
    head = render_task(trajectory.task_description)
    blocks = [block_of(step) for step in trajectory.steps]
    start = first_kept([block.n_tokens for block in blocks], limit_tokens - estimate_tokens(head))
    return head + "".join(block.text for block in blocks[start:]), start


def build_context(
    trajectory: Trajectory,
    arm: Arm,
    task: TaskKind,
    *,
    code: str = "",
    chat: bool = False,
    limit_tokens: int = 2048,
) -> Context:
    """Build what a model is sent.

    Parameters
    ----------
    trajectory
        All that has been run so far.
    arm
        The arm, which decides on the state in the prompt.
    task
        What is predicted.
    code
        For an output, the code of the cell in focus.
    chat
        Whether the model takes chat messages; else it takes the raw transcript.
    limit_tokens
        The most that the prompt may take, in tokens.

    Returns
    -------
    Context
        The prompt with what was dropped and how many secrets had been blanked in it.
    """
    budget = divide(limit_tokens)
    transcript, n_dropped_steps = render_transcript(trajectory, budget.transcript_tokens)
    variables = select_variables(trajectory, arm)
    kept = fill([estimate_tokens(render_variable(v)) + 1 for v in variables], budget.state_tokens)
    state = render_state([variables[i] for i in kept])
    dropped = {"steps": n_dropped_steps, "variables": len(variables) - len(kept)}
    dropped = {what: n for what, n in dropped.items() if n}
    if chat:
        messages = render_messages(task, transcript, state, code)
        text = "\n".join(message.content for message in messages)
        return Context(
            messages=messages,
            n_tokens=estimate_tokens(text),
            dropped=dropped,
            redactions=text.count(PLACEHOLDER),
        )
    prompt = transcript + state + render_target(task, len(trajectory.steps) + 1, code)
    return Context(
        prompt=prompt,
        stop=STOPS[task],
        n_tokens=estimate_tokens(prompt),
        dropped=dropped,
        redactions=prompt.count(PLACEHOLDER),
    )


def build_prefix(trajectory: Trajectory, running_code: str, *, limit_tokens: int = 2048) -> Context:
    """Build the part of the next prompts that is known while a cell runs, for a model to read ahead.

    It is a prefix of every prompt that follows the run, unless the run's end makes the transcript drop old steps.
    """
    transcript, n_dropped = render_transcript(trajectory, divide(limit_tokens).transcript_tokens)
    prompt = transcript + render_target(TaskKind.NEXT_CELL, len(trajectory.steps) + 1, "") + running_code.strip("\n")
    return Context(prompt=prompt, n_tokens=estimate_tokens(prompt), dropped={"steps": n_dropped} if n_dropped else {})
