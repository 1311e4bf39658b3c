"""A trial's predictions as rows, means and text: what ``jupyter themisto try`` prints and writes (pure)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from themisto_lab.store.records import ScoreRow, StoredPrediction
from themisto_lab.types import Step, TaskKind

METRICS = ("exact_match", "rouge_l", "chrf")

_TITLES = {TaskKind.CELL_OUTPUT.value: "output", TaskKind.NEXT_CELL.value: "next cell"}
_MAX_LINES = 4
_MAX_CHARS = 88


def trial_rows(stored: Iterable[StoredPrediction]) -> list[dict[str, Any]]:
    """Flatten predictions, in the order of their steps; forecasts before next cells.

    Returns
    -------
    list of dict
        Rows of step, task, predictor, arm, shown, text, target, status, error, scores and latency_s. ``scores`` is
        empty for what was not scored.
    """
    rows = []
    for one in stored:
        prediction = one.prediction
        rows.append(
            {
                "step": prediction.target_index,
                "task": prediction.task.value,
                "predictor": prediction.predictor,
                "arm": prediction.arm,
                "shown": prediction.shown,
                "source": prediction.source,
                "text": prediction.text,
                "target": one.target.text if one.target else None,
                "status": prediction.status,
                "error": prediction.error.message if prediction.error else None,
                "scores": {score.metric: score.value for score in one.scores},
                "latency_s": prediction.latency_s,
            }
        )
    return sorted(rows, key=lambda row: (row["step"], row["task"]))


def trial_summary(scores: Sequence[ScoreRow], n_steps: int) -> dict[str, Any]:
    """Return the number of steps and the mean scores by task, predictor and arm."""
    return {"n_steps": n_steps, "rows": [{**asdict(row), "task": row.task.value} for row in scores]}


def _number(value: float | None) -> str:
    if value is None:
        return "--"
    return "1.00" if value >= 0.995 else f"{value:.2f}".removeprefix("0")


def _block(text: str, indent: str) -> str:
    lines = text.split("\n")
    if len(lines) > _MAX_LINES:
        lines = [*lines[: _MAX_LINES - 1], f"… {len(lines) - _MAX_LINES + 1} more lines"]
    return f"\n{indent}".join(line if len(line) <= _MAX_CHARS else f"{line[: _MAX_CHARS - 1]}…" for line in lines)


def print_steps(steps: Sequence[Step], rows: Sequence[dict[str, Any]], out: TextIO) -> None:
    """Print each step's code with the predictions about it beside the truth. Shown ones carry a star."""
    by_step: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_step[row["step"]].append(row)
    for step in steps:
        out.write(f"\n[{step.index + 1}] {_block(step.code, '    ')}\n")
        for row in by_step[step.index]:
            who = row["predictor"] + (f" · {row['arm']}" if row["arm"] else "")
            mark = "*" if row["shown"] else " "
            out.write(f"  {mark} {_TITLES[row['task']]:<9}  {who}\n")
            if row["error"]:
                out.write(f"      failed     {row['error']}\n")
                continue
            out.write(f"      predicted  {_block(row['text'], ' ' * 17)}\n")
            if row["target"] is not None:
                out.write(f"      truth      {_block(row['target'], ' ' * 17)}\n")
            if row["scores"]:
                exact, rouge, chrf = (_number(row["scores"].get(metric)) for metric in METRICS)
                out.write(f"      exact {exact}  ROUGE-L {rouge}  ChrF {chrf}  in {row['latency_s'] or 0:.2f} s\n")
            else:
                out.write(f"      {row['status']}\n")


def print_summary(summary: dict[str, Any], out: TextIO) -> None:
    """Print the mean scores as a table."""
    out.write(f"\n{summary['n_steps']} steps\n")
    out.write(f"{'task':<10} {'predictor':<30} {'arm':<11} {'n':>4} {'exact':>6} {'ROUGE-L':>8} {'ChrF':>6}\n")
    for row in summary["rows"]:
        exact, rouge, chrf = (_number(row[metric]) for metric in METRICS)
        out.write(
            f"{_TITLES[row['task']]:<10} {row['predictor']:<30} {row['arm'] or '--':<11} "
            f"{row['n']:>4} {exact:>6} {rouge:>8} {chrf:>6}\n"
        )
