"""The record: trajectories, steps, predictions, targets and scores."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from themisto_lab.store.columns import AnyText, UtcDateTime, ZippedJson

revision = "0001"
down_revision: str | None = None

_ID = sa.String(64)


def upgrade() -> None:
    """Create the tables."""
    _create_trajectories()
    _create_predictions()
    _create_results()


def _create_trajectories() -> None:
    op.create_table(
        "trajectories",
        sa.Column("id", _ID, nullable=False),
        sa.Column("notebook", AnyText(), nullable=False),
        sa.Column("task_description", AnyText(), nullable=False),
        sa.Column("language", sa.String(64), nullable=False),
        sa.Column("kernel_id", AnyText(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("replayed", sa.Boolean(create_constraint=False), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_trajectories"),
    )
    op.create_index("ix_trajectories_notebook", "trajectories", ["notebook"])
    op.create_table(
        "steps",
        sa.Column("trajectory_id", _ID, nullable=False),
        sa.Column("step_index", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("kernel_id", AnyText(), nullable=False),
        sa.Column("cell_id", AnyText()),
        sa.Column("memory_bytes", sa.BigInteger()),
        sa.Column("peak_memory_bytes", sa.BigInteger()),
        sa.Column("execution_time_s", sa.Float(53), nullable=False),
        sa.Column("hash_index", sa.String(255), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("execution_count", sa.Integer()),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("trajectory_id", "step_index", name="pk_steps"),
        sa.ForeignKeyConstraint(
            ["trajectory_id"],
            ["trajectories.id"],
            name="fk_steps_trajectory_id_trajectories",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_steps_started_at", "steps", ["started_at"])
    op.create_table(
        "step_contents",
        sa.Column("trajectory_id", _ID, nullable=False),
        sa.Column("step_index", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("n_bytes", sa.BigInteger(), nullable=False),
        sa.Column("code", AnyText(), nullable=False),
        sa.Column("outputs", ZippedJson(), nullable=False),
        sa.Column("variables", ZippedJson(), nullable=False),
        sa.PrimaryKeyConstraint("trajectory_id", "step_index", name="pk_step_contents"),
        sa.ForeignKeyConstraint(
            ["trajectory_id", "step_index"],
            ["steps.trajectory_id", "steps.step_index"],
            name="fk_step_contents_trajectory_id_step_index_steps",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_step_contents_at", "step_contents", ["at"])


def _create_predictions() -> None:
    op.create_table(
        "predictions",
        sa.Column("id", _ID, nullable=False),
        sa.Column("trajectory_id", _ID, nullable=False),
        sa.Column("task", sa.String(32), nullable=False),
        sa.Column("target_index", sa.Integer(), nullable=False),
        sa.Column("cell_id", AnyText()),
        sa.Column("code_hash", sa.String(32), nullable=False),
        sa.Column("arm", sa.String(64)),
        sa.Column("predictor", sa.String(255), nullable=False),
        sa.Column("source", sa.String(32), nullable=False),
        sa.Column("shown", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("completed_at", UtcDateTime()),
        sa.Column("stored_at", UtcDateTime()),
        sa.Column("prompt_tokens", sa.Integer()),
        sa.Column("completion_tokens", sa.Integer()),
        sa.Column("cached_tokens", sa.Integer()),
        sa.Column("cost", sa.Float(53)),
        sa.Column("error_code", sa.String(64)),
        sa.PrimaryKeyConstraint("id", name="pk_predictions"),
        sa.ForeignKeyConstraint(
            ["trajectory_id"],
            ["trajectories.id"],
            name="fk_predictions_trajectory_id_trajectories",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_predictions_status", "predictions", ["status"])
    op.create_index("ix_predictions_created_at", "predictions", ["created_at"])
    op.create_table(
        "prediction_contents",
        sa.Column("prediction_id", _ID, nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("n_bytes", sa.BigInteger(), nullable=False),
        sa.Column("code", AnyText(), nullable=False),
        sa.Column("text", AnyText(), nullable=False),
        sa.Column("raw_text", AnyText(), nullable=False),
        sa.Column("reason", AnyText(), nullable=False),
        sa.Column("error_message", AnyText(), nullable=False),
        sa.Column("context", ZippedJson()),
        sa.PrimaryKeyConstraint("prediction_id", name="pk_prediction_contents"),
        _to_prediction("prediction_contents"),
    )
    op.create_index("ix_prediction_contents_at", "prediction_contents", ["at"])


def _create_results() -> None:
    op.create_table(
        "targets",
        sa.Column("prediction_id", _ID, nullable=False),
        sa.Column("step_index", sa.Integer(), nullable=False),
        sa.Column("text", AnyText()),
        sa.PrimaryKeyConstraint("prediction_id", name="pk_targets"),
        _to_prediction("targets"),
    )
    op.create_table(
        "scores",
        sa.Column("prediction_id", _ID, nullable=False),
        sa.Column("metric", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("value", sa.Float(53), nullable=False),
        sa.PrimaryKeyConstraint("prediction_id", "metric", "version", name="pk_scores"),
        _to_prediction("scores"),
    )


def _to_prediction(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["prediction_id"],
        ["predictions.id"],
        name=f"fk_{table}_prediction_id_predictions",
        ondelete="CASCADE",
    )
