"""A predictor's own estimate that its prediction is right."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column; predictions made before have no estimate."""
    op.add_column("predictions", sa.Column("probability", sa.Float(53)))
