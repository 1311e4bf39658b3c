"""What the REST routes take and give. The front end's types are generated from these models."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from themisto_lab.capture.listener import Capability
from themisto_lab.live import options
from themisto_lab.live.settings import Settings
from themisto_lab.types import (
    CellOutput,
    Frozen,
    JsonObject,
    Look,
    Message,
    Metric,
    PredictionStatus,
    ProbeReceipt,
    Status,
    TaskKind,
    Usage,
    VariableSnapshot,
)


class ErrorView(Frozen):
    """What every route answers in place of a result: a stable code and one sentence with the remedy."""

    code: str
    message: str


class ScoreView(Frozen):
    """One metric's value for one prediction."""

    metric: Metric
    value: float


class PredictionView(Frozen):
    """A prediction as the sidebar shows it.

    ``arm`` and ``predictor`` are None while a study is blind. ``truth`` and ``scores`` are set once the run
    that it was about is over.
    """

    id: str
    task: TaskKind
    kernel_id: str
    trajectory_id: str
    target_index: int
    cell_id: str | None
    text: str
    source: str
    reason: str
    status: PredictionStatus
    shown: bool
    latency_s: float | None
    error: ErrorView | None
    truth: str | None
    scores: tuple[ScoreView, ...]
    arm: str | None
    predictor: str | None


class DeltaLine(Frozen):
    """One NDJSON line of a prediction's stream.

    ``state`` lines carry the whole view (the first and the last line of a stream); ``text`` lines carry only
    the text so far (cumulative, post-processed).
    """

    type: Literal["state", "text"]
    id: str
    text: str
    prediction: PredictionView | None = None


class SentView(Frozen):
    """Exactly what a model was sent for one prediction, and what was left out of it.

    ``parts`` is the prompt's length by part, in tokens: ``transcript``, ``recalled``, ``state``, ``look``, ``target``.
    ``receipts`` says what the looks at the kernel cost (``snapshot``, ``look``), and which types they left alone.
    """

    prediction_id: str
    predictor: str | None
    arm: str | None
    prompt: str | None
    messages: tuple[Message, ...]
    n_tokens: int
    parts: dict[str, int]
    receipts: dict[str, ProbeReceipt]
    dropped: dict[str, int]
    redactions: int
    usage: Usage | None
    cost: float | None
    created_at: datetime


class AskRequest(Frozen):
    """``POST predictions``: ask for a prediction now. Answered as an NDJSON stream of `DeltaLine`.

    ``trigger`` is ``pause`` when the user stopped typing in a cell, ``ask`` when they asked for it.
    """

    task: TaskKind
    kernel_id: str
    cell_id: str | None = None
    code: str = ""
    below: str | None = None
    trigger: Literal["pause", "ask"] = "ask"


FeedbackAction = Literal["shown", "inserted", "replaced", "copied", "accepted", "accepted_part", "edited", "dismissed"]


class FeedbackRequest(Frozen):
    """``POST predictions/<id>/feedback``: what the user did with a prediction.

    ``detail`` says more where there is more: the number of characters accepted, the surface (``sidebar``,
    ``ghost``).
    """

    action: FeedbackAction
    detail: JsonObject = Field(default_factory=dict)


class KernelView(Frozen):
    """``GET kernels/<kernel_id>``: all that the sidebar shows about one notebook's kernel.

    ``note`` is one sentence where something can't be had (``"This kernel (R) shows no variables; ..."``).
    ``next_cell`` is the latest shown next-cell prediction, ``last_next_cell`` the one before it with its
    truth, ``output`` the latest shown forecast that has not been run, ``last_output`` the latest shown forecast
    that was run, with its truth.
    """

    kernel_id: str
    trajectory_id: str
    notebook: str
    language: str
    capability: Capability
    note: str
    enabled: bool
    running: bool
    n_steps: int
    task_description: str
    next_cell: PredictionView | None
    last_next_cell: PredictionView | None
    output: PredictionView | None
    last_output: PredictionView | None


class NotebookOptions(options.NotebookOptions):
    """``PUT kernels/<kernel_id>/notebook``: options that the notebook's metadata hold (key ``themisto``)."""


