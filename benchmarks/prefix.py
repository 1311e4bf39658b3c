"""How much of its prompts an embedded model has to read again while a session grows, by the engine's own count.

A session of 30 cells is run in a real kernel. Then the model is asked, step by step as it would be live, for the next
cell and for the output of each cell that has one, with prompts of at most 2,048 tokens. The engine tells of each prompt
how many tokens it evaluated and how many it had. Each arm gets an engine of its own, which begins with nothing; the
first prompt counts. The last row asks in two arms by turns, as the live comparison of arms does.

Prints a table, and as its last line one JSON object: ``evaluated_share`` is what was evaluated in the curated arm over
all tokens of its prompts.

Usage: ``python benchmarks/prefix.py [--quick] [--model NAME]``
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tqdm import tqdm

from themisto_lab.benchmark.replay import Replayer, ReplayOptions
from themisto_lab.benchmark.session import kernel_specs
from themisto_lab.context.build import build_context
from themisto_lab.context.select import ARMS
from themisto_lab.predict.base import Predictor, PredictRequest
from themisto_lab.predict.registry import Registry
from themisto_lab.types import Step, TaskKind, Trajectory, Usage

MODEL = "local/qwen2.5-coder-0.5b"
LIMIT_TOKENS = 2048
ANSWER_TOKENS = 1
"""What is measured is reading: an answer's length plays no part in it."""

N_STEPS, N_QUICK_STEPS = 30, 8
ARMS_ASKED = (("curated",), ("runtime",), ("no_runtime",), ("curated", "no_runtime"))
QUICK_ARMS_ASKED = ARMS_ASKED[:2]
AIM = 0.25

SESSION = """\
import numpy as np
import pandas as pd
# %%
rng = np.random.default_rng(7)
n = 240
houses = pd.DataFrame({
    "rooms": rng.integers(2, 9, n),
    "area": rng.normal(110, 30, n).round(1),
    "age": rng.integers(0, 90, n),
    "district": rng.choice(["north", "east", "south", "harbour"], n),
})
houses.shape
# %%
houses.head()
# %%
houses.dtypes
# %%
houses.describe().round(2)
# %%
houses["price"] = (1.9 * houses["area"] + 21 * houses["rooms"] - 0.8 * houses["age"] + rng.normal(0, 25, n)).round(1)
houses["price"].mean().round(2)
# %%
houses["district"].value_counts()
# %%
by_district = houses.groupby("district")["price"].agg(["mean", "std", "count"]).round(1)
by_district
# %%
houses["prize"].max()
# %%
houses["price"].max()
# %%
missing = houses.isna().sum()
missing.sum()
# %%
houses["per_m2"] = (houses["price"] / houses["area"]).round(3)
houses[["price", "per_m2"]].corr().round(3)
# %%
old = houses[houses["age"] > 60]
new = houses[houses["age"] < 10]
print(len(old), len(new))
# %%
print("old", old["price"].mean().round(1), "new", new["price"].mean().round(1))
# %%
def fit(frame, columns):
    X = np.column_stack([np.ones(len(frame)), *(frame[c] for c in columns)])
    beta, *_ = np.linalg.lstsq(X, frame["price"], rcond=None)
    return beta, X
# %%
columns = ["area", "rooms", "age"]
beta, X = fit(houses, columns)
beta.round(2)
# %%
predicted = X @ beta
residuals = houses["price"].to_numpy() - predicted
print(f"rmse {np.sqrt((residuals ** 2).mean()):.2f}")
# %%
r2 = 1 - residuals.var() / houses["price"].var(ddof=0)
round(r2, 4)
# %%
worst = houses.assign(residual=residuals.round(1)).sort_values("residual", key=abs, ascending=False).head(5)
worst
# %%
scores = {}
for k in range(1, len(columns) + 1):
    b, M = fit(houses, columns[:k])
    scores[k] = round(float(((houses["price"] - M @ b) ** 2).mean() ** 0.5), 2)
scores
# %%
best = min(scores, key=scores.get)
best, scores[best]
# %%
for name, part in houses.groupby("district"):
    b, _ = fit(part, columns)
    print(f"{name:8s} {len(part):4d} {b[1]:6.2f}")
# %%
train = houses.sample(frac=0.8, random_state=1)
test = houses.drop(train.index)
train.shape, test.shape
# %%
beta_train, _ = fit(train, columns)
X_test = np.column_stack([np.ones(len(test)), test[columns]])
test_error = test["price"] - X_test @ beta_train
print("test rmse", round(float((test_error ** 2).mean() ** 0.5), 2))
# %%
houses["decade"] = houses["age"] // 10 * 10
houses.pivot_table(index="decade", values="price", aggfunc=["mean", "count"]).round(1)
# %%
top = houses.nlargest(3, "price")[["district", "rooms", "area", "price"]]
top
# %%
ratio = top["price"].sum() / houses["price"].sum()
f"{ratio:.3%}"
# %%
houses["district"] = houses["district"].astype("category")
houses.dtypes["district"], houses.memory_usage(deep=True).sum() > 0
# %%
summary = pd.Series({"n": n, "r2": round(r2, 3), "best": best, "mean": houses["price"].mean().round(1)})
summary
# %%
print(summary.to_string())
"""
CELLS = SESSION.split("# %%\n")


