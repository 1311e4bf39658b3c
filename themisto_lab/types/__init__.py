"""The domain types: frozen models that every stage reads and none changes.

This package imports nothing of ours, so that every other module may import it. The TypeScript types of the front end
are generated from these models' JSON Schema (``scripts/generate_types.py``).
"""

from themisto_lab.types.base import (
    Frozen,
    JsonObject,
    utc_now,
)
from themisto_lab.types.prediction import (
    Arm,
    Context,
    Message,
    Metric,
    Prediction,
    PredictionError,
    PredictionStatus,
    Score,
    Target,
    TaskKind,
    Usage,
)
from themisto_lab.types.state import (
    Look,
    LookedValue,
    ProbeReceipt,
    VariableSnapshot,
)
from themisto_lab.types.trajectory import (
    MIME_ERROR,
    MIME_STDERR,
    MIME_STDOUT,
    MIME_TEXT,
    CellOutput,
    Status,
    Step,
    Trajectory,
)

__all__ = [
    "MIME_ERROR",
    "MIME_STDERR",
    "MIME_STDOUT",
    "MIME_TEXT",
    "Arm",
    "CellOutput",
    "Context",
    "Frozen",
    "JsonObject",
    "Look",
    "LookedValue",
    "Message",
    "Metric",
    "Prediction",
    "PredictionError",
    "PredictionStatus",
    "ProbeReceipt",
    "Score",
    "Status",
    "Step",
    "Target",
    "TaskKind",
    "Trajectory",
    "Usage",
    "VariableSnapshot",
    "utc_now",
]
