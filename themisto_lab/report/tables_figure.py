"""The scores as a picture: for each metric a line of points with their intervals, one a model and arm."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from themisto_lab.report.tables import PUBLISHED, Row
from themisto_lab.report.tables_grid import ARM_TITLES, METRIC_TITLES, SHOWN, TASK_TITLES
from themisto_lab.types import TaskKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Told apart by people who do not see red and green alike (Okabe and Ito).
_COLOURS = {None: "#000000", "no_runtime": "#0072B2", "runtime": "#E69F00", "curated": "#009E73"}


def can_draw() -> bool:
    """Tell whether matplotlib is there (the extra ``bench``)."""
    return importlib.util.find_spec("matplotlib") is not None


def draw_scores(rows: Sequence[Row], task: TaskKind) -> str:
    """Return the scores of one task as SVG: the text of an ``svg`` element.

    Parameters
    ----------
    rows
        Rows of one task in one table.
    task
        The task.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    whos = list(dict.fromkeys((row.model, row.prompt, row.arm) for row in rows))
    out = io.StringIO()
    # A fixed salt and no date: the same numbers give the same file.
    with rc_context({"svg.hashsalt": "themisto", "svg.fonttype": "none"}):
        figure = Figure(figsize=(11.0, 1.2 + 0.3 * len(whos)), layout="constrained")
        FigureCanvasSVG(figure)
        figure.suptitle(TASK_TITLES[task])
        axes = figure.subplots(1, len(SHOWN), sharey=True)
        for place, metric in enumerate(SHOWN):
            _draw_metric(axes[place], [row for row in rows if row.metric == metric], PUBLISHED[task][metric])
            axes[place].set_title(METRIC_TITLES[metric])
        axes[0].set_yticks(range(len(whos)), [_label(*who) for who in whos])
        axes[0].set_ylim(len(whos) - 0.5, -0.5)
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def _draw_metric(axes: Axes, rows: Sequence[Row], published: float) -> None:
    axes.axvline(published, color="#999999", linestyle="--", linewidth=1.0)
    for place, row in enumerate(rows):
        found, colour = row.counted, _COLOURS.get(row.arm, "#CC79A7")
        if found.low is not None and found.high is not None:
            axes.plot([found.low, found.high], [place, place], color=colour, linewidth=1.5)
        if found.mean is not None:
            axes.plot([found.mean], [place], color=colour, marker="o", markersize=5.0)
    axes.set_xlim(0.0, 1.0)
    axes.grid(axis="x", alpha=0.3)


def _label(model: str, prompt: str, arm: str | None) -> str:
    return model if arm is None else f"{model} ({prompt}) · {ARM_TITLES.get(arm, arm)}"
