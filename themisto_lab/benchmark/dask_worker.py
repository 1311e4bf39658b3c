"""What runs inside a Dask worker for a benchmark: one question to a model.

A worker makes its own predictors, at the first question and once in its process. Keys come from its environment and are
never sent; models' files have to be where it looks for them.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from themisto_lab.benchmark.contenders import Contender, make_contenders, package_version
from themisto_lab.benchmark.dask_cluster import PACKAGE
from themisto_lab.benchmark.retry import FATAL
from themisto_lab.benchmark.runner_options import BenchOptions
from themisto_lab.errors import EngineError, ThemistoError
from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.engine_process import EngineOptions
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.run import run_prediction
from themisto_lab.types import JsonObject, Prediction, PredictionError, utc_now


class WorkerDiffersError(ThemistoError):
    """A worker would answer under other conditions than the run's manifest says."""

    code = "worker_differs"


@dataclass(frozen=True, slots=True)
class Question:
    """One question to one model, as it is sent to a worker.

    Attributes
    ----------
    options
        The options of the run, with this model alone.
    identity
        What replies depend on, as the run's manifest says: the hash of the model's file, the engine, its threads.
    version
        The package's version in the coordinating process.
    prediction, request
        What is asked; neither holds more than the predictor reads.
    """

    options: BenchOptions
    identity: JsonObject
    version: str
    prediction: Prediction
    request: PredictRequest


def answer(question: Question) -> Prediction:
    """Answer a question; a failure is part of the prediction."""
    # With the lock held: whoever ends the models from here on ends this question as well, and leaves none waiting.
    with _home_lock:
        waiting = _home().begin(question)
    try:
        prediction = waiting.result()
    except CancelledError:
        return _failed(question, EngineError("The worker's models were ended while it answered."))
    error = prediction.error
    if error is None or error.code not in FATAL:
        return prediction
    # It stops the run's model: say where the remedy is needed.
    named = error.model_copy(update={"message": f"Worker {own_address()}: {error.message}"})
    return prediction.model_copy(update={"error": named})


def end_models() -> None:
    """End the worker's embedded models, what is being answered, and forget its predictors; return at once."""
    global _the_home
    with _home_lock:
        home, _the_home = _the_home, None
    if home is not None:
        home.end()


class _Home:
    """The predictors of one worker's process, on an event loop of their own, so that none delays Dask's."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._registries: dict[int, Registry] = {}
        self._contenders: dict[str, Contender] = {}
        self._turns: dict[str, asyncio.Lock] = {}
        self._making = asyncio.Lock()
        threading.Thread(target=self._loop.run_forever, name="themisto-models", daemon=True).start()

    def begin(self, question: Question) -> Future[Prediction]:
        """Begin to answer a question."""
        return asyncio.run_coroutine_threadsafe(self._answer(question), self._loop)

    async def _answer(self, question: Question) -> Prediction:
        try:
            contender = await self._contender(question)
        except ThemistoError as error:
            return _failed(question, error)
        async with self._turn(contender):
            # Its time begins here: how long it waited for a worker, or for its turn, is not the model's.
            begun = question.prediction.model_copy(update={"created_at": utc_now()})
            return await run_prediction(contender.predictor, begun, question.request)

    def end(self) -> None:
        """End all that runs, in the background."""

        async def close() -> None:
            # A question that stayed on a stopped loop would keep its worker's thread for good.
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for other in others:
                other.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            for registry in self._registries.values():
                await registry.close()
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(close(), self._loop)

    def _turn(self, contender: Contender) -> AbstractAsyncContextManager[Any]:
        """Return the turn to ask: an embedded model takes one question at a time."""
        if contender.predictor.kind != "local":
            return nullcontext()
        return self._turns.setdefault(contender.name, asyncio.Lock())

    async def _contender(self, question: Question) -> Contender:
        """Return who is asked, checked when it is asked for the first time.

        Raises
        ------
        ThemistoError
            It can't be asked here, or would be asked under other conditions.
        """
        check_version(question.version)
        options = question.options
        name = f"{options.models[0]} {options.prompt} {options.threads}"
        async with self._making:
            contender = self._contenders.get(name)
            if contender is None:
                # In a thread: a model's file is read as a whole for its checksum.
                registry = self._registries.get(options.threads)
                if registry is None:
                    registry = self._registries[options.threads] = Registry(EngineOptions(n_threads=options.threads))
                (contender,) = await asyncio.to_thread(make_contenders, options, registry)
                self._contenders[name] = contender
        for what, expected in question.identity.items():
            found = contender.identity.get(what)
            if found != expected:
                raise WorkerDiffersError(
                    f"the {what.replace('_', ' ')} of {contender.name} is {found!r} there and {expected!r} in the run; "
                    "make them the same."
                )
        return contender


_home_lock = threading.Lock()
_the_home: _Home | None = None


def _home() -> _Home:
    """Return the process's predictors; the lock is held."""
    global _the_home  # noqa: PLW0603 - a worker's process is the one place where its models belong
    if _the_home is None:
        _the_home = _Home()
    return _the_home


def _failed(question: Question, error: ThemistoError) -> Prediction:
    failure = PredictionError(code=error.code, message=str(error))
    return question.prediction.model_copy(update={"status": "failed", "error": failure, "completed_at": utc_now()})


def check_version(expected: str) -> None:
    """Make sure that this worker has the version of the coordinating process.

    Raises
    ------
    WorkerDiffersError
        It has another one.
    """
    own = package_version(PACKAGE)
    if own != expected:
        raise WorkerDiffersError(
            f"{PACKAGE} is {own} there and {expected} in the run; install the same version and start the worker again."
        )


def own_address() -> str:
    """Return the address of the worker that runs this task."""
    from distributed import get_worker

    return str(get_worker().address)
