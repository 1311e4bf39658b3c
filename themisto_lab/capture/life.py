"""One life of a kernel as the recorder follows it: from messages to steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from themisto_lab.capture.listener import Capability, KernelLife, RunStarted
from themisto_lab.capture.messages import Run
from themisto_lab.capture.namespace import Namespace, receipt_from
from themisto_lab.capture.redact import (
    PLACEHOLDER,
    literal_secrets,
    redact_code,
    redact_text,
    redact_variables,
    worth_remembering,
)
from themisto_lab.capture.runs import Ended, RunTracker
from themisto_lab.types import Step, VariableSnapshot, utc_now

_MAX_STATES = 10


@dataclass(frozen=True, slots=True)
class StateAfter:
    """What the probe told after a run.

    Attributes
    ----------
    variables
        The namespace, not yet redacted by the server.
    content
        The rest of the message.
    """

    variables: tuple[VariableSnapshot, ...]
    content: Mapping[str, Any]


@dataclass(slots=True)
class EndedRun:
    """A run that is over and not yet told.

    Attributes
    ----------
    run, ended_at
        The run, and when it ended.
    state
        What the probe told after it; None where there is no probe.
    awaits_state
        Whether the probe has still to tell it.
    memory_bytes
        The process's memory, for kernels that do not tell it themselves.
    withheld
        Whether outputs and variables are kept back, because it is not known what must be blanked in them.
    """

    run: Run
    ended_at: datetime
    state: StateAfter | None
    awaits_state: bool = False
    memory_bytes: int | None = None
    withheld: bool = False


@dataclass(slots=True)
class LifeRecord:
    """All that is known of one kernel life.

    Attributes
    ----------
    life
        What listeners are told of it.
    pid
        The kernel's process, where it is on this machine.
    known
        Values that are secret wherever they occur in this life. Never stored, logged or told.
    secrets_version
        The version of the probe's own list of secrets that `known` holds.
    """

    life: KernelLife
    pid: int | None
    known: set[str]
    tracker: RunTracker = field(default_factory=RunTracker)
    namespace: Namespace = field(default_factory=Namespace)
    secrets_version: str = ""
    n_steps: int = 0
    over: bool = False
    _states: dict[str, StateAfter] = field(default_factory=dict)

    @classmethod
    def begin(
        cls, *, kernel_id: str, kernel_name: str, language: str, pid: int | None, known: frozenset[str]
    ) -> LifeRecord:
        """Begin a life with a trajectory of its own."""
        life = KernelLife(trajectory_id=uuid4().hex, kernel_id=kernel_id, kernel_name=kernel_name, language=language)
        return cls(life=life, pid=pid, known=set(known))

    def set_capability(self, capability: Capability, note: str, language: str | None = None) -> bool:
        """Set what can be had from the kernel; tell whether that is news."""
        changed = replace(self.life, capability=capability, note=note, language=language or self.life.language)
        is_news = changed != self.life
        self.life = changed
        return is_news

    def set_notebook(self, notebook: str) -> bool:
        """Set the notebook's path; tell whether that is news. An unknown path replaces none."""
        if not notebook or notebook == self.life.notebook:
            return False
        self.life = replace(self.life, notebook=notebook)
        return True

    def run_started(self, run: Run) -> RunStarted:
        """Make what listeners are told when a run begins."""
        self.known |= literal_secrets(run.code)
        code, _ = redact_code(run.code, self.known)
        return RunStarted(
            trajectory_id=self.life.trajectory_id,
            kernel_id=self.life.kernel_id,
            code=code,
            execution_count=run.execution_count,
            started_at=min(run.started_at, utc_now()),
        )

    def take_snapshot(self, run: Run | None, content: Mapping[str, Any]) -> StateAfter:
        """Take in what the probe told.

        Parameters
        ----------
        run
            The run that it follows; None for the snapshot at the installation.
        content
            The message's content.

        Returns
        -------
        StateAfter
            The namespace now.

        Raises
        ------
        ValueError
            If the message is not of the probe's form.
        """
        self.namespace.apply(content)
        state = StateAfter(self.namespace.variables, content)
        if run is not None:
            self._states[run.message_id] = state
            if len(self._states) > _MAX_STATES:
                # Those of tools' runs, which end as no step.
                del self._states[next(iter(self._states))]
        return state

    def ended(self, end: Ended, memory_bytes: int | None) -> EndedRun:
        """Put together a run that is over with the state after it, if that is told already."""
        state = self._states.pop(end.run.message_id, None)
        return EndedRun(end.run, end.ended_at, state, end.awaits_state, memory_bytes)

    def learn_secrets(self, values: list[str], version: str) -> None:
        """Take in the values that the probe found to be secret."""
        self.known |= {value for value in values if worth_remembering(value)}
        self.secrets_version = version

    def make_step(self, ended: EndedRun) -> Step:
        """Make the step of a run: redacted, bounded, with the next index."""
        known = frozenset(self.known)
        state = ended.state
        content: Mapping[str, Any] = state.content if state else {}
        variables, _ = redact_variables(state.variables if state and not ended.withheld else (), known)
        step = ended.run.finish(
            index=self.n_steps,
            kernel_id=self.life.kernel_id,
            redact_code=lambda code: redact_code(code, known),
            redact_text=lambda text: (PLACEHOLDER, 1) if ended.withheld else redact_text(text, known),
            ended_at=ended.ended_at,
            variables=variables,
            memory_bytes=_whole(content.get("memory_bytes"), ended.memory_bytes),
            peak_memory_bytes=_whole(content.get("peak_memory_bytes"), None),
            hash_index=str(content.get("hash_index", "")),
            receipt=receipt_from(content),
        )
        self.n_steps += 1
        return step


def _whole(value: object, otherwise: int | None) -> int | None:
    return value if isinstance(value, int) else otherwise
