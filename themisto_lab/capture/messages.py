"""The kernel's messages about one run become a Step. No I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from themisto_lab.capture.redact import Redactor
from themisto_lab.capture.streams import BoundedText, StreamText, strip_ansi
from themisto_lab.types import (
    MIME_ERROR,
    MIME_STDERR,
    MIME_STDOUT,
    MIME_TEXT,
    CellOutput,
    ProbeReceipt,
    Status,
    Step,
    VariableSnapshot,
    utc_now,
)

MAX_OUTPUT_CHARS = 64_000
"""The most text of outputs that one step holds; its head and its tail are kept."""

MAX_OUTPUTS = 64
"""The most outputs of one step; the first 40 and the last 24 are kept."""

_FIRST_OUTPUTS = 40
_MAX_CODE_CHARS = 200_000
_STREAM_MIMES = {"stdout": MIME_STDOUT, "stderr": MIME_STDERR}
# ``<IPython.core.display.HTML object>`` says nothing; ``<Figure size 640x480 with 1 Axes>`` stands for a picture.
_NO_TEXT = re.compile(r"<[\w.]+ object(?: at 0x[0-9a-fA-F]+)?>$")
_TEXTUAL = ("text/markdown", "text/latex")


@dataclass(slots=True)
class Output:
    """An output that is still growing.

    Attributes
    ----------
    mime
        Its type, as in `themisto_lab.types.CellOutput`.
    text
        What it holds so far.
    display_id
        The id by which a later message may replace it.
    truncated
        Whether outputs after it were left out.
    """

    mime: str
    text: StreamText | BoundedText
    display_id: str | None = None
    truncated: bool = False


@dataclass(slots=True)
class Run:
    """One run, from its first message to ``idle``.

    Attributes
    ----------
    message_id
        The id of the execute request.
    code
        What is run, as typed; not redacted.
    execution_count
        The kernel's prompt number.
    started_at
        When the kernel began, by its own clock.
    cell_id
        The cell's id, where the kernel tells.
    status
        How the run ended, as far as it is known.
    outputs
        What it printed, displayed, returned and raised.
    """

    message_id: str
    started_at: datetime
    code: str = ""
    execution_count: int | None = None
    cell_id: str | None = None
    status: Status = "ok"
    outputs: list[Output] = field(default_factory=list)
    _clear_pending: bool = False

    def add(self, message: Mapping[str, Any]) -> None:
        """Add one IOPub message of this run; a type that shows nothing is ignored.

        Parameters
        ----------
        message
            A message as jupyter_client gives it.
        """
        kind = message["header"]["msg_type"]
        content = message["content"]
        if kind == "execute_input":
            self.code = str(content["code"])
            self.execution_count = content.get("execution_count")
        elif kind == "stream":
            self._stream(str(content.get("name")), str(content.get("text", "")))
        elif kind in ("execute_result", "display_data"):
            self._display(content)
        elif kind == "update_display_data":
            self._update(content)
        elif kind == "clear_output":
            self._clear_pending = bool(content.get("wait"))
            if not self._clear_pending:
                self.outputs.clear()
        elif kind == "error":
            self._error(content)

    def finish(  # noqa: PLR0913 - a step's fields come from as many places
        self,
        *,
        index: int,
        kernel_id: str,
        redact_code: Redactor,
        redact_text: Redactor,
        ended_at: datetime,
        variables: tuple[VariableSnapshot, ...] = (),
        memory_bytes: int | None = None,
        peak_memory_bytes: int | None = None,
        hash_index: str = "",
        receipt: ProbeReceipt | None = None,
    ) -> Step:
        """Make the step, with its text redacted and then bounded.

        Parameters
        ----------
        index, kernel_id
            The step's place.
        redact_code, redact_text
            What blanks secrets in code and in outputs.
        ended_at
            When the run ended, by the kernel's clock.
        variables, memory_bytes, peak_memory_bytes, hash_index, receipt
            The state after the run, where the kernel tells.

        Returns
        -------
        Step
            The run as it is kept.
        """
        finished = []
        for output in self.outputs:
            text, cut, _ = output.text.finish(redact_text)
            finished.append(CellOutput(mime=output.mime, text=text, truncated=cut or output.truncated))
        code, _ = redact_code(self.code)
        return Step(
            index=index,
            kernel_id=kernel_id,
            cell_id=self.cell_id,
            code=code[:_MAX_CODE_CHARS],
            outputs=bound_outputs(finished),
            variables=variables,
            memory_bytes=memory_bytes,
            peak_memory_bytes=peak_memory_bytes,
            execution_time_s=max(0.0, (ended_at - self.started_at).total_seconds()),
            hash_index=hash_index,
            status=self.status,
            execution_count=self.execution_count,
            started_at=self.started_at,
            receipt=receipt,
        )

    def _append(self, output: Output) -> None:
        if self._clear_pending:
            self.outputs.clear()
            self._clear_pending = False
        self.outputs.append(output)
        if len(self.outputs) > MAX_OUTPUTS:
            del self.outputs[_FIRST_OUTPUTS]
            self.outputs[_FIRST_OUTPUTS - 1].truncated = True

    def _stream(self, name: str, text: str) -> None:
        mime = _STREAM_MIMES.get(name)
        if mime is None or not text:
            return
        last = self.outputs[-1] if self.outputs and not self._clear_pending else None
        if last is None or last.mime != mime or not isinstance(last.text, StreamText):
            last = Output(mime, StreamText())
            self._append(last)
        if isinstance(last.text, StreamText):
            last.text.add(text)

    def _display(self, content: Mapping[str, Any]) -> None:
        mime, text = text_of_bundle(content.get("data") or {})
        display_id = (content.get("transient") or {}).get("display_id")
        self._append(Output(mime, _bounded(text), display_id))

    def _update(self, content: Mapping[str, Any]) -> None:
        display_id = (content.get("transient") or {}).get("display_id")
        mime, text = text_of_bundle(content.get("data") or {})
        for output in self.outputs:
            if display_id is not None and output.display_id == display_id:
                output.mime, output.text = mime, _bounded(text)

    def _error(self, content: Mapping[str, Any]) -> None:
        name = strip_ansi(str(content.get("ename", "")))
        value = strip_ansi(str(content.get("evalue", "")))
        # ipykernel cancels a cell that awaits when it is interrupted.
        self.status = "interrupted" if name in ("KeyboardInterrupt", "CancelledError") else "error"
        self._append(Output(MIME_ERROR, _bounded(f"{name}: {value}" if value else name)))


def text_of_bundle(data: Mapping[str, Any]) -> tuple[str, str]:
    """Choose what is kept of a value that was returned or displayed.

    Parameters
    ----------
    data
        The mime bundle of a display message.

    Returns
    -------
    tuple
        The type and the text. A picture's bytes are never kept: its plain text stands for it.
    """
    plain = strip_ansi(_joined(data.get(MIME_TEXT, "")))
    for mime in data:
        if mime.startswith(("image/", "video/", "audio/")):
            return str(mime), plain
    if MIME_TEXT in data and not _NO_TEXT.match(plain) and not any("widget-view" in mime for mime in data):
        return MIME_TEXT, plain
    for mime in _TEXTUAL:
        if mime in data:
            return mime, _joined(data[mime])
    richer = [str(mime) for mime in data if mime != MIME_TEXT]
    return (richer[0], plain) if richer else (MIME_TEXT, plain)


def bound_outputs(outputs: Sequence[CellOutput], limit: int = MAX_OUTPUT_CHARS) -> tuple[CellOutput, ...]:
    """Keep the head and the tail of outputs that are too long together.

    Parameters
    ----------
    outputs
        All outputs of a step, redacted.
    limit
        The most characters that they may hold together.

    Returns
    -------
    tuple of CellOutput
        What is kept; where text was cut away, the output says ``truncated``.
    """
    if sum(len(output.text) for output in outputs) <= limit:
        return tuple(outputs)
    head, head_left = [], limit * 2 // 3
    first = 0
    while len(outputs[first].text) <= head_left:
        head.append(outputs[first])
        head_left -= len(outputs[first].text)
        first += 1
    tail: list[CellOutput] = []
    tail_left = limit // 3
    last = len(outputs) - 1
    while last > first and len(outputs[last].text) <= tail_left:
        tail.insert(0, outputs[last])
        tail_left -= len(outputs[last].text)
        last -= 1
    middle = outputs[first]
    end = outputs[last].text[-tail_left:] if tail_left else ""
    if first == last:
        cut = [middle.model_copy(update={"text": middle.text[:head_left] + "\n...\n" + end, "truncated": True})]
    else:
        cut = [
            middle.model_copy(update={"text": middle.text[:head_left], "truncated": True}),
            outputs[last].model_copy(update={"text": end, "truncated": True}),
        ]
    return (*head, *cut, *tail)


def message_time(message: Mapping[str, Any]) -> datetime:
    """Return when a message was sent, in UTC; the present moment where it does not tell."""
    date = message["header"].get("date")
    if not isinstance(date, datetime):
        return utc_now()
    return date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC)


def _bounded(text: str) -> BoundedText:
    bounded = BoundedText()
    bounded.add(text)
    return bounded


def _joined(value: object) -> str:
    if isinstance(value, list):
        return "".join(str(part) for part in value)
    return str(value)
