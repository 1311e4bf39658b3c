"""Which variables a run created or changed, and a hash of the whole state.

Names that occur in the cell's code (or in the functions that it names) are hashed fully within a time, and count
as changed where the time does not suffice; the others are told by identity and a fixed sample. A sample depends on
the value alone, so states that look equal have equal hashes.
"""

from __future__ import annotations

import hashlib
import re
import types
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import safe
from .buffers import Budget
from .sample import EXACT, sample
from .whole import whole

FULL_S = 0.020
"""The time that the full hashes of one cell's names may take together, in seconds."""

UNKNOWN = b""
"""The full hash of a value that could not be hashed in time."""

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_MAX_CODE_CHARS = 100_000
_MODULUS = 1 << 128


class Print(NamedTuple):
    """The fingerprint of a variable at the end of a run.

    Attributes
    ----------
    identity, kind
        The addresses of the value and of its type.
    sample
        The digest of a fixed part.
    full
        The full hash; None where it was not asked for, `UNKNOWN` where there was no time.
    transparent
        Whether equal content means an equal value, so that a new object alone is no change.
    """

    identity: int
    kind: int
    sample: bytes
    full: bytes | None
    transparent: bool


def named_in(code: str, namespace: dict[str, Any]) -> set[str]:
    """Return the names of a cell's code, and those that the functions it names refer to.

    Parameters
    ----------
    code
        The cell's code, as typed.
    namespace
        The user's namespace.

    Returns
    -------
    set of str
        More than is used, never less: words of comments and texts are in it as well.
    """
    names = set(_IDENTIFIER.findall(code[:_MAX_CODE_CHARS]))
    more: set[str] = set()
    for name in names:
        value = namespace.get(name)
        if type(value) is types.FunctionType:
            more.update(value.__code__.co_names)
    return names | more


def fingerprint(value: object, named: bool, budget: Budget | None = None) -> Print:
    """Take the fingerprint of a value.

    Parameters
    ----------
    value
        Anything.
    named
        Whether the cell names it: then it is hashed fully.
    budget
        The time for that; `FULL_S` where none is given.

    Returns
    -------
    Print
        What `differs` compares.
    """
    digest, is_whole = sample(value)
    full = digest if is_whole else None
    if named and not is_whole:
        full = full_hash(value, budget)
    kind = safe.key(type(value))
    transparent = kind in EXACT or kind is types.FunctionType or safe.owned_by(value, "pandas")
    return Print(id(value), id(type(value)), digest, full, transparent)


def full_hash(value: object, budget: Budget | None = None) -> bytes:
    """Hash a value fully; `UNKNOWN` where that takes too long or can't be done."""
    try:
        return whole(value, budget or Budget(FULL_S)) or UNKNOWN
    except Exception:  # noqa: BLE001 - a value that can't be read may have changed
        return UNKNOWN


def differs(before: Print | None, now: Print) -> bool:
    """Tell whether a variable was created or changed between two runs."""
    if before is None or before.kind != now.kind or before.sample != now.sample:
        return True
    if now.full == UNKNOWN or (before.identity != now.identity and not now.transparent):
        return True
    if before.full and now.full:
        return before.full != now.full
    return False


def part_hash(text: str) -> int:
    """Hash one variable's part of the state."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest(), "little")


def state_text(total: int) -> str:
    """Write the sum of all variables' parts as the state's hash: 32 hexadecimal digits."""
    return f"{total % _MODULUS:032x}"


def state_hash(parts: Iterable[str]) -> str:
    """Hash a state from one text per variable.

    The parts' hashes are added up, so that the hash of a state can be kept up to date by what changed in it.

    Parameters
    ----------
    parts
        Texts free of addresses, one a variable, in any order.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    return state_text(sum(map(part_hash, parts)))
