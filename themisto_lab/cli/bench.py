"""``jupyter themisto bench``: predictors answer the items of a sample and are scored."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from themisto_lab.benchmark.dry_run import Estimate
    from themisto_lab.benchmark.runner import BenchSummary
    from themisto_lab.benchmark.runner_options import BenchOptions

_DESCRIPTION = """\
Let predictors answer the items of a sample, and score them. Every answer is on disk as soon as it is there: a run that
was stopped or killed goes on where it was when the same command is given again, and asks nothing twice. Models can be
added to a run later. The free baselines answer the same items beside every model.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("bench", help="predict the sampled items and score", description=_DESCRIPTION)
    parser.add_argument("sample", type=Path, metavar="S.jsonl", help="a sample file")
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="M[,M...]",
        help="predictors; 'paper' stands for the five models of the paper by their nearest names of today",
    )
    parser.add_argument(
        "--arm", action="append", default=[], metavar="A[,A...]", help="arms (default: no_runtime,runtime)"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="RUN", help="the folder of the run")
    parser.add_argument("--limit", type=int, metavar="N", help="N items of each task, chosen by the seed")
    parser.add_argument("--seed", type=int, default=0, help="another seed chooses other items (default: 0)")
    parser.add_argument(
        "--concurrency",
        type=int,
        default=4,
        metavar="N",
        help="requests to a remote model at a time (default: 4); an embedded one answers one at a time",
    )
    parser.add_argument(
        "--prompt",
        choices=("paper", "transcript"),
        help="chat messages with the paper's roles, or the raw transcript (default: the transcript for embedded "
        "models, else chat)",
    )
    parser.add_argument(
        "--context-tokens", type=int, default=2048, metavar="N", help="the longest prompt, in tokens (default: 2048)"
    )
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="S", help="the longest that an answer may take (default: 60)"
    )
    parser.add_argument(
        "--attempts", type=int, default=3, metavar="N", help="requests before an item counts as failed (default: 3)"
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="threads with which an embedded model generates (default: 1, as in JupyterLab; more are faster where "
        "nothing else runs)",
    )
    parser.add_argument("--no-baselines", action="store_true", help="ask the named models only")
    parser.add_argument(
        "--store",
        metavar="URL",
        help="keep the results in this PostgreSQL database (default: a file in RUN); its password may be in "
        "PGPASSWORD or ~/.pgpass",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="let the workers of this Dask scheduler ask the models (needs the extra [dask]); results stay here, keys "
        "and models' files are the workers' own, and an embedded model answers one request at a time in each worker",
    )
    parser.add_argument("--dry-run", action="store_true", help="print calls, tokens and the price, and ask nothing")
    parser.add_argument("--json", action="store_true", help="print what was done as one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the benchmark and print what it came to.

    Returns
    -------
    int
        0; 1 where a model could not be asked to the end; 130 when it was interrupted.
    """
    from themisto_lab.benchmark.runner_options import BenchOptions, model_names

    options = BenchOptions(
        sample=args.sample,
        out=args.out,
        models=model_names(args.model),
        arms=model_names(args.arm) or ("no_runtime", "runtime"),
        limit=args.limit,
        seed=args.seed,
        concurrency=args.concurrency,
        prompt=args.prompt,
        context_tokens=args.context_tokens,
        timeout_s=args.timeout,
        attempts=args.attempts,
        baselines=not args.no_baselines,
        store=args.store,
        scheduler=args.scheduler,
        threads=args.threads,
    )
    if args.dry_run:
        return _dry_run(options, args.json)
    try:
        summary = asyncio.run(_bench(options))
    except KeyboardInterrupt:
        from themisto_lab.benchmark.console import write_warning

        write_warning("interrupted; what was answered is kept. Give the same command again to go on.")
        return 130
    _print(options.out, summary, args.json)
    return 1 if summary.stopped else 0


async def _bench(options: BenchOptions) -> BenchSummary:
    from tqdm import tqdm

    from themisto_lab.benchmark.runner import run_bench
    from themisto_lab.benchmark.runner_pass import Watch
    from themisto_lab.predict.engine_process import EngineOptions
    from themisto_lab.predict.registry import Registry

    with tqdm(desc="Answering", unit=" answers", disable=None, leave=False) as bar:

        class Bar(Watch):
            def begun(self, n_answers: int) -> None:
                bar.reset(n_answers)

            def answered(self, n: int = 1) -> None:
                bar.update(n)

        registry = Registry(EngineOptions(n_threads=options.threads))
        try:
            return await run_bench(options, registry, Bar())
        finally:
            await registry.close()


def _print(out: Path, summary: BenchSummary, as_json: bool) -> None:
    from dataclasses import asdict

    from themisto_lab.benchmark.console import write_json, write_line, write_table, write_warning

    if as_json:
        write_json({"out": str(out), **asdict(summary)})
    else:
        items = ", ".join(f"{number} {task}" for task, number in summary.n_items.items())
        resumed = f", {summary.n_resumed} of them from before" if summary.n_resumed else ""
        write_line(f"{out}: {items} items; {summary.n_answers} answers{resumed}; {summary.n_calls} requests to models.")
        names = ("model", "arm", "prompt", "n_answered", "n_failed", "prompt_tokens", "completion_tokens", "cost")
        rows = [[one[name] for name in (*names, "mean_latency_s")] for one in summary.totals]
        head = ("model", "arm", "prompt", "answered", "failed", "tokens in", "tokens out", "USD", "mean s")
        write_table([head, *rows])
    for model, why in summary.stopped.items():
        write_warning(f"{model} was given up: {why} What was answered is kept.")


def _dry_run(options: BenchOptions, as_json: bool) -> int:
    from themisto_lab.benchmark.console import write_json, write_line, write_table
    from themisto_lab.benchmark.dry_run import estimate
    from themisto_lab.predict.engine_process import EngineOptions
    from themisto_lab.predict.registry import Registry

    found = estimate(options, Registry(EngineOptions(n_threads=options.threads)))
    if as_json:
        write_json({"models": [_estimate_json(one) for one in found]})
        return 0
    rows = [
        (
            one.model,
            one.prompt,
            one.n_answers,
            one.n_calls,
            one.prompt_tokens,
            one.completion_tokens,
            "not known" if one.cost is None else f"{one.cost:.2f}",
        )
        for one in found
    ]
    write_table([("model", "prompt", "answers", "requests", "tokens in", "tokens out, at most", "USD, at most"), *rows])
    if not found:
        write_line("No model is named: only the free baselines would answer.")
    return 0


def _estimate_json(one: Estimate) -> dict[str, object]:
    names = ("model", "kind", "prompt", "n_answers", "n_calls", "prompt_tokens", "completion_tokens", "cost")
    return {name: getattr(one, name) for name in names}
