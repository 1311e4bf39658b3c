"""Who can be asked now: the free predictors, and the user's model unless something stands in its way."""

from __future__ import annotations

from themisto_lab.errors import BadInputError, EngineError, ThemistoError
from themisto_lab.live.plan import Planned, plan
from themisto_lab.live.session import Session
from themisto_lab.live.settings import Settings
from themisto_lab.predict.base import Predictor
from themisto_lab.predict.baselines import BASELINES
from themisto_lab.predict.engine import engine_installed
from themisto_lab.predict.files import require_file
from themisto_lab.predict.known_output import KNOWN_OUTPUT
from themisto_lab.predict.models import embedded_spec
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.silent import is_silent
from themisto_lab.types import Look, TaskKind


class RemoteOffError(BadInputError):
    """A remote model is chosen, but the user did not allow any to be asked."""

    code = "remote_off"


def obstacle(predictor: Predictor, settings: Settings) -> ThemistoError | None:
    """Return what stands between the user's model and an answer, without asking it; None if nothing does."""
    if predictor.kind == "remote" and not settings.remote_allowed:
        return RemoteOffError(f"{predictor.name} is a remote model. Allow remote models in the settings to use it.")
    spec = embedded_spec(predictor.name)
    if spec is None:
        return None
    if not engine_installed():
        return EngineError("There is no embedded engine for this kind of machine. Choose a remote model.")
    try:
        require_file(spec)
    except ThemistoError as error:
        return error
    return None


def chosen_model(registry: Registry, settings: Settings) -> tuple[Predictor | None, ThemistoError | None]:
    """Return the user's model where it can be asked now, else what stands in its way."""
    try:
        predictor = registry.get(settings.model)
    except ThemistoError as error:
        return None, error
    found = obstacle(predictor, settings)
    return (None, found) if found else (predictor, None)


def plan_for(
    task: TaskKind, session: Session, code: str, registry: Registry, settings: Settings, look: Look | None = None
) -> tuple[tuple[Planned, ...], ThemistoError | None]:
    """Plan the predictions for one target.

    A Python cell that by its syntax prints nothing is answered by that rule alone: there is nothing to compare arms
    on, and the paper's benchmark drops empty outputs too. An output that the kernel's state tells is shown at once; the
    model is asked in its shadow all the same, so that the comparison of arms is about all outputs.

    Returns
    -------
    planned : tuple of Planned
        What to predict, in order.
    trouble : ThemistoError or None
        What stands in the way of the user's model.
    """
    model, trouble = chosen_model(registry, settings)
    is_python = session.life.language == "python"
    if task is TaskKind.CELL_OUTPUT and is_python and is_silent(code, session.steps):
        return (Planned(registry.get(KNOWN_OUTPUT), None, shown=True),), trouble
    # Without a browser nobody knows the cell below.
    free = [one for one in BASELINES if session.below is not None or one.name != "baseline/below"]
    if not is_python:
        free = [one for one in free if one.name != KNOWN_OUTPUT]
    shown = KNOWN_OUTPUT if look is not None and look.output is not None else ""
    return plan(task, free, model, settings.arms, shown), trouble
