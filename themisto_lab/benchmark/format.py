"""The trajectory file: JSON Lines, one trajectory a line, with the paper's own names in each step.

The models below are the file's definition; ``docs/trajectory.schema.json`` is their JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from themisto_lab.benchmark.jsonl import atomic_text_writer, dump_line, read_objects
from themisto_lab.benchmark.look_record import (
    LookRecord,
    ReceiptRecord,
    look_of,
    look_record,
    receipt_of,
    receipt_record,
)
from themisto_lab.benchmark.record import NonNegative, NonNegativeNumber, Record
from themisto_lab.errors import BadInputError
from themisto_lab.types import (
    MIME_ERROR,
    MIME_TEXT,
    CellOutput,
    JsonObject,
    Status,
    Step,
    Trajectory,
    VariableSnapshot,
)

UNKNOWN_TIME = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands in a `Step` for a time that its source does not tell; null in the file."""

SCHEMA_ID = "https://github.com/themisto-lab/themisto-lab/docs/trajectory.schema.json"


class VariableRecord(Record):
    """One variable after a step: ``size`` in bytes, ``repr`` a short text for its value."""

    size: NonNegative | None = None
    repr: str = ""
    type: str = ""
    shape: tuple[NonNegative, ...] | None = None
    dtype: str | None = None
    changed: bool = False


class OutputRecord(Record):
    """One output of a step; ``truncated`` says that text of it was cut away or never recorded."""

    mime: str
    text: str = ""
    truncated: bool = False


class StepRecord(Record):
    """One run of one cell. The first seven fields are the paper's; null where the source does not tell."""

    kernel_id: str
    code: Annotated[str, Field(pattern=r"\S")]
    output: str = Field(description="The text that the run printed or returned.")
    execution_time: NonNegativeNumber | None = Field(description="Wall time of the run, in seconds.")
    memory_bytes: NonNegative | None = Field(description="Resident memory of the kernel after the run.")
    runtime_variables: dict[str, VariableRecord]
    hash_index: str = Field(description="A hash of the state after the run; empty where unknown.")
    cell_id: str | None = None
    status: Status = "ok"
    error: str | None = Field(default=None, description="The last line of the traceback.")
    execution_count: int | None = None
    started_at: datetime | None = None
    peak_memory_bytes: NonNegative | None = None
    outputs: tuple[OutputRecord, ...] | None = Field(
        default=None, description="Every output in order; left out where ``output`` and ``error`` say it all."
    )
    look: LookRecord | None = None
    receipt: ReceiptRecord | None = None


class TrajectoryRecord(Record):
    """One line of a trajectory file: the runs of one kernel life in the order in which they were made."""

    id: Annotated[str, Field(min_length=1)]
    notebook: str = ""
    task_description: str = ""
    language: str = "python"
    kernel_id: str = ""
    started_at: datetime | None = None
    replayed: bool = Field(default=False, description="Whether outputs and state come from a later replay.")
    steps: Annotated[tuple[StepRecord, ...], Field(min_length=1)]


def json_schema() -> JsonObject:
    """Return the JSON Schema of one line of a trajectory file."""
    schema = TrajectoryRecord.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **schema,
    }


