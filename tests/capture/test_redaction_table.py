"""The table of secrets and look-alikes: what is blanked, what is not, each by its name."""

from __future__ import annotations

import pytest

from tests.capture.redaction_parts import Case
from tests.capture.redaction_table import HELD_OUT, SEEN, figures, redact_case, without_secrets
from themisto_lab.capture.redact import PLACEHOLDER, redact_code, redact_text

# Known misses: no name and no form gives these away, or blanking them would blank too much else.
KNOWN_MISSES = (
    "italian-upper",  # its words are common words as well
    "client-positional",
    "spark-conf",
    "pgpass",
    "bytes-key",
    "sentence",
    "bare-random",  # as odd as a hash
    "bare-password",
    "html-input",
    "word-per-line",
    "wandb-login",
)


def test_the_table_is_long_enough_and_its_names_are_unique() -> None:
    cases = [*SEEN, *HELD_OUT]
    names = [(case.name, bool(case.secrets)) for case in cases]
    assert len(names) == len(set(names))
    assert sum(bool(case.secrets) for case in SEEN) >= 40
    assert sum(not case.secrets for case in SEEN) >= 40
    assert all(secret in case.text for case in cases for secret in case.secrets)


def test_of_the_seen_cases_nothing_is_missed_and_nothing_more_is_blanked() -> None:
    found = figures(SEEN)
    assert found.missed == ()
    assert found.false_alarms == ()
    assert found.too_much == ()


def test_of_the_held_out_cases_the_misses_are_known() -> None:
    found = figures(HELD_OUT)
    assert found.missed == KNOWN_MISSES
    assert found.false_alarms == ()
    assert found.too_much == ()
    assert found.n_secrets == found.n_harmless == 36


@pytest.mark.parametrize("case", [case for case in SEEN if case.secrets], ids=lambda case: case.name)
def test_what_is_redacted_stays_as_it_is(case: Case) -> None:
    redacted = redact_case(case)
    assert redacted == without_secrets(case)
    again, count = (redact_code if case.where == "code" else redact_text)(redacted)
    assert (again, count) == (redacted, 0)
    assert PLACEHOLDER in redacted
