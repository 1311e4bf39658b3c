"""JuNE logs, as CSV or as the SQLite table ``user_logs``: one trajectory a kernel life.

JuNE keeps no output text, only the kind and size of each output; a replay fills the text in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Any

from themisto_lab.benchmark.format import UNKNOWN_TIME
from themisto_lab.benchmark.importers.june_log import REQUIRED, TABLE, LogRow, ordered_rows
from themisto_lab.benchmark.importers.outputs import error_text
from themisto_lab.benchmark.importers.source import Importer, ImportReport, Source
from themisto_lab.types import MIME_ERROR, MIME_STDOUT, MIME_TEXT, CellOutput, Status, Step, Trajectory

_BOILERPLATE = re.compile(r"^\s*from\s+mining_extension\s+import\s+check_logging\b", re.MULTILINE)
_MIMES = {"stream": MIME_STDOUT, "error": MIME_ERROR}


def detects(source: Source) -> bool:
    """Tell a log by its columns."""
    return source.tables.get(TABLE, frozenset()) >= REQUIRED or set(source.csv_columns) >= REQUIRED


def read(source: Source, report: ImportReport) -> Iterator[Trajectory]:
    """Yield each kernel life that ran something."""
    for kernel_id, rows in groupby(ordered_rows(source, report), key=lambda row: row.kernel_id):
        reader = _KernelReader(kernel_id, report)
        for row in rows:
            if (trajectory := reader.take(row)) is not None:
                yield trajectory
        if (trajectory := reader.end_life()) is not None:
            yield trajectory


IMPORTER = Importer(kind="june", title="a JuNE log (CSV or SQLite)", detects=detects, read=read)


@dataclass(slots=True)
class _Run:
    """One execution while the log is read."""

    cell_index: str
    code: str
    started_at: datetime | None
    execution_time_s: float = 0.0
    outputs: list[CellOutput] = field(default_factory=list)
    error: str | None = None
    status: Status = "ok"


class _KernelReader:
    """Pairs the events of one kernel.

    ``cell_index`` is a cell's stable id (``cell_num`` is the selected cell and shifts, so it is not used). An
    end belongs to the latest execution of its cell that has none yet. A run without an end is kept, because it
    was asked for; an end without a run is only counted.
    """

    def __init__(self, kernel_id: str, report: ImportReport) -> None:
        self._kernel_id = kernel_id
        self._report = report
        self._life = 0
        self._notebook = ""
        self._start_life()

    def _start_life(self) -> None:
        self._runs: list[_Run] = []
        self._running: dict[str, _Run] = {}
        self._left_out: set[str] = set()

    def take(self, row: LogRow) -> Trajectory | None:
        """Take one event in; return the trajectory that a restart ends, if it does."""
        self._notebook = row.notebook_name or self._notebook
        if row.event == "execute":
            self._execute(row)
        elif row.event == "finished_execute":
            self._finish(row)
        elif row.event == "error":
            self._error(row)
        elif row.event == "kernel_interrupting" and self._running:
            next(iter(self._running.values())).status = "interrupted"
        elif row.event == "kernel_restarting":
            for run in self._running.values():
                run.status = "died"
            return self.end_life()
        return None

    def end_life(self) -> Trajectory | None:
        """Close what still runs and return the life's trajectory, if it ran anything."""
        self._report.notes["execution without an end"] += len(self._running)
        runs, life = self._runs, self._life
        self._start_life()
        if not runs:
            return None
        self._life += 1
        name = f"june-{self._kernel_id}" + (f"-{life}" if life else "")
        steps = tuple(self._step(index, run) for index, run in enumerate(runs))
        return Trajectory(
            id=name,
            notebook=self._notebook,
            kernel_id=self._kernel_id,
            started_at=steps[0].started_at,
            steps=steps,
        )

    def _execute(self, row: LogRow) -> None:
        reason = _reason_to_leave_out(row)
        if self._running.pop(row.cell_index, None) is not None:
            self._report.notes["execution without an end"] += 1
        if reason is not None:
            self._report.skipped[reason] += 1
            self._left_out.add(row.cell_index)
            return
        self._left_out.discard(row.cell_index)
        run = _Run(cell_index=row.cell_index, code=row.cell_source, started_at=row.time)
        self._runs.append(run)
        self._running[row.cell_index] = run

    def _finish(self, row: LogRow) -> None:
        run = self._running.pop(row.cell_index, None)
        if run is None:
            if row.cell_index in self._left_out:
                self._left_out.discard(row.cell_index)
            else:
                self._report.notes["end without an execution"] += 1
            return
        if run.started_at is not None and row.time is not None:
            run.execution_time_s = max((row.time - run.started_at).total_seconds(), 0.0)
        run.outputs = _outputs(row.cell_output)
        if run.status == "ok" and any(output.mime == MIME_ERROR for output in run.outputs):
            run.status = "error"

    def _error(self, row: LogRow) -> None:
        """Give an error to the cell's run, which may have ended already."""
        run = self._running.get(row.cell_index)
        if run is None:
            run = next((r for r in reversed(self._runs) if row.cell_index in ("", r.cell_index)), None)
        if run is None:
            if row.cell_index not in self._left_out:
                self._report.notes["error without an execution"] += 1
            return
        run.error = _error_line(row)
        if run.status == "ok":
            run.status = "interrupted" if run.error.startswith("KeyboardInterrupt") else "error"

    def _step(self, index: int, run: _Run) -> Step:
        outputs = run.outputs
        if run.error is not None:
            outputs = [o for o in outputs if o.mime != MIME_ERROR] + [CellOutput(mime=MIME_ERROR, text=run.error)]
        return Step(
            index=index,
            kernel_id=self._kernel_id,
            cell_id=run.cell_index or None,
            code=run.code,
            outputs=tuple(outputs),
            execution_time_s=run.execution_time_s,
            status=run.status,
            started_at=run.started_at or UNKNOWN_TIME,
        )


def _reason_to_leave_out(row: LogRow) -> str | None:
    if row.cell_type and row.cell_type != "code":
        return "execution of a cell that is not code"
    if not row.cell_source.strip():
        return "step without code"
    if _BOILERPLATE.search(row.cell_source):
        return "boilerplate cell of the logging"
    return None


def _outputs(text: str) -> list[CellOutput]:
    """Return outputs of the right kinds whose text was never recorded."""
    values = _json(text)
    outputs = []
    for value in values if isinstance(values, list) else []:
        if isinstance(value, dict) and value.get("size") != 0:
            mime = _MIMES.get(str(value.get("output_type")), MIME_TEXT)
            outputs.append(CellOutput(mime=mime, text="", truncated=True))
    return outputs


def _error_line(row: LogRow) -> str:
    for text in (row.cell_output, row.cell_source):
        value = _json(text)
        if isinstance(value, dict) and "ename" in value:
            return error_text(value.get("ename"), value.get("evalue"))
    return "Error"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
