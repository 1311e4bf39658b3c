"""Write one example of each view as JSON (``tests/fixtures/wire``), for the tests of both sides of the wire.

pytest reads them with the models, jest with the front end's code. With ``--check`` nothing is written: the exit code
says whether the files are what this script would write.
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from themisto_lab.services import views
from themisto_lab.types import MIME_TEXT, CellOutput, ProbeReceipt, TaskKind, Usage, VariableSnapshot

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "fixtures" / "wire"

KERNEL_ID = "b9100b9f-5685-49b9-89f3-ee2e3e73d57f"
TRAJECTORY_ID = "557bdc4a71b949588d60a174e8df4032"
MOMENT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)

NEXT_CELL = views.PredictionView(
    id="479381a1a68f49dbb613f588da478bb2",
    task=TaskKind.NEXT_CELL,
    kernel_id=KERNEL_ID,
    trajectory_id=TRAJECTORY_ID,
    target_index=2,
    cell_id=None,
    text='df.groupby("species")["mass"].mean()',
    source="history",
    reason="what followed this cell twice",
    status="ready",
    shown=True,
    latency_s=0.4,
    error=None,
    truth=None,
    scores=(),
    arm="runtime",
    predictor="local/qwen2.5-coder-0.5b",
)

LAST_OUTPUT = views.PredictionView(
    id="df2cfe555dfa4befbd651a568a2f5f5d",
    task=TaskKind.CELL_OUTPUT,
    kernel_id=KERNEL_ID,
    trajectory_id=TRAJECTORY_ID,
    target_index=1,
    cell_id="2bc63592",
    text="150\n(150, 6)",
    source="model",
    reason="",
    status="scored",
    shown=True,
    latency_s=0.7,
    error=None,
    truth="150\n(150, 5)",
    scores=(
        views.ScoreView(metric="exact_match", value=0.0),
        views.ScoreView(metric="rouge_l", value=0.67),
        views.ScoreView(metric="chrf", value=0.73),
    ),
    arm="runtime",
    predictor="local/qwen2.5-coder-0.5b",
)

STORE = views.StoreView(
    path="/home/ada/.local/share/jupyter/themisto_lab/store.sqlite",
    size_bytes=3_100_000,
    cap_bytes=500_000_000,
    recording=True,
    n_trajectories=3,
    n_steps=42,
    n_predictions=210,
)

MODEL = views.ModelView(
    name="local/qwen2.5-coder-0.5b",
    kind="local",
    state="missing",
    size_bytes=491_400_064,
    path=None,
    licence="Apache-2.0",
    note="",
)


def _score_row(task: TaskKind, predictor: str, *, shown: bool, values: tuple[float, float, float]) -> views.ScoreRow:
    return views.ScoreRow(
        task=task,
        predictor=predictor,
        arm="runtime" if shown else None,
        shown=shown,
        n=40,
        n_missed=2,
        n_stale=0,
        n_failed=0,
        exact_match=values[0],
        rouge_l=values[1],
        rouge_l_code=values[1],
        chrf=values[2],
    )


SCORES = views.ScoresView(
    n_steps=42,
    rows=(
        _score_row(TaskKind.NEXT_CELL, "baseline/repeat", shown=False, values=(0.04, 0.31, 0.30)),
        _score_row(TaskKind.NEXT_CELL, "baseline/follower", shown=False, values=(0.14, 0.47, 0.49)),
        _score_row(TaskKind.NEXT_CELL, MODEL.name, shown=True, values=(0.21, 0.52, 0.55)),
        _score_row(TaskKind.CELL_OUTPUT, MODEL.name, shown=True, values=(0.35, 0.48, 0.51)),
    ),
    differences=tuple(
        views.ArmDifference(
            task=TaskKind.CELL_OUTPUT,
            predictor=MODEL.name,
            arm="runtime",
            other_arm="no_runtime",
            metric=metric,
            n=40,
            mean=0.08,
            low=0.02,
            high=0.18,
            sentence="state helps output by +.08 (+.02 to +.18)",
        )
        for metric in ("exact_match", "rouge_l", "rouge_l_code", "chrf")
    ),
)

FIXTURES: dict[str, BaseModel] = {
    "DeltaLine.state": views.DeltaLine(type="state", id=NEXT_CELL.id, text=NEXT_CELL.text, prediction=NEXT_CELL),
    "DeltaLine.text": views.DeltaLine(type="text", id=NEXT_CELL.id, text="df.groupby("),
    "ErrorView": views.ErrorView(code="model_key_refused", message="The key for openai was refused."),
    "ForgetView": views.ForgetView(n_trajectories=1, n_steps=42, n_predictions=210),
    "KernelView": views.KernelView(
        kernel_id=KERNEL_ID,
        trajectory_id=TRAJECTORY_ID,
        notebook="analysis.ipynb",
        language="python",
        capability="full",
        note="",
        enabled=True,
        running=False,
        n_steps=2,
        task_description="Compare the species.",
        next_cell=NEXT_CELL,
        last_next_cell=None,
        output=None,
        last_output=LAST_OUTPUT,
    ),
    "ModelsView": views.ModelsView(current=MODEL.name, models=(MODEL,)),
    "PredictionView": NEXT_CELL,
    "PullView": views.PullView(
        name=MODEL.name,
        state="running",
        done_bytes=120_000_000,
        total_bytes=491_400_064,
        bytes_per_s=8_100_000.0,
        left_s=45.5,
        source="pypi",
        error=None,
    ),
    "ScoresView": SCORES,
    "SentView": views.SentView(
        prediction_id=NEXT_CELL.id,
        predictor=NEXT_CELL.predictor,
        arm=NEXT_CELL.arm,
        prompt="# %% [1]\nprint(len(df))\n# Output:\n#> 150\n",
        messages=(),
        n_tokens=18,
        parts={"transcript": 10, "state": 5, "target": 3},
        receipts={"snapshot": ProbeReceipt(cost_ms=0.8)},
        dropped={"steps": 12, "variables": 40},
        redactions=1,
        usage=Usage(prompt_tokens=18, completion_tokens=9, cached_tokens=12),
        cost=None,
        created_at=MOMENT,
    ),
    "SettingsView": views.SettingsView(),
    "StateView": views.StateView(
        as_of_step=1,
        running=False,
        variables=(
            VariableSnapshot(
                name="df",
                type_name="pandas.core.frame.DataFrame",
                shape=(150, 5),
                size_bytes=6_000,
                summary="columns: species (object), mass (float64)",
                changed=True,
            ),
        ),
    ),
    "StatusView": views.StatusView(
        version="0.1.0", settings=views.SettingsView(), model=MODEL, store=STORE, trouble=None
    ),
    "StepsView": views.StepsView(
        steps=(
            views.StepView(
                index=0,
                cell_id="2bc63592",
                code="print(len(df))",
                outputs=(CellOutput(mime=MIME_TEXT, text="150"),),
                status="ok",
                execution_count=1,
                execution_time_s=0.061,
                memory_bytes=178_000_000,
                started_at=MOMENT,
                hash_index="9f86d081",
                look=None,
                receipt=ProbeReceipt(cost_ms=0.8, skipped={"sklearn.linear_model._base.LinearRegression": 1}),
            ),
        ),
        total=1,
    ),
    "StoreView": STORE,
}
"""An example of each view, by its file's name: the class, and after a point which of several examples it is."""


def text_of(example: BaseModel) -> str:
    """Return an example as its file holds it."""
    return example.model_dump_json(indent=2) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Write the examples, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is out of date")
    arguments = parser.parse_args(argv)
    FOLDER.mkdir(parents=True, exist_ok=True)
    outdated = []
    for name, example in FIXTURES.items():
        path = FOLDER / f"{name}.json"
        text = text_of(example)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        outdated.append(path.name)
        if not arguments.check:
            path.write_text(text, encoding="utf-8")
    if arguments.check and outdated:
        print(f"out of date: {', '.join(outdated)}: run scripts/wire_fixtures.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
