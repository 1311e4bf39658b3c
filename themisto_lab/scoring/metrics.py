"""The metrics by name, and the scores of a pair of texts.

A new metric is a file beside this one and a line in `METRICS`. Raise a metric's version with any change to the values
that it gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from themisto_lab.scoring.chrf import chrf
from themisto_lab.scoring.exact import exact_match
from themisto_lab.scoring.rouge import rouge_l, rouge_l_code
from themisto_lab.types import Metric, Score


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """A metric.

    Attributes
    ----------
    function
        Takes the prediction's and the target's text, neither blank, and returns a value in [0, 1].
    version
        The version of its definition.
    """

    function: Callable[[str, str], float]
    version: int = 1


METRICS: dict[Metric, MetricDefinition] = {
    "exact_match": MetricDefinition(exact_match),
    "rouge_l": MetricDefinition(rouge_l),
    "rouge_l_code": MetricDefinition(rouge_l_code),
    "chrf": MetricDefinition(chrf),
}


def score_text(prediction_text: str, target_text: str) -> tuple[Score, ...]:
    """Score a prediction's text against its target by every metric.

    Two blank texts (empty, or of white space alone) score 1, a blank one against another 0, whatever the metric.
    The time is bounded: exact match reads the whole texts, ROUGE-L their first 50,000 characters, ChrF their first
    20,000. At these bounds it takes a few tenths of a second, so call it off the event loop.
    """
    blank = (not prediction_text.strip(), not target_text.strip())
    if any(blank):
        value = 1.0 if all(blank) else 0.0
        return tuple(Score(metric=name, value=value, version=m.version) for name, m in METRICS.items())
    return tuple(
        Score(metric=name, value=m.function(prediction_text, target_text), version=m.version)
        for name, m in METRICS.items()
    )
