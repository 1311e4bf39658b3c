"""Runs a trajectory again in a fresh kernel and records it as the live extension would."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager

from themisto_lab.benchmark.format import UNKNOWN_TIME
from themisto_lab.benchmark.heal import Healer
from themisto_lab.benchmark.session import KernelSession, KernelStartError
from themisto_lab.types import JsonObject, Step, Trajectory

_MAX_RESTARTS = 3
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")

OnStep = Callable[[], None]
"""Called after each step, for a progress bar."""


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """How trajectories are run again.

    Attributes
    ----------
    python
        The interpreter whose ipykernel is started.
    cwd
        The folder that kernels work in; None for an empty one for each trajectory.
    timeout_s
        The longest that one step may run.
    start_timeout_s
        The longest that a kernel may take to start.
    heal
        Whether to run stale upstream cells again first, see `themisto_lab.benchmark.heal`.
    jobs
        Kernels at once.
    """

    python: str
    cwd: Path | None = None
    timeout_s: float = 60.0
    start_timeout_s: float = 60.0
    heal: bool = False
    jobs: int = 2


@dataclass
class ReplayReport:
    """What became of one trajectory.

    Attributes
    ----------
    n_steps, n_ok, n_error, n_interrupted, n_died
        Steps that were run, and how they ended.
    n_new_errors
        Steps that ended well when they were recorded and do not now.
    n_not_replayed
        Steps that were not run, because the kernel could not be kept up.
    n_recorded_outputs, n_same_outputs
        Steps with a whole recorded output, and those whose output came out the same (memory addresses aside).
    n_healing_runs
        Upstream cells that were run again.
    n_restarts
        Kernels that had to be started anew in mid-trajectory.
    note
        Why steps were not run.
    """

    n_steps: int = 0
    n_ok: int = 0
    n_error: int = 0
    n_interrupted: int = 0
    n_died: int = 0
    n_new_errors: int = 0
    n_not_replayed: int = 0
    n_recorded_outputs: int = 0
    n_same_outputs: int = 0
    n_healing_runs: int = 0
    n_restarts: int = 0
    note: str = ""

    def count(self, recorded: Step, replayed: Step) -> None:
        """Count one step beside what was recorded of it."""
        self.n_steps += 1
        name = f"n_{replayed.status}"
        setattr(self, name, getattr(self, name) + 1)
        self.n_new_errors += replayed.raised and not recorded.raised
        if recorded.output_text and not any(output.truncated for output in recorded.outputs):
            self.n_recorded_outputs += 1
            self.n_same_outputs += _plain(recorded.output_text) == _plain(replayed.output_text)

    def as_json(self) -> JsonObject:
        """Return the report as a JSON object."""
        return asdict(self)


@dataclass(slots=True)
class Replayer:
    """Replays one trajectory.

    A step that hangs is interrupted. One that kills the kernel, or has to be killed, is kept with the status
    ``died``; then a new kernel is started, the runs that ended well before are run again in it, and the next
    step follows.

    Parameters
    ----------
    trajectory, options
        What and how.
    specs
        From `themisto_lab.benchmark.session.kernel_specs`.
    on_step
        Called after each step.
    """

    trajectory: Trajectory
    options: ReplayOptions
    specs: KernelSpecManager
    on_step: OnStep
    report: ReplayReport = field(default_factory=ReplayReport)
    _session: KernelSession | None = None
    _healer: Healer = field(default_factory=Healer)
    _good: list[tuple[str, str | None]] = field(default_factory=list)
    _steps: list[Step] = field(default_factory=list)

    async def replay(self) -> Trajectory | None:
        """Run all steps and return the trajectory as it was this time; None where no step could be run."""
        if self.trajectory.language.lower() not in ("python", "ipython", "python3"):
            return self._give_up(f"the language is {self.trajectory.language}")
        with tempfile.TemporaryDirectory(prefix="themisto-replay-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            cwd = self.options.cwd or folder / "work"
            (folder / "work").mkdir()
            try:
                for recorded in self.trajectory.steps:
                    if not await self._ensure_kernel(cwd, folder / "ipython"):
                        return self._give_up("the kernel could not be kept up")
                    await self._take_step(recorded)
            except KernelStartError as error:
                return self._give_up(str(error))
            finally:
                await self._close()
        return self._result()

    async def _take_step(self, recorded: Step) -> None:
        step = await self._run_healed(recorded) if self.options.heal else await self._run(recorded)
        self.report.count(recorded, step)
        started_at = step.started_at if recorded.started_at == UNKNOWN_TIME else recorded.started_at
        place = {
            "index": len(self._steps),
            "kernel_id": recorded.kernel_id,
            "cell_id": recorded.cell_id,
            "started_at": started_at,
        }
        self._steps.append(step.model_copy(update=place))
        self.on_step()

    async def _run(self, recorded: Step) -> Step:
        # The state that the step's code meets: what a person who asks for its output before running it would see.
        look = await self._session.look(recorded.code) if self._session is not None and self._alive() else None
        step = (await self._run_code(recorded.code, recorded.cell_id)).model_copy(update={"look": look})
        self._healer.ran(_key(recorded), recorded.code, ok=not step.raised)
        return step

    async def _run_healed(self, recorded: Step) -> Step:
        """Run stale cells, then the step; where it fails and did not before, all its upstream cells and it again."""
        await self._run_again(self._healer.stale(_key(recorded), recorded.code))
        step = await self._run(recorded)
        if step.status == "error" and not recorded.raised:
            upstream = self._healer.upstream(_key(recorded), recorded.code)
            if upstream and await self._run_again(upstream):
                step = await self._run(recorded)
        return step

    async def _run_again(self, cells: list[tuple[str, str]]) -> bool:
        """Run cells again in order; stop, and tell, where the kernel is lost."""
        for key, code in cells:
            if not self._alive():
                return False
            self.report.n_healing_runs += 1
            step = await self._run_code(code, key)
            self._healer.ran(key, code, ok=not step.raised)
        return self._alive()

    async def _run_code(self, code: str, cell_id: str | None) -> Step:
        if self._session is None or not self._session.alive:
            return Step(index=0, kernel_id="", code=code, status="died")
        step = await self._session.run(code, cell_id, self.options.timeout_s)
        if not step.raised:
            self._good.append((code, cell_id))
        return step

    async def _ensure_kernel(self, cwd: Path, profile: Path) -> bool:
        """Start a kernel where there is none, with the state that the lost one had; tell whether there is one."""
        while not self._alive():
            is_first = self._session is None
            await self._close()
            if not is_first:
                if self.report.n_restarts == _MAX_RESTARTS:
                    return False
                self.report.n_restarts += 1
            self._session = KernelSession(self.specs, cwd, profile)
            await self._session.start(self.options.start_timeout_s)
            for code, cell_id in self._good:
                if not self._session.alive:
                    break
                await self._session.run(code, cell_id, self.options.timeout_s)
        return True

    def _alive(self) -> bool:
        return self._session is not None and self._session.alive

    async def _close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _give_up(self, why: str) -> Trajectory | None:
        self.report.note = why
        self.report.n_not_replayed = len(self.trajectory.steps) - len(self._steps)
        for _ in range(self.report.n_not_replayed):
            self.on_step()
        return self._result()

    def _result(self) -> Trajectory | None:
        if not self._steps:
            return None
        return self.trajectory.model_copy(update={"steps": tuple(self._steps), "replayed": True})


def _key(step: Step) -> str:
    return step.cell_id or step.code


def _plain(text: str) -> str:
    return _ADDRESS.sub("0x", text)
