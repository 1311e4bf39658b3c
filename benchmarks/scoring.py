"""How long the scores of a pair of texts take, against rouge-score.

Prints medians for texts of growing length, and as its last line one JSON object: ``ratio_to_peer`` is the time of our
ROUGE-L over rouge-score's for a pair of 10,000 characters.

Usage: ``python benchmarks/scoring.py [--quick]``
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable

from rouge_score import rouge_scorer

from themisto_lab.scoring.chrf import chrf
from themisto_lab.scoring.metrics import score_text
from themisto_lab.scoring.rouge import rouge_l, rouge_l_code

WORDS = ("df", "mean", "groupby", "import", "pandas", "x", "y", "mass", "=", "(", ")", "'wing'", "\n", "1.5", "print")


def pair(n_chars: int, random_: random.Random) -> tuple[str, str]:
    """Return a text of code-like words and a copy with a fifth of the words changed."""
    words = random_.choices(WORDS, k=n_chars)
    changed = [random_.choice(WORDS) if random_.random() < 0.2 else word for word in words]
    return " ".join(changed)[:n_chars], " ".join(words)[:n_chars]


def median_ms(function: Callable[[str, str], object], texts: list[tuple[str, str]]) -> float:
    times_ms = []
    for prediction, target in texts:
        started_s = time.perf_counter()
        function(prediction, target)
        times_ms.append((time.perf_counter() - started_s) * 1e3)
    return statistics.median(times_ms)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, under a minute")
    n_times = 5 if parser.parse_args().quick else 25

    peer = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)

    def rouge_score(prediction: str, target: str) -> object:
        return peer.score(target, prediction)

    random_ = random.Random(1)
    functions = {
        "rouge-score": rouge_score,
        "rouge_l": rouge_l,
        "rouge_l_code": rouge_l_code,
        "chrf": chrf,
        "all scores": score_text,
    }
    for function in functions.values():
        function("to import", "what is needed")
    print(f"Median time of a pair, in ms, over {n_times} pairs; a fifth of the words differ.\n")
    print(f"{'characters':>10} " + " ".join(f"{name:>12}" for name in functions))
    medians_ms: dict[int, dict[str, float]] = {}
    for n_chars in (100, 1_000, 10_000):
        texts = [pair(n_chars, random_) for _ in range(n_times)]
        medians_ms[n_chars] = {name: median_ms(function, texts) for name, function in functions.items()}
        print(f"{n_chars:>10,} " + " ".join(f"{value:>12.3f}" for value in medians_ms[n_chars].values()))
    long = medians_ms[10_000]
    ratio = long["rouge_l"] / long["rouge-score"]
    print(f"\nROUGE-L of 10,000 characters takes 1/{1 / ratio:.0f} of rouge-score's time.")
    figures = {
        "ratio_to_peer": round(ratio, 5),
        "median_ms": round(long["rouge_l"], 3),
        "peer_median_ms": round(long["rouge-score"], 3),
        "all_scores_median_ms": round(long["all scores"], 3),
        "below_a_fiftieth": ratio < 1 / 50,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
