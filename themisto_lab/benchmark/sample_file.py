"""The sample file: JSON Lines with a header, then each trajectory once, followed by the items drawn from it.

Each line has a ``kind``: ``sample`` (the first line), ``trajectory`` or ``item``. A trajectory is cut after the last
step that an item needs, so the file is self-contained and no larger than it must be, and a reader holds one
trajectory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, ValidationError

from themisto_lab.benchmark.format import from_json, to_json
from themisto_lab.benchmark.jsonl import read_objects
from themisto_lab.benchmark.record import Record
from themisto_lab.errors import BadInputError
from themisto_lab.types import JsonObject, TaskKind, Trajectory

VERSION = 1

R = TypeVar("R", bound=Record)


class SampleItem(Record):
    """One thing to predict.

    Attributes
    ----------
    id
        ``<task>:<trajectory id>:<target index>``, the same in each sample that holds the item.
    task
        What is predicted.
    trajectory_id, target_index
        The step that it is about. What may be known are the steps before it, and for an output its code.
    target
        The text to predict.
    quartile
        The quartile of target length that it was drawn from, 1 to 4; None without the paper's draw.
    """

    id: str
    task: TaskKind
    trajectory_id: str
    target_index: Annotated[int, Field(ge=0)]
    target: str
    quartile: Annotated[int, Field(ge=1, le=4)] | None = None

    def history(self, trajectory: Trajectory) -> Trajectory:
        """Return what was run before the target: all that a predictor may see of the trajectory."""
        return trajectory.model_copy(update={"steps": trajectory.steps[: self.target_index]})

    def code(self, trajectory: Trajectory) -> str:
        """Return the code whose output is predicted; empty for a next cell."""
        if self.task is TaskKind.NEXT_CELL:
            return ""
        return trajectory.steps[self.target_index].code


class SampleHeader(Record):
    """How a sample was drawn.

    Attributes
    ----------
    version
        The version of the file's form.
    source, source_sha256
        The name and the hash of the trajectory file.
    rules
        The options of the draw.
    tasks
        For each task what was left out, by reason, and what was drawn.
    """

    kind: Literal["sample"] = "sample"
    version: int = VERSION
    source: str
    source_sha256: str
    rules: JsonObject
    tasks: dict[str, JsonObject]


def item_id(task: TaskKind, trajectory_id: str, target_index: int) -> str:
    """Return the id of an item."""
    return f"{task.value}:{trajectory_id}:{target_index}"


def trajectory_line(trajectory: Trajectory, last_index: int) -> JsonObject:
    """Return the line that holds a trajectory up to the last step that is needed."""
    cut = trajectory.model_copy(update={"steps": trajectory.steps[: last_index + 1]})
    return {"kind": "trajectory", **to_json(cut)}


def item_line(item: SampleItem) -> JsonObject:
    """Return the line that holds an item."""
    return {"kind": "item", **item.model_dump(mode="json")}


def read_header(path: Path) -> SampleHeader:
    """Return the header of a sample file.

    Raises
    ------
    BadInputError
        The file is not a sample.
    """
    for number, value in read_objects(path):
        if value.get("kind") == "sample":
            return _parse(SampleHeader, value, f"{path}, line {number}")
        break
    raise BadInputError(f"{path} is not a sample; make one with 'jupyter themisto sample'.")


def read_sample(path: Path) -> Iterator[tuple[SampleItem, Trajectory]]:
    """Yield each item with the trajectory that it was drawn from; one trajectory is held at a time.

    Raises
    ------
    BadInputError
        The file is not a sample, a line is cut off, or an item does not follow its trajectory.
    """
    read_header(path)
    trajectory: Trajectory | None = None
    for number, value in read_objects(path):
        where = f"{path}, line {number}"
        kind = value.get("kind")
        if kind == "trajectory":
            trajectory = from_json(value, where)
        elif kind == "item":
            item = _parse(SampleItem, value, where)
            if trajectory is None or trajectory.id != item.trajectory_id:
                raise BadInputError(f"{where}: the item does not follow its trajectory.")
            if item.target_index >= len(trajectory.steps):
                raise BadInputError(f"{where}: the item's trajectory has no step {item.target_index}.")
            yield item, trajectory
        elif kind != "sample":
            raise BadInputError(f"{where}: neither a trajectory nor an item.")


def _parse(model: type[R], value: JsonObject, where: str) -> R:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        fields = ", ".join(str(fault["loc"][0]) for fault in error.errors(include_input=False) if fault["loc"])
        raise BadInputError(f"{where}: {model.__name__} has a wrong or missing {fields or 'value'}.") from error
