"""What people did with predictions, and the indexes that reports need."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from themisto_lab.store.columns import UtcDateTime, ZippedJson

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table and the indexes."""
    op.create_table(
        "feedback",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("prediction_id", sa.String(64), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("detail", ZippedJson(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_feedback"),
        sa.ForeignKeyConstraint(
            ["prediction_id"],
            ["predictions.id"],
            name="fk_feedback_prediction_id_predictions",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_feedback_prediction_id", "feedback", ["prediction_id"])
    op.create_index("ix_predictions_trajectory_id_target_index", "predictions", ["trajectory_id", "target_index"])
    op.create_index("ix_scores_metric_version", "scores", ["metric", "version"])
