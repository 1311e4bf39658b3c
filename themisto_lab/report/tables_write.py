"""Writes a report's files: Markdown, CSV, JSON and HTML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from themisto_lab.report.calibration_table import Calibration, calibration_table, calibrations, draw_calibration
from themisto_lab.report.known_first import SourceRow, source_rows
from themisto_lab.report.tables import NOVELTIES, PairedRow, Row, Table, paired, published_json, rows, select_rows
from themisto_lab.report.tables_figure import can_draw, draw_scores
from themisto_lab.report.tables_grid import Grid, csv_text, main_tables, novelty_table, paired_table, source_table
from themisto_lab.types import JsonObject, TaskKind

_STYLE = """
body { font-family: system-ui, sans-serif; margin: 2rem; color: #222; background: #fff; }
table { border-collapse: collapse; margin: 0.5rem 0; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25rem 0.6rem; text-align: left; white-space: nowrap; }
p, li { max-width: 50rem; }
div { overflow-x: auto; }
"""


@dataclass(frozen=True, slots=True)
class Report:
    """All numbers of a report.

    Attributes
    ----------
    about
        What the runs were: their manifests, and the number of items of each task.
    notes
        What a reader should know.
    rows, by_novelty
        Means over all items, and over next cells by how new they are.
    paired
        Paired differences of arms.
    raw
        Whether Table 3 is shown; the numbers are there in any case.
    calibration
        For those that give probabilities: predicted against observed.
    sources
        Outputs by where they came from.
    """

    about: JsonObject
    notes: tuple[str, ...]
    rows: tuple[Row, ...]
    by_novelty: dict[str, list[Row]]
    paired: tuple[PairedRow, ...]
    raw: bool
    calibration: tuple[Calibration, ...] = ()
    sources: tuple[SourceRow, ...] = ()


def make_report(table: Table, about: JsonObject, notes: Sequence[str], raw: bool) -> Report:
    """Work out all numbers of a report."""
    n_items = {task.value: sum(item.task is task for item in table.items.values()) for task in TaskKind}
    by_novelty = {
        kind: [row for row in rows(table, kind) if row.task is TaskKind.NEXT_CELL]
        for kind in NOVELTIES
        if n_items[TaskKind.NEXT_CELL.value]
    }
    return Report(
        about={**about, "n_items": n_items},
        notes=tuple(notes),
        rows=tuple(rows(table)),
        by_novelty=by_novelty,
        paired=tuple(paired(table)),
        raw=raw,
        calibration=tuple(calibrations(table)),
        sources=tuple(source_rows(table)),
    )


def grids(report: Report) -> list[Grid]:
    """Return a report's tables."""
    found = [*main_tables(report.rows, report.raw), paired_table(report.paired, report.raw)]
    found += [source_table(report.sources), novelty_table(report.by_novelty), calibration_table(report.calibration)]
    return [grid for grid in found if grid is not None]


def files(report: Report) -> dict[str, str]:
    """Return the text of each file of a report by its name."""
    pictures = {"calibration.svg": draw_calibration(report.calibration)} if report.calibration and can_draw() else {}
    return {
        **pictures,
        "report.md": markdown(report),
        "report.csv": csv_text(_csv_rows(report)),
        "report.json": json.dumps(as_json(report), indent=1, ensure_ascii=False) + "\n",
        "report.html": html(report),
    }


def as_json(report: Report) -> JsonObject:
    """Return a report as one JSON object. Tables with and without post-processing are both in ``rows``."""
    return {
        "version": 1,
        **report.about,
        "notes": list(report.notes),
        "rows": [row.as_json() for row in report.rows],
        "differences": [row.as_json() for row in report.paired],
        "novelty": [row.as_json() for found in report.by_novelty.values() for row in found],
        "sources": [one.as_json() for one in report.sources],
        "calibration": [one.as_json() for one in report.calibration],
        "published": published_json(),
    }


def markdown(report: Report) -> str:
    """Return a report in Markdown."""
    parts = ["# Benchmark report\n", _about(report) + "\n"]
    if report.notes:
        parts.append("\n".join(f"- {note}" for note in report.notes) + "\n")
    return "\n".join([*parts, *(grid.markdown() for grid in grids(report))])


def html(report: Report) -> str:
    """Return a report as one HTML page without scripts; its plots need matplotlib and are left out without it."""
    parts = [f"<p>{escape(_about(report))}</p>\n"]
    if report.notes:
        parts.append("<ul>" + "".join(f"<li>{escape(note)}</li>" for note in report.notes) + "</ul>\n")
    if can_draw():
        chosen = {task: select_rows(report.rows, task, postprocessed=True) for task in TaskKind}
        parts += [f"<div>{draw_scores(found, task)}</div>\n" for task, found in chosen.items() if found]
        parts.append(
            "<p>Points are means with 95 % intervals; the dashed line is the paper's best, on other data.</p>\n"
        )
        if report.calibration:
            parts.append(f"<div>{draw_calibration(report.calibration)}</div>\n")
            parts.append(
                "<p>Each point is a group of predictions: on the dashed line what is predicted comes true.</p>\n"
            )
    else:
        parts.append("<p>Plots need matplotlib: pip install 'themisto_lab[bench]'.</p>\n")
    parts += [f"<div>{grid.html()}</div>\n" for grid in grids(report)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Benchmark report</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Benchmark report</h1>\n{''.join(parts)}</body>\n</html>\n"
    )


def _about(report: Report) -> str:
    items = ", ".join(f"{number} {task}" for task, number in report.about["n_items"].items() if number)
    sample, digest = report.about.get("sample", ""), str(report.about.get("sample_sha256", ""))
    return f"Sample {sample} ({digest[:12]}): {items} items."


def _csv_rows(report: Report) -> list[JsonObject]:
    every = [*report.rows, *(row for found in report.by_novelty.values() for row in found)]
    return [row.as_json() for row in every]
