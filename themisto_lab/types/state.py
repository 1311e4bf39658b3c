"""What the kernel tells of its variables: snapshots after a run, and closer looks before one."""

from __future__ import annotations

from pydantic import Field

from themisto_lab.types.base import Frozen


class VariableSnapshot(Frozen):
    """One variable of the kernel's namespace, as seen after a run.

    Attributes
    ----------
    name
        The variable's name.
    type_name
        The qualified name of its exact type, ``pandas.core.frame.DataFrame``.
    shape
        Its shape, or its length as a 1-tuple, where the type tells without calling user code.
    dtype
        The element type where there is one.
    size_bytes
        An estimate of the memory that it holds, in bytes.
    summary
        A short text in place of a repr. It never results from calling user code.
    changed
        Whether the run that the snapshot follows created or changed the variable.
    """

    name: str
    type_name: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    size_bytes: int | None = None
    summary: str = ""
    changed: bool = False


class ProbeReceipt(Frozen):
    """What a look at the kernel's variables cost, and what it left alone.

    Attributes
    ----------
    cost_ms
        Time that it took inside the kernel, in milliseconds.
    skipped
        What was told by its type's name alone because no safe and quick way to its value is known: the number of
        variables by type.
    out_of_time
        How many variables were not looked at because the time was up.
    """

    cost_ms: float = Field(default=0.0, ge=0)
    skipped: dict[str, int] = Field(default_factory=dict)
    out_of_time: int = Field(default=0, ge=0)


class LookedValue(Frozen):
    """The value of one expression of a cell, read from the kernel before the cell is run.

    Attributes
    ----------
    expression
        The expression's source, ``df['price'].dtype``.
    type_name
        The qualified name of the value's exact type.
    shown
        What a notebook shows where the expression stands last in a cell (``text/plain``); a summary where it is not
        ``exact``.
    printed
        What ``print`` writes for it, where that differs from ``shown``; None where it is the same or not known.
    exact
        Whether ``shown`` and ``printed`` are whole and to the letter.
    """

    expression: str
    type_name: str
    shown: str = ""
    printed: str | None = None
    exact: bool = False


class Look(Frozen):
    """A closer look at what a cell's code touches, taken from the kernel before the cell is run.

    Attributes
    ----------
    values
        The values of the cell's expressions, in the order in which the cell uses them.
    output
        The cell's whole output where its code is safe to evaluate and was; None where only a run can tell.
    receipt
        What the look cost.
    """

    values: tuple[LookedValue, ...] = ()
    output: str | None = None
    receipt: ProbeReceipt = Field(default_factory=ProbeReceipt)
