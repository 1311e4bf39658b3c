"""The tables. What a person wrote, ran or saw stands apart from what is counted.

``step_contents``, ``prediction_contents`` and ``targets`` hold texts. The size cap takes rows from these, so that the
scores and the counts beside them stay. A change here needs a migration in ``migrations/versions``; a test
compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
)

from themisto_lab.store.columns import AnyText, UtcDateTime, ZippedJson

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

VERSION_TABLE = "themisto_revision"
"""Where Alembic keeps the schema's revision. Its own name, so that a shared PostgreSQL database has room for others."""

ID = String(64)

TRAJECTORIES = Table(
    "trajectories",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("notebook", AnyText, nullable=False),
    Column("task_description", AnyText, nullable=False),
    Column("language", String(64), nullable=False),
    Column("kernel_id", AnyText, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("replayed", Boolean(create_constraint=False), nullable=False),
    Index(None, "notebook"),
)

STEPS = Table(
    "steps",
    METADATA,
    Column("trajectory_id", ID, ForeignKey(TRAJECTORIES.c.id, ondelete="CASCADE"), primary_key=True),
    Column("step_index", Integer, primary_key=True, autoincrement=False),
    Column("kernel_id", AnyText, nullable=False),
    Column("cell_id", AnyText),
    Column("memory_bytes", BigInteger),
    Column("peak_memory_bytes", BigInteger),
    Column("execution_time_s", Float(53), nullable=False),
    Column("hash_index", String(255), nullable=False),
    Column("status", String(16), nullable=False),
    Column("execution_count", Integer),
    Column("started_at", UtcDateTime, nullable=False),
    Index(None, "started_at"),
)

STEP_CONTENTS = Table(
    "step_contents",
    METADATA,
    Column("trajectory_id", ID, primary_key=True),
    Column("step_index", Integer, primary_key=True, autoincrement=False),
    Column("at", UtcDateTime, nullable=False),
    Column("n_bytes", BigInteger, nullable=False),
    Column("code", AnyText, nullable=False),
    Column("outputs", ZippedJson, nullable=False),
    Column("variables", ZippedJson, nullable=False),
    Column("look", ZippedJson),
    Column("receipt", ZippedJson),
    ForeignKeyConstraint(
        ["trajectory_id", "step_index"], [STEPS.c.trajectory_id, STEPS.c.step_index], ondelete="CASCADE"
    ),
    Index(None, "at"),
)

PREDICTIONS = Table(
    "predictions",
    METADATA,
    Column("id", ID, primary_key=True),
    Column("trajectory_id", ID, ForeignKey(TRAJECTORIES.c.id, ondelete="CASCADE"), nullable=False),
    Column("task", String(32), nullable=False),
    Column("target_index", Integer, nullable=False),
    Column("cell_id", AnyText),
    # Pairs of arms need "the same code" also after the cap took the code itself.
    Column("code_hash", String(32), nullable=False),
    Column("arm", String(64)),
    Column("predictor", String(255), nullable=False),
    Column("source", String(32), nullable=False),
    Column("probability", Float(53)),
    Column("shown", Boolean(create_constraint=False), nullable=False),
    Column("status", String(16), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("completed_at", UtcDateTime),
    Column("stored_at", UtcDateTime),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("cost", Float(53)),
    Column("error_code", String(64)),
    Index(None, "trajectory_id", "target_index"),
    Index(None, "status"),
    Index(None, "created_at"),
)

PREDICTION_CONTENTS = Table(
    "prediction_contents",
    METADATA,
    Column("prediction_id", ID, ForeignKey(PREDICTIONS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("at", UtcDateTime, nullable=False),
    Column("n_bytes", BigInteger, nullable=False),
    Column("code", AnyText, nullable=False),
    Column("text", AnyText, nullable=False),
    Column("raw_text", AnyText, nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("error_message", AnyText, nullable=False),
    Column("context", ZippedJson),
    Index(None, "at"),
)

TARGETS = Table(
    "targets",
    METADATA,
    Column("prediction_id", ID, ForeignKey(PREDICTIONS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("step_index", Integer, nullable=False),
    # None once the size cap took it.
    Column("text", AnyText),
)

SCORES = Table(
    "scores",
    METADATA,
    Column("prediction_id", ID, ForeignKey(PREDICTIONS.c.id, ondelete="CASCADE"), primary_key=True),
    Column("metric", String(32), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("value", Float(53), nullable=False),
    Index(None, "metric", "version"),
)

FEEDBACK = Table(
    "feedback",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("prediction_id", ID, ForeignKey(PREDICTIONS.c.id, ondelete="CASCADE"), nullable=False),
    Column("action", String(32), nullable=False),
    Column("detail", ZippedJson, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Index(None, "prediction_id"),
)

ALL_TABLES = (
    TRAJECTORIES,
    STEPS,
    STEP_CONTENTS,
    PREDICTIONS,
    PREDICTION_CONTENTS,
    TARGETS,
    SCORES,
    FEEDBACK,
)
