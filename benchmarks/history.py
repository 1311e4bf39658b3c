"""``baseline/history`` against ``baseline/follower``: how often each is right, and how long each takes.

Time is measured on a made-up session of 1,000 runs that grows run by run, as it does while a person works. With
``--sessions T.jsonl`` (from ``jupyter themisto import``), every step with at least one before it is predicted by both
and scored, with 95 % intervals from a bootstrap clustered by session. ``--part second-half``, the default, leaves out
the earlier half of the sessions, on which the weights were fitted. The last line is one JSON object.

Usage: ``python benchmarks/history.py [--quick] [--sessions T.jsonl [--part all|first-half|second-half]]``
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from themisto_lab.benchmark.format import read_trajectories
from themisto_lab.predict.base import Guess, PredictRequest
from themisto_lab.predict.baselines import guess_follower
from themisto_lab.predict.history import HistoryGuesser
from themisto_lab.report.bootstrap import Estimate, estimate_columns
from themisto_lab.report.calibration import calibration_bins
from themisto_lab.scoring.metrics import score_text
from themisto_lab.types import Step, TaskKind, Trajectory

METRICS = ("exact_match", "rouge_l", "chrf")
N_STEPS = 1000

Times = list[float]


def request_at(session: Trajectory, n: int) -> PredictRequest:
    return PredictRequest(TaskKind.NEXT_CELL, session.model_copy(update={"steps": session.steps[:n]}))


def made_up_session(n_steps: int, n_cells: int, seed: int) -> Trajectory:
    """Return passes over a notebook whose cells are edited now and then; about 500 characters a cell."""
    random_ = random.Random(seed)
    words = ["df", "mean", "groupby", "plot", "price", "merge", "=", "(", ")", ".", "[", "]", "0.5", "\n", "fit", "x"]
    cells = [" ".join(random_.choices(words, k=140)) for _ in range(n_cells)]
    steps: list[Step] = []
    place = 0
    while len(steps) < n_steps:
        chance = random_.random()
        if chance < 0.15:
            cells[place] = cells[place].replace(random_.choice(words), random_.choice(words), 1)
        elif chance < 0.2:
            place = random_.randrange(n_cells)
        else:
            place = (place + 1) % n_cells
        steps.append(Step(index=len(steps), kernel_id="k", code=cells[place]))
    return Trajectory(id=f"made-up-{seed}", steps=tuple(steps))


def times_ms(guess: Callable[[PredictRequest], Guess], session: Trajectory, n_last: int) -> tuple[Times, Times]:
    """Return the wall and the processor time of each of the last predictions, each one run after the one before."""
    wall, processor = [], []
    for n in range(len(session.steps) - n_last, len(session.steps)):
        request = request_at(session, n)
        started_s, started_cpu_s = time.perf_counter(), time.thread_time()
        guess(request)
        processor.append((time.thread_time() - started_cpu_s) * 1e3)
        wall.append((time.perf_counter() - started_s) * 1e3)
    return wall, processor


def speed(n_last: int) -> dict[str, float]:
    """Return medians and 95th percentiles for both, and the time of a first look at a whole session."""
    session = made_up_session(N_STEPS, 250, seed=4)
    guesser = HistoryGuesser()
    started_s = time.thread_time()
    guesser.guess(request_at(session, N_STEPS - n_last - 1))
    first_ms = (time.thread_time() - started_s) * 1e3
    result = {"history_first_look_ms": first_ms}
    print(f"Time per prediction at {N_STEPS} steps, {n_last} predictions (ms): median, 95th percentile")
    for name, guess in (("history", guesser.guess), ("follower", guess_follower)):
        for clock, found in zip(("wall", "processor"), times_ms(guess, session, n_last), strict=True):
            median, p95 = statistics.median(found), float(np.quantile(found, 0.95))
            result |= {f"{name}_{clock}_ms_median": median, f"{name}_{clock}_ms_p95": p95}
            print(f"  baseline/{name:9} {clock:9} {median:7.3f} {p95:7.3f}")
    print(f"  baseline/history's first look at a session of {N_STEPS - n_last} runs, once: {first_ms:.0f}")
    return result


def choose(sessions: Sequence[Trajectory], part: str) -> list[Trajectory]:
    ordered = sorted(sessions, key=lambda session: session.started_at)
    half = len(ordered) // 2
    return {"all": ordered, "first-half": ordered[:half], "second-half": ordered[half:]}[part]


def skill(sessions: Sequence[Trajectory]) -> dict[str, Any]:
    """Score both on every step that has one before it."""
    rows, clusters, pairs = [], [], []
    for session in sessions:
        guesser = HistoryGuesser()
        for n in range(1, len(session.steps)):
            request, target = request_at(session, n), session.steps[n].code.strip()
            ours, peer = guesser.guess(request), guess_follower(request)
            scores = [
                {score.metric: score.value for score in score_text(guess.text.strip(), target)}
                for guess in (ours, peer)
            ]
            rows.append([scores[0][m] for m in METRICS] + [scores[1][m] for m in METRICS])
            clusters.append(session.id)
            pairs.append((ours.probability or 0.0, bool(scores[0]["exact_match"])))
    values = np.array(rows)
    columns = np.column_stack([values, values[:, :3] - values[:, 3:]])
    estimates = estimate_columns(columns, clusters)
    print(f"\n{len(rows)} targets in {len(set(clusters))} sessions; mean [95 % interval, clustered by session]")
    result: dict[str, Any] = {"n_targets": len(rows), "n_sessions": len(set(clusters))}
    for k, name in enumerate(("history", "follower", "difference")):
        found = estimates[3 * k : 3 * k + 3]
        print(f"  {name:11}", "  ".join(f"{m} {told(e)}" for m, e in zip(METRICS, found, strict=True)))
        result[name] = {m: [e.mean, e.low, e.high] for m, e in zip(METRICS, found, strict=True)}
    bins = calibration_bins(pairs)
    print("  predicted against observed:", "  ".join(f"{b.predicted:.2f}/{b.observed:.2f} (n={b.n})" for b in bins))
    result["calibration"] = [[b.predicted, b.observed, b.n] for b in bins]
    return result


def told(estimate: Estimate) -> str:
    return f"{estimate.mean:+.3f} [{estimate.low:+.3f}, {estimate.high:+.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, under a minute")
    parser.add_argument("--sessions", type=Path)
    parser.add_argument("--part", choices=("all", "first-half", "second-half"), default="second-half")
    options = parser.parse_args()
    result: dict[str, Any] = speed(n_last=100 if options.quick else 500)
    if options.sessions is not None:
        result |= skill(choose(list(read_trajectories(options.sessions)), options.part))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
