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
from themisto_lab.predict.models import LOCAL_PREFIX, find_spec
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.silent import SILENT, is_silent
from themisto_lab.types import TaskKind


class RemoteOffError(BadInputError):
    """A remote model is chosen, but the user did not allow any to be asked."""

    code = "remote_off"


def obstacle(predictor: Predictor, settings: Settings) -> ThemistoError | None:
    """Return what stands between the user's model and an answer, without asking it; None if nothing does."""
    if predictor.kind == "remote" and not settings.remote_allowed:
        return RemoteOffError(f"{predictor.name} is a remote model. Allow remote models in the settings to use it.")
    if predictor.kind != "local" or not predictor.name.startswith(LOCAL_PREFIX):
        return None
    if not engine_installed():
        return EngineError("There is no embedded engine for this kind of machine. Choose a remote model.")
    try:
        require_file(find_spec(predictor.name))
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
    task: TaskKind, session: Session, code: str, registry: Registry, settings: Settings
) -> tuple[tuple[Planned, ...], ThemistoError | None]:
    """Plan the predictions for one target.

    A Python cell that by its syntax prints nothing is answered by that rule alone: there is nothing to compare arms
    on, and the paper's benchmark drops empty outputs too.

    Returns
    -------
    planned : tuple of Planned
        What to predict, in order.
    trouble : ThemistoError or None
        What stands in the way of the user's model.
    """
    model, trouble = chosen_model(registry, settings)
    if task is TaskKind.CELL_OUTPUT and session.life.language == "python" and is_silent(code):
        return (Planned(SILENT, None, shown=True),), trouble
    # Without a browser nobody knows the cell below.
    free = [one for one in BASELINES if session.below is not None or one.name != "baseline/below"]
    return plan(task, free, model, settings.arms), trouble
