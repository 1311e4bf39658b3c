"""A report's tables as grids of text, ready for Markdown, CSV and HTML (pure)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from themisto_lab.report.aggregate import signed
from themisto_lab.report.bootstrap import Estimate
from themisto_lab.report.known_first import SourceRow
from themisto_lab.report.tables import (
    NOVELTIES,
    PUBLISHED,
    PUBLISHED_NAME,
    PairedRow,
    Row,
    arm_order,
    select_rows,
)
from themisto_lab.types import Metric, TaskKind

SHOWN: tuple[Metric, ...] = ("exact_match", "rouge_l", "chrf")
"""The paper's three metrics; the others stand in the CSV and the JSON."""

METRIC_TITLES: dict[str, str] = {"exact_match": "EM", "rouge_l": "ROUGE-L", "chrf": "ChrF"}
TASK_TITLES = {TaskKind.NEXT_CELL: "Next cell prediction", TaskKind.CELL_OUTPUT: "Cell output prediction"}
ARM_TITLES = {"no_runtime": "No Runtime", "runtime": "Runtime", "curated": "Curated"}

_NONE = "--"


@dataclass(frozen=True, slots=True)
class Grid:
    """One table.

    Attributes
    ----------
    title
        Its heading.
    header, rows
        Its cells, as text.
    notes
        Sentences below it.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = field(default=())

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [f"### {self.title}", "", _line(self.header), _line(["---"] * len(self.header))]
        lines += [_line(row) for row in self.rows]
        lines += [text for note in self.notes for text in ("", note)]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return the table in HTML."""
        head = "".join(f"<th>{escape(cell)}</th>" for cell in self.header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in self.rows)
        notes = "".join(f"<p>{escape(note)}</p>\n" for note in self.notes)
        return f"<h3>{escape(self.title)}</h3>\n<table>\n<tr>{head}</tr>\n{body}</table>\n{notes}"


def main_tables(all_rows: Sequence[Row], raw: bool) -> list[Grid]:
    """Return Table 2, and with `raw` Table 3: for each task one row a model, one block an arm."""
    grids = []
    for number, postprocessed in ((2, True), (3, False))[: 2 if raw else 1]:
        for task in TaskKind:
            chosen = select_rows(all_rows, task, postprocessed)
            if not chosen:
                continue
            what = "post-processed" if postprocessed else "without post-processing"
            title = f"Table {number}. {TASK_TITLES[task]}, {what}"
            grids.append(_main_table(title, task, chosen, postprocessed, lambda row: row.counted))
            if any(row.n_failed for row in chosen):
                left_out = f"{title}, failures left out"
                grids.append(_main_table(left_out, task, chosen, postprocessed, lambda row: row.answered))
    return grids


def _main_table(
    title: str, task: TaskKind, chosen: Sequence[Row], postprocessed: bool, estimate: Callable[[Row], Estimate]
) -> Grid:
    arms = sorted({row.arm for row in chosen if row.arm} or {"no_runtime"}, key=arm_order)
    models = list(dict.fromkeys((row.model, row.prompt) for row in chosen))
    header = ["Model", "Prompt", "n", "Failed"]
    header += [f"{ARM_TITLES.get(arm, arm)} {METRIC_TITLES[metric]}" for arm in arms for metric in SHOWN]
    body = []
    for model, prompt in models:
        own = [row for row in chosen if (row.model, row.prompt) == (model, prompt)]
        first = [row for row in own if row.metric == SHOWN[0]]
        # A predictor that reads no prompt knows no state: its numbers stand in the first block.
        cells = {(row.arm or arms[0], row.metric): with_interval(estimate(row)) for row in own}
        body.append(
            (
                model,
                prompt,
                _range(estimate(row).n for row in first),
                _range(row.n_failed for row in first),
                *(cells.get((arm, metric), _NONE) for arm in arms for metric in SHOWN),
            )
        )
    notes = ["Means with bootstrap 95 % intervals, clustered by trajectory."]
    if postprocessed:
        numbers = [f"{number(PUBLISHED[task][metric])}†" for metric in SHOWN]
        body.append((PUBLISHED_NAME, "paper", "200", _NONE, *numbers, *[_NONE] * (len(SHOWN) * (len(arms) - 1))))
        notes.append("† The best of the paper's five models in either setting, on its own data: a hint, no ranking.")
    if any(row.n_failed for row in chosen) and "left out" not in title:
        notes.append("A failure counts as 0 here.")
    return Grid(title, tuple(header), tuple(body), tuple(notes))


