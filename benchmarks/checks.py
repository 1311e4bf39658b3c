"""The share of suggested next cells that would run, before and after they are checked without being run.

A replayed session is run again step by step in a fresh kernel. Before each step the suggestion for it is really run
there, in a forked copy of the kernel's process that is thrown away, so that the session goes on as it was. *After the
check*: suggestions against which `themisto_lab.predict.check` finds something are dropped (for ``combined/...``:
repaired once by the model, or dropped). Printed too: how many that the check passed failed, and how many that it held
up would have run. The last line is one JSON object. Linux and macOS only.

Usage: ``python benchmarks/checks.py R.jsonl [--python EXE] [--cwd DIR] [--model NAME | --replies RUN --model NAME]``

``--replies`` takes the model's answers from a finished ``jupyter themisto bench`` run. Without arguments, and with
``--quick``, a small session is made up and the free history is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from themisto_lab.benchmark.format import read_trajectories
from themisto_lab.benchmark.heal import Healer
from themisto_lab.benchmark.session import KernelSession, find_interpreter, kernel_specs
from themisto_lab.context.build import build_context
from themisto_lab.context.select import ARMS
from themisto_lab.predict.base import Predictor, PredictRequest
from themisto_lab.predict.check import check_code
from themisto_lab.predict.combined import CombinedPredictor
from themisto_lab.predict.models import COMBINED_PREFIX
from themisto_lab.predict.registry import Registry
from themisto_lab.predict.run import run_prediction
from themisto_lab.types import MIME_STDOUT, Prediction, Step, TaskKind, Trajectory

TIMEOUT_S = 60.0
MAX_TOKENS = 256

# The copy has no threads of its own: nothing in it may speak to the front end, and it ends without cleaning up.
TRIAL = """
def _themisto_trial(code):
    import io, json, os, select, signal, sys
    inside, outside = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            sys.stdout = sys.stderr = io.StringIO()
            shell = get_ipython()
            shell.display_pub.publish = lambda *args, **kwargs: None
            shell.showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: None
            import IPython.core.displayhook
            hook = IPython.core.displayhook.DisplayHook(shell=shell)
            hook.write_output_prompt = hook.write_format_data = lambda *args, **kwargs: None
            shell.displayhook = hook
            shell.display_trap.hook = hook
            result = shell.run_cell(code, store_history=False)
            error = result.error_before_exec or result.error_in_exec
            told = "" if error is None else type(error).__name__
        except BaseException as error:
            told = type(error).__name__
        os.write(outside, json.dumps({"error": told}).encode())
        os._exit(0)
    os.close(outside)
    ready, _, _ = select.select([inside], [], [], 30)
    text = os.read(inside, 65536) if ready else b'{"error": "TimedOut"}'
    os.close(inside)
    if not ready:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    print(text.decode() or '{"error": "Died"}')
"""

MADE_UP = (
    "import math\nprices = {'a': 1.0, 'b': 2.5}\nnames = ['x', 'y']",
    "total = sum(prices.values())\ntotal",
    "math.sqrt(total)",
    "total = sum(prices.values()) * 2\ntotal",
    "del total",
    "total = sum(prices.values())\ntotal",
    "math.sqrt(total)",
    "prices['a']",
    "prices = {'b': 2.5}",
    "prices['b']",
)


async def trial_error(session: KernelSession, code: str) -> str:
    """Run a suggestion in a copy of the kernel; return its error's class, empty where it ran."""
    step = await session.run(f"_themisto_trial({code!r})", None, TIMEOUT_S)
    text = "".join(output.text for output in step.outputs if output.mime == MIME_STDOUT).strip()
    return str(json.loads(text.splitlines()[-1])["error"]) if text else f"trial {step.status}"


async def suggestion(predictor: Predictor, past: Trajectory, arm: str) -> str:
    """Ask for the next cell; empty where there is no answer."""
    context = None
    if predictor.form != "none":
        limit_tokens = min(2048, predictor.context_tokens - MAX_TOKENS)
        chat = predictor.form == "chat"
        context = build_context(past, ARMS[arm], TaskKind.NEXT_CELL, chat=chat, limit_tokens=limit_tokens)
    request = PredictRequest(TaskKind.NEXT_CELL, past, context=context, max_tokens=MAX_TOKENS, timeout_s=300)
    prediction = Prediction(
        id="p",
        task=TaskKind.NEXT_CELL,
        trajectory_id=past.id,
        target_index=len(past.steps),
        predictor=predictor.name,
    )
    return (await run_prediction(predictor, prediction, request)).text


