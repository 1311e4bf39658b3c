"""How different the sampled targets are from each other: the numbers behind the paper's Figure 2.

All three scores lie in [0, 1]; 0 for two equal texts, higher for more different ones:

- ``levenshtein``: edits between two texts, divided by the longer one's length, in characters;
- ``ngram``: 1 - Dice's coefficient of their bags of token pairs;
- ``jaccard``: 1 - the shared part of their sets of tokens.

Tokens are words and single punctuation marks. Each score is taken for every pair of texts.
"""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Literal

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from themisto_lab.benchmark.progress import bar
from themisto_lab.benchmark.sample_file import read_sample
from themisto_lab.errors import BadInputError
from themisto_lab.types import JsonObject, TaskKind

DiversityMetric = Literal["levenshtein", "ngram", "jaccard"]
METRICS: tuple[DiversityMetric, ...] = ("levenshtein", "ngram", "jaccard")
N_BINS = 50
_TOKEN = re.compile(r"\w+|[^\w\s]")
_MAX_CHARACTERS = 20_000
_BLOCK_ROWS = 32


@dataclass(frozen=True, slots=True)
class PairScores:
    """One score over all pairs of a task's targets.

    Attributes
    ----------
    n_pairs
        How many pairs there are.
    mean, std, median
        Of the pairs' scores.
    histogram
        Pairs in each of `N_BINS` equal parts of [0, 1], the last one closed.
    """

    n_pairs: int
    mean: float
    std: float
    median: float
    histogram: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TaskDiversity:
    """The diversity of one task's targets.

    Attributes
    ----------
    n_items, n_used
        Targets in the sample, and those that were compared: fewer where a limit was set.
    n_distinct
        Different texts among those that were compared.
    n_cut
        Texts of which only the first 20,000 characters were compared.
    scores
        The three scores.
    """

    n_items: int
    n_used: int
    n_distinct: int
    n_cut: int
    scores: dict[DiversityMetric, PairScores]


def ngram_bag(text: str) -> Counter[tuple[str, ...]]:
    """Return how often each pair of neighbouring tokens occurs; a single token counts as itself."""
    tokens = _TOKEN.findall(text)
    return Counter(pairwise(tokens)) if len(tokens) > 1 else Counter((token,) for token in tokens)


def ngram(left: Counter[tuple[str, ...]], right: Counter[tuple[str, ...]]) -> float:
    """Return 1 - Dice's coefficient of two bags of token pairs."""
    total = left.total() + right.total()
    if not total:
        return 0.0
    few, many = (left, right) if len(left) <= len(right) else (right, left)
    shared = sum(min(count, many[pair]) for pair, count in few.items() if pair in many)
    return 1.0 - 2.0 * shared / total


def token_set(text: str) -> frozenset[str]:
    """Return the tokens that occur in a text."""
    return frozenset(_TOKEN.findall(text))


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Return 1 - the part of two token sets that they share."""
    shared = len(left & right)
    union = len(left) + len(right) - shared
    return 1.0 - shared / union if union else 0.0


def measure(texts: Sequence[str], what: str = "texts") -> dict[DiversityMetric, PairScores]:
    """Return the three scores over all pairs of texts; no scores for fewer than two texts.

    Raises
    ------
    BadInputError
        The extra ``bench`` is not installed.
    """
    if len(texts) < 2:
        return {}
    bags = [ngram_bag(text) for text in texts]
    sets = [token_set(text) for text in texts]
    streams: tuple[tuple[DiversityMetric, Iterator[float]], ...] = (
        ("levenshtein", _levenshtein_pairs(texts)),
        ("ngram", itertools.starmap(ngram, combinations(bags, 2))),
        ("jaccard", itertools.starmap(jaccard, combinations(sets, 2))),
    )
    n_pairs = len(texts) * (len(texts) - 1) // 2
    return {name: _summary(bar(values, f"{what}: {name}", total=n_pairs, unit=" pairs")) for name, values in streams}


def diversity(path: Path, max_items: int) -> dict[TaskKind, TaskDiversity]:
    """Measure a sample, each task on its own.

    Parameters
    ----------
    path
        A sample file.
    max_items
        The most targets of one task that are compared: the work grows with their square. Which ones is told by a
        hash of their ids, so it is the same each time.

    Raises
    ------
    BadInputError
        The file is not a sample, or holds no item.
    """
    chosen: dict[TaskKind, list[tuple[bytes, str]]] = {}
    n_items: Counter[TaskKind] = Counter()
    for item, _ in read_sample(path):
        n_items[item.task] += 1
        kept = chosen.setdefault(item.task, [])
        kept.append((hashlib.sha256(item.id.encode()).digest(), item.target))
        if len(kept) > 2 * max_items:
            kept.sort()
            del kept[max_items:]
    if not n_items:
        raise BadInputError(f"{path} holds no item.")
    result = {}
    for task in TaskKind:
        if task in chosen:
            texts = [text for _, text in sorted(chosen[task])[:max_items]]
            cut = [text[:_MAX_CHARACTERS] for text in texts]
            result[task] = TaskDiversity(
                n_items=n_items[task],
                n_used=len(texts),
                n_distinct=len(set(texts)),
                n_cut=sum(len(text) > _MAX_CHARACTERS for text in texts),
                scores=measure(cut, task.value),
            )
    return result


def as_json(result: dict[TaskKind, TaskDiversity]) -> JsonObject:
    """Return the numbers as a JSON object, by task and score."""
    return {
        task.value: {
            "n_items": found.n_items,
            "n_used": found.n_used,
            "n_distinct": found.n_distinct,
            "n_cut": found.n_cut,
            "scores": {
                name: {
                    "n_pairs": scores.n_pairs,
                    "mean": scores.mean,
                    "std": scores.std,
                    "median": scores.median,
                    "histogram": list(scores.histogram),
                }
                for name, scores in found.scores.items()
            },
        }
        for task, found in result.items()
    }


def require_bench() -> None:
    """Check that the extra ``bench`` is there.

    Raises
    ------
    BadInputError
        It is not; the message says how to install it.
    """
    for module in ("numpy", "matplotlib"):
        if importlib.util.find_spec(module) is None:
            raise BadInputError(
                f"The measure of diversity needs {module}; install it with: pip install 'themisto_lab[bench]'."
            )


def _levenshtein_pairs(texts: Sequence[str]) -> Iterator[float]:
    """Score blocks of rows on all cores; the lower half of a block is thrown away."""
    require_bench()
    for start in range(0, len(texts), _BLOCK_ROWS):
        rows = texts[start : start + _BLOCK_ROWS]
        block = process.cdist(rows, texts[start:], scorer=Levenshtein.normalized_distance, dtype=_double(), workers=-1)
        for row, scores in enumerate(block):
            yield from scores[row + 1 :].tolist()


def _double() -> Any:
    import numpy as np

    return np.float64


def _summary(values: Iterable[float]) -> PairScores:
    import numpy as np

    scores = np.fromiter(values, dtype=np.float64)
    histogram, _ = np.histogram(scores, bins=N_BINS, range=(0.0, 1.0))
    return PairScores(
        n_pairs=int(scores.size),
        mean=float(scores.mean()),
        std=float(scores.std()),
        median=float(np.median(scores)),
        histogram=tuple(int(count) for count in histogram),
    )
