"""From a name in settings to a predictor. Nothing heavy is imported before a predictor is used."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points

from themisto_lab.errors import UnknownModelError
from themisto_lab.predict.base import Predictor
from themisto_lab.predict.baselines import BASELINES
from themisto_lab.predict.combined import CombinedPredictor
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.predict.engine import Engine
from themisto_lab.predict.engine_process import EngineOptions
from themisto_lab.predict.local import LocalPredictor
from themisto_lab.predict.models import COMBINED_PREFIX, LOCAL_PREFIX, MODELS, find_spec
from themisto_lab.predict.remote import RemoteOptions, RemotePredictor, close_clients
from themisto_lab.predict.remote_keys import REMOTE_PROVIDERS
from themisto_lab.predict.remote_thread import RemoteThread

log = logging.getLogger(__name__)

ENTRY_POINT_GROUP = "themisto_lab.predictors"
"""A third party's entry point: its name is the predictor's, its object a callable that returns it."""

PredictorFactory = Callable[[], Predictor]


class Registry:
    """Predictors by name. Predictors are made once; those of one embedded model share its engine.

    Parameters
    ----------
    engine_options
        How embedded models are run.
    remote_options
        Options of remote models by the predictor's name (``openai/gpt-4o``) or its provider (``openai``).
    """

    def __init__(
        self,
        engine_options: EngineOptions | None = None,
        remote_options: Mapping[str, RemoteOptions] | None = None,
    ) -> None:
        self._engine_options = engine_options
        self._remote_options = dict(remote_options or {})
        self._remote_thread = RemoteThread(on_stop=close_clients)
        self._engines: dict[str, Engine] = {}
        self._predictors: dict[str, Predictor] = {}
        self._third_parties: dict[str, EntryPoint] = {
            point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)
        }

    def names(self) -> list[str]:
        """Return the names to offer; remote models are beyond number, and ``echo`` is for tests."""
        local = [spec.predictor_name for spec in MODELS.values()]
        combined = [COMBINED_PREFIX + name for name in local]
        return [*(baseline.name for baseline in BASELINES), *local, *combined, *sorted(self._third_parties)]

    def get(self, name: str) -> Predictor:
        """Return the predictor of a name.

        Raises
        ------
        UnknownModelError
            There is none; the message lists those that exist.
        """
        predictor = self._predictors.get(name)
        if predictor is None:
            predictor = self._predictors[name] = self._make(name)
        return predictor

    def register(self, name: str, factory: PredictorFactory) -> None:
        """Let a name stand for what a factory returns, in place of whatever it stood for."""
        self._predictors[name] = factory()

    def engine(self, name: str) -> Engine:
        """Return the engine of an embedded model, by its own or its predictor's name."""
        spec = find_spec(name)
        engine = self._engines.get(spec.name)
        if engine is None:
            engine = self._engines[spec.name] = Engine(spec, self._engine_options)
        return engine

    async def close(self) -> None:
        """Stop the engines and give up requests to remote models."""
        await asyncio.gather(*(engine.stop() for engine in self._engines.values()))
        await self._remote_thread.stop()

    def _make(self, name: str) -> Predictor:
        if name in self._third_parties:
            return self._load(self._third_parties[name])
        for baseline in BASELINES:
            if baseline.name == name:
                return baseline
        if name == "echo":
            return EchoPredictor()
        if name.startswith(LOCAL_PREFIX) and name.removeprefix(LOCAL_PREFIX) in MODELS:
            return LocalPredictor(self.engine(name))
        if name.startswith(COMBINED_PREFIX):
            model = self.get(name.removeprefix(COMBINED_PREFIX))
            if model.form == "none":
                raise UnknownModelError(f"{model.name} reads no prompt; only a model can be combined with the past.")
            return CombinedPredictor(model)
        provider, _, model_name = name.partition("/")
        if provider in REMOTE_PROVIDERS and model_name:
            options = self._remote_options.get(name) or self._remote_options.get(provider)
            return RemotePredictor(name, self._remote_thread, options)
        raise UnknownModelError(
            f"There is no model named {name!r}; known are: {', '.join(self.names())}, and remote ones such as "
            "openai/gpt-4o, anthropic/claude-sonnet-4-5 or ollama/qwen2.5-coder."
        )

    def _load(self, point: EntryPoint) -> Predictor:
        """Make a third party's predictor; a broken one must not take the others with it."""
        try:
            predictor = point.load()()
        except Exception as error:  # noqa: BLE001 - it is anyone's code
            log.error("The predictor %s could not be loaded (%s)", point.name, type(error).__name__)
            raise UnknownModelError(
                f"The predictor {point.name!r} is installed but could not be loaded ({type(error).__name__})."
            ) from None
        if not isinstance(predictor, Predictor):
            raise UnknownModelError(f"The predictor {point.name!r} is not a predictor: it lacks some members.")
        return predictor
