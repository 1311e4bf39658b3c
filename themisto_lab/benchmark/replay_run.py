"""Replays a trajectory file with several kernels at once; a run that was killed goes on where it was.

What is done is appended to ``<out>.partial``, a line a trajectory, and only a whole run becomes ``<out>``, in the
order of the source.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import BinaryIO

from themisto_lab.benchmark.format import read_trajectories, to_json
from themisto_lab.benchmark.jsonl import atomic_text_writer, dump_line, parse_object
from themisto_lab.benchmark.replay import OnStep, Replayer, ReplayOptions, ReplayReport
from themisto_lab.benchmark.sampling import file_sha256
from themisto_lab.benchmark.session import default_python, find_interpreter, kernel_specs
from themisto_lab.errors import BadInputError, ThemistoError
from themisto_lab.types import JsonObject, Trajectory

OneReplay = Callable[[Trajectory], Awaitable[tuple[ReplayReport, Trajectory | None]]]
"""Replays a trajectory and tells what became of it; None where no step could be run."""


@dataclass
class ReplaySummary:
    """What became of a whole file.

    Attributes
    ----------
    n_trajectories
        Trajectories that were run and written.
    n_resumed
        Those of them that an earlier run had done.
    left_out
        Trajectories of which no step could be run, with the reason.
    notes
        Trajectories that end early, with the reason.
    total
        The sums of the trajectories' reports.
    """

    n_trajectories: int = 0
    n_resumed: int = 0
    left_out: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    total: ReplayReport = field(default_factory=ReplayReport)

    def add(self, name: str, report: ReplayReport, is_written: bool) -> None:
        """Add one trajectory's report."""
        for one in fields(ReplayReport):
            if one.name != "note":
                setattr(self.total, one.name, getattr(self.total, one.name) + getattr(report, one.name))
        self.n_trajectories += is_written
        if report.note:
            (self.notes if is_written else self.left_out)[name] = report.note

    def as_json(self) -> JsonObject:
        """Return the summary as a JSON object."""
        total = self.total.as_json()
        del total["note"]
        return {
            "trajectories": self.n_trajectories,
            "resumed": self.n_resumed,
            "left_out": self.left_out,
            "ended_early": self.notes,
            **total,
        }


def check_source(path: Path) -> tuple[list[str], int]:
    """Read a trajectory file once, before hours are spent on it.

    Returns
    -------
    tuple
        The ids in the file's order, and the number of all steps.

    Raises
    ------
    BadInputError
        A line can't be read, or two trajectories have the same id.
    """
    ids: dict[str, None] = {}
    n_steps = 0
    for trajectory in read_trajectories(path):
        if trajectory.id in ids:
            raise BadInputError(f"{path}: two trajectories have the id {trajectory.id}.")
        ids[trajectory.id] = None
        n_steps += len(trajectory.steps)
    return list(ids), n_steps


async def replay_file(
    source: Path,
    out: Path,
    options: ReplayOptions,
    ids: list[str],
    on_step: OnStep,
    scheduler: str | None = None,
) -> ReplaySummary:
    """Replay every trajectory of a file.

    Parameters
    ----------
    source, out
        Trajectory files.
    options
        How.
    ids
        From `check_source`.
    on_step
        Called after each step, also for those that an earlier run had done.
    scheduler
        The address of a Dask scheduler whose workers run the kernels; None to run them here.

    Raises
    ------
    BadInputError
        The interpreter can't start kernels, the folder does not exist, the source can't be read, no trajectory
        could be replayed, or no scheduler answers.
    """
    if scheduler is None:
        if options.cwd is not None and not options.cwd.is_dir():
            raise BadInputError(f"{options.cwd} is not a folder.")
        options = replace(options, python=await find_interpreter(options.python))
    summary = ReplaySummary()
    partial = PartialFile(out.with_name(out.name + ".partial"))
    try:
        async with _way_to_replay(options, on_step, scheduler) as (replay, width):
            partial.open(_fingerprint(source, options))
            todo = _left_to_do(source, partial, summary, on_step)
            async with asyncio.TaskGroup() as group:
                for _ in range(width):
                    group.create_task(_work(todo, replay, partial))
        _write_out(out, ids, partial, summary)
        partial.remove()
    except* ThemistoError as errors:
        raise errors.exceptions[0] from None
    finally:
        partial.close()
    return summary


