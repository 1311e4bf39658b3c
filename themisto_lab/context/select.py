"""Which variables matter for a target, by the arm's policy (pure)."""

from __future__ import annotations

from collections.abc import Callable

from themisto_lab.types import Arm, Trajectory, VariableSnapshot

ARMS: dict[str, Arm] = {
    arm.name: arm
    for arm in (
        Arm(name="no_runtime", policy="none"),
        Arm(name="runtime", policy="all"),
        Arm(name="curated", policy="curated"),
    )
}
"""All arms by name. A new arm is one value here and one policy below."""


def _none(trajectory: Trajectory) -> tuple[VariableSnapshot, ...]:
    del trajectory
    return ()


def _all(trajectory: Trajectory) -> tuple[VariableSnapshot, ...]:
    return trajectory.steps[-1].variables if trajectory.steps else ()


_POLICIES: dict[str, Callable[[Trajectory], tuple[VariableSnapshot, ...]]] = {
    "none": _none,
    "all": _all,
    "curated": _none,  # its state stands in line, after the steps that changed it
}


def is_curated(arm: Arm) -> bool:
    """Tell whether an arm's prompts carry state in line and a closer look."""
    return arm.policy == "curated"


def select_variables(trajectory: Trajectory, arm: Arm) -> tuple[VariableSnapshot, ...]:
    """Choose the variables that a prompt lists after the transcript, most important first.

    Parameters
    ----------
    trajectory
        All that has been run so far; the state is the one after its last step.
    arm
        The arm.

    Returns
    -------
    tuple of VariableSnapshot
        Every variable in the namespace's order for the policy ``all`` (the paper's Runtime setting), none
        for ``none`` and for ``curated``.
    """
    return _POLICIES[arm.policy](trajectory)
