"""What a look at the kernel found before a run, and what the snapshot after it cost."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from themisto_lab.store.columns import ZippedJson

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns; steps of before have neither."""
    op.add_column("step_contents", sa.Column("look", ZippedJson(), nullable=True))
    op.add_column("step_contents", sa.Column("receipt", ZippedJson(), nullable=True))
