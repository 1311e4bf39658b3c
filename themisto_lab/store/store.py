"""The store: what is recorded, on a disk or in memory, and how it is asked.

Every method is asynchronous and does its work on other threads than the event loop's. Any of them raises
`themisto_lab.errors.StoreError` when the database fails or the store is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from themisto_lab.store import cap, queries, reports, upkeep, writes
from themisto_lab.store.engine import Log, make_reader, make_writer
from themisto_lab.store.faults import told_plainly
from themisto_lab.store.forget import Selection, forget
from themisto_lab.store.location import Location, locate
from themisto_lab.store.migrate import upgrade
from themisto_lab.store.reader import Reader
from themisto_lab.store.records import (
    ForgetCounts,
    Resolved,
    ScorePair,
    ScoreRow,
    StoredPrediction,
    StoreInfo,
)
from themisto_lab.store.writer import Writer
from themisto_lab.types import JsonObject, Prediction, PredictionStatus, Step, TaskKind, Trajectory

T = TypeVar("T")


class Store:
    """A record of trajectories, predictions, targets and scores; made by `open` or `open_memory`.

    Parameters
    ----------
    location
        Where it is.
    writer
        The thread that writes.
    reader
        The threads that read; None where only the writer's connection sees the data.
    log
        Hears of trouble, never of content.
    """

    def __init__(self, location: Location, writer: Writer, reader: Reader | None, log: Log) -> None:
        self._location = location
        self._writer = writer
        self._reader = reader
        self._log = log
        # Another process may erase a trajectory whose kernel lives on: its next step needs the head again.
        self._heads: dict[str, Trajectory] = {}
        self._cap_warned = False

    @classmethod
    def open(cls, url_or_path: str | Path, log: Log, *, recover: bool = True) -> Store:
        """Open a store, creating it or bringing its schema up to date. Blocks while it does.

        Parameters
        ----------
        url_or_path
            A file's path, or ``postgresql://...``.
        log
            Hears of a fallback or a recovery; never of content.
        recover
            Whether to mark as cancelled what a process that died left running. A tool that opens the store beside
            a server at work says no.

        Raises
        ------
        StoreError
            When it can't be opened; names it and says what to do. Nothing is ever deleted.
        """
        location = locate(url_or_path)
        with told_plainly(location.label):
            engine = make_writer(location, log)
            try:
                upgrade(engine, location.label)
                if recover:
                    with engine.begin() as connection:
                        n_cancelled = writes.cancel_running(connection)
                    if n_cancelled:
                        log.info("The store had %d unfinished predictions: cancelled", n_cancelled)
                reader = None
                if not location.in_memory:
                    reader = Reader(make_reader(location), location.label)
            except BaseException:
                engine.dispose()
                raise
        return cls(location, Writer(engine, location.label), reader, log)

    @classmethod
    def open_memory(cls, log: Log) -> Store:
        """Open a store that writes to no disk and is gone when it is closed."""
        return cls.open("sqlite://", log)

    async def close(self) -> None:
        """Finish what was asked for and let go of the file. Safe to call twice."""
        if self._reader is not None:
            await self._reader.close()
        await self._writer.close()

    @property
    def path(self) -> str:
        """The file's path, ``:memory:``, or the database's address without its password."""
        return self._location.label

    # Writing: each returns once the change is committed.

    async def add_trajectory(self, trajectory: Trajectory) -> None:
        """Insert the head of a trajectory, or replace it; its steps are ignored."""
        head = trajectory.model_copy(update={"steps": ()})
        self._heads[head.id] = head
        await self._writer.write(partial(writes.put_trajectory, head=head))

    async def update_trajectory(
        self, trajectory_id: str, *, notebook: str | None = None, task_description: str | None = None
    ) -> None:
        """Change what is given of a trajectory's head."""
        head = self._heads.get(trajectory_id)
        if head is not None:
            given = {"notebook": notebook, "task_description": task_description}
            self._heads[trajectory_id] = head.model_copy(
                update={name: value for name, value in given.items() if value is not None}
            )
        change = partial(
            writes.change_trajectory,
            trajectory_id=trajectory_id,
            notebook=notebook,
            task_description=task_description,
        )
        await self._writer.write(change)

    async def add_step(self, trajectory_id: str, step: Step) -> None:
        """Insert a step. One with the same trajectory and index stays as it is, so a retry does no harm."""
        head = self._heads.get(trajectory_id) or Trajectory(
            id=trajectory_id, kernel_id=step.kernel_id, started_at=step.started_at
        )
        await self._writer.write(partial(writes.put_step, head=head, step=step))

    async def put_prediction(self, prediction: Prediction) -> datetime:
        """Insert a prediction, or replace it while it is not complete.

        Once stored with the status ``ready`` its texts, context and times are final: later calls change only its
        status and whether it is shown, and not the status either once it is scored, missed or stale.

        Returns
        -------
        datetime.datetime
            When it was first stored ready, in UTC; for one that is not ready yet, when this call stored it. The
            clock is read inside the transaction that holds the prediction.
        """
        head = self._heads.get(prediction.trajectory_id) or Trajectory(
            id=prediction.trajectory_id, started_at=prediction.created_at
        )
        return await self._writer.write(partial(writes.put_prediction, head=head, prediction=prediction))

    async def set_status(self, ids: Sequence[str], status: PredictionStatus) -> None:
        """Change where predictions stand; ids that are not there are left out."""
        await self._writer.write(partial(writes.change_status, ids=tuple(ids), status=status))

    async def resolve(self, results: Sequence[Resolved]) -> None:
        """Write how predictions ended, all in one commit; those erased meanwhile are left out."""
        await self._writer.write(partial(writes.put_results, results=tuple(results)))

    async def add_feedback(self, prediction_id: str, action: str, detail: JsonObject) -> None:
        """Add what a person did with a prediction.

        Raises
        ------
        NotFoundError
            When there is no such prediction.
        """
        await self._writer.write(
            partial(writes.put_feedback, prediction_id=prediction_id, action=action, detail=detail)
        )

    # Reading.

    async def get_prediction(self, prediction_id: str) -> StoredPrediction | None:
        """Return a prediction with its context, target, scores and feedback; None where there is none."""
        return await self._read(partial(queries.prediction, prediction_id=prediction_id))

    async def predictions(
        self,
        trajectory_id: str,
        *,
        task: TaskKind | None = None,
        statuses: Collection[PredictionStatus] | None = None,
        shown: bool | None = None,
        limit: int | None = None,
        newest_first: bool = False,
        with_context: bool = False,
    ) -> tuple[StoredPrediction, ...]:
        """Return predictions of a trajectory in the order in which they were asked for, without feedback.

        Parameters
        ----------
        trajectory_id
            Which trajectory.
        task, statuses, shown
            Conditions; None leaves one out.
        limit
            The most that are returned.
        newest_first
            Whether to turn the order round.
        with_context
            Whether to read the prompts as well, which are by far the largest part.
        """
        return await self._read(
            partial(
                queries.predictions,
                trajectory_id=trajectory_id,
                task=task,
                statuses=statuses,
                shown=shown,
                limit=limit,
                newest_first=newest_first,
                with_context=with_context,
            )
        )

    async def get_trajectory(self, trajectory_id: str) -> Trajectory | None:
        """Return a trajectory with all its steps; None where there is none.

        Steps that were forgotten are missing. Those whose texts the size cap took have none.
        """
        return await self._read(partial(queries.trajectory, trajectory_id=trajectory_id))

    async def steps(self, trajectory_id: str, after: int = 0, limit: int | None = 200) -> tuple[Step, ...]:
        """Return steps with an index of ``after`` or more, in order, ``limit`` at most."""
        return await self._read(partial(queries.steps, trajectory_id=trajectory_id, after=after, limit=limit))

    async def count_steps(self, trajectory_id: str | None = None, notebook: str | None = None) -> int:
        """Return the number of steps of a trajectory, of a notebook, or of all."""
        return await self._read(partial(queries.count_steps, trajectory_id=trajectory_id, notebook=notebook))

    async def list_trajectories(self, notebook: str | None = None) -> tuple[Trajectory, ...]:
        """Return the heads of trajectories (no steps), oldest first; those of one notebook, or all."""
        return await self._read(partial(queries.trajectories, notebook=notebook))

    async def score_rows(self, trajectory_id: str | None = None, notebook: str | None = None) -> tuple[ScoreRow, ...]:
        """Return mean scores and counts by task, predictor, arm and whether shown."""
        return await self._read(partial(reports.score_rows, trajectory_id=trajectory_id, notebook=notebook))

    async def paired(
        self,
        arm: str,
        other_arm: str,
        *,
        trajectory_id: str | None = None,
        notebook: str | None = None,
    ) -> tuple[ScorePair, ...]:
        """Return the scores of two arms, of every predictor, task and metric, on the very same questions.

        The same question: trajectory, step, task, cell and code are equal. Where an arm answered it more than
        once, its latest scored answer counts.
        """
        return await self._read(
            partial(reports.paired, arm=arm, other_arm=other_arm, trajectory_id=trajectory_id, notebook=notebook)
        )

    async def info(self) -> StoreInfo:
        """Return where the store is, how large, and how much it holds."""
        return await self._read(partial(upkeep.info, location=self._location))

    # Erasing.

    async def forget(
        self,
        before: datetime | None = None,
        notebook: str | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> ForgetCounts:
        """Erase what matches, from the files too, or only count it.

        Parameters
        ----------
        before, notebook, everything
            What; see `themisto_lab.store.forget.Selection`.
        dry_run
            Whether only to count.

        Raises
        ------
        BadInputError
            When nothing is selected, or ``everything`` with something else.
        """
        work = partial(forget, selection=Selection(before, notebook, everything), dry_run=dry_run)
        if dry_run:
            return await self._read(work)
        counts = await self._writer.write(work)
        if not await self._writer.upkeep(upkeep.rewrite):
            self._log.warning(
                "Another program was reading the store %s: what was erased leaves its log when that program is done",
                self._location.label,
            )
        return counts

    async def enforce_cap(self, cap_bytes: int) -> int:
        """Blank the oldest texts until the store is smaller than a limit; scores and counts stay.

        Cuts to a tenth below the limit, so that it need not cut again at once. On PostgreSQL the limit is on the
        size of the texts, for its files shrink in their own time.

        Returns
        -------
        int
            How many steps and predictions lost their texts.
        """
        if await self._read(partial(upkeep.size_bytes, location=self._location)) <= cap_bytes:
            return 0
        n_blanked = 0
        while True:
            result = await self._writer.write(partial(cap.cut, cap_bytes=cap_bytes))
            n_blanked += result.n_blanked
            if result.done:
                break
        await self._writer.upkeep(upkeep.release_free_space)
        if result.used_bytes > cap_bytes and not self._cap_warned:
            self._cap_warned = True
            self._log.warning(
                "The store %s holds no texts any more and is still larger than its limit of %d bytes: raise the limit "
                "or run jupyter themisto forget",
                self._location.label,
                cap_bytes,
            )
        return n_blanked

    async def _read(self, work: Callable[[Connection], T]) -> T:
        if self._reader is None:
            return await self._writer.write(work)
        return await self._reader.read(work)
