"""The rows of a JuNE log, from CSV or from the table ``user_logs``, in each kernel's order of time.

A log's rows of several kernels are mixed and it may be larger than memory, so the rows that matter go through
a private temporary database, which SQLite keeps on disk. The address of a person's machine is never read.
"""

from __future__ import annotations

import csv
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from themisto_lab.benchmark.importers.source import ImportReport, Source, clean_text, open_sqlite
from themisto_lab.errors import BadInputError

TABLE = "user_logs"
REQUIRED = frozenset({"time", "kernel_id", "event", "cell_index", "cell_source"})
EVENTS = frozenset(
    {"execute", "finished_execute", "error", "kernel_interrupting", "kernel_restarting", "notebook_renamed"}
)
_READ = ("kernel_id", "time", "event", "cell_index", "cell_type", "cell_source", "cell_output", "notebook_name")
_MILLISECONDS_FROM = 1e11  # seconds reach this in the year 5138, milliseconds did in 1973


@dataclass(frozen=True, slots=True)
class LogRow:
    """One event of a log; ``time`` is None where the row has none that can be read."""

    kernel_id: str
    time: datetime | None
    event: str
    cell_index: str
    cell_type: str
    cell_source: str
    cell_output: str
    notebook_name: str


def ordered_rows(source: Source, report: ImportReport) -> Iterator[LogRow]:
    """Yield the rows that matter, kernel after kernel, each in order of time and then of the log.

    Raises
    ------
    BadInputError
        The file is cut off or corrupt.
    """
    raw = _sqlite_rows(source) if source.tables else _csv_rows(source, report)
    with closing(sqlite3.connect("")) as stage:
        stage.execute(f"CREATE TABLE stage (seq INTEGER PRIMARY KEY, order_s REAL, {', '.join(_READ)})")
        marks = ", ".join("?" * (len(_READ) + 1))
        insert = f"INSERT INTO stage (order_s, {', '.join(_READ)}) VALUES ({marks})"  # noqa: S608 - our own names
        stage.executemany(insert, _staged(raw, report))
        stage.execute("CREATE INDEX stage_order ON stage (kernel_id, order_s, seq)")
        query = f"SELECT order_s, {', '.join(_READ)} FROM stage ORDER BY kernel_id, order_s, seq"  # noqa: S608 - our own names
        for order_s, kernel_id, time, *rest in stage.execute(query):
            moment = datetime.fromtimestamp(order_s, UTC) if time else None
            yield LogRow(kernel_id, moment, *rest)


def parse_time(text: Any) -> datetime | None:
    """Read a time as JuNE's two forms hold it: ISO text (UTC where it names no zone) or seconds or ms since 1970."""
    if isinstance(text, str):
        try:
            moment = datetime.fromisoformat(text.strip())
        except ValueError:
            pass
        else:
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    try:
        number = float(text)
        return datetime.fromtimestamp(number / 1000 if abs(number) >= _MILLISECONDS_FROM else number, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _staged(rows: Iterable[dict[str, Any]], report: ImportReport) -> Iterator[tuple[Any, ...]]:
    """Keep the events that matter; a row without a time stays behind the row before it."""
    last_s = 0.0
    for row in rows:
        if row.get("event") not in EVENTS:
            continue
        if not row.get("kernel_id"):
            report.skipped["row without a kernel"] += 1
            continue
        moment = parse_time(row.get("time"))
        if moment is None:
            report.notes["row without a readable time"] += 1
        else:
            last_s = moment.timestamp()
        values = {name: clean_text(str(row.get(name) or "")) for name in _READ}
        if row["event"] == "finished_execute":
            values["cell_source"] = ""  # the execution holds it
        values["time"] = "known" if moment is not None else ""
        yield (last_s, *values.values())


def _csv_rows(source: Source, report: ImportReport) -> Iterator[dict[str, Any]]:
    csv.field_size_limit(sys.maxsize)
    with source.path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            columns = next(reader)
            for row in reader:
                if len(row) != len(columns):
                    report.skipped["row with a wrong number of columns"] += 1
                    continue
                yield dict(zip(columns, row, strict=True))
        except csv.Error as error:
            raise BadInputError(f"{source.path}, line {reader.line_num}: not whole CSV ({error}).") from error


def _sqlite_rows(source: Source) -> Iterator[dict[str, Any]]:
    there = [name for name in _READ if name in source.tables[TABLE]]
    order = "id" if "id" in source.tables[TABLE] else "rowid"
    with open_sqlite(source.path) as database:
        query = f"SELECT {', '.join(there)} FROM {TABLE} ORDER BY {order}"  # noqa: S608 - names from _READ
        for row in database.execute(query):
            yield dict(zip(there, row, strict=True))
