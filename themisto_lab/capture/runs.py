"""Which messages belong to which run, and when a run begins and ends. No I/O."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from themisto_lab.capture.messages import Run, message_time
from themisto_lab.capture.probe.hooks import RUN_MESSAGE, SNAPSHOT_MESSAGE
from themisto_lab.types import utc_now

_MAX_AWAITING = 20


@dataclass(frozen=True, slots=True)
class Began:
    """A run began that a person asked for."""

    run: Run


@dataclass(frozen=True, slots=True)
class Ended:
    """A run is over; all that it put out is in.

    Attributes
    ----------
    run, ended_at
        The run, and when it ended.
    awaits_state
        Whether the probe has still to tell the namespace: it does so once the kernel is idle.
    """

    run: Run
    ended_at: datetime
    awaits_state: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The probe told the namespace; ``run`` is None for the one at its installation."""

    run: Run | None
    content: Mapping[str, Any]


Event = Began | Ended | Snapshot


@dataclass(slots=True)
class _Open:
    """A request that the kernel is busy with."""

    run: Run
    subshell_id: str | None
    has_input: bool = False
    told: bool = False
    is_tool: bool = False
    awaits_state: bool = False


@dataclass(slots=True)
class RunTracker:
    """Follows the IOPub messages of one kernel life.

    Attributes
    ----------
    has_probe
        Whether the kernel's probe tells of each run. Without it every run that is not silent counts.
    """

    has_probe: bool = False
    _open: dict[str, _Open] = field(default_factory=dict)
    _awaiting: dict[str, Run] = field(default_factory=dict)

    @property
    def running(self) -> bool:
        """Whether a run that a person asked for is going on."""
        return any(entry.told for entry in self._open.values())

    def feed(self, message: Mapping[str, Any]) -> Iterator[Event]:
        """Take in one message.

        Parameters
        ----------
        message
            An IOPub message as jupyter_client gives it.

        Yields
        ------
        Event
            What it means: usually nothing.
        """
        parent = message.get("parent_header") or {}
        if parent.get("msg_type") != "execute_request":
            return
        kind = message["header"]["msg_type"]
        if kind == "status":
            yield from self._status(message, parent)
            return
        entry = self._open.get(parent["msg_id"])
        if entry is None:
            # Of what comes after `idle`, the namespace alone is the run's. A thread or task that prints then finds
            # its step closed.
            if kind == SNAPSHOT_MESSAGE and parent["msg_id"] in self._awaiting:
                yield Snapshot(self._awaiting.pop(parent["msg_id"]), message["content"])
            return
        if kind == RUN_MESSAGE:
            yield from self._probe_told(entry, message["content"])
        elif kind == SNAPSHOT_MESSAGE:
            entry.awaits_state = False
            yield Snapshot(entry.run if entry.has_input else None, message["content"])
        elif kind == "execute_input":
            entry.has_input = True
            entry.run.add(message)
            if not self.has_probe:
                yield from self._tell(entry)
        else:
            yield from self._tell(entry)
            entry.run.add(message)

    def die(self) -> Iterator[Event]:
        """Take in that the kernel is gone: what was running ends as ``died``."""
        for entry in list(self._open.values()):
            entry.run.status = "died"
            yield from self._end(entry, utc_now())

    def _status(self, message: Mapping[str, Any], parent: Mapping[str, Any]) -> Iterator[Event]:
        message_id, state = parent["msg_id"], message["content"].get("execution_state")
        if state == "busy":
            subshell_id = parent.get("subshell_id")
            for entry in list(self._open.values()):
                if entry.subshell_id == subshell_id:
                    # Its idle was lost: a shell does one thing at a time.
                    yield from self._end(entry, message_time(message))
            self._open[message_id] = _Open(Run(message_id, message_time(message)), subshell_id)
        elif state == "idle" and message_id in self._open:
            yield from self._end(self._open[message_id], message_time(message))

    def _probe_told(self, entry: _Open, content: Mapping[str, Any]) -> Iterator[Event]:
        entry.awaits_state = True
        if not content.get("store_history"):
            entry.is_tool = True
            return
        cell_id = content.get("cell_id")
        entry.run.cell_id = cell_id if isinstance(cell_id, str) else None
        yield from self._tell(entry)

    def _tell(self, entry: _Open) -> Iterator[Event]:
        if entry.has_input and not entry.told and not entry.is_tool:
            entry.told = True
            yield Began(entry.run)

    def _end(self, entry: _Open, ended_at: datetime) -> Iterator[Event]:
        del self._open[entry.run.message_id]
        if entry.awaits_state:
            self._awaiting[entry.run.message_id] = entry.run
            if len(self._awaiting) > _MAX_AWAITING:
                del self._awaiting[next(iter(self._awaiting))]
        yield from self._tell(entry)
        if entry.told:
            yield Ended(entry.run, ended_at, entry.awaits_state)
