"""The kernel's namespace, put together from what the probe sends: each message tells only what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from themisto_lab.types import ProbeReceipt, VariableSnapshot


def variable_from(entry: Sequence[Any]) -> VariableSnapshot:
    """Make a variable from the probe's form of it.

    Parameters
    ----------
    entry
        Name, type name, shape, dtype, size in bytes, summary.

    Returns
    -------
    VariableSnapshot
        The same, not yet marked as changed.
    """
    name, type_name, shape, dtype, size_bytes, summary = entry
    return VariableSnapshot(
        name=name,
        type_name=type_name,
        shape=None if shape is None else tuple(shape),
        dtype=dtype,
        size_bytes=size_bytes,
        summary=summary,
    )


def receipt_from(content: Mapping[str, Any]) -> ProbeReceipt | None:
    """Make the receipt of a snapshot.

    Parameters
    ----------
    content
        The content of a ``themisto_snapshot`` message.

    Returns
    -------
    ProbeReceipt or None
        None where there is none of the probe's form.
    """
    try:
        return ProbeReceipt.model_validate(content["receipt"])
    except (KeyError, ValidationError):
        return None


class Namespace:
    """The variables of one kernel life, as of the last message.

    Attributes
    ----------
    complete
        Whether no message was missed. If not, a look at all variables completes it.
    """

    def __init__(self) -> None:
        self._variables: dict[str, VariableSnapshot] = {}
        self._sequence: int | None = None
        self.complete = True

    def apply(self, content: Mapping[str, Any]) -> None:
        """Take in one snapshot message.

        Parameters
        ----------
        content
            The content of a ``themisto_snapshot`` message.

        Raises
        ------
        ValueError
            If the message is not of the probe's form.
        """
        try:
            sequence = int(content["sequence"])
            fresh = [variable_from(entry) for entry in content["variables"]]
            removed = [str(name) for name in content["removed"]]
            changed = {str(name) for name in content["changed"]}
            n_variables = int(content["n_variables"])
        except (KeyError, TypeError) as error:
            raise ValueError("the snapshot is not of the probe's form") from error
        if sequence == 0:
            self._variables.clear()
        for name in removed:
            self._variables.pop(name, None)
        for variable in fresh:
            self._variables[variable.name] = variable
        for name, variable in self._variables.items():
            if variable.changed != (name in changed):
                self._variables[name] = variable.model_copy(update={"changed": name in changed})
        in_order = sequence == 0 or (self._sequence is not None and sequence == self._sequence + 1)
        self.complete = (self.complete or sequence == 0) and in_order and len(self._variables) == n_variables
        self._sequence = sequence

    def replace(self, variables: Sequence[VariableSnapshot]) -> None:
        """Take in a look at all variables, which completes the namespace."""
        changed = {name for name, variable in self._variables.items() if variable.changed}
        self._variables = {
            v.name: v.model_copy(update={"changed": True}) if v.name in changed else v for v in variables
        }
        self.complete = True

    @property
    def variables(self) -> tuple[VariableSnapshot, ...]:
        """The variables in the order in which the kernel has them."""
        return tuple(self._variables.values())
