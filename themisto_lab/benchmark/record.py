"""What all records of a trajectory file have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

NonNegativeNumber = Annotated[float, Field(ge=0, allow_inf_nan=False)]
NonNegative = Annotated[int, Field(ge=0)]


class Record(BaseModel):
    """The base of what a trajectory file holds. Fields that are not known are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")
