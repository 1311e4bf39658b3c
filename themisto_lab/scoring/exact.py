"""Exact match: whether two texts are equal, character by character."""

from __future__ import annotations


def exact_match(prediction_text: str, target_text: str) -> float:
    """Return 1 for equal texts and 0 for others.

    Nothing is trimmed here: post-processing is the prediction's business and
    `themisto_lab.scoring.resolve.target_text` the target's, so that the same function serves the raw texts too.
    """
    return 1.0 if prediction_text == target_text else 0.0
