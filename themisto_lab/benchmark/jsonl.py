"""JSON Lines files: read one line at a time, written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from themisto_lab.errors import BadInputError
from themisto_lab.types import JsonObject


def dump_line(value: JsonObject) -> str:
    """Return a value as one line of JSON, its line end included."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def read_objects(path: Path) -> Iterator[tuple[int, JsonObject]]:
    """Yield each line's object with its line number, from 1. Empty lines are passed over.

    Only one line is held in memory at a time.

    Raises
    ------
    BadInputError
        The file can't be read, or a line is not one whole JSON object; the message names the file and the
        line.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, parse_object(path, number, line)
    except OSError as error:
        raise BadInputError(f"{path} can't be read: {error.strerror or error}.") from error


def parse_object(path: Path, number: int, line: bytes) -> JsonObject:
    """Parse one line that must hold one JSON object.

    Raises
    ------
    BadInputError
        The line is cut off, not JSON, not UTF-8, or not an object.
    """
    try:
        value = json.loads(line)
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}, line {number}: the text is not UTF-8.") from error
    except json.JSONDecodeError as error:
        cut_off = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        what = "the line is cut off" if cut_off else f"not JSON ({error.msg})"
        raise BadInputError(f"{path}, line {number}, column {error.colno}: {what}.") from error
    except RecursionError as error:
        raise BadInputError(f"{path}, line {number}: the JSON is nested too deeply.") from error
    if not isinstance(value, dict):
        raise BadInputError(f"{path}, line {number}: a JSON object is needed, not {type(value).__name__}.")
    return value


@contextmanager
def atomic_text_writer(path: Path) -> Iterator[IO[str]]:
    """Open a file that takes its place only when the block ends without an error.

    Until then it is a hidden file in the same folder; after an error it is gone and ``path`` is as it was.

    Raises
    ------
    BadInputError
        The folder does not exist or can't be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise BadInputError(f"{path} can't be written: {error.strerror or error}.") from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o600)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