def schema_text() -> str:
    """Return the text of ``docs/trajectory.schema.json``."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def to_record(trajectory: Trajectory) -> TrajectoryRecord:
    """Turn a trajectory into what its line in a file holds."""
    return TrajectoryRecord(
        id=trajectory.id,
        notebook=trajectory.notebook,
        task_description=trajectory.task_description,
        language=trajectory.language,
        kernel_id=trajectory.kernel_id,
        started_at=_known(trajectory.started_at),
        replayed=trajectory.replayed,
        steps=tuple(_step_record(step) for step in trajectory.steps),
    )


def to_trajectory(record: TrajectoryRecord) -> Trajectory:
    """Turn a line of a file back into a trajectory."""
    return Trajectory(
        id=record.id,
        notebook=record.notebook,
        task_description=record.task_description,
        language=record.language,
        kernel_id=record.kernel_id,
        started_at=_aware(record.started_at),
        replayed=record.replayed,
        steps=tuple(_step(index, step) for index, step in enumerate(record.steps)),
    )


def to_json(trajectory: Trajectory) -> JsonObject:
    """Return a trajectory as the JSON object that its line holds."""
    value: JsonObject = to_record(trajectory).model_dump(mode="json")
    for step in value["steps"]:
        for optional in ("outputs", "peak_memory_bytes", "look", "receipt"):
            if step[optional] is None:
                del step[optional]
    return value


def from_json(value: JsonObject, where: str) -> Trajectory:
    """Read a trajectory from a line's object; ``where`` names file and line in an error.

    Raises
    ------
    BadInputError
        The object is not a trajectory; the message names the field and never shows its value.
    """
    try:
        return to_trajectory(TrajectoryRecord.model_validate(value))
    except ValidationError as error:
        raise BadInputError(f"{where}: not a trajectory: {_first_fault(error)}.") from error


def read_trajectories(path: Path) -> Iterator[Trajectory]:
    """Yield the trajectories of a file, one at a time.

    Raises
    ------
    BadInputError
        A line is cut off, is not JSON or is not a trajectory; the message names the file and the line.
    """
    empty = True
    for number, value in read_objects(path):
        empty = False
        yield from_json(value, f"{path}, line {number}")
    if empty:
        raise BadInputError(f"{path} holds no trajectory.")


def write_trajectories(path: Path, trajectories: Iterable[Trajectory]) -> int:
    """Write trajectories as they come and return how many there were.

    The file takes its place only when all are written, so that it is never half a file.
    """
    count = 0
    with atomic_text_writer(path) as file:
        for trajectory in trajectories:
            file.write(dump_line(to_json(trajectory)))
            count += 1
    return count


def _step_record(step: Step) -> StepRecord:
    error = next((output.text for output in step.outputs if output.mime == MIME_ERROR), None)
    outputs = None if step.outputs == _plain_outputs(step.output_text, error) else step.outputs
    return StepRecord(
        kernel_id=step.kernel_id,
        code=step.code,
        output=step.output_text,
        execution_time=step.execution_time_s or None,
        memory_bytes=step.memory_bytes,
        runtime_variables={variable.name: _variable_record(variable) for variable in step.variables},
        hash_index=step.hash_index,
        cell_id=step.cell_id,
        status=step.status,
        error=error,
        execution_count=step.execution_count,
        started_at=_known(step.started_at),
        peak_memory_bytes=step.peak_memory_bytes,
        outputs=None
        if outputs is None
        else tuple(OutputRecord(mime=o.mime, text=o.text, truncated=o.truncated) for o in outputs),
        look=look_record(step.look),
        receipt=receipt_record(step.receipt),
    )


def _step(index: int, record: StepRecord) -> Step:
    outputs = (
        _plain_outputs(record.output, record.error)
        if record.outputs is None
        else tuple(CellOutput.model_construct(mime=o.mime, text=o.text, truncated=o.truncated) for o in record.outputs)
    )
    return Step.model_construct(  # its record was validated already
        index=index,
        kernel_id=record.kernel_id,
        cell_id=record.cell_id,
        code=record.code,
        outputs=outputs,
        variables=_VARIABLES.validate_python([_fields(name, one) for name, one in record.runtime_variables.items()]),
        memory_bytes=record.memory_bytes,
        peak_memory_bytes=record.peak_memory_bytes,
        execution_time_s=record.execution_time or 0.0,
        hash_index=record.hash_index,
        status=record.status,
        execution_count=record.execution_count,
        started_at=_aware(record.started_at),
        look=look_of(record.look),
        receipt=receipt_of(record.receipt),
    )


def _plain_outputs(output: str, error: str | None) -> tuple[CellOutput, ...]:
    """Return the outputs that a text and an error alone stand for."""
    outputs = []
    if output:
        outputs.append(CellOutput.model_construct(mime=MIME_TEXT, text=output))
    if error is not None:
        outputs.append(CellOutput.model_construct(mime=MIME_ERROR, text=error))
    return tuple(outputs)


def _variable_record(variable: VariableSnapshot) -> VariableRecord:
    return VariableRecord(
        size=variable.size_bytes,
        repr=variable.summary,
        type=variable.type_name,
        shape=variable.shape,
        dtype=variable.dtype,
        changed=variable.changed,
    )


# All of a step's at once, which takes a quarter of the time that one by one takes.
_VARIABLES = TypeAdapter(tuple[VariableSnapshot, ...])


def _fields(name: str, record: VariableRecord) -> JsonObject:
    return {
        "name": name,
        "type_name": record.type,
        "shape": record.shape,
        "dtype": record.dtype,
        "size_bytes": record.size,
        "summary": record.repr,
        "changed": record.changed,
    }


def _known(moment: datetime) -> datetime | None:
    return None if moment == UNKNOWN_TIME else moment


def _aware(moment: datetime | None) -> datetime:
    """Read a time without a zone as UTC, so that times of all sources can be compared."""
    if moment is None:
        return UNKNOWN_TIME
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _first_fault(error: ValidationError) -> str:
    fault: Any = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"]) or "the line"
    if place.endswith(".code") and fault["type"] == "string_pattern_mismatch":
        return f"{place} is empty; a step without code is not a run"
    return f"{place}: {fault['msg']}"
