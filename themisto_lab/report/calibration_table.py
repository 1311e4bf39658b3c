"""Calibration in a report: one line a group of predictions, and the picture of predicted against observed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from themisto_lab.report.calibration import CalibrationBin, calibration_bins, calibration_error
from themisto_lab.report.tables import Contestant, Table
from themisto_lab.report.tables_grid import ARM_TITLES, TASK_TITLES, Grid, number
from themisto_lab.types import JsonObject, TaskKind

_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#000000")


@dataclass(frozen=True, slots=True)
class Calibration:
    """Predicted against observed for one contestant and task."""

    task: TaskKind
    who: Contestant
    bins: tuple[CalibrationBin, ...]

    @property
    def label(self) -> str:
        """The contestant in words."""
        return (
            self.who.model
            if self.who.arm is None
            else f"{self.who.model} · {ARM_TITLES.get(self.who.arm, self.who.arm)}"
        )

    def as_json(self) -> JsonObject:
        """Return it as a JSON object."""
        return {
            "task": self.task.value,
            "model": self.who.model,
            "arm": self.who.arm,
            "prompt": self.who.prompt,
            "mean_error": calibration_error(self.bins),
            "bins": [
                {"n": b.n, "predicted": b.predicted, "observed": b.observed, "ci_low": b.low, "ci_high": b.high}
                for b in self.bins
            ],
        }


def calibrations(table: Table) -> list[Calibration]:
    """Return the calibration of all who give probabilities; a failure has none and is left out."""
    found = []
    for task in TaskKind:
        for who in table.contestants(task):
            pairs = [
                (outcome.probability, outcome.post.get("exact_match") == 1.0)
                for item_id, outcome in table.outcomes[who].items()
                if table.items[item_id].task is task and outcome.probability is not None and not outcome.failed
            ]
            if pairs:
                found.append(Calibration(task, who, tuple(calibration_bins(pairs))))
    return found


def calibration_table(found: Sequence[Calibration]) -> Grid | None:
    """Return the numbers as a table; None where nobody gives probabilities."""
    if not found:
        return None
    header = ("Task", "Model", "n", "Predicted", "Observed EM")
    body = [
        (
            TASK_TITLES[one.task],
            one.label,
            str(group.n),
            number(group.predicted),
            f"{number(group.observed)} ({number(group.low)} to {number(group.high)})",
        )
        for one in found
        for group in one.bins
    ]
    errors = ", ".join(f"{one.label} {number(calibration_error(one.bins))}" for one in found)
    notes = (f"Wilson 95 % intervals. Mean distance of predicted and observed: {errors}.",)
    return Grid("Predicted against observed exact match", header, tuple(body), notes)


def draw_calibration(found: Sequence[Calibration]) -> str:
    """Return predicted against observed as SVG: the text of an ``svg`` element."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    out = io.StringIO()
    with rc_context({"svg.hashsalt": "themisto", "svg.fonttype": "none"}):
        figure = Figure(figsize=(5.0, 5.0), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color="#999999", linestyle="--", linewidth=1.0)
        for place, one in enumerate(found):
            colour = _COLOURS[place % len(_COLOURS)]
            predicted, observed = [b.predicted for b in one.bins], [b.observed for b in one.bins]
            for group in one.bins:
                axes.plot([group.predicted] * 2, [group.low, group.high], color=colour, linewidth=1.0, alpha=0.5)
            axes.scatter(
                predicted, observed, s=[12 + 3 * b.n**0.5 * 4 for b in one.bins], color=colour, label=one.label
            )
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="Predicted probability", ylabel="Observed exact match")
        axes.grid(alpha=0.3)
        axes.legend(loc="upper left", fontsize="small")
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
