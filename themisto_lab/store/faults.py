"""What a database's errors mean to a person: which store, what happened, what to do.

The text of a driver's error may hold values (PostgreSQL repeats them in its details), so none of it is passed on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from themisto_lab.errors import StoreError

_ELSEWHERE = "set THEMISTO_STORE to another place"

# Words in a driver's message -> what is said of the store.
_MEANINGS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("not a database", "malformed", "file is encrypted", "unsupported file format"),
        f"is damaged or is not a store: move the file away to begin a new one, or {_ELSEWHERE}; "
        "nothing in it was changed",
    ),
    (
        ("locked", "busy"),
        "is in use by another program for too long: close that program, then try again",
    ),
    (
        ("disk is full", "no space left"),
        f"can't grow because the disk is full: make room (`jupyter themisto forget` helps) or {_ELSEWHERE}",
    ),
    (
        ("readonly", "read-only", "unable to open", "permission denied", "insufficient privilege"),
        f"can't be opened for writing: check the permissions of the file and its folder, or {_ELSEWHERE}",
    ),
    (
        ("disk i/o error", "locking protocol"),
        f"is on a file system that fails to read, write or lock it: {_ELSEWHERE}, on a local disk",
    ),
    (
        ("connection", "could not translate host name", "failed to resolve host", "authentication failed"),
        "can't be reached: check the address, the password and that the database server runs",
    ),
)


def store_error(error: BaseException, label: str) -> StoreError:
    """Say in a sentence what a database's error means.

    Parameters
    ----------
    error
        What the driver or the operating system raised.
    label
        The store's path, or its URL without the password.
    """
    text = str(getattr(error, "orig", None) or error).lower()
    for words, meaning in _MEANINGS:
        if any(word in text for word in words):
            return StoreError(f"The store {label} {meaning}.")
    kind = type(getattr(error, "orig", None) or error).__name__
    return StoreError(f"The store {label} failed ({kind}): try again, or {_ELSEWHERE}.")


@contextmanager
def told_plainly(label: str) -> Iterator[None]:
    """Turn errors of the database and of the file system into `StoreError`."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError) as error:
        raise store_error(error, label) from None
