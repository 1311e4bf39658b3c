"""Patterns of edits between two versions of a cell, and the same pattern applied elsewhere (pure)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?")
_INTEGER = re.compile(r"\d{1,9}")

_MOST_TOKENS = 1500
_MOST_REPLACED = 3


@lru_cache(maxsize=64)
def replacements(before: str, after: str) -> Mapping[str, str] | None:
    """Return which names and numbers an edit replaced by which.

    Returns
    -------
    Mapping of str to str or None
        None where the edit is anything else: text added or taken away, one name replaced by two, or a long cell.
    """
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    if len(old) != len(new) or len(old) > _MOST_TOKENS:
        return None
    found: dict[str, str] = {}
    for was, now in zip(old, new, strict=True):
        if was == now:
            continue
        if not _WORD.fullmatch(was) or not _WORD.fullmatch(now) or found.setdefault(was, now) != now:
            return None
    return found if 0 < len(found) <= _MOST_REPLACED else None


def transferred(before: str, after: str, onto: str) -> str | None:
    """Make the edit from ``before`` to ``after`` in another cell; None where it does not apply there."""
    found = replacements(before, after)
    if found is None:
        return None
    edited = "".join(found.get(token, token) for token in _TOKEN.findall(onto))
    return edited if edited != onto else None


def moved_on(before: str, after: str) -> str | None:
    """Go on with an edit that moved one whole number: from 2 to 3, then to 4; None where it did not."""
    found = replacements(before, after)
    if found is None or len(found) != 1:
        return None
    ((was, now),) = found.items()
    if not _INTEGER.fullmatch(was) or not _INTEGER.fullmatch(now):
        return None
    following = 2 * int(now) - int(was)
    if following < 0:
        return None
    places = [old != new for old, new in zip(_TOKEN.findall(before), _TOKEN.findall(after), strict=True)]
    return "".join(str(following) if here else token for token, here in zip(_TOKEN.findall(after), places, strict=True))
