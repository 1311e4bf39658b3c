"""Diversity: values worked by hand, oracles, and the figure."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from benchmark_helpers import make_step, make_trajectory

from themisto_lab.benchmark.diversity import (
    N_BINS,
    PairScores,
    as_json,
    diversity,
    jaccard,
    measure,
    ngram,
    ngram_bag,
    token_set,
)
from themisto_lab.benchmark.figure import density, draw_figure
from themisto_lab.benchmark.format import write_trajectories
from themisto_lab.benchmark.sampling import SampleRules, sample
from themisto_lab.errors import BadInputError
from themisto_lab.types import TaskKind


def edits(left: str, right: str) -> int:
    """Levenshtein's distance by the textbook's table."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        last, row[0] = row[0], i
        for j, b in enumerate(right, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def test_ngram_by_hand() -> None:
    # a b c -> ab bc; a b d -> ab bd: one of 2 + 2 shared twice over.
    assert ngram(ngram_bag("a b c"), ngram_bag("a b d")) == pytest.approx(1 - 2 / 4)
    # A pair that occurs twice counts twice: a a a -> aa aa; a a -> aa.
    assert ngram(ngram_bag("a a a"), ngram_bag("a a")) == pytest.approx(1 - 2 / 3)
    assert ngram(ngram_bag("x==y"), ngram_bag("x!=y")) == pytest.approx(1 - 2 / 6)
    assert ngram(ngram_bag("x"), ngram_bag("x")) == 0
    assert ngram(ngram_bag(""), ngram_bag("")) == 0
    assert ngram(ngram_bag(""), ngram_bag("x y")) == 1


def test_jaccard_by_hand() -> None:
    assert jaccard(token_set("a b c"), token_set("a b d")) == pytest.approx(1 - 2 / 4)
    assert jaccard(token_set("df.head()"), token_set("df.tail()")) == pytest.approx(1 - 4 / 6)
    assert jaccard(token_set(""), token_set("")) == 0
    assert jaccard(token_set("価格"), token_set("価格 x")) == 0.5


def test_measure_agrees_with_a_plain_reckoning_over_all_pairs() -> None:
    texts = ["df.head()", "df.tail(3)", "", "print(x)\nprint(y)", "df.head()", "価格", "x" * 70] * 8
    scores = measure(texts)
    pairs = list(itertools.combinations(texts, 2))
    plain = [edits(a, b) / max(len(a), len(b)) if a != b else 0.0 for a, b in pairs]
    assert scores["levenshtein"].n_pairs == len(pairs) == 56 * 55 // 2
    assert scores["levenshtein"].mean == pytest.approx(sum(plain) / len(plain))
    mean = scores["levenshtein"].mean
    assert scores["levenshtein"].std == pytest.approx((sum((v - mean) ** 2 for v in plain) / len(plain)) ** 0.5)
    assert scores["levenshtein"].median == pytest.approx(sorted(plain)[len(plain) // 2], abs=0.02)
    equal = sum(a == b for a, b in pairs)
    assert scores["jaccard"].histogram[0] == equal
    assert all(sum(one.histogram) == len(pairs) for one in scores.values())


def test_equal_texts_and_foreign_texts_are_the_ends() -> None:
    assert {name: one.mean for name, one in measure(["a b"] * 4).items()} == {
        "levenshtein": 0,
        "ngram": 0,
        "jaccard": 0,
    }
    assert {one.mean for one in measure(["aa", "bb"]).values()} == {1}
    assert measure(["one"]) == {}


def test_the_area_under_the_density_is_one() -> None:
    histogram = [0] * N_BINS
    histogram[0], histogram[25], histogram[-1] = 40, 30, 30
    scores = PairScores(n_pairs=100, mean=0.45, std=0.05, median=0.5, histogram=tuple(histogram))
    n = 2000
    values = density(scores, [(step + 0.5) / n for step in range(n)])
    assert sum(values) / n == pytest.approx(1, abs=0.01)
    assert values[0] > values[n // 4] < values[n // 2]


def make_sample(path: Path, n_steps: int = 30) -> Path:
    source = path / "t.jsonl"
    steps = [make_step(index, f"x{index} = {index}", f"out {index % 7}") for index in range(n_steps)]
    write_trajectories(source, [make_trajectory("a", steps)])
    sample(source, path / "s.jsonl", SampleRules(draw="all"))
    return path / "s.jsonl"


def test_a_sample_is_measured_each_task_on_its_own(tmp_path: Path) -> None:
    found = diversity(make_sample(tmp_path), max_items=1000)
    codes, outputs = found[TaskKind.NEXT_CELL], found[TaskKind.CELL_OUTPUT]
    assert (codes.n_items, codes.n_used, codes.n_distinct) == (25, 25, 25)
    assert (outputs.n_items, outputs.n_distinct) == (25, 7)
    assert outputs.scores["jaccard"].n_pairs == 300
    # Seven texts that share one of their two tokens: 1 - 1/3 where they differ.
    counts = [sum(index % 7 == rest for index in range(5, 30)) for rest in range(7)]
    equal = sum(count * (count - 1) // 2 for count in counts)
    assert outputs.scores["jaccard"].mean == pytest.approx((300 - equal) / 300 * 2 / 3)


def test_a_limit_takes_the_same_items_each_time(tmp_path: Path) -> None:
    path = make_sample(tmp_path)
    first, second = diversity(path, max_items=6), diversity(path, max_items=6)
    assert as_json(first) == as_json(second)
    assert (first[TaskKind.NEXT_CELL].n_items, first[TaskKind.NEXT_CELL].n_used) == (25, 6)
    assert first[TaskKind.NEXT_CELL].scores["ngram"].n_pairs == 15


def test_the_figure_is_drawn_and_is_the_same_each_time(tmp_path: Path) -> None:
    found = diversity(make_sample(tmp_path), max_items=1000)
    svg, png = draw_figure(found, tmp_path)
    text = svg.read_text()
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    for label in ("Outputs: mean over pairs (n = 25)", "Codes: density of pairs", "Levenshtein", "n-gram", "Jaccard"):
        assert label in text
    assert text.index("Outputs: mean") < text.index("Codes: mean")
    assert png.read_bytes().startswith(b"\x89PNG")
    assert draw_figure(found, tmp_path)[0].read_text() == text


def test_one_item_gives_a_figure_that_says_so(tmp_path: Path) -> None:
    found = diversity(make_sample(tmp_path, n_steps=6), max_items=10)
    assert found[TaskKind.NEXT_CELL].scores == {}
    svg, _ = draw_figure(found, tmp_path)
    assert "fewer than two items" in svg.read_text()


def test_a_sample_without_items_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="holds no item"):
        diversity(make_sample(tmp_path, n_steps=3), max_items=10)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import importlib.util

    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "matplotlib" else real(name))
    with pytest.raises(BadInputError, match=r"pip install 'themisto_lab\[bench\]'"):
        draw_figure({}, tmp_path)
