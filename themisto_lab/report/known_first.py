"""Known outputs first, a model for the rest: what a person sees, as a contestant of its own beside the model's arms.

Its answers are those of the rule where the rule has one, and the model's where it has none, so nothing is asked for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from themisto_lab.report.tables import Contestant, Table, arm_order
from themisto_lab.types import JsonObject

PREFIX = "known output, else "
MODEL = "model"
_SOURCES = ("syntax", "state", MODEL)


def add_known_first(table: Table, rule_name: str, unknown: str) -> None:
    """Add, for each model and arm, the contestant that asks the model only where the output is not known.

    Parameters
    ----------
    table
        Scored answers; nothing is added where the rule has no part in them.
    rule_name
        The name of the rule.
    unknown
        The source of its answers that are none.
    """
    rule = next((found for who, found in table.outcomes.items() if who.model == rule_name), {})
    known = {item_id: one for item_id, one in rule.items() if not one.failed and one.source not in ("", unknown)}
    for who in [who for who in table.outcomes if rule and who.arm is not None]:
        own = {item_id: replace(one, source=MODEL) for item_id, one in table.outcomes[who].items() if item_id in rule}
        if own:
            first = {item_id: one for item_id, one in known.items() if item_id in own}
            table.outcomes[who._replace(model=PREFIX + who.model)] = {**own, **first}


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source of one contestant's answers.

    Attributes
    ----------
    who
        The contestant.
    source
        ``syntax``, ``state`` or ``model``.
    n, n_all
        Its answers of this source, and all of them.
    exact_match
        The mean exact match of the answers of this source.
    """

    who: Contestant
    source: str
    n: int
    n_all: int
    exact_match: float

    def as_json(self) -> JsonObject:
        """Return the row as a JSON object."""
        return {
            "model": self.who.model,
            "arm": self.who.arm,
            "prompt": self.who.prompt,
            "source": self.source,
            "n": self.n,
            "share": self.n / self.n_all,
            "exact_match": self.exact_match,
        }


def source_rows(table: Table) -> list[SourceRow]:
    """Split the answers of the contestants of `add_known_first` by where they came from."""
    whos = [who for who in table.outcomes if who.model.startswith(PREFIX)]
    found = []
    for who in sorted(whos, key=lambda who: (who.model, who.prompt, arm_order(who.arm))):
        outcomes = [one for item_id, one in table.outcomes[who].items() if item_id in table.items]
        numbers = Counter(one.source for one in outcomes)
        for source in _SOURCES:
            if numbers[source]:
                right = sum(one.post.get("exact_match", 0.0) for one in outcomes if one.source == source)
                mean = right / numbers[source]
                found.append(SourceRow(who, source, numbers[source], len(outcomes), mean))
    return found
