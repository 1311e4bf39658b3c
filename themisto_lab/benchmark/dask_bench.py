"""Questions of a benchmark as tasks on a Dask cluster. Results, retries and scores stay in the coordinating process."""

from __future__ import annotations

from dataclasses import replace

from themisto_lab.benchmark.contenders import Contender, package_version
from themisto_lab.benchmark.dask_cluster import PACKAGE, Cluster, SchedulerError, WorkersDiedError
from themisto_lab.benchmark.dask_worker import Question, answer, end_models
from themisto_lab.benchmark.runner_jobs import Job
from themisto_lab.predict.local import LocalPredictor
from themisto_lab.predict.remote import RemotePredictor
from themisto_lab.types import Prediction, PredictionError, utc_now


class WorkersAsk:
    """Asks one contender on the workers of a cluster.

    Parameters
    ----------
    cluster
        The cluster.
    contender
        Who is asked. Each worker makes its own predictor of that name.
    """

    def __init__(self, cluster: Cluster, contender: Contender) -> None:
        self._cluster = cluster
        self._contender = contender

    async def width(self, concurrency: int) -> int:
        """Return how many questions may be under way: for an embedded model one for each worker."""
        if self._contender.predictor.kind != "local":
            return concurrency
        return max(1, await self._cluster.n_workers())

    async def __call__(self, job: Job) -> Prediction:
        """Ask on one of the workers.

        Raises
        ------
        SchedulerError
            The scheduler was lost.
        """
        try:
            prediction = await self._cluster.run(answer, self._question(job))
        except WorkersDiedError as error:
            prediction = _failed(job, error.code, str(error))
        except SchedulerError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever keeps a worker from taking a task
            prediction = _failed(job, "error", f"A worker could not take the question ({type(error).__name__}).")
        return prediction.model_copy(update={"context": job.request.context})

    async def close(self) -> None:
        """End the workers' models."""
        await self._cluster.everywhere(end_models)

    def _question(self, job: Job) -> Question:
        options = job.setup.options
        request = job.request
        if self._reads_prompts_only():
            request = replace(request, trajectory=request.trajectory.model_copy(update={"steps": ()}))
        return Question(
            # Nothing of it that only the coordinating process needs; a database's URL may hold a password.
            options=replace(options, models=(self._contender.name,), baselines=False, store=None, scheduler=None),
            identity=self._contender.identity,
            version=package_version(PACKAGE),
            prediction=job.prediction().model_copy(update={"context": None}),
            request=request,
        )

    def _reads_prompts_only(self) -> bool:
        """Tell whether the predictor is one of ours that reads nothing but its prompt."""
        predictor = self._contender.predictor
        return isinstance(predictor, LocalPredictor | RemotePredictor)


def _failed(job: Job, code: str, message: str) -> Prediction:
    error = PredictionError(code=code, message=message)
    return job.prediction().model_copy(update={"status": "failed", "error": error, "completed_at": utc_now()})
