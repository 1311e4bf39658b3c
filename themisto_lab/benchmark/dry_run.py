"""What a run would ask, and what it would cost at most: nothing is asked, nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from themisto_lab.benchmark.contenders import Contender, make_contenders
from themisto_lab.benchmark.manifest import FILE_NAME, make_manifest, read_manifest, results_place
from themisto_lab.benchmark.results import Results
from themisto_lab.benchmark.runner_items import chosen_items
from themisto_lab.benchmark.runner_jobs import Job, chunks, make_setup
from themisto_lab.benchmark.runner_options import BenchOptions
from themisto_lab.benchmark.sample_file import read_sample
from themisto_lab.benchmark.sampling import file_sha256
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.remote_price import price_usd


@dataclass(slots=True)
class Estimate:
    """What one model would be asked.

    Attributes
    ----------
    model, kind, prompt
        The model, what it costs (``local``: this machine's time), and the form of its prompts.
    n_answers
        Answers that it would give.
    n_calls
        Requests: fewer, where replies are on disk or prompts are the same.
    prompt_tokens
        Of all requests together, estimated.
    completion_tokens
        The most that the replies may take.
    cost
        The most that it costs, in US dollars: 0 on this machine, None where the price is not known.
    """

    model: str
    kind: str
    prompt: str
    n_answers: int = 0
    n_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    _keys: set[str] = field(default_factory=set, repr=False)

    def add(self, job: Job) -> None:
        """Count a question whose reply is not on disk."""
        self.n_answers += 1
        if job.key in self._keys:
            return
        self._keys.add(job.key)
        self.n_calls += 1
        self.prompt_tokens += job.request.context.n_tokens if job.request.context else 0
        self.completion_tokens += job.request.max_tokens


def estimate(options: BenchOptions, registry: Registry) -> list[Estimate]:
    """Return what each model would be asked. It blocks.

    Raises
    ------
    ThemistoError
        As `themisto_lab.benchmark.runner.run_bench`; a key or a model's file need not be here.
    """
    options.check()
    contenders = [one for one in make_contenders(options, registry, check=False) if not one.free]
    with ExitStack() as stack:
        results = None
        if (options.out / FILE_NAME).exists():
            run = read_manifest(options.out)
            place = results_place(options.out, run, options.store)
            results = stack.enter_context(Results(place, run.run_id, write=False))
        return [_estimate(one, options, contenders, results) for one in contenders]


def _estimate(
    contender: Contender, options: BenchOptions, contenders: Sequence[Contender], results: Results | None
) -> Estimate:
    manifest = make_manifest(options, file_sha256(options.sample), contenders)
    setup = make_setup(contender, options, manifest)
    result = Estimate(contender.name, contender.predictor.kind, contender.prompt)
    ids = None
    if options.limit is not None:
        ids = {item.item_id for item in chosen_items(options.sample, options.limit, options.seed)}
    sample = (pair for pair in read_sample(options.sample) if ids is None or pair[0].id in ids)
    for chunk in chunks(sample, [setup], results, limited=False):
        _count(result, chunk.jobs, chunk.replies)
    if contender.predictor.kind == "remote" and result.n_calls:
        result.cost = price_usd(contender.name, result.prompt_tokens, result.completion_tokens)
    return result


def _count(result: Estimate, jobs: Iterable[Job], known: Iterable[str]) -> None:
    on_disk = set(known)
    for job in jobs:
        if job.key in on_disk:
            result.n_answers += 1
        else:
            result.add(job)
