"""What the driver tells the outside: ids only, since every subscriber hears every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

EVENT_BASE = "https://themisto-lab.github.io/events"

EmitFunction = Callable[[str, dict[str, Any]], None]
"""Takes a schema id and the event's data."""


def schema_id(event: str) -> str:
    """Return the id of an event's schema, for ``run``, ``life``, ``prediction`` or ``model``."""
    return f"{EVENT_BASE}/{event}/v1"


class Events:
    """The driver's events, each a method.

    Parameters
    ----------
    emit
        Sends one event; jupyter_events in a server, nothing on the command line.
    """

    def __init__(self, emit: EmitFunction | None = None) -> None:
        self._emit = emit

    def _send(self, event: str, data: dict[str, Any]) -> None:
        if self._emit is not None:
            self._emit(schema_id(event), data)

    def life(self, kernel_id: str, trajectory_id: str, action: Literal["started", "changed", "ended"]) -> None:
        """Tell that a kernel life began, changed or ended."""
        self._send("life", {"kernel_id": kernel_id, "trajectory_id": trajectory_id, "action": action})

    def run(
        self,
        kernel_id: str,
        trajectory_id: str,
        action: Literal["started", "finished"],
        step_index: int | None,
    ) -> None:
        """Tell that a run began, or that its step is stored (``finished`` names it)."""
        self._send(
            "run",
            {
                "kernel_id": kernel_id,
                "trajectory_id": trajectory_id,
                "action": action,
                "step_index": step_index,
            },
        )

    def prediction(
        self, prediction_id: str, kernel_id: str, task: str, cell_id: str | None, shown: bool, action: str
    ) -> None:
        """Tell that a prediction started or came to another status."""
        self._send(
            "prediction",
            {
                "prediction_id": prediction_id,
                "kernel_id": kernel_id,
                "task": task,
                "cell_id": cell_id,
                "shown": shown,
                "action": action,
            },
        )

    def model(self, name: str, action: str) -> None:
        """Tell that a model is being pulled, was pulled, or that it failed."""
        self._send("model", {"name": name, "action": action})
