"""The tables of a run's results. A reply is kept once under the hash of all that determines it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Column, Engine, Float, Integer, MetaData, String, Table, inspect
from sqlalchemy.schema import CreateColumn

from themisto_lab.store.columns import AnyText, UtcDateTime, ZippedJson

METADATA = MetaData()

# A database server may hold many runs; replies are shared by all of them.
RUN = String(64)

ITEMS = Table(
    "bench_items",
    METADATA,
    Column("run_id", RUN, primary_key=True),
    Column("item_id", AnyText, primary_key=True),
    Column("place", Integer, nullable=False),
    Column("task", String(32), nullable=False),
    Column("trajectory_id", AnyText, nullable=False),
    Column("target_index", Integer, nullable=False),
    Column("code", AnyText, nullable=False),
    Column("target", AnyText, nullable=False),
    # How new a next cell is; empty for an output.
    Column("novelty", String(16), nullable=False),
)

REPLIES = Table(
    "bench_replies",
    METADATA,
    Column("key", String(64), primary_key=True),
    Column("raw_text", AnyText, nullable=False),
    Column("source", String(32), nullable=False),
    Column("reason", AnyText, nullable=False),
    Column("probability", Float(53)),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("cached_tokens", Integer),
    Column("cost", Float(53)),
    Column("latency_s", Float(53), nullable=False),
    Column("answered_at", UtcDateTime, nullable=False),
    Column("context", ZippedJson),
)

ANSWERS = Table(
    "bench_answers",
    METADATA,
    Column("run_id", RUN, primary_key=True),
    Column("item_id", AnyText, primary_key=True),
    Column("model", String(255), primary_key=True),
    # Empty for a predictor that reads no prompt.
    Column("arm", String(64), primary_key=True),
    Column("prompt", String(16), primary_key=True),
    # A hash of the settings under which it was answered; another one means: ask again.
    Column("setup", String(64), nullable=False),
    Column("key", String(64)),
    Column("text", AnyText, nullable=False),
    Column("scores", JSON, nullable=False),
    Column("n_attempts", Integer, nullable=False),
    Column("error_code", String(64)),
    Column("error_message", AnyText, nullable=False),
)


def make_tables(engine: Engine) -> None:
    """Make the tables that are missing, and in older ones the columns that are: all of them may be empty."""
    METADATA.create_all(engine)
    with engine.begin() as connection:
        there = {column["name"] for column in inspect(connection).get_columns(REPLIES.name)}
        for column in REPLIES.c:
            if column.name not in there:
                made = CreateColumn(column).compile(connection)
                connection.exec_driver_sql(f"ALTER TABLE {REPLIES.name} ADD COLUMN {made}")


def reply_columns(engine: Engine) -> list[Column[Any]]:
    """Return the columns of replies that there are: results that are only read may be older than the code."""
    there = {column["name"] for column in inspect(engine).get_columns(REPLIES.name)}
    return [column for column in REPLIES.c if column.name in there]
