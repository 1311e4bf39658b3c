"""ROUGE-L: the F1 of the longest common subsequence of tokens.

``rouge_l`` has the tokens of Google's ``rouge-score`` (lower-cased runs of ASCII letters and digits) and equals
its ROUGE-L F-measure to the last digit. That tokenizer sees no operators and no other scripts: ``x == y`` and
``x != y`` are the same to it, and two equal texts in Japanese share nothing. ``rouge_l_code`` keeps them.

Source: C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rapidfuzz.distance import LCSseq

MAX_CHARS = 50_000
"""Only so much of each text is compared, from its start, which bounds the time to about 0.1 s."""

_NOT_ROUGE = re.compile(r"[^a-z0-9]+")
_CODE_TOKEN = re.compile(r"\w+|[^\w\s]")


def rouge_tokens(text: str) -> list[str]:
    """Split a text into lower-case runs of the letters a to z and the digits."""
    return _NOT_ROUGE.sub(" ", text.lower()).split()


def code_tokens(text: str) -> list[str]:
    """Split a text into words of any script and single marks; case counts."""
    return _CODE_TOKEN.findall(text)


def rouge_l(prediction_text: str, target_text: str) -> float:
    """Return the ROUGE-L F1 on rouge-score's tokens, in [0, 1]."""
    return _f1(prediction_text, target_text, rouge_tokens)


def rouge_l_code(prediction_text: str, target_text: str) -> float:
    """Return the ROUGE-L F1 on words and marks, in [0, 1]."""
    return _f1(prediction_text, target_text, code_tokens)


def _f1(prediction_text: str, target_text: str, tokens: Callable[[str], list[str]]) -> float:
    prediction, target = tokens(prediction_text[:MAX_CHARS]), tokens(target_text[:MAX_CHARS])
    if not prediction or not target:
        return 0.0
    common = LCSseq.similarity(prediction, target)
    if common == 0:
        return 0.0
    # In this form and order, for the last digit of a float depends on both.
    precision, recall = common / len(prediction), common / len(target)
    return 2 * precision * recall / (precision + recall)
