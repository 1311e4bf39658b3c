"""Each metric on values that can be worked out by hand, and against the packages that define them."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest
from rouge_score import rouge_scorer
from sacrebleu.metrics.chrf import CHRF

from themisto_lab.scoring.chrf import chrf
from themisto_lab.scoring.exact import exact_match
from themisto_lab.scoring.metrics import METRICS, score_text
from themisto_lab.scoring.rouge import code_tokens, rouge_l, rouge_l_code, rouge_tokens
from themisto_lab.types import Metric

PIECES = (
    "df = pd.read_csv('birds.csv')",
    "for i in range(10):\n    print(i ** 2)",
    "x == y and x != z",
    "   mass  wing\n0   1.5   2.25\n1   NaN   3.00",
    "鳥の平均体重を計算する",
    "これは print(x) です。",
    "ΑΒΓ straße İstanbul",
    "{}[]()<>!@#$%^&*",
    "...",
    "_private __dunder__ snake_case",
    "\t\n  ",
    "",
    "42",
    "0.1 0.2 -3e-05",
    "🐢 naïve café",
    "SELECT * FROM steps;",
)


def pairs(n: int) -> list[tuple[str, str]]:
    """Texts that differ by dropped, doubled and swapped pieces and characters."""
    random_ = random.Random(300)
    found: list[tuple[str, str]] = []
    while len(found) < n:
        first = " ".join(random_.choices(PIECES, k=random_.randint(0, 4)))
        characters = list(first)
        for _ in range(random_.randint(0, 12)):
            if not characters:
                break
            place = random_.randrange(len(characters))
            action = random_.randrange(3)
            if action == 0:
                del characters[place]
            elif action == 1:
                characters.insert(place, random_.choice("aZ9 _=.鳥\n"))
            else:
                characters[place] = random_.choice("bY8 -!体\t")
        second = "".join(characters) if random_.random() < 0.8 else random_.choice(PIECES)
        found.append((second, first))
    return found


PAIRS = pairs(300)


def test_the_pairs_are_of_every_kind() -> None:
    assert any(not a and b for a, b in PAIRS)
    assert any(a and not b for a, b in PAIRS)
    assert any(a == b for a, b in PAIRS)
    assert sum(a != b for a, b in PAIRS) > 200


def test_rouge_l_equals_rouge_score_to_the_last_digit() -> None:
    oracle = rouge_scorer.RougeScorer(["rougeL"], use_stemmer=False)
    values = [(rouge_l(a, b), oracle.score(target=b, prediction=a)["rougeL"].fmeasure) for a, b in PAIRS]
    assert [ours for ours, _ in values] == [theirs for _, theirs in values]
    assert len({ours for ours, _ in values}) > 50


def test_chrf_equals_sacrebleu_to_the_last_digit() -> None:
    oracle = CHRF()
    oracle.corpus_score(["a"], [["a"]])
    # Its defaults are the paper's metric: six characters, no words, recall counting twice.
    assert "nc:6|nw:0" in oracle.get_signature().format(short=True)
    assert oracle.beta == 2
    values = [(chrf(a, b), oracle.sentence_score(a, [b]).score / 100) for a, b in PAIRS]
    assert [ours for ours, _ in values] == [theirs for _, theirs in values]
    assert len({ours for ours, _ in values}) > 100


def test_exact_match() -> None:
    assert exact_match("x = 1", "x = 1") == 1
    assert exact_match("x = 1", "x = 1 ") == 0
    assert exact_match("x = 1", "X = 1") == 0


def test_rouge_l_by_hand() -> None:
    # Tokens a b c d and a c e: the common subsequence a c, precision 2/3, recall 2/4.
    assert rouge_l("a c e", "a b c d") == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))
    assert rouge_l("print(X)", "print( x )") == 1
    assert rouge_l("a", "b") == 0


def test_rouge_l_code_sees_what_rouge_l_does_not() -> None:
    assert rouge_l("x == y", "x != y") == 1
    # x = = y and x ! = y: three of four tokens in common.
    assert rouge_l_code("x == y", "x != y") == pytest.approx(0.75)
    assert rouge_l("()", "()") == 0
    assert rouge_l_code("()", "()") == 1
    assert rouge_l("鳥 の", "鳥 の") == 0
    assert rouge_l_code("鳥 の", "鳥 の") == 1
    assert rouge_l_code("Df", "df") == 0


def test_tokens() -> None:
    assert rouge_tokens("Df_2 = read('é.csv')") == ["df", "2", "read", "csv"]
    assert code_tokens("df_2 +=read('é')") == ["df_2", "+", "=", "read", "(", "'", "é", "'", ")"]


def test_chrf_by_hand() -> None:
    # Of "ab" against "ac" only the order 1 and 2 exist: 1/2 and 0 of the n-grams are shared, both ways.
    # Precision and recall are means over the orders with n-grams on both sides: 0.25; F of equal values is the value.
    assert chrf("ab", "ac") == pytest.approx(0.25)
    assert chrf("abc", "abc") == 1
    assert chrf("a b c", "abc") == 1
    assert chrf("abc", "xyz") == 0


@pytest.mark.parametrize(
    ("prediction", "target", "value"),
    [("", "", 1.0), ("", "x", 0.0), ("x", "", 0.0), (" \n", "", 1.0), ("\t", "x", 0.0)],
)
def test_blank_texts(prediction: str, target: str, value: float) -> None:
    assert {score.metric: score.value for score in score_text(prediction, target)} == dict.fromkeys(METRICS, value)


def test_scores_of_a_pair() -> None:
    scores = score_text("x == y", "x != y")
    names: list[Metric] = ["exact_match", "rouge_l", "rouge_l_code", "chrf"]
    assert [score.metric for score in scores] == names
    assert [score.value for score in scores[:3]] == [0, 1, 0.75]
    assert 0 < scores[3].value < 1
    assert {score.version for score in scores} == {1}
    assert [score.value for score in score_text("x", "x")] == [1, 1, 1, 1]


def test_odd_text_is_scored() -> None:
    odd = "a \0 \ud83d 🐢\x1b[31m"
    assert [score.value for score in score_text(odd, odd)] == [1, 1, 1, 1]


def test_very_long_texts_take_a_bounded_time() -> None:
    random_ = random.Random(1)
    text = "".join(random_.choices("abc +-*/=()\n", k=2_000_000))
    other = "".join(random_.choices("abc +-*/=()\n", k=2_000_000))
    started_s = time.perf_counter()
    score_text(text, other)
    assert time.perf_counter() - started_s < 5
    # The whole is compared for equality.
    assert score_text(text, text[:-1] + "x")[0].value == 0
    assert score_text(text, text)[0].value == 1


def test_rouge_score_is_not_needed_at_run_time() -> None:
    source = "\n".join(
        [
            "import sys",
            "from themisto_lab.scoring.metrics import score_text",
            "score_text('a b', 'a c')",
            "sys.exit(any(name.split('.')[0] in ('rouge_score', 'nltk', 'absl') for name in sys.modules))",
        ]
    )
    assert subprocess.run([sys.executable, "-c", source], check=False).returncode == 0