def recorded(run: Path, model: str, arm: str) -> dict[int, str]:
    """Return a model's answers in a finished run by the step that they are about."""
    place = f"file:{run / 'results.sqlite'}?mode=ro"
    with sqlite3.connect(place, uri=True) as connection:
        rows = connection.execute(
            "SELECT i.target_index, a.text FROM bench_answers a JOIN bench_items i USING (run_id, item_id) "
            "WHERE i.task = 'next_cell' AND a.model = ? AND a.arm IN (?, '') AND a.error_code IS NULL",
            (model, arm),
        )
        return dict(rows.fetchall())


async def compare(
    session: KernelSession, trajectory: Trajectory, options: argparse.Namespace, registry: Registry
) -> Counter[str]:
    """Run a session again and try each suggestion at its place."""
    count: Counter[str] = Counter()
    healer = Healer()
    answers: Mapping[int, str] | None = None
    if options.replies is not None:
        answers = recorded(options.replies, options.model, options.arm)
    predictor = registry.get(options.model)
    combined = options.model.startswith(COMBINED_PREFIX)
    unchecked = predictor
    if combined:
        unchecked = CombinedPredictor(registry.get(options.model.removeprefix(COMBINED_PREFIX)), check=False)
    await session.run(TRIAL, None, TIMEOUT_S)
    done: list[Step] = []
    for step in trajectory.steps:
        past = trajectory.model_copy(update={"steps": tuple(done)})
        wanted = answers is None or step.index in answers
        if done and wanted and count["before"] < options.limit:
            before = answers[step.index] if answers is not None else await suggestion(unchecked, past, options.arm)
            findings = check_code(before, past)
            after = await suggestion(predictor, past, options.arm) if combined else ("" if findings else before)
            await judge(session, before, after, findings, count)
        key = step.cell_id or step.code
        for stale_key, code in healer.stale(key, step.code):
            healer.ran(stale_key, code, ok=(await session.run(code, stale_key, TIMEOUT_S)).status == "ok")
        ran = await session.run(step.code, step.cell_id, TIMEOUT_S)
        healer.ran(key, step.code, ok=ran.status == "ok")
        variables = tuple(v for v in ran.variables if not v.name.startswith("_themisto"))
        done.append(ran.model_copy(update={"index": step.index, "code": step.code, "variables": variables}))
    return count


async def judge(
    session: KernelSession, before: str, after: str, findings: tuple[str, ...], count: Counter[str]
) -> None:
    """Try a suggestion as it was and as it is after the check."""
    if not before.strip():
        return
    error = await trial_error(session, before)
    count["before"] += 1
    count["before_ran"] += not error
    count["held_up_rightly" if error else "held_up_wrongly"] += bool(findings)
    if error:
        count[f"missed {error}" if not findings else f"found {error}"] += 1
    if after.strip():
        count["after"] += 1
        count["after_ran"] += not (error if after == before else await trial_error(session, after))


def told(count: Counter[str]) -> dict[str, object]:
    share = {when: count[f"{when}_ran"] / count[when] if count[when] else None for when in ("before", "after")}
    for when, value in share.items():
        if value is not None:
            print(f"  {when} the check: {count[f'{when}_ran']} of {count[when]} run ({value:.3f})")
    print(f"  held up: {count['held_up_rightly']} that fail, {count['held_up_wrongly']} that would run")
    kinds = {name: n for name, n in sorted(count.items()) if name.startswith(("missed", "found"))}
    print("  errors:", ", ".join(f"{name} {n}" for name, n in kinds.items()) or "none")
    return {"share_before": share["before"], "share_after": share["after"], **count}


async def main_async(options: argparse.Namespace) -> None:
    if options.trajectories is None:
        steps = tuple(Step(index=i, kernel_id="k", code=code) for i, code in enumerate(MADE_UP))
        trajectories = [Trajectory(id="made-up", steps=steps)]
    else:
        trajectories = list(read_trajectories(options.trajectories))
    registry = Registry()
    total: Counter[str] = Counter()
    python = await find_interpreter(options.python)
    try:
        with kernel_specs(python) as specs, tempfile.TemporaryDirectory() as profile:
            for trajectory in trajectories:
                session = KernelSession(specs, options.cwd, Path(profile))
                await session.start(60.0)
                try:
                    total += await compare(session, trajectory, options, registry)
                finally:
                    await session.close()
    finally:
        await registry.close()
    print(f"Suggestions of {options.model}")
    print(json.dumps({"model": options.model, **told(total)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trajectories", type=Path, nargs="?")
    parser.add_argument("--quick", action="store_true", help="a made-up session and the free history")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--cwd", type=Path, default=Path())
    parser.add_argument("--model", default="baseline/history")
    parser.add_argument("--arm", default="no_runtime")
    parser.add_argument("--replies", type=Path)
    parser.add_argument("--limit", type=int, default=1_000_000)
    options = parser.parse_args()
    if options.quick:
        options.trajectories, options.model, options.replies = None, "baseline/history", None
    asyncio.run(main_async(options))


if __name__ == "__main__":
    main()
