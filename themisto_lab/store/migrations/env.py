"""Run by Alembic for each upgrade, in the transaction that `themisto_lab.store.migrate` opened."""

from __future__ import annotations

from alembic import context

from themisto_lab.store.tables import METADATA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    compare_type=True,
)
context.run_migrations()