def paired_table(found: Sequence[PairedRow], raw: bool) -> Grid | None:
    """Return what each arm changes, or None where there is nothing to compare."""
    chosen = [row for row in found if row.metric in SHOWN and (row.postprocessed or raw)]
    if not chosen:
        return None
    header = ("Task", "Model", "Prompt", "Arm", "Against", "Text", "Metric", "n", "Difference", "In words")
    body = [
        (
            TASK_TITLES[row.task],
            row.model,
            row.prompt,
            ARM_TITLES.get(row.arm, row.arm),
            ARM_TITLES.get(row.other_arm, row.other_arm),
            "post-processed" if row.postprocessed else "raw",
            METRIC_TITLES[row.metric],
            str(row.counted.n),
            difference(row.counted),
            row.sentence,
        )
        for row in chosen
    ]
    notes = ("Mean paired differences of two arms, item by item; a failure counts as 0.",)
    return Grid("What the runtime state changes", header, tuple(body), notes)


def source_table(found: Sequence[SourceRow]) -> Grid | None:
    """Return the answers by where they came from; None where all came from models."""
    if not found:
        return None
    body = [
        (
            row.who.model,
            row.who.prompt,
            ARM_TITLES.get(row.who.arm or "", row.who.arm or _NONE),
            row.source,
            str(row.n),
            number(row.n / row.n_all),
            number(row.exact_match),
        )
        for row in found
    ]
    notes = (
        "Syntax: the cell prints nothing. State: the kernel's state tells the whole output before the run. The model "
        "is asked for the rest. Post-processed.",
    )
    header = ("Model", "Prompt", "Arm", "Source", "n", "Share", "EM")
    return Grid("Outputs by where they came from", header, tuple(body), notes)


def novelty_table(by_novelty: dict[str, list[Row]]) -> Grid | None:
    """Return the scores of exact repeats, edits and novel cells apart; None without next cells."""
    first = [row for row in by_novelty.get(NOVELTIES[0], ()) if row.task is TaskKind.NEXT_CELL and row.postprocessed]
    if not first:
        return None
    cells = {
        (row.model, row.prompt, row.arm, kind, row.metric): row.counted
        for kind, found in by_novelty.items()
        for row in found
        if row.task is TaskKind.NEXT_CELL and row.postprocessed
    }
    titles = {"repeat": "Repeats", "edit": "Edits", "novel": "Novel"}
    header = ["Model", "Prompt", "Arm"]
    for kind in NOVELTIES:
        header += [f"{titles[kind]} n", *(f"{titles[kind]} {METRIC_TITLES[metric]}" for metric in SHOWN)]
    body = []
    for model, prompt, arm in dict.fromkeys((row.model, row.prompt, row.arm) for row in first):
        line = [model, prompt, ARM_TITLES.get(arm or "", arm or _NONE)]
        for kind in NOVELTIES:
            found = [cells[model, prompt, arm, kind, metric] for metric in SHOWN]
            line += [str(found[0].n), *(number(one.mean) for one in found)]
        body.append(tuple(line))
    notes = (
        "Repeats: the same code was run before in the session. Edits: more than .75 similar to one of the last five "
        "cells. Novel: neither. Post-processed; a failure counts as 0; intervals stand in the CSV and the JSON.",
    )
    return Grid("Next cells by how new they are", tuple(header), tuple(body), notes)


def csv_text(rows: Iterable[dict[str, object]]) -> str:
    """Return rows of equal keys as CSV."""
    listed = list(rows)
    out = io.StringIO()
    if listed:
        writer = csv.DictWriter(out, fieldnames=list(listed[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(listed)
    return out.getvalue()


def number(value: float | None) -> str:
    """Write a score: two decimals, no leading zero."""
    if value is None:
        return _NONE
    return f"{value:.2f}".removeprefix("0")


def with_interval(estimate: Estimate) -> str:
    """Write a mean and its interval: ``.14 (.10 to .19)``."""
    if estimate.low is None or estimate.high is None:
        return number(estimate.mean)
    return f"{number(estimate.mean)} ({number(estimate.low)} to {number(estimate.high)})"


def difference(estimate: Estimate) -> str:
    """Write a mean difference and its interval with signs."""
    if estimate.mean is None:
        return _NONE
    if estimate.low is None or estimate.high is None:
        return signed(estimate.mean)
    return f"{signed(estimate.mean)} ({signed(estimate.low)} to {signed(estimate.high)})"


def _range(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return "" if not found else str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
