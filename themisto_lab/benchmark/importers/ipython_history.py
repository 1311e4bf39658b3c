"""IPython's ``history.sqlite``: one trajectory a session."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from themisto_lab.benchmark.format import UNKNOWN_TIME
from themisto_lab.benchmark.importers.source import Importer, ImportReport, Source, open_sqlite
from themisto_lab.types import MIME_TEXT, CellOutput, Step, Trajectory

_ROWS = """
    SELECT history.session, history.line, history.source_raw, output_history.output, sessions.start
    FROM history
    LEFT JOIN output_history ON output_history.session = history.session AND output_history.line = history.line
    LEFT JOIN sessions ON sessions.session = history.session
    ORDER BY history.session, history.line
"""


def detects(source: Source) -> bool:
    """Tell the file by the three tables that IPython makes."""
    tables = source.tables
    return {"session", "line", "source_raw"} <= tables.get("history", frozenset()) and "sessions" in tables


def read(source: Source, report: ImportReport) -> Iterator[Trajectory]:
    """Yield each session that ran something; the code is what was typed, before IPython's rewriting."""
    with open_sqlite(source.path) as database:
        for session, rows in groupby(database.execute(_ROWS), key=lambda row: row[0]):
            kernel_id = f"ipython-{source.digest}-{session}"
            steps: list[Step] = []
            started_at = UNKNOWN_TIME
            for _, line, code, output, start in rows:
                started_at = _moment(start)
                if not isinstance(code, str) or not code.strip():
                    report.skipped["step without code"] += 1
                    continue
                steps.append(_step(len(steps), kernel_id, line, code, output))
            if steps:
                yield Trajectory(
                    id=kernel_id,
                    kernel_id=kernel_id,
                    started_at=started_at,
                    steps=tuple(steps),
                )


IMPORTER = Importer(kind="ipython-history", title="an IPython history", detects=detects, read=read)


def _step(index: int, kernel_id: str, line: Any, code: str, output: Any) -> Step:
    return Step(
        index=index,
        kernel_id=kernel_id,
        code=code,
        outputs=(CellOutput(mime=MIME_TEXT, text=output),) if isinstance(output, str) else (),
        execution_count=line if isinstance(line, int) else None,
        started_at=UNKNOWN_TIME,
    )


def _moment(text: Any) -> datetime:
    """Read a session's start. IPython keeps a local time without its zone, so the zone has to be guessed: UTC."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except (TypeError, ValueError):
        return UNKNOWN_TIME