@dataclass(slots=True)
class Count:
    """The engine's counts over all prompts of a session."""

    n_prompts: int = 0
    prompt_tokens: int = 0
    evaluated_tokens: int = 0
    estimated_tokens: int = 0
    time_s: float = 0.0

    @property
    def share(self) -> float:
        """What was evaluated over all tokens of the prompts."""
        return self.evaluated_tokens / self.prompt_tokens

    def add(self, usage: Usage, estimated_tokens: int) -> None:
        """Add one prompt."""
        self.n_prompts += 1
        self.prompt_tokens += usage.prompt_tokens
        self.evaluated_tokens += usage.prompt_tokens - usage.cached_tokens
        self.estimated_tokens += estimated_tokens


async def run_session(n_steps: int) -> Trajectory:
    """Run the first cells in a fresh kernel."""
    steps = tuple(Step(index=i, kernel_id="", code=code.strip("\n")) for i, code in enumerate(CELLS[:n_steps]))
    with kernel_specs(sys.executable) as specs:
        options = ReplayOptions(python=sys.executable)
        replayed = await Replayer(Trajectory(id="session", steps=steps), options, specs, lambda: None).replay()
    if replayed is None or len(replayed.steps) != n_steps or not replayed.steps[-1].variables:
        raise SystemExit("The session could not be run in a kernel that tells its variables.")
    return replayed


async def ask(predictor: Predictor, past: Trajectory, arm: str, step: Step, task: TaskKind, count: Count) -> None:
    """Ask one question and count what the engine says of its prompt."""
    is_output = task is TaskKind.CELL_OUTPUT
    code, look = (step.code, step.look) if is_output else ("", None)
    context = build_context(past, ARMS[arm], task, code=code, look=look, limit_tokens=LIMIT_TOKENS)
    request = PredictRequest(
        task, past, code=code, context=context, look=look, max_tokens=ANSWER_TOKENS, timeout_s=600.0
    )
    usage = None
    started_s = time.perf_counter()
    async for chunk in predictor.predict(request):
        usage = chunk.usage
    if usage is None:
        raise SystemExit("The engine did not say what it read.")
    count.time_s += time.perf_counter() - started_s
    count.add(usage, context.n_tokens)


async def measure(model: str, session: Trajectory, arms: tuple[str, ...]) -> Count:
    """Go through a session in some arms with an engine that begins with nothing."""
    registry = Registry()
    predictor = registry.get(model)
    count = Count()
    try:
        for k, step in enumerate(
            tqdm(session.steps, desc=" + ".join(arms), file=sys.stderr, disable=None, leave=False)
        ):
            past = session.model_copy(update={"steps": session.steps[:k]})
            for task in TaskKind:
                if task is TaskKind.CELL_OUTPUT and not step.output_text:
                    continue
                for arm in arms:
                    await ask(predictor, past, arm, step, task, count)
    finally:
        await registry.close()
    return count


async def run(model: str, n_steps: int, asked: Sequence[tuple[str, ...]]) -> None:
    session = await run_session(n_steps)
    n_looks = sum(step.look is not None and bool(step.look.values) for step in session.steps)
    n_outputs = sum(bool(step.output_text) for step in session.steps)
    print(
        f"{n_steps} steps, {n_outputs} with an output, {n_looks} with a look; {model}, at most {LIMIT_TOKENS} tokens.\n"
    )
    print(f"{'arm':<22} {'prompts':>8} {'tokens':>9} {'evaluated':>10} {'share':>7} {'estimate/true':>14} {'s':>7}")
    shares = {}
    for arms in asked:
        count = await measure(model, session, arms)
        name = " + ".join(arms)
        shares[name] = round(count.share, 4)
        print(
            f"{name:<22} {count.n_prompts:>8} {count.prompt_tokens:>9,} {count.evaluated_tokens:>10,} "
            f"{count.share:>7.1%} {count.estimated_tokens / count.prompt_tokens:>14.2f} {count.time_s:>7.1f}",
            flush=True,
        )
    share = shares["curated"]
    print(f"\nThe curated arm's prompts were read to {share:.1%}; at most {AIM:.0%} is the aim.")
    figures = {"evaluated_share": share, "shares": shares, "n_steps": n_steps, "n_looks": n_looks, "met": share <= AIM}
    print(json.dumps(figures))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{N_QUICK_STEPS} steps, under a minute")
    parser.add_argument("--model", default=MODEL, help="an embedded model (default: %(default)s)")
    options = parser.parse_args()
    n_steps, asked = (N_QUICK_STEPS, QUICK_ARMS_ASKED) if options.quick else (N_STEPS, ARMS_ASKED)
    asyncio.run(run(options.model, n_steps, asked))


if __name__ == "__main__":
    main()