def _left_to_do(source: Path, partial: PartialFile, summary: ReplaySummary, on_step: OnStep) -> Iterator[Trajectory]:
    for trajectory in read_trajectories(source):
        if trajectory.id not in partial:
            yield trajectory
            continue
        summary.n_resumed += 1
        for _ in trajectory.steps:
            on_step()


def _write_out(out: Path, ids: list[str], partial: PartialFile, summary: ReplaySummary) -> None:
    """Write what is done in the order of the source."""
    with atomic_text_writer(out) as file:
        for name in ids:
            value = partial.read(name)
            summary.add(name, ReplayReport(**value["report"]), value["trajectory"] is not None)
            if value["trajectory"] is not None:
                file.write(dump_line(value["trajectory"]))
        if not summary.n_trajectories:
            reasons = "; ".join(sorted({why.rstrip(".") for why in summary.left_out.values()}))
            partial.remove()
            raise BadInputError(f"No trajectory could be replayed: {reasons}.")


@asynccontextmanager
async def _way_to_replay(
    options: ReplayOptions, on_step: OnStep, scheduler: str | None
) -> AsyncIterator[tuple[OneReplay, int]]:
    """Provide how to replay a trajectory, and how many may be under way."""
    if scheduler is not None:
        from themisto_lab.benchmark.dask_replay import replays_on

        async with replays_on(scheduler, options, on_step) as way:
            yield way
        return
    with kernel_specs(options.python) as specs:

        async def replay(trajectory: Trajectory) -> tuple[ReplayReport, Trajectory | None]:
            replayer = Replayer(trajectory, options, specs, on_step)
            replayed = await replayer.replay()
            return replayer.report, replayed

        yield replay, options.jobs


async def _work(todo: Iterator[Trajectory], replay: OneReplay, partial: PartialFile) -> None:
    """Take the next trajectory until there is none; the workers share the iterator."""
    for trajectory in todo:
        report, replayed = await replay(trajectory)
        partial.append(trajectory.id, report, replayed)


def _fingerprint(source: Path, options: ReplayOptions) -> JsonObject:
    """Return all that determines a replay; what was done with another one is not used."""
    return {
        "source_sha256": file_sha256(source),
        "python": options.python or default_python(),
        "cwd": str(options.cwd.resolve()) if options.cwd is not None else None,
        "timeout_s": options.timeout_s,
        "heal": options.heal,
    }


class PartialFile:
    """The trajectories that are done, on disk; only where each one lies is held in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._offsets: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._offsets

    def open(self, fingerprint: JsonObject) -> None:
        """Open the file; keep what is in it if it has the same fingerprint, else begin anew.

        A last line that was cut off by a kill is dropped.

        Raises
        ------
        BadInputError
            It can't be written.
        """
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise BadInputError(f"{self._path} can't be written: {error.strerror or error}.") from error
        self._file = os.fdopen(handle, "r+b")
        end = self._scan(self._file, fingerprint)
        self._file.truncate(end)
        self._file.seek(end)
        if not end:
            self._write({"fingerprint": fingerprint})

    def append(self, name: str, report: ReplayReport, trajectory: Trajectory | None) -> None:
        """Add a trajectory that is done; it is on the disk when this returns."""
        line = to_json(trajectory) if trajectory is not None else None
        self._offsets[name] = self._write({"id": name, "report": report.as_json(), "trajectory": line})

    def read(self, name: str) -> JsonObject:
        """Return what was added for a trajectory."""
        if self._file is None:
            raise ValueError("not open")
        self._file.seek(self._offsets[name])
        return parse_object(self._path, 0, self._file.readline())

    def close(self) -> None:
        """Close the file and leave it for the next run."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def remove(self) -> None:
        """Delete the file: all is done."""
        self.close()
        self._path.unlink(missing_ok=True)

    def _scan(self, file: BinaryIO, fingerprint: JsonObject) -> int:
        """Note where each line lies and return where the last whole one ends; 0 for another run's file."""
        end = 0
        for number, line in enumerate(file):
            value: JsonObject = {}
            with suppress(ValueError):
                value = json.loads(line)
            if not line.endswith(b"\n") or not value:
                break
            if number == 0:
                if value.get("fingerprint") != fingerprint:
                    return 0
            else:
                self._offsets[value["id"]] = end
            end += len(line)
        return end

    def _write(self, value: JsonObject) -> int:
        if self._file is None:
            raise ValueError("not open")
        offset = self._file.seek(0, os.SEEK_END)
        self._file.write(dump_line(value).encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        return offset
