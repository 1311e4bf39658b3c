"""A notebook's own options, kept in its metadata under the key ``themisto``."""

from __future__ import annotations

from typing import Any

from pydantic import Field, ValidationError

from themisto_lab.types import Frozen

METADATA_KEY = "themisto"


class NotebookOptions(Frozen):
    """What a user chose for one notebook.

    Attributes
    ----------
    enabled
        Whether this notebook is captured and predicted.
    task_description
        What the notebook is for, in the user's words; part of the prompt.
    """

    enabled: bool = True
    task_description: str = Field(default="", max_length=2000)


def options_from_metadata(metadata: dict[str, Any]) -> NotebookOptions:
    """Read the options from a notebook's metadata; whatever is unusable counts as not set."""
    found = metadata.get(METADATA_KEY)
    if not isinstance(found, dict):
        return NotebookOptions()
    known = {key: found[key] for key in NotebookOptions.model_fields if key in found}
    try:
        return NotebookOptions(**known)
    except ValidationError:
        return NotebookOptions()
