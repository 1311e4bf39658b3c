"""A trajectory and an arm become a context: the one way to a prompt, live and offline (pure)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from themisto_lab.capture.redact import PLACEHOLDER
from themisto_lab.context.blocks import block_of
from themisto_lab.context.budget import Budget, divide, fill, first_kept
from themisto_lab.context.recall import names_wanted, recall
from themisto_lab.context.render import (
    STOPS,
    render_messages,
    render_state,
    render_target,
    render_task,
    render_variable,
)
from themisto_lab.context.render_look import render_look
from themisto_lab.context.select import is_curated, select_variables
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import Arm, Context, Look, ProbeReceipt, TaskKind, Trajectory


@dataclass(frozen=True, slots=True)
class Transcript:
    """The past that fits.

    Attributes
    ----------
    text
        The task's description and the kept steps, oldest first.
    start
        The index of the first kept step: so many of the oldest were left out.
    n_tokens
        The text's length, in tokens.
    n_state_tokens
        The part of it that tells what runs changed.
    dropped
        What was left out, by kind.
    """

    text: str
    start: int
    n_tokens: int
    n_state_tokens: int
    dropped: Counter[str]


@dataclass(frozen=True, slots=True)
class _Tail:
    """What stands between the transcript and the target."""

    recalled: str = ""
    state: str = ""
    look: str = ""
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def text(self) -> str:
        return self.recalled + self.state + self.look


def render_transcript(trajectory: Trajectory, arm: Arm, limit_tokens: int) -> Transcript:
    """Render the past that fits, oldest first.

    Parameters
    ----------
    trajectory
        All that has been run so far.
    arm
        The arm: one that is curated writes what each run changed behind its output.
    limit_tokens
        The most that the text may take, in tokens.
    """
    head = render_task(trajectory.task_description)
    n_head = estimate_tokens(head)
    blocks = [block_of(step, with_changes=is_curated(arm)) for step in trajectory.steps]
    start = first_kept([block.n_tokens for block in blocks], limit_tokens - n_head)
    kept = blocks[start:]
    return Transcript(
        text=head + "".join(block.text for block in kept),
        start=start,
        n_tokens=n_head + sum(block.n_tokens for block in kept),
        n_state_tokens=sum(block.changes.n_tokens for block in kept),
        dropped=Counter(
            steps=start,
            variables=sum(block.changes.n_variables for block in kept),
            columns=sum(block.changes.n_columns for block in kept),
        ),
    )


def build_context(
    trajectory: Trajectory,
    arm: Arm,
    task: TaskKind,
    *,
    code: str = "",
    look: Look | None = None,
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
    look
        For an output, a closer look at what the code touches; only the curated arm uses it.
    chat
        Whether the model takes chat messages; else it takes the raw transcript.
    limit_tokens
        The most that the prompt may take, in tokens.

    Returns
    -------
    Context
        The prompt with its length by part, what was dropped and how many secrets had been blanked in it.
    """
    budget = divide(limit_tokens)
    transcript = render_transcript(trajectory, arm, budget.past_tokens(is_curated(arm)))
    if is_curated(arm):
        n_target = estimate_tokens(render_target(task, len(trajectory.steps) + 1, code))
        n_free = limit_tokens - transcript.n_tokens - n_target
        looked_at = look if task is TaskKind.CELL_OUTPUT else None
        tail = _curated_tail(trajectory, transcript, code, looked_at, n_free)
    else:
        tail = _listed(trajectory, arm, budget)
    # Each block of the transcript was measured once already: only what stands behind it is measured here.
    if chat:
        messages = render_messages(task, transcript.text, tail.text, code)
        text = "\n".join(message.content for message in messages)
        asked = messages[-1].content.removeprefix(transcript.text)
        n_tokens = transcript.n_tokens + estimate_tokens(asked)
        n_tokens += sum(estimate_tokens(f"{message.content}\n") for message in messages[:-1])
        shown = Context(messages=messages)
    else:
        asked = tail.text + render_target(task, len(trajectory.steps) + 1, code)
        text = transcript.text + asked
        n_tokens = transcript.n_tokens + estimate_tokens(asked)
        shown = Context(prompt=text, stop=STOPS[task])
    dropped = transcript.dropped + tail.dropped
    update = {
        "n_tokens": n_tokens,
        "dropped": {what: n for what, n in dropped.items() if n},
        "redactions": text.count(PLACEHOLDER),
        "parts": _parts(n_tokens, transcript, tail),
        "receipts": _receipts(trajectory, arm, look if tail.look else None),
    }
    return shown.model_copy(update=update)


