"""Writes logs in JuNE's two forms: a CSV, and the SQLite table ``user_logs`` of the raw data."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2023, 11, 2, 9, 0, tzinfo=UTC)
CSV_COLUMNS = (
    "action_id",
    "time",
    "session_id",
    "kernel_id",
    "notebook_name",
    "event",
    "cell_index",
    "cell_num",
    "cell_type",
    "cell_source",
    "cell_output",
    "user_id",
    "expert",
)
LOG_COLUMNS = CSV_COLUMNS[1:11]

Event = dict[str, object]


def event(
    second: float,
    name: str,
    cell: str = "",
    source: str = "",
    output: object = None,
    *,
    kernel: str = "k1",
    cell_type: str = "code",
    notebook: str = "task.ipynb",
) -> Event:
    """One row; ``cell_num`` is the selected cell and so tells nothing about which cell the row is about."""
    return {
        "time": (START + timedelta(seconds=second)).strftime("%Y-%m-%d %H:%M:%S.%f"),
        "session_id": "s",
        "kernel_id": kernel,
        "notebook_name": notebook,
        "event": name,
        "cell_index": cell,
        "cell_num": int(second) % 3,
        "cell_type": cell_type,
        "cell_source": source,
        "cell_output": json.dumps(output) if output is not None else "",
    }


def run_of(second: float, cell: str, source: str, seconds: float = 1.0, kernel: str = "k1") -> list[Event]:
    """An execution and its end."""
    return [
        event(second, "execute", cell, source, kernel=kernel),
        event(
            second + seconds, "finished_execute", cell, source, [{"output_type": "stream", "size": 9}], kernel=kernel
        ),
    ]


def write_csv(path: Path, events: Iterable[Event]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, CSV_COLUMNS)
        writer.writeheader()
        for number, row in enumerate(events):
            writer.writerow({**row, "action_id": number, "user_id": 1, "expert": True})


def write_user_logs(path: Path, events: Iterable[Event]) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        columns = ", ".join(f"{name} TEXT" for name in LOG_COLUMNS)
        database.execute(f"CREATE TABLE user_logs (id INTEGER PRIMARY KEY, {columns}, ip_address TEXT)")
        marks = ", ".join("?" * (len(LOG_COLUMNS) + 1))
        database.executemany(
            f"INSERT INTO user_logs ({', '.join(LOG_COLUMNS)}, ip_address) VALUES ({marks})",
            ([*(row[name] for name in LOG_COLUMNS), "192.0.2.77"] for row in events),
        )
