"""Jupyter notebooks: their code cells in the order of ``execution_count``."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from themisto_lab.benchmark.format import UNKNOWN_TIME
from themisto_lab.benchmark.importers.outputs import joined, notebook_outputs, status_of
from themisto_lab.benchmark.importers.source import Importer, ImportReport, Source
from themisto_lab.types import JsonObject, Step, Trajectory


def detects(source: Source) -> bool:
    """Tell a notebook by its version number and its cells."""
    document = source.document
    return "nbformat" in document and ("cells" in document or "worksheets" in document)


def read(source: Source, report: ImportReport) -> Iterator[Trajectory]:
    """Yield the notebook's one trajectory, or nothing where no cell holds code."""
    document = source.document
    cells = [cell for cell in _cells(document) if isinstance(cell, dict) and cell.get("cell_type") == "code"]
    with_code = [cell for cell in cells if _code(cell).strip()]
    if empty := len(cells) - len(with_code):
        report.skipped["cell without code"] += empty
    ordered = _in_order(with_code, source, report)
    if not ordered:
        report.skipped["notebook without code"] += 1
        return
    kernel_id = f"ipynb-{source.digest}"
    steps = tuple(_step(index, kernel_id, cell) for index, cell in enumerate(ordered))
    yield Trajectory(
        id=kernel_id,
        notebook=source.path.name,
        language=_language(document),
        kernel_id=kernel_id,
        started_at=steps[0].started_at,
        steps=steps,
    )


IMPORTER = Importer(kind="ipynb", title="a Jupyter notebook", detects=detects, read=read)


def _cells(document: JsonObject) -> list[Any]:
    if isinstance(cells := document.get("cells"), list):
        return cells
    sheets = document.get("worksheets")
    return [cell for sheet in sheets or [] if isinstance(sheet, dict) for cell in sheet.get("cells") or []]


def _code(cell: JsonObject) -> str:
    return joined(cell.get("source", cell.get("input", "")))


def _count(cell: JsonObject) -> int | None:
    count = cell.get("execution_count", cell.get("prompt_number"))
    return count if isinstance(count, int) and not isinstance(count, bool) else None


def _in_order(cells: list[JsonObject], source: Source, report: ImportReport) -> list[JsonObject]:
    """Order cells by their counts; say where the counts do not tell the order."""
    counted = [cell for cell in cells if _count(cell) is not None]
    if not counted:
        if cells:
            report.warnings.append(f"{source.path}: no cell has an execution count; the order is the notebook's.")
        return cells
    if missing := len(cells) - len(counted):
        report.skipped["cell without an execution count"] += missing
        report.warnings.append(
            f"{source.path}: {missing} of {len(cells)} cells have no execution count: not run, left out."
        )
    counts = [_count(cell) or 0 for cell in counted]
    if repeats := len(counts) - len(set(counts)):
        report.notes["repeated execution count"] += repeats
        report.warnings.append(
            f"{source.path}: {repeats} execution counts repeat (cells of several kernel lives); "
            "among equals the order is the notebook's."
        )
    return [cell for _, cell in sorted(zip(counts, counted, strict=True), key=lambda pair: pair[0])]


def _step(index: int, kernel_id: str, cell: JsonObject) -> Step:
    outputs = notebook_outputs(_nbformat4(value) for value in cell.get("outputs") or [])
    started_at, time_s = _timing(cell.get("metadata"))
    cell_id = cell.get("id")
    return Step(
        index=index,
        kernel_id=kernel_id,
        cell_id=cell_id if isinstance(cell_id, str) else None,
        code=_code(cell),
        outputs=outputs,
        execution_time_s=time_s,
        status=status_of(outputs),
        execution_count=_count(cell),
        started_at=started_at,
    )


def _nbformat4(output: Any) -> Any:
    """Bring an output of an nbformat 3 notebook into the form of nbformat 4."""
    if not isinstance(output, dict):
        return output
    kind = output.get("output_type")
    if kind == "stream":
        return {**output, "name": output.get("name", output.get("stream"))}
    if kind == "pyerr":
        return {**output, "output_type": "error"}
    if kind in ("pyout", "display_data") and "data" not in output:
        names = {
            "text": "text/plain",
            "html": "text/html",
            "png": "image/png",
            "jpeg": "image/jpeg",
            "svg": "image/svg+xml",
        }
        data = {names[key]: value for key, value in output.items() if key in names}
        return {"output_type": "execute_result", "data": data}
    return output


def _timing(metadata: Any) -> tuple[datetime, float]:
    """Return when a cell ran and for how many seconds, where JupyterLab's timing was on."""
    times = metadata.get("execution") if isinstance(metadata, dict) else None
    if not isinstance(times, dict):
        return UNKNOWN_TIME, 0.0
    start = _moment(times.get("iopub.execute_input") or times.get("iopub.status.busy"))
    end = _moment(times.get("iopub.status.idle") or times.get("shell.execute_reply"))
    if start is None:
        return UNKNOWN_TIME, 0.0
    return start, max((end - start).total_seconds(), 0.0) if end is not None else 0.0


def _moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else moment.astimezone()


def _language(document: JsonObject) -> str:
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    for key, field in (("language_info", "name"), ("kernelspec", "language")):
        part = metadata.get(key)
        if isinstance(part, dict) and isinstance(part.get(field), str):
            return str(part[field])
    return "python"