class StepView(Frozen):
    """One step of ``GET kernels/<kernel_id>/steps?after=N`` (steps with an index of N or more, 200 at most)."""

    index: int
    cell_id: str | None
    code: str
    outputs: tuple[CellOutput, ...]
    status: Status
    execution_count: int | None
    execution_time_s: float
    memory_bytes: int | None
    started_at: datetime
    hash_index: str
    look: Look | None
    receipt: ProbeReceipt | None


class StepsView(Frozen):
    """A page of steps, oldest first, and how many there are in all."""

    steps: tuple[StepView, ...]
    total: int


class StateView(Frozen):
    """``GET kernels/<kernel_id>/state``: the variables after the last run.

    ``as_of_step`` is None before the first run; ``running`` says that a cell is running, so that this may be old.
    """

    as_of_step: int | None
    running: bool
    variables: tuple[VariableSnapshot, ...]


class ScoreRow(Frozen):
    """Mean scores of one predictor in one arm on one task.

    ``n`` is the number of scored predictions; ``n_missed``, ``n_stale`` and ``n_failed`` are counted beside it.
    """

    task: TaskKind
    predictor: str
    arm: str | None
    shown: bool
    n: int
    n_missed: int
    n_stale: int
    n_failed: int
    exact_match: float | None
    rouge_l: float | None
    rouge_l_code: float | None
    chrf: float | None


class ArmDifference(Frozen):
    """The mean paired difference of two arms of one predictor on the same steps, with its 95 % interval.

    ``low`` and ``high`` are None with fewer than five pairs. ``sentence`` says it in words.
    """

    task: TaskKind
    predictor: str
    arm: str
    other_arm: str
    metric: Metric
    n: int
    mean: float | None
    low: float | None
    high: float | None
    sentence: str


class ScoresView(Frozen):
    """``GET scores?kernel_id=...`` (one kernel life) or ``?notebook=...`` or neither (all)."""

    n_steps: int
    rows: tuple[ScoreRow, ...]
    differences: tuple[ArmDifference, ...]


ModelState = Literal["ready", "missing", "damaged", "pulling", "loading", "unavailable", "remote"]


class ModelView(Frozen):
    """One model of ``GET models``.

    ``ready``: the file is here. ``missing``: it can be pulled. ``loading``: the engine is starting.
    ``unavailable``: no engine for this machine (``note`` says why). ``remote``: asked over the network.
    """

    name: str
    kind: Literal["local", "remote", "baseline"]
    state: ModelState
    size_bytes: int | None
    path: str | None
    licence: str | None
    note: str


class ModelsView(Frozen):
    """All models by name, and the one in use."""

    current: str
    models: tuple[ModelView, ...]


class PullRequest(Frozen):
    """``POST pulls``: start to fetch a model (or join a fetch under way). Answers a `PullView`."""

    name: str


class PullView(Frozen):
    """``GET pulls/<name>`` and each NDJSON line of ``GET pulls/<name>/stream``. ``DELETE`` cancels.

    ``bytes_per_s`` and ``left_s`` are None until they are known.
    """

    name: str
    state: Literal["running", "done", "failed", "cancelled"]
    done_bytes: int
    total_bytes: int
    bytes_per_s: float | None
    left_s: float | None
    source: str
    error: ErrorView | None


class StoreView(Frozen):
    """``GET store``: where the record is and how large."""

    path: str
    size_bytes: int
    cap_bytes: int
    recording: bool
    n_trajectories: int
    n_steps: int
    n_predictions: int


class ForgetRequest(Frozen):
    """``POST store/forget``: erase what matches. With several, all must match. ``everything`` stands alone.

    ``dry_run`` counts without erasing.
    """

    before: datetime | None = None
    notebook: str | None = None
    everything: bool = False
    dry_run: bool = False


class ForgetView(Frozen):
    """How much was erased (or would be, for a dry run)."""

    n_trajectories: int
    n_steps: int
    n_predictions: int


class SettingsView(Settings):
    """``GET settings`` and ``PUT settings``: what is in force.

    What a ``PUT`` leaves out is as the server was configured; the front end sends what its user chose.
    """


class StatusView(Frozen):
    """``GET status``: the server's version, the state of what is behind it, one trouble at most."""

    version: str
    settings: SettingsView
    model: ModelView
    store: StoreView
    trouble: ErrorView | None
