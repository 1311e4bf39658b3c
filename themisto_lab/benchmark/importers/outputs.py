"""Outputs as notebooks hold them (nbformat 4) become `CellOutput`s."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from themisto_lab.benchmark.importers.source import clean_text
from themisto_lab.types import MIME_ERROR, MIME_STDERR, MIME_STDOUT, MIME_TEXT, CellOutput, Status


def joined(text: Any) -> str:
    """Return text that a notebook holds as a string or as a list of lines."""
    if isinstance(text, list):
        text = "".join(part for part in text if isinstance(part, str))
    return clean_text(text) if isinstance(text, str) else ""


def notebook_outputs(raw: Iterable[Any]) -> tuple[CellOutput, ...]:
    """Turn a code cell's outputs into text; what isn't an output is passed over.

    Parameters
    ----------
    raw
        Dictionaries with ``output_type`` as nbformat defines them.
    """
    outputs = (_output(value) for value in raw if isinstance(value, dict))
    return tuple(output for output in outputs if output is not None)


def status_of(outputs: Iterable[CellOutput]) -> Status:
    """Return how a run ended, as far as its outputs tell."""
    errors = [output.text for output in outputs if output.mime == MIME_ERROR]
    if not errors:
        return "ok"
    return "interrupted" if errors[-1].startswith("KeyboardInterrupt") else "error"


def error_text(name: Any, value: Any) -> str:
    """Return the last line of a traceback from its two parts."""
    name_text, value_text = joined(name), joined(value)
    return f"{name_text}: {value_text}" if value_text else name_text


def _output(value: dict[str, Any]) -> CellOutput | None:
    kind = value.get("output_type")
    if kind == "stream":
        mime = MIME_STDERR if value.get("name") == "stderr" else MIME_STDOUT
        return CellOutput(mime=mime, text=joined(value.get("text")))
    if kind == "error":
        return CellOutput(mime=MIME_ERROR, text=error_text(value.get("ename"), value.get("evalue")))
    if kind in ("execute_result", "display_data"):
        return _data_output(value.get("data"))
    return None


def _data_output(data: Any) -> CellOutput | None:
    if not isinstance(data, dict) or not data:
        return None
    text = joined(data.get(MIME_TEXT))
    picture = next((mime for mime in data if str(mime).startswith("image/")), None)
    if picture is not None:
        return CellOutput(mime=str(picture), text=text)
    if MIME_TEXT in data:
        return CellOutput(mime=MIME_TEXT, text=text)
    mime, content = next(iter(data.items()))
    return CellOutput(mime=str(mime), text=joined(content) if str(mime).startswith("text/") else "")
