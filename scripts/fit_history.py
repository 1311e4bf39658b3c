"""Fits the weights of ``baseline/history`` to development sessions and writes ``history_weights.json``.

    python scripts/fit_history.py SESSIONS.jsonl --first-half --also MORE.jsonl --out WEIGHTS.json

Trajectory files come from ``jupyter themisto import``. With ``--first-half``, only the earlier half of the sessions of
the first file is read, in order of time: the other half stays unseen for ``benchmarks/history.py``. What is written are
counts and three numbers of a logistic function; no code.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from themisto_lab.benchmark.format import read_trajectories
from themisto_lab.predict.base import PredictRequest
from themisto_lab.predict.baselines import guess_follower
from themisto_lab.predict.history import BELOW, SessionHistory
from themisto_lab.predict.history_session import likeness
from themisto_lab.predict.history_sources import find_follower, situation_of
from themisto_lab.predict.history_weights import Calibration, Record, Weights
from themisto_lab.scoring.metrics import score_text
from themisto_lab.types import TaskKind, Trajectory

Records = dict[str, dict[str, Record]]


def first_half(sessions: Iterable[Trajectory]) -> list[Trajectory]:
    """Return the earlier half of sessions, in order of time."""
    ordered = sorted(sessions, key=lambda session: session.started_at)
    return ordered[: len(ordered) // 2]


def records_of(sessions: Sequence[Trajectory]) -> Records:
    """Count what each source showed in each situation, all sessions together."""
    total: dict[str, dict[str, Record]] = defaultdict(lambda: defaultdict(Record))
    for session in sessions:
        history = SessionHistory()
        history.extend(session)
        for situation, by_source in history.all_records().items():
            for source, record in by_source.items():
                total[situation][source] += record
        for situation, record in below_records(history).items():
            total[situation][BELOW] += record
    return {situation: dict(by_source) for situation, by_source in total.items()}


def below_records(history: SessionHistory) -> dict[str, Record]:
    """Count how the cell below does, as far as a trajectory tells: the cell that was new right after this one was."""
    index = history.index
    total: dict[str, Record] = defaultdict(Record)
    order: list[int] = []
    for n in range(1, len(index)):
        if index.cells[n - 1] not in order:
            order.append(index.cells[n - 1])
        place = order.index(index.cells[n - 1]) + 1
        if place < len(order):
            text = index.newest_version(index.runs_of_cell(order[place], n)[0], n)
            situation = situation_of(index, n, find_follower(index, n))
            total[situation] += Record(1, text == index.codes[n], likeness(text, index.codes[n]))
    return total


def fit_logistic(x: np.ndarray, y: np.ndarray, ridge: float = 0.1) -> np.ndarray:
    """Return slopes and offset of a logistic regression, by Newton's method."""
    x = np.column_stack([x, np.ones(len(x))])
    penalty = np.diag([ridge] * (x.shape[1] - 1) + [1e-6])
    weights = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ weights))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + penalty
        weights -= np.linalg.solve(hessian, x.T @ (p - y) + penalty @ weights)
    return weights


def chosen(session: Trajectory, weights: Weights) -> list[dict[str, Any]]:
    """Return the chosen guess for every step but the first, with what came of it."""
    history = SessionHistory()
    history.extend(session)
    rows = []
    for n in range(1, len(session.steps)):
        best, target = history.rank(n, weights)[0], session.steps[n].code.strip()
        past = session.model_copy(update={"steps": session.steps[:n]})
        follower = guess_follower(PredictRequest(TaskKind.NEXT_CELL, past)).text.strip()
        rows.append(
            {
                "rate": best.rate,
                "votes": len(best.sources),
                "probability": best.probability,
                "ours": {score.metric: score.value for score in score_text(best.text, target)},
                "follower": {score.metric: score.value for score in score_text(follower, target)},
            }
        )
    return rows


def fit_calibration(rows: Sequence[dict[str, Any]]) -> Calibration:
    """Fit the logistic function from raw rates to probabilities."""
    x = np.array([[math.log(row["rate"] / (1 - row["rate"])), row["votes"] - 1] for row in rows])
    y = np.array([row["ours"]["exact_match"] for row in rows])
    slope, votes, offset = fit_logistic(x, y)
    return Calibration(round(float(slope), 3), round(float(votes), 3), round(float(offset), 3))


def left_out(sessions: Sequence[Trajectory], strength: float) -> list[dict[str, Any]]:
    """Return what weights fitted to all other sessions choose, for each session."""
    rows = []
    for session in sessions:
        others = [other for other in sessions if other is not session]
        rows += chosen(session, Weights(records_of(others), Calibration(), strength))
    return rows


def main() -> None:
    """Fit, say how it does with each session left out, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--first-half", action="store_true")
    parser.add_argument("--also", type=Path, nargs="*", default=[])
    parser.add_argument("--strength", type=float, default=5.0)
    parser.add_argument("--note", default="", help="where the sessions come from")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sessions = list(read_trajectories(options.sessions))
    if options.first_half:
        sessions = first_half(sessions)
    sessions += [session for path in options.also for session in read_trajectories(path)]
    sessions = [session for session in sessions if len(session.steps) > 1]
    rows = left_out(sessions, options.strength)
    for who in ("ours", "follower"):
        means = {metric: np.mean([row[who][metric] for row in rows]) for metric in rows[0][who]}
        print(f"{who:10}", *(f"{metric} {mean:.3f}" for metric, mean in means.items()))
    records, calibration = records_of(sessions), fit_calibration(rows)
    content = {
        "note": options.note,
        "fitted_by": "scripts/fit_history.py",
        "n_sessions": len(sessions),
        "n_steps": sum(len(session.steps) for session in sessions),
        "strength": options.strength,
        "calibration": {"slope": calibration.slope, "votes": calibration.votes, "offset": calibration.offset},
        "records": {
            situation: {
                source: [record.n, record.n_hits, round(record.likeness, 2)] for source, record in found.items()
            }
            for situation, found in sorted(records.items())
        },
    }
    options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"{calibration}; written to {options.out}")


if __name__ == "__main__":
    main()
