"""Column types that keep their promise on SQLite and on PostgreSQL alike."""

from __future__ import annotations

import json
import zlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, LargeBinary, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

_ZLIB_LEVEL = 6


class UtcDateTime(TypeDecorator[datetime]):
    """An aware moment, always in UTC. SQLite has no time zones: there the zone is left out and put back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn a moment into UTC; one without a zone is a defect of the caller."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("the store takes aware datetimes only")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Give an aware moment in UTC."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class AnyText(TypeDecorator[str]):
    """Text as it comes out of kernels and models, lone surrogates and NULs included.

    No database stores a lone surrogate, and PostgreSQL stores no NUL: each becomes U+FFFD.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace what the database can't hold."""
        if value is None:
            return None
        if not value.isascii():
            value = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return value.replace("\0", "\ufffd") if dialect.name == "postgresql" else value


class ZippedJson(TypeDecorator[Any]):
    """JSON, zlib-compressed: prompts and variables repeat themselves and shrink to a tenth."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        """Compress."""
        del dialect
        if value is None:
            return None
        return zlib.compress(json.dumps(value, separators=(",", ":")).encode("ascii"), _ZLIB_LEVEL)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        """Expand."""
        del dialect
        return None if value is None else json.loads(zlib.decompress(value))
