"""A run's results on disk: items, replies and scored answers. Every method blocks: call it in a thread."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import Field
from sqlalchemy import Connection, Table, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from themisto_lab.benchmark.results_tables import ANSWERS, ITEMS, REPLIES, make_tables, reply_columns
from themisto_lab.errors import BadInputError, StoreError
from themisto_lab.store.engine import make_reader, make_writer
from themisto_lab.store.faults import told_plainly
from themisto_lab.store.location import locate
from themisto_lab.types import Frozen, JsonObject

_log = logging.getLogger(__name__)

_GROUP = 200


class ItemRow(Frozen):
    """One item of a run; ``place`` is its position in the sample, ``novelty`` is empty for an output."""

    item_id: str
    place: int
    task: str
    trajectory_id: str
    target_index: int
    code: str
    target: str
    novelty: str


class Reply(Frozen):
    """What a predictor answered; ``key`` is the hash of all that determines it."""

    key: str
    raw_text: str
    source: str = "model"
    reason: str = ""
    probability: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost: float | None = None
    latency_s: float
    answered_at: datetime
    context: JsonObject | None = None


class AnswerRow(Frozen):
    """A scored answer, or a failure; ``arm`` is empty for a predictor that reads no prompt.

    ``scores`` holds the metrics' values under ``post`` (after post-processing) and ``raw``; empty for a failure.
    """

    item_id: str
    model: str
    arm: str
    prompt: str
    setup: str
    key: str | None = None
    text: str = ""
    scores: dict[str, dict[str, float]] = Field(default_factory=dict)
    n_attempts: int = 0
    error_code: str | None = None
    error_message: str = ""


AnswerKey = tuple[str, str, str, str]
"""Item, model, arm and form of prompt."""


class Results:
    """The results of one run.

    Parameters
    ----------
    place
        A file's path or a database's URL.
    run_id
        The run, among those that a database may hold.
    write
        Whether to make what is missing; else the results are read only.

    Raises
    ------
    StoreError
        They can't be opened.
    """

    def __init__(self, place: Path | str, run_id: str, write: bool = True) -> None:
        location = locate(place)
        self._run_id = run_id
        self._label = location.label
        with told_plainly(self._label):
            self._writer = make_writer(location, _log) if write else None
            if self._writer is not None:
                make_tables(self._writer)
            self._reader = make_reader(location)
            self._reply_columns = reply_columns(self._reader)
        self._put_reply = self._insert(REPLIES).on_conflict_do_nothing()
        self._put_answer = _in_place(self._insert(ANSWERS))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._reader.dispose()
        if self._writer is not None:
            self._writer.dispose()

    def put_items(self, items: Iterable[ItemRow]) -> None:
        """Write the run's items, all of them or none.

        Raises
        ------
        BadInputError
            Two have the same id.
        """
        with self._transaction() as connection:
            connection.execute(ITEMS.delete().where(ITEMS.c.run_id == self._run_id))
            rest = iter(items)
            while group := [self._own(item) for item in islice(rest, _GROUP)]:
                try:
                    connection.execute(insert(ITEMS), group)
                except IntegrityError:
                    raise BadInputError("The sample holds an item twice.") from None

    def put_replies(self, replies: Sequence[Reply]) -> None:
        """Write replies; one that is there already is left alone."""
        with self._transaction() as connection:
            connection.execute(self._put_reply, [vars(reply) for reply in replies])

    def put_answers(self, answers: Sequence[AnswerRow]) -> None:
        """Write answers in the place of earlier ones."""
        with self._transaction() as connection:
            connection.execute(self._put_answer, [self._own(one) for one in answers])

    def count_items(self) -> dict[str, int]:
        """Return how many items there are of each task."""
        query = select(ITEMS.c.task, func.count()).where(ITEMS.c.run_id == self._run_id).group_by(ITEMS.c.task)
        return {str(task): int(number) for task, number in self._read(query)}

    def items_among(self, item_ids: Sequence[str]) -> set[str]:
        """Return those of some items that belong to the run."""
        query = select(ITEMS.c.item_id).where(ITEMS.c.run_id == self._run_id, ITEMS.c.item_id.in_(item_ids))
        return {str(item_id) for (item_id,) in self._read(query)}

    def answered(self, item_ids: Sequence[str]) -> dict[AnswerKey, str]:
        """Return which of some items' answers are there, without failures, each with its ``setup``."""
        columns = (ANSWERS.c.item_id, ANSWERS.c.model, ANSWERS.c.arm, ANSWERS.c.prompt, ANSWERS.c.setup)
        query = select(*columns).where(
            ANSWERS.c.run_id == self._run_id, ANSWERS.c.item_id.in_(item_ids), ANSWERS.c.error_code.is_(None)
        )
        return {(item_id, model, arm, prompt): setup for item_id, model, arm, prompt, setup in self._read(query)}

    def replies(self, keys: Sequence[str]) -> dict[str, Reply]:
        """Return the replies that there are to some keys."""
        query = select(*self._reply_columns).where(REPLIES.c.key.in_(keys))
        return {row.key: Reply(**row._mapping) for row in self._read(query)}

    def item(self, item_id: str) -> ItemRow | None:
        """Return one item."""
        rows = list(self._items(ITEMS.c.item_id == item_id))
        return rows[0] if rows else None

    def items(self) -> Iterator[ItemRow]:
        """Yield the items in the order of the sample."""
        return self._items()

    def answers(self, item_id: str | None = None) -> Iterator[tuple[AnswerRow, Reply | None]]:
        """Yield the answers of one item, or of all, in the order of model, arm and prompt, with their replies."""
        own = [column for column in ANSWERS.c if column.name != "run_id"]
        replied = [
            column.label(f"reply_{column.name}")
            for column in self._reply_columns
            if column.name != "context" or item_id
        ]
        query = (
            select(*own, *replied)
            .join_from(ANSWERS, REPLIES, ANSWERS.c.key == REPLIES.c.key, isouter=True)
            .where(ANSWERS.c.run_id == self._run_id, *([ANSWERS.c.item_id == item_id] if item_id else []))
            .order_by(ANSWERS.c.model, ANSWERS.c.arm, ANSWERS.c.prompt, ANSWERS.c.item_id)
        )
        for row in self._read(query):
            values = dict(row._mapping)
            reply = {
                name.removeprefix("reply_"): values.pop(name) for name in list(values) if name.startswith("reply_")
            }
            yield AnswerRow(**values), None if reply["key"] is None else Reply(**reply)

    def totals(self) -> list[JsonObject]:
        """Return for each model, arm and prompt the number of answers and failures, tokens, cost and seconds."""
        failed = func.count(ANSWERS.c.error_code)
        query = (
            select(
                ANSWERS.c.model,
                ANSWERS.c.arm,
                ANSWERS.c.prompt,
                (func.count() - failed).label("n_answered"),
                failed.label("n_failed"),
                func.sum(REPLIES.c.prompt_tokens).label("prompt_tokens"),
                func.sum(REPLIES.c.completion_tokens).label("completion_tokens"),
                func.sum(REPLIES.c.cost).label("cost"),
                func.avg(REPLIES.c.latency_s).label("mean_latency_s"),
            )
            .join_from(ANSWERS, REPLIES, ANSWERS.c.key == REPLIES.c.key, isouter=True)
            .where(ANSWERS.c.run_id == self._run_id)
            .group_by(ANSWERS.c.model, ANSWERS.c.arm, ANSWERS.c.prompt)
            .order_by(ANSWERS.c.model, ANSWERS.c.arm, ANSWERS.c.prompt)
        )
        return [dict(row._mapping) for row in self._read(query)]

    def _items(self, *conditions: Any) -> Iterator[ItemRow]:
        columns = [column for column in ITEMS.c if column.name != "run_id"]
        query = select(*columns).where(ITEMS.c.run_id == self._run_id, *conditions).order_by(ITEMS.c.place)
        for row in self._read(query):
            yield ItemRow(**row._mapping)

    def _own(self, row: Frozen) -> dict[str, Any]:
        return {**vars(row), "run_id": self._run_id}

    def _insert(self, table: Table) -> Any:
        if self._reader.dialect.name == "postgresql":
            return postgresql.insert(table)
        return sqlite.insert(table)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        if self._writer is None:
            raise StoreError(f"The results {self._label} were opened to be read only.")
        with told_plainly(self._label), self._writer.begin() as connection:
            yield connection

    def _read(self, query: Any) -> Iterator[Any]:
        with told_plainly(self._label), self._reader.connect() as connection:
            yield from connection.execution_options(yield_per=_GROUP).execute(query)


def _in_place(statement: Any) -> Any:
    """Let an insert of answers take the place of earlier ones."""
    keys = [column.name for column in ANSWERS.primary_key]
    new = {column.name: statement.excluded[column.name] for column in ANSWERS.c if not column.primary_key}
    return statement.on_conflict_do_update(index_elements=keys, set_=new)