def build_prefix(trajectory: Trajectory, arm: Arm, running_code: str, *, limit_tokens: int = 2048) -> Context:
    """Build the part of an arm's next prompts that is known while a cell runs, for a model to read ahead.

    It is a prefix of every prompt that follows the run, unless the run's end makes the transcript drop old steps.
    """
    transcript = render_transcript(trajectory, arm, divide(limit_tokens).past_tokens(is_curated(arm)))
    target = render_target(TaskKind.NEXT_CELL, len(trajectory.steps) + 1, "")
    prompt = transcript.text + target + running_code.strip("\n")
    dropped = {what: n for what, n in transcript.dropped.items() if n}
    return Context(prompt=prompt, n_tokens=estimate_tokens(prompt), dropped=dropped)


def _listed(trajectory: Trajectory, arm: Arm, budget: Budget) -> _Tail:
    """List the variables that an arm shows, up to the budget for state."""
    variables = select_variables(trajectory, arm)
    kept = fill([estimate_tokens(render_variable(v)) + 1 for v in variables], budget.state_tokens)
    state = render_state([variables[i] for i in kept])
    return _Tail(state=state, dropped=Counter(variables=len(variables) - len(kept)))


def _curated_tail(
    trajectory: Trajectory, transcript: Transcript, code: str, look: Look | None, limit_tokens: int
) -> _Tail:
    """Bring back what the target needs of dropped cells, then show the values that its code touches."""
    wanted = names_wanted(trajectory.steps, code)
    # The look comes first where the room is short: it holds the very values.
    limit = max(0, limit_tokens) // (2 if look else 1)
    recalled = recall(trajectory.steps, transcript.start, wanted, limit, with_code=bool(code.strip()))
    n_recalled = estimate_tokens(recalled.text) + recalled.state.n_tokens
    looked = render_look(look, max(0, limit_tokens - n_recalled), code)
    dropped = Counter(
        pieces=recalled.n_pieces,
        variables=recalled.state.n_variables,
        columns=recalled.state.n_columns,
        values=looked.n_values,
        lines=looked.n_lines,
    )
    return _Tail(recalled.text, recalled.state.text, looked.text, dropped)


def _receipts(trajectory: Trajectory, arm: Arm, look: Look | None) -> dict[str, ProbeReceipt]:
    """Return what the looks at the kernel had cost that the prompt shows."""
    receipts = {}
    last = trajectory.steps[-1].receipt if trajectory.steps else None
    if last is not None and arm.policy != "none":
        receipts["snapshot"] = last
    if look is not None:
        receipts["look"] = look.receipt
    return receipts


def _parts(n_tokens: int, transcript: Transcript, tail: _Tail) -> dict[str, int]:
    """Divide a prompt's length. What is none of the others is the target's: its code, the roles of a chat."""
    parts = {
        "transcript": transcript.n_tokens - transcript.n_state_tokens,
        "recalled": estimate_tokens(tail.recalled),
        "state": transcript.n_state_tokens + estimate_tokens(tail.state),
        "look": estimate_tokens(tail.look),
    }
    parts["target"] = n_tokens - sum(parts.values())
    return {part: n for part, n in parts.items() if n}
