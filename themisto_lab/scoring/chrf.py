"""ChrF: the F-score of character n-grams, from one to six characters, recall counting double.

Source: M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", 2015; computed by sacrebleu.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRF

MAX_CHARS = 20_000
"""Only so much of each text is compared, from its start, which bounds the time to about 0.2 s."""


def chrf(prediction_text: str, target_text: str) -> float:
    """Return sacrebleu's ChrF (character order 6, word order 0, beta 2) divided by 100, in [0, 1]."""
    score = _metric().sentence_score(prediction_text[:MAX_CHARS], [target_text[:MAX_CHARS]]).score
    return min(1.0, float(score) / 100)


@cache
def _metric() -> CHRF:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(char_order=6, word_order=0, beta=2)
