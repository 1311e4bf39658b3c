"""Outputs as notebooks hold them (nbformat 4) become `CellOutput`s, exactly as those of a live kernel do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from themisto_lab.benchmark.format import UNKNOWN_TIME
from themisto_lab.benchmark.importers.source import clean_text
from themisto_lab.capture.messages import Run
from themisto_lab.capture.redact import redact_code, redact_text
from themisto_lab.types import MIME_ERROR, CellOutput, Status

_KINDS = frozenset({"stream", "error", "execute_result", "display_data"})


def joined(text: Any) -> str:
    """Return text that a notebook holds as a string or as a list of lines."""
    if isinstance(text, list):
        text = "".join(part for part in text if isinstance(part, str))
    return clean_text(text) if isinstance(text, str) else ""


def notebook_outputs(raw: Iterable[Any]) -> tuple[CellOutput, ...]:
    """Turn a code cell's outputs into text, redacted and bounded; what isn't an output is passed over.

    Parameters
    ----------
    raw
        Dictionaries with ``output_type`` as nbformat defines them.
    """
    run = Run(message_id="", started_at=UNKNOWN_TIME)
    for output in raw:
        if isinstance(output, dict) and output.get("output_type") in _KINDS:
            # A notebook keeps what the kernel's message held, text as lines.
            run.add({"header": {"msg_type": output["output_type"]}, "content": _content(output)})
    step = run.finish(index=0, kernel_id="", redact_code=redact_code, redact_text=redact_text, ended_at=UNKNOWN_TIME)
    return step.outputs


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


def _content(output: dict[str, Any]) -> dict[str, Any]:
    data = output.get("data")
    return {
        "name": output.get("name"),
        "text": joined(output.get("text")),
        "ename": joined(output.get("ename")),
        "evalue": joined(output.get("evalue")),
        "data": {str(mime): joined(value) if isinstance(value, str | list) else value for mime, value in data.items()}
        if isinstance(data, dict)
        else {},
    }
