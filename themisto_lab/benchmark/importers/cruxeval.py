"""CRUXEval's output task: each item is a function, a call of it, and what the call returns."""

from __future__ import annotations

from collections.abc import Iterator

from themisto_lab.benchmark.format import UNKNOWN_TIME
from themisto_lab.benchmark.importers.source import Importer, ImportReport, Source, clean_text
from themisto_lab.benchmark.jsonl import read_objects
from themisto_lab.errors import BadInputError
from themisto_lab.types import MIME_TEXT, CellOutput, Step, Trajectory

_FIELDS = ("code", "input", "output", "id")


def detects(source: Source) -> bool:
    """Tell the file by the fields of its first line."""
    return set(_FIELDS) <= source.first_object.keys() and "steps" not in source.first_object


def read(source: Source, report: ImportReport) -> Iterator[Trajectory]:
    """Yield each item as two steps: the function's definition, then the call, whose output is the target."""
    for number, item in read_objects(source.path):
        if any(not isinstance(item.get(field), str) for field in _FIELDS):
            raise BadInputError(f"{source.path}, line {number}: not a CRUXEval item: {', '.join(_FIELDS)} are needed.")
        code, call, result, name = (clean_text(item[field]) for field in _FIELDS)
        if not code.strip():
            report.skipped["step without code"] += 1
            continue
        kernel_id = f"cruxeval-{name}"
        define = Step(index=0, kernel_id=kernel_id, code=code, execution_count=1, started_at=UNKNOWN_TIME)
        run = Step(
            index=1,
            kernel_id=kernel_id,
            code=f"f({call})",
            outputs=(CellOutput(mime=MIME_TEXT, text=result),),
            execution_count=2,
            started_at=UNKNOWN_TIME,
        )
        yield Trajectory(
            id=kernel_id, notebook=source.path.name, kernel_id=kernel_id, started_at=UNKNOWN_TIME, steps=(define, run)
        )


IMPORTER = Importer(kind="cruxeval", title="CRUXEval items", detects=detects, read=read, is_public=True)
