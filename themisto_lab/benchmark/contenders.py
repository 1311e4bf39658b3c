"""Who takes part in a run: each predictor with its arms, the form of its prompts, and what its replies depend on."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from themisto_lab.benchmark.chatml import ChatMl
from themisto_lab.benchmark.runner_options import BenchOptions, PromptName
from themisto_lab.context.select import ARMS
from themisto_lab.errors import BadInputError, EngineError
from themisto_lab.predict.base import Predictor
from themisto_lab.predict.baselines import BASELINES
from themisto_lab.predict.engine import engine_installed
from themisto_lab.predict.files import verify
from themisto_lab.predict.models import embedded_spec
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.remote_errors import key_missing
from themisto_lab.predict.remote_keys import has_key
from themisto_lab.types import JsonObject

ENGINE_PACKAGE = "xllamacpp"

_NOT_IN_A_FILE = frozenset({"baseline/below"})
"""What a front end alone knows: a trajectory does not tell which cell stood below the one that ran."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One predictor in a run.

    Attributes
    ----------
    predictor
        Whom to ask.
    arms
        The names of its arms; one None for a predictor that reads no prompt.
    prompt
        The form of its prompts.
    identity
        What else its replies depend on: the hash of a model's file, the engine and its options.
    """

    predictor: Predictor
    arms: tuple[str | None, ...]
    prompt: PromptName
    identity: JsonObject = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The predictor's name."""
        return self.predictor.name

    @property
    def free(self) -> bool:
        """Whether it is asked without limit."""
        return self.predictor.kind == "baseline"


def make_contenders(options: BenchOptions, registry: Registry, check: bool = True) -> list[Contender]:
    """Return who takes part, the free predictors first.

    Parameters
    ----------
    options
        The options of the run.
    registry
        Where predictors come from.
    check
        Whether to make sure that each model can be asked: its file is read and its checksum compared, a key is looked
        for.

    Raises
    ------
    ThemistoError
        A model or an arm does not exist, can't be asked, or does not read the form of prompt that was chosen.
    """
    unknown = [arm for arm in options.arms if arm not in ARMS]
    if unknown:
        raise BadInputError(f"There is no arm named {unknown[0]!r}; known are: {', '.join(ARMS)}.")
    names = [one.name for one in BASELINES if one.name not in _NOT_IN_A_FILE] if options.baselines else []
    names += [name for name in options.models if name not in names]
    return [_contender(registry.get(name), options, registry, check) for name in names]


def package_version(name: str) -> str:
    """Return an installed package's version; empty where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _contender(predictor: Predictor, options: BenchOptions, registry: Registry, check: bool) -> Contender:
    if predictor.form == "none":
        return Contender(predictor, (None,), "none")
    identity: JsonObject = {}
    if embedded_spec(predictor.name) is not None:
        identity = _local_identity(predictor, registry, check)
    elif predictor.kind == "remote" and check:
        provider = predictor.name.partition("/")[0]
        if not has_key(provider, None):
            raise key_missing(provider)
    arms = tuple(dict.fromkeys(options.arms))
    if options.prompt == "paper" and predictor.form == "transcript":
        return Contender(ChatMl(predictor), arms, "paper", identity)
    if options.prompt == "transcript" and predictor.form == "chat":
        raise BadInputError(f"{predictor.name} reads chat messages only; leave --prompt transcript out for it.")
    return Contender(predictor, arms, "paper" if predictor.form == "chat" else "transcript", identity)


def _local_identity(predictor: Predictor, registry: Registry, check: bool) -> JsonObject:
    engine = registry.engine(predictor.name)
    if check:
        if not engine_installed():
            raise EngineError("There is no embedded engine for this kind of machine; choose a remote model.")
        verify(engine.spec)
    options = engine.options
    return {
        "file_sha256": engine.spec.sha256,
        "file_bytes": engine.spec.size_bytes,
        "engine": f"{ENGINE_PACKAGE} {package_version(ENGINE_PACKAGE)}",
        "context_tokens": options.context_tokens,
        "n_threads": options.n_threads,
        "n_batch_threads": options.n_batch_threads,
    }
