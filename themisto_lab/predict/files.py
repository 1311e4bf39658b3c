"""Where a model's file is on this machine, and whether it is what it should be."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from platformdirs import user_cache_dir

from themisto_lab.errors import ModelDamagedError, ModelMissingError
from themisto_lab.predict.models import ModelSpec

FileState = Literal["ready", "missing", "damaged"]

DIRECTORY_VARIABLE = "THEMISTO_MODEL_DIR"
"""The environment variable that names another folder for the models' files."""

_GGUF_MAGIC = b"GGUF"
_READ_BYTES = 4 * 1024 * 1024


def models_dir() -> Path:
    """Return the folder of the models' files; it need not exist."""
    chosen = os.environ.get(DIRECTORY_VARIABLE)
    return Path(chosen).expanduser() if chosen else Path(user_cache_dir("themisto-lab")) / "models"


def model_path(spec: ModelSpec) -> Path:
    """Return where the model's file belongs; it need not exist."""
    return models_dir() / f"{spec.name}.gguf"


def file_state(spec: ModelSpec) -> FileState:
    """Tell at a glance (length and first bytes, not the checksum) how the model's file stands."""
    try:
        require_file(spec)
    except ModelMissingError:
        return "missing"
    except ModelDamagedError:
        return "damaged"
    return "ready"


def require_file(spec: ModelSpec) -> Path:
    """Return the path of the model's file after a quick look at it.

    Raises
    ------
    ModelMissingError
        There is no such file.
    ModelDamagedError
        Its length or its first bytes are wrong.
    """
    path = model_path(spec)
    try:
        size_bytes = path.stat().st_size
        with path.open("rb") as file:
            magic = file.read(len(_GGUF_MAGIC))
    except FileNotFoundError:
        raise ModelMissingError(f"The model {spec.name} is not on this machine; run: {spec.pull_command}") from None
    except OSError as error:
        raise ModelDamagedError(
            f"The model file {path} can't be read ({type(error).__name__}); run: {spec.pull_command}"
        ) from None
    if size_bytes != spec.size_bytes or magic != _GGUF_MAGIC:
        raise ModelDamagedError(
            f"The model file {path} is damaged ({size_bytes:,} of {spec.size_bytes:,} bytes); run: {spec.pull_command}"
        )
    return path


def verify(spec: ModelSpec) -> Path:
    """Read the whole file and compare its checksum; some seconds for a large model.

    Raises
    ------
    ModelMissingError, ModelDamagedError
        As `require_file`, and for a wrong checksum.
    """
    path = require_file(spec)
    if sha256_of(path) != spec.sha256:
        raise ModelDamagedError(f"The model file {path} is damaged (its checksum is wrong); run: {spec.pull_command}")
    return path


def sha256_of(path: Path, check: Callable[[], None] | None = None) -> str:
    """Return the hexadecimal SHA-256 of a file.

    Parameters
    ----------
    path
        The file.
    check
        Called now and then while reading; it may raise to end the reading.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
            if check is not None:
                check()
    return digest.hexdigest()
