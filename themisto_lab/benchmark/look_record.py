"""A closer look in a trajectory file, and both ways between it and a `Look`."""

from __future__ import annotations

from pydantic import Field

from themisto_lab.benchmark.record import NonNegative, NonNegativeNumber, Record
from themisto_lab.types import Look, LookedValue, ProbeReceipt


class LookedRecord(Record):
    """The value of one expression of a step's code just before the run."""

    expression: str
    type: str = ""
    shown: str = Field(default="", description="What a notebook shows for it; a summary where it is not exact.")
    printed: str | None = Field(default=None, description="What print writes, where that is another text.")
    exact: bool = False


class ReceiptRecord(Record):
    """What the snapshot of the variables after a step had cost, and what it left alone."""

    cost_ms: NonNegativeNumber = Field(default=0.0, description="Time that it took in the kernel, in milliseconds.")
    skipped: dict[str, NonNegative] = Field(default_factory=dict)
    out_of_time: NonNegative = 0


class LookRecord(Record):
    """What a step's code touched, as it was just before the run."""

    values: tuple[LookedRecord, ...] = ()
    output: str | None = Field(default=None, description="The step's output, where the state alone tells it.")
    cost_ms: NonNegativeNumber = Field(default=0.0, description="Time that it took in the kernel, in milliseconds.")
    skipped: dict[str, NonNegative] = Field(default_factory=dict)
    out_of_time: NonNegative = 0


def receipt_record(receipt: ProbeReceipt | None) -> ReceiptRecord | None:
    """Turn a receipt into what a file holds of it."""
    return None if receipt is None else ReceiptRecord(**receipt.model_dump())


def receipt_of(record: ReceiptRecord | None) -> ProbeReceipt | None:
    """Turn what a file holds back into a receipt."""
    return None if record is None else ProbeReceipt(**record.model_dump())


def look_record(look: Look | None) -> LookRecord | None:
    """Turn a look into what a file holds of it."""
    if look is None:
        return None
    return LookRecord(
        values=tuple(
            LookedRecord(
                expression=one.expression, type=one.type_name, shown=one.shown, printed=one.printed, exact=one.exact
            )
            for one in look.values
        ),
        output=look.output,
        **look.receipt.model_dump(),
    )


def look_of(record: LookRecord | None) -> Look | None:
    """Turn what a file holds back into a look."""
    if record is None:
        return None
    return Look(
        values=tuple(
            LookedValue(
                expression=one.expression, type_name=one.type, shown=one.shown, printed=one.printed, exact=one.exact
            )
            for one in record.values
        ),
        output=record.output,
        receipt=ProbeReceipt(cost_ms=record.cost_ms, skipped=record.skipped, out_of_time=record.out_of_time),
    )
