"""How many of the secrets a redactor blanks, and how many look-alikes it leaves alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.capture.redaction_harmless import HARMLESS
from tests.capture.redaction_harmless import HELD_OUT as HARMLESS_HELD_OUT
from tests.capture.redaction_named import HELD_OUT as SECRETS_HELD_OUT
from tests.capture.redaction_named import NAMED
from tests.capture.redaction_parts import Case
from tests.capture.redaction_secrets import IN_TEXT, TOKENS
from themisto_lab.capture.redact import PLACEHOLDER, redact_code, redact_text

SEEN = (*TOKENS, *IN_TEXT, *NAMED, *HARMLESS)
HELD_OUT = (*SECRETS_HELD_OUT, *HARMLESS_HELD_OUT)


@dataclass(frozen=True, slots=True)
class Figures:
    """What came out.

    Attributes
    ----------
    n_secrets, n_harmless
        How many cases hold a secret, and how many do not.
    missed
        The cases of which a secret is still there.
    false_alarms
        The harmless cases of which something was blanked.
    too_much
        The cases whose secret was blanked together with something that is none.
    """

    n_secrets: int
    n_harmless: int
    missed: tuple[str, ...]
    false_alarms: tuple[str, ...]
    too_much: tuple[str, ...]

    @property
    def recall(self) -> float:
        """The share of the secrets that were blanked."""
        return 1 - len(self.missed) / self.n_secrets

    @property
    def false_alarm_rate(self) -> float:
        """The share of the look-alikes that were blanked."""
        return len(self.false_alarms) / self.n_harmless


def redact_case(case: Case) -> str:
    """Redact a case's text as the recorder does."""
    return (redact_code if case.where == "code" else redact_text)(case.text)[0]


def figures(cases: Iterable[Case], redact: Callable[[Case], str] = redact_case) -> Figures:
    """Count over cases.

    Parameters
    ----------
    cases
        Some of the table.
    redact
        Returns a case's text with its secrets blanked.
    """
    n_secrets = n_harmless = 0
    missed, false_alarms, too_much = [], [], []
    for case in cases:
        redacted = redact(case)
        if not case.secrets:
            n_harmless += 1
            if redacted != case.text:
                false_alarms.append(case.name)
            continue
        n_secrets += 1
        if any(secret in redacted for secret in case.secrets):
            missed.append(case.name)
        elif redacted != without_secrets(case):
            too_much.append(case.name)
    return Figures(n_secrets, n_harmless, tuple(missed), tuple(false_alarms), tuple(too_much))


def without_secrets(case: Case) -> str:
    """Return a case's text with its secrets, and nothing else, blanked."""
    text = case.text
    for secret in case.secrets:
        text = text.replace(secret, PLACEHOLDER)
    return text
