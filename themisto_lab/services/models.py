"""``models``: what can predict, and what is missing for it."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado import web

from themisto_lab.predict.engine import engine_installed
from themisto_lab.predict.files import file_state, model_path
from themisto_lab.predict.models import ModelSpec, embedded_spec
from themisto_lab.services.base import ThemistoHandler
from themisto_lab.services.context import ServerContext
from themisto_lab.services.views import ModelState, ModelsView, ModelView

_NO_ENGINE = "There is no embedded engine for this kind of machine. Baselines and remote models work."


class ModelsHandler(ThemistoHandler):
    """``GET models``."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Return all models."""
        current = self.themisto.driver.settings.model
        names = list(dict.fromkeys([*self.themisto.driver.registry.names(), current]))
        self.reply(ModelsView(current=current, models=tuple(model_view(self.themisto, name) for name in names)))


def model_view(context: ServerContext, name: str) -> ModelView:
    """Show one model. No model is loaded and no network is asked for it."""
    spec = embedded_spec(name)
    if spec is not None:
        return _local_view(context, spec, name)
    predictor = context.driver.registry.get(name)
    kind = "remote" if predictor.kind == "remote" else "baseline"
    return ModelView(
        name=name,
        kind=kind,
        state="remote" if kind == "remote" else "ready",
        size_bytes=None,
        path=None,
        licence=None,
        note="Code and state are sent to its provider." if kind == "remote" else "",
    )


def _local_view(context: ServerContext, spec: ModelSpec, name: str) -> ModelView:
    state: ModelState
    note = spec.attribution
    if not engine_installed():
        state, note = "unavailable", _NO_ENGINE
    elif context.pulls.is_running(spec.predictor_name):
        state = "pulling"
    else:
        state = file_state(spec)
        if state == "ready" and context.driver.registry.engine(spec.name).state == "loading":
            state = "loading"
    return ModelView(
        name=name,
        kind="local",
        state=state,
        size_bytes=spec.size_bytes,
        path=str(model_path(spec)) if state in ("ready", "loading") else None,
        licence=spec.licence,
        note=note,
    )
