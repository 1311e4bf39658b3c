"""What the benchmark's commands print: a table for people, or one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence

from themisto_lab.types import JsonObject


def write_json(value: JsonObject) -> None:
    """Print one JSON object on one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def write_line(text: str) -> None:
    """Print one line."""
    sys.stdout.write(text + "\n")


def write_warning(text: str) -> None:
    """Print one sentence on standard error, so that a program reading the output does not meet it."""
    sys.stderr.write(f"Note: {text}\n")


def write_table(rows: Iterable[Sequence[object]]) -> None:
    """Print rows with their columns aligned, numbers to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    if not cells:
        return
    numeric = [all(_is_number(row[i]) for row in cells[1:] if row[i]) for i in range(len(cells[0]))]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        parts = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ]
        write_line("  ".join(parts).rstrip())


def write_counts(title: str, counts: dict[str, int]) -> None:
    """Print how often each thing happened, the most frequent first; nothing where nothing did."""
    ordered = sorted(((number, name) for name, number in counts.items() if number), reverse=True)
    if ordered:
        write_line(f"{title}:")
        for number, name in ordered:
            write_line(f"  {number:>7}  {name}")


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdigit()
