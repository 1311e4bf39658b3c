"""What all domain types have in common."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

JsonObject = dict[str, Any]


def utc_now() -> datetime:
    """Return the present moment as an aware datetime in UTC."""
    return datetime.now(UTC)


class Frozen(BaseModel):
    """The base of all domain types: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
