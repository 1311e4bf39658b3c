"""The paper's Figure 2: bars of the mean scores and the density of the pairs' scores, outputs above, codes below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from themisto_lab.benchmark.diversity import METRICS, N_BINS, PairScores, TaskDiversity, require_bench
from themisto_lab.types import TaskKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROWS = ((TaskKind.CELL_OUTPUT, "Outputs"), (TaskKind.NEXT_CELL, "Codes"))
_LABELS = {"levenshtein": "Levenshtein", "ngram": "n-gram", "jaccard": "Jaccard"}
# Told apart by people who do not see red and green alike (Okabe and Ito).
_COLOURS = {"levenshtein": "#0072B2", "ngram": "#E69F00", "jaccard": "#009E73"}
_MIN_BANDWIDTH = 1.0 / N_BINS


def density(scores: PairScores, points: Sequence[float]) -> list[float]:
    """Return a smooth density of the pairs' scores at some points of [0, 1].

    Each part of the histogram is spread by a normal curve whose width follows Silverman's rule; what would fall
    outside [0, 1] is folded back, so that the area under the density stays 1.
    """
    spread = scores.std * (4.0 / (3.0 * scores.n_pairs)) ** 0.2
    width = max(spread, _MIN_BANDWIDTH)
    centres = [(part + 0.5) / N_BINS for part in range(N_BINS)]
    norm = scores.n_pairs * width * math.sqrt(2 * math.pi)
    result = []
    for point in points:
        total = 0.0
        for centre, count in zip(centres, scores.histogram, strict=True):
            if count:
                images = (centre, -centre, 2.0 - centre)
                total += count * sum(math.exp(-0.5 * ((point - image) / width) ** 2) for image in images)
        result.append(total / norm)
    return result


def draw_figure(found: dict[TaskKind, TaskDiversity], folder: Path) -> tuple[Path, Path]:
    """Draw the figure and return the paths of its SVG and its PNG.

    Raises
    ------
    BadInputError
        The extra ``bench`` is not installed.
    """
    require_bench()
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # A fixed salt and no date: the same numbers give the same file.
    with rc_context({"svg.hashsalt": "themisto", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9.0, 6.0), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(2, 2)
        for row, (task, title) in enumerate(_ROWS):
            bars, curves = axes[row]
            _draw_row(bars, curves, title, found.get(task))
        svg, png = folder / "diversity.svg", folder / "diversity.png"
        figure.savefig(svg, metadata={"Date": None})
        figure.savefig(png, dpi=150)
    return svg, png


def _draw_row(bars: Axes, curves: Axes, title: str, found: TaskDiversity | None) -> None:
    n_used = found.n_used if found is not None else 0
    bars.set_title(f"{title}: mean over pairs (n = {n_used})")
    curves.set_title(f"{title}: density of pairs")
    bars.set_ylabel("difference")
    bars.set_ylim(0.0, 1.12)
    bars.set_yticks([part / 5 for part in range(6)])
    curves.set_xlim(0.0, 1.0)
    curves.set_xlabel("difference of a pair")
    curves.set_ylabel("density")
    if found is None or not found.scores:
        for axes in (bars, curves):
            axes.set_xticks([])
            axes.set_yticks([])
            axes.text(0.5, 0.5, "fewer than two items", ha="center", va="center", transform=axes.transAxes)
        return
    points = [step / 200 for step in range(201)]
    for place, name in enumerate(METRICS):
        scores = found.scores[name]
        bars.bar(place, scores.mean, color=_COLOURS[name])
        bars.text(place, scores.mean + 0.02, f"{scores.mean:.2f}", ha="center", va="bottom")
        curve = density(scores, points)
        curves.plot(points, curve, color=_COLOURS[name], label=_LABELS[name])
        curves.fill_between(points, curve, color=_COLOURS[name], alpha=0.15)
    bars.set_xticks(range(len(METRICS)), [_LABELS[name] for name in METRICS])
    curves.set_ylim(bottom=0.0)
    curves.legend(frameon=False)
