"""What of the table of secrets and look-alikes is blanked, and what redaction costs.

Prints recall and false alarms with the names of what is missed, then the time of texts of one and of ten times the
length: each is one line without end. The last line is one JSON object; ``worst_growth`` is the largest time of the
ten times longer text over that of the shorter one, 10 where time is in proportion to length.

Usage: ``python benchmarks/redaction.py [--quick]``
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the table is part of the tests

from tests.capture.redaction_table import HELD_OUT, SEEN, figures  # after the path is set
from themisto_lab.capture.redact import redact_code, redact_text  # after the path is set

# What is repeated to make a line: each makes another rule work hard.
UNITS = {
    "one word": "x",
    "words": "the quick model_name=3 of api, ",
    "named": "password='a1' ",
    "names": "pass_key_token ",
    "json": '{"user": "ann", "api_key": "abc9", "n": 1}, ',
    "open quotes": "password='",
    "open brackets": "secret=[",
    "open lists": "secrets=['a',",
    "pairs": "auth=(",
    "cookies": "cookie=a1;",
    "urls": "://a:",
    "private keys": "-----BEGIN PRIVATE" + " KEY",
    "hyphens": "sk-a-",
    "escapes": "key\\\\\\",
    "targets": "password,a,",
    "options": "--key-",
    "commands": "mysql -q curl -x ",
    "columns": "password  a  ",
}


def show_table() -> dict[str, float]:
    """Print the figures of both parts of the table and return them."""
    kept: dict[str, float] = {}
    for name, cases in (("seen", SEEN), ("held_out", HELD_OUT)):
        found = figures(cases)
        n_blanked = found.n_secrets - len(found.missed)
        print(f"{name}: {n_blanked} of {found.n_secrets} secrets blanked ({found.recall:.1%})")
        print(f"  {len(found.false_alarms)} of {found.n_harmless} look-alikes blanked ({found.false_alarm_rate:.1%})")
        print(f"  missed: {', '.join(found.missed) or 'none'}")
        print(f"  false alarms: {', '.join(found.false_alarms) or 'none'}")
        print(f"  blanked with more than the secret: {', '.join(found.too_much) or 'none'}")
        kept[f"{name}_recall"] = round(found.recall, 4)
        kept[f"{name}_false_alarm_rate"] = round(found.false_alarm_rate, 4)
    return kept


def cpu_s(redact: Callable[[str], object], text: str, n_times: int) -> float:
    """Return the least processor time of several calls, in seconds."""
    times = []
    for _ in range(n_times):
        began = time.process_time()
        redact(text)
        times.append(time.process_time() - began)
    return min(times)


def show_growth(n_chars: int, units: dict[str, str]) -> float:
    """Print how time grows when a line is ten times as long, and return the worst growth."""
    worst = 0.0
    for name, unit in units.items():
        short, long = (unit * (n // len(unit)) for n in (n_chars, 10 * n_chars))
        for kind, redact in (("output", redact_text), ("code", redact_code)):
            short_s, long_s = cpu_s(redact, short, 3), cpu_s(redact, long, 1)
            growth = long_s / short_s
            worst = max(worst, growth)
            print(f"{name:14} {kind:6} {short_s * 1e3:8.1f} ms -> {long_s * 1e3:8.1f} ms, {growth:5.1f} times")
    return worst


def main() -> None:
    """Print the table's figures and the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short lines; under a minute")
    quick = parser.parse_args().quick
    kept = show_table()
    n_chars = 10_000 if quick else 100_000
    kept["worst_growth"] = round(show_growth(n_chars, UNITS), 1)
    if not quick:
        # The shortest text whose ten times is 10 MB.
        kept["growth_to_10_mb"] = round(show_growth(1_000_000, {"words": UNITS["words"], "json": UNITS["json"]}), 1)
    print(json.dumps(kept))


if __name__ == "__main__":
    main()
