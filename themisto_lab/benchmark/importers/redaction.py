"""Secrets out of an imported trajectory, before it is written."""

from __future__ import annotations

from themisto_lab.capture.redact import literal_secrets, redact_code, redact_text
from themisto_lab.types import Step, Trajectory


def redact_trajectory(trajectory: Trajectory) -> tuple[Trajectory, int]:
    """Blank secrets in code and outputs.

    Returns
    -------
    tuple
        The trajectory, and how many secrets were blanked. A value that one step assigns to a secret's name is
        blanked in all later ones too.
    """
    known: set[str] = set()
    steps = []
    n_blanked = 0
    for step in trajectory.steps:
        known |= literal_secrets(step.code)
        redacted, count = _redact_step(step, known)
        steps.append(redacted)
        n_blanked += count
    if not n_blanked:
        return trajectory, 0
    return trajectory.model_copy(update={"steps": tuple(steps)}), n_blanked


def _redact_step(step: Step, known: set[str]) -> tuple[Step, int]:
    code, n_blanked = redact_code(step.code, known)
    outputs = []
    for output in step.outputs:
        text, count = redact_text(output.text, known)
        n_blanked += count
        outputs.append(output.model_copy(update={"text": text}) if count else output)
    if not n_blanked:
        return step, 0
    return step.model_copy(update={"code": code, "outputs": tuple(outputs)}), n_blanked
