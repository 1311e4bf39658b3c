"""What the probe's closer look tells becomes a `Look` (pure)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from themisto_lab.capture.redact import redact_text
from themisto_lab.types import MIME_STDOUT, MIME_TEXT, CellOutput, Look, LookedValue, ProbeReceipt, Step

_MIMES = {"stdout": MIME_STDOUT, "result": MIME_TEXT}


def look_from(content: dict[str, Any]) -> Look:
    """Read a look from the probe's answer.

    Parameters
    ----------
    content
        What `themisto_lab.capture.probe.look.look_closely` returned.
    """
    values = tuple(
        LookedValue(expression=expression, type_name=type_name, shown=shown, printed=printed, exact=exact)
        for expression, type_name, shown, printed, exact in content["values"]
    )
    outputs = content["outputs"]
    return Look(
        values=values,
        output=None if outputs is None else _as_one_text(outputs),
        receipt=ProbeReceipt.model_validate(content["receipt"]),
    )


def redact_look(look: Look, known: Collection[str]) -> Look:
    """Blank secrets in a look, by the same rules as in outputs; what was blanked is not to the letter any more."""
    values = tuple(_redact_value(value, known) for value in look.values)
    output = look.output
    if output is not None and redact_text(output, known)[1]:
        output = None
    return look.model_copy(update={"values": values, "output": output})


def _redact_value(value: LookedValue, known: Collection[str]) -> LookedValue:
    shown, n_shown = redact_text(value.shown, known)
    printed, n_printed = redact_text(value.printed or "", known)
    if not n_shown + n_printed:
        return value
    kept = None if value.printed is None else printed
    return value.model_copy(update={"shown": shown, "printed": kept, "exact": False})


def _as_one_text(outputs: list[list[str]]) -> str:
    """Put outputs together as a step's are."""
    cells = tuple(CellOutput(mime=_MIMES[kind], text=text) for kind, text in outputs)
    return Step(index=0, kernel_id="", code="", outputs=cells).output_text
