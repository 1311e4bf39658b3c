"""The manifest of a run: under which conditions its numbers came about."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from pydantic import ValidationError

from themisto_lab.benchmark.contenders import ENGINE_PACKAGE, Contender, package_version
from themisto_lab.benchmark.jsonl import atomic_text_writer
from themisto_lab.benchmark.runner_options import ANSWER_TOKENS, BenchOptions
from themisto_lab.context.render import PROMPT_VERSION
from themisto_lab.errors import BadInputError
from themisto_lab.scoring.metrics import METRICS
from themisto_lab.store.location import locate
from themisto_lab.types import Frozen, JsonObject, utc_now

FILE_NAME = "manifest.json"
RESULTS_NAME = "results.sqlite"

_VERSION = 1
_PACKAGES = ("themisto_lab", ENGINE_PACKAGE, "litellm", "rapidfuzz", "numpy", "pydantic", "sqlalchemy")
_FIXED = ("sample_sha256", "limit", "seed", "context_tokens", "answer_tokens", "prompt_version")
"""What one run can't have two of. Models, arms and forms of prompt may be added to a run later."""


class Manifest(Frozen):
    """What is written down of a run.

    Attributes
    ----------
    version
        The version of the file's form.
    run_id
        A random id.
    created_at
        When the run was begun.
    sample, sample_sha256
        The name and the hash of the sample file.
    limit, seed
        Which part of the sample it is about.
    context_tokens, answer_tokens, timeout_s
        The most that prompts and answers may take.
    prompt_version
        The version of the prompts' texts.
    metrics
        The version of each metric.
    models
        For each model, the forms of prompt, the arms, and what else its replies depend on.
    store
        The URL of the database that holds the results, without its password; None for a file beside the manifest.
    packages, python, machine
        What it ran on: versions of packages, kind of machine, number of processors. No names of machines.
    """

    version: int = _VERSION
    run_id: str
    created_at: datetime
    sample: str
    sample_sha256: str
    limit: int | None
    seed: int
    context_tokens: int
    answer_tokens: dict[str, int]
    timeout_s: float
    prompt_version: int
    metrics: dict[str, int]
    models: dict[str, JsonObject]
    packages: dict[str, str]
    python: str
    machine: JsonObject
    store: str | None = None


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a run.

    Raises
    ------
    BadInputError
        The folder holds no run.
    """
    path = folder / FILE_NAME
    try:
        return Manifest.model_validate(json.loads(path.read_bytes()))
    except FileNotFoundError:
        raise BadInputError(f"{folder} holds no run; make one with 'jupyter themisto bench'.") from None
    except OSError as error:
        raise BadInputError(f"{path} can't be read: {error.strerror or error}.") from error
    except (ValueError, ValidationError) as error:
        raise BadInputError(f"{path} is not a run's manifest.") from error


def results_place(folder: Path, manifest: Manifest, store: str | None = None) -> Path | str:
    """Return where a run's results are: its file, or its database by the address that was given now or noted then."""
    if manifest.store is None:
        return folder / RESULTS_NAME
    return store or manifest.store


def make_manifest(options: BenchOptions, sample_sha256: str, contenders: Sequence[Contender]) -> Manifest:
    """Return the manifest of a new run."""
    return Manifest(
        run_id=uuid4().hex,
        created_at=utc_now(),
        sample=options.sample.name,
        sample_sha256=sample_sha256,
        limit=options.limit,
        seed=options.seed,
        context_tokens=options.context_tokens,
        answer_tokens={task.value: number for task, number in ANSWER_TOKENS.items()},
        timeout_s=options.timeout_s,
        prompt_version=PROMPT_VERSION,
        metrics={name: metric.version for name, metric in METRICS.items()},
        models={one.name: _model(one) for one in contenders},
        packages={name: found for name in _PACKAGES if (found := package_version(name))},
        python=platform.python_version(),
        machine={"system": platform.system(), "processor": platform.machine(), "n_processors": os.cpu_count()},
        store=_without_password(options.store) if options.store else None,
    )


def open_run(options: BenchOptions, sample_sha256: str, contenders: Sequence[Contender]) -> Manifest:
    """Begin a run, or go on with one, and write its manifest.

    Raises
    ------
    BadInputError
        The folder can't be made, holds something else, or holds a run on other items or other settings.
    """
    new = make_manifest(options, sample_sha256, contenders)
    folder = options.out
    if (folder / FILE_NAME).exists():
        new = _continued(folder, read_manifest(folder), new)
    else:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            foreign = any(path.name != ".lock" for path in folder.iterdir())
        except OSError as error:
            raise BadInputError(f"{folder} can't be made a folder: {error.strerror or error}.") from error
        if foreign:
            raise BadInputError(f"{folder} holds something that is not a run; choose another folder.")
    with atomic_text_writer(folder / FILE_NAME) as file:
        file.write(json.dumps(new.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n")
    return new


def _without_password(store: str) -> str:
    """Return a database's URL as it may be written down: PGPASSWORD or ~/.pgpass hold its password."""
    url = locate(store).url
    return url.set(drivername=url.get_backend_name(), password=None).render_as_string()


def _continued(folder: Path, old: Manifest, new: Manifest) -> Manifest:
    for name in _FIXED:
        if getattr(old, name) != getattr(new, name):
            raise BadInputError(
                f"{folder} holds a run with another {name.replace('_', ' ')}; choose another folder for this one."
            )
    if new.store not in (None, old.store):
        raise BadInputError(f"{folder} holds a run whose results are kept elsewhere; leave --store out.")
    models = dict(old.models)
    for name, model in new.models.items():
        models[name] = _merged(old.models.get(name, {}), model)
    return new.model_copy(
        update={"run_id": old.run_id, "created_at": old.created_at, "models": models, "store": old.store}
    )


def _merged(old: JsonObject, new: JsonObject) -> JsonObject:
    lists = {name: list(dict.fromkeys([*old.get(name, []), *new[name]])) for name in ("arms", "prompts")}
    return {**new, **lists}


def _model(contender: Contender) -> JsonObject:
    return {
        "kind": contender.predictor.kind,
        "prompts": [contender.prompt],
        "arms": [arm for arm in contender.arms if arm is not None],
        **contender.identity,
    }
