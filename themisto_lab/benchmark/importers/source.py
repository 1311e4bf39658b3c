"""A file to import, and what its content shows; what an import did."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from themisto_lab.errors import BadInputError
from themisto_lab.types import JsonObject, Trajectory

SQLITE_MAGIC = b"SQLite format 3\x00"
_HEAD_BYTES = 65_536
_LOCK_WAIT_S = 2.0


@dataclass
class ImportReport:
    """What an import took in, what it left out and why, and what a person should know.

    Attributes
    ----------
    kinds
        How many sources there were of each kind.
    trajectories, steps
        How much was written.
    skipped
        What was left out, by reason.
    notes
        What was kept but counted, by what it is.
    warnings
        Sentences for a person.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    trajectories: int = 0
    steps: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)

    def as_json(self) -> JsonObject:
        """Return the report as a JSON object."""
        return {
            "kinds": dict(self.kinds),
            "trajectories": self.trajectories,
            "steps": self.steps,
            "skipped": dict(+self.skipped),
            "notes": dict(+self.notes),
            "warnings": self.warnings,
        }


class Source:
    """A file whose kind is found from its content. Nothing is read before it is asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB.

        Raises
        ------
        BadInputError
            The file can't be read, or it is empty.
        """
        if self.path.is_dir():
            raise BadInputError(f"{self.path} is a folder; name the files in it.")
        try:
            with self.path.open("rb") as file:
                head = file.read(_HEAD_BYTES)
        except OSError as error:
            raise BadInputError(f"{self.path} can't be read: {error.strerror or error}.") from error
        if not head.strip():
            raise BadInputError(f"{self.path} is empty.")
        return head

    @cached_property
    def tables(self) -> dict[str, frozenset[str]]:
        """The tables of a SQLite file with their columns; empty for a file of another kind."""
        if not self.head.startswith(SQLITE_MAGIC):
            return {}
        with open_sqlite(self.path) as database:
            names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {
                name: frozenset(row[0] for row in database.execute("SELECT name FROM pragma_table_info(?)", (name,)))
                for name in names
            }

    @cached_property
    def first_object(self) -> JsonObject:
        """The object on the first line, where that line is one; else empty."""
        if not self.head.lstrip().startswith(b"{"):
            return {}
        with self.path.open("rb") as file:
            line = next((line for line in file if line.strip()), b"")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    @cached_property
    def document(self) -> JsonObject:
        """The whole file as one JSON object; empty where the file does not begin like one.

        Raises
        ------
        BadInputError
            The file begins like a JSON object and isn't a whole one.
        """
        if not self.head.lstrip().startswith(b"{"):
            return {}
        if self.is_json_lines:
            return {}
        try:
            value = json.loads(self.path.read_bytes())
        except UnicodeDecodeError as error:
            raise BadInputError(f"{self.path}: the text is not UTF-8.") from error
        except json.JSONDecodeError as error:
            place = f"line {error.lineno}, column {error.colno}"
            raise BadInputError(f"{self.path} is not whole JSON ({place}: {error.msg}).") from error
        except RecursionError as error:
            raise BadInputError(f"{self.path}: the JSON is nested too deeply.") from error
        return value if isinstance(value, dict) else {}

    @cached_property
    def is_json_lines(self) -> bool:
        """Whether the first line is a whole object and more lines follow."""
        if not self.first_object:
            return False
        with self.path.open("rb") as file:
            lines = (line for line in file if line.strip())
            next(lines, None)
            return next(lines, None) is not None

    @cached_property
    def csv_columns(self) -> tuple[str, ...]:
        """The names in the first line, read as CSV."""
        line = self.head.split(b"\n", 1)[0].decode("utf-8-sig", "replace").strip()
        return tuple(part.strip().strip('"') for part in line.split(","))

    @cached_property
    def digest(self) -> str:
        """A short hash of the whole content: ids that are made from it are the same at each import."""
        total = hashlib.sha256()
        with self.path.open("rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
        return total.hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Importer:
    """One kind of source.

    Attributes
    ----------
    kind
        The kind's name, ``verdant``.
    title
        What it is in words, for messages.
    detects
        Whether a source is of this kind, told from its content.
    read
        Yields the source's trajectories and counts in the report what it leaves out.
    is_public
        Whether the items are a published data set, which stays as it is; anyone else's secrets are blanked.
    """

    kind: str
    title: str
    detects: Callable[[Source], bool]
    read: Callable[[Source, ImportReport], Iterator[Trajectory]]
    is_public: bool = False


@contextmanager
def open_sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a SQLite file for reading only; it is never changed, not even its journal.

    Raises
    ------
    BadInputError
        The file is locked by another program, or corrupt.
    """
    try:
        with closing(_connect(path)) as database:
            yield database
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise BadInputError(
                f"{path} is locked by another program; close it or import a copy of the file."
            ) from error
        raise BadInputError(f"{path} can't be read as a SQLite database: {error}.") from error
    except sqlite3.DatabaseError as error:
        raise BadInputError(f"{path} is corrupt: {error}.") from error


def _connect(path: Path) -> sqlite3.Connection:
    """Open read-only; in a folder where SQLite can't make its lock files, take the file as unchanging."""
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    database = sqlite3.connect(address, uri=True, timeout=_LOCK_WAIT_S)
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        database.close()
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        database = sqlite3.connect(f"{address}&immutable=1", uri=True)
    except sqlite3.DatabaseError:
        database.close()
        raise
    database.text_factory = lambda text: text.decode("utf-8", "replace")
    return database


def clean_text(text: str) -> str:
    """Replace lone surrogates, which JSON can hold and UTF-8 can't."""
    return text.encode("utf-8", "replace").decode("utf-8")
