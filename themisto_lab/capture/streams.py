"""A stream's text as a terminal would show it, bounded in memory however much is printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from themisto_lab.capture.redact import Redactor

HEAD_CHARS = 40_000
TAIL_CHARS = 20_000
# Kept beyond what is stored, so that a secret that lies across the cut is seen whole and blanked.
MARGIN_CHARS = 5_000
_MAX_LINE_CHARS = 60_000

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor moves
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[@-Z\\-_]"
)
_UNFINISHED_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]{0,200})?$")


def strip_ansi(text: str) -> str:
    """Remove terminal control codes."""
    return _ANSI.sub("", text) if "\x1b" in text else text


@dataclass(slots=True)
class BoundedText:
    """Text of any length: its head and its tail are kept, what is between is counted."""

    head: str = ""
    _tail: list[str] = field(default_factory=list)
    _tail_chars: int = 0
    n_chars: int = 0

    def add(self, text: str) -> None:
        """Add text at the end."""
        self.n_chars += len(text)
        room = HEAD_CHARS + MARGIN_CHARS - len(self.head)
        if room > 0:
            self.head += text[:room]
            text = text[room:]
        if text:
            self._tail.append(text)
            self._tail_chars += len(text)
            if self._tail_chars > 4 * (TAIL_CHARS + MARGIN_CHARS):
                self._shrink()

    def finish(self, redact: Redactor) -> tuple[str, bool, int]:
        """Return the text, redacted and only then cut; whether it was cut; how many secrets were blanked."""
        self._shrink()
        tail = self._tail[0] if self._tail else ""
        if self.n_chars == len(self.head) + len(tail):
            text, count = redact(self.head + tail)
            if len(text) <= HEAD_CHARS + TAIL_CHARS:
                return text, False, count
            return text[:HEAD_CHARS] + _gap(len(text) - HEAD_CHARS - TAIL_CHARS) + text[-TAIL_CHARS:], True, count
        head, n_head = redact(self.head)
        tail, n_tail = redact(tail)
        head = head[: min(HEAD_CHARS, max(0, len(head) - MARGIN_CHARS))]
        tail = tail[max(MARGIN_CHARS, len(tail) - TAIL_CHARS) :]
        return head + _gap(self.n_chars - len(head) - len(tail)) + tail, True, n_head + n_tail

    def _shrink(self) -> None:
        tail = "".join(self._tail)[-(TAIL_CHARS + MARGIN_CHARS) :]
        self._tail = [tail] if tail else []
        self._tail_chars = len(tail)


def _gap(n_chars: int) -> str:
    return f"\n... [{n_chars} characters left out] ...\n"


@dataclass(slots=True)
class StreamText:
    """What a stream shows: carriage returns and backspaces act on the last line, colours are dropped."""

    _done: BoundedText = field(default_factory=BoundedText)
    _line: str = ""
    _column: int = 0
    _unfinished: str = ""

    def add(self, text: str) -> None:
        """Add what a stream message carries."""
        text = self._unfinished + text
        self._unfinished = ""
        if "\x1b" in text:
            cut = _UNFINISHED_ANSI.search(text)
            if cut:
                self._unfinished = cut[0]
                text = text[: cut.start()]
            text = _ANSI.sub("", text)
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        if not self._line and "\r" not in text and "\b" not in text:
            whole, newline, rest = text.rpartition("\n")
            self._done.add(whole + newline)
            text = rest
        for piece in re.split(r"([\n\r\b])", text) if text else ():
            self._put(piece)

    def finish(self, redact: Redactor) -> tuple[str, bool, int]:
        """Return the text, redacted and then cut; whether it was cut; how many secrets were blanked."""
        self._done.add(self._line)
        self._line = ""
        return self._done.finish(redact)

    def _put(self, piece: str) -> None:
        if piece == "\n":
            self._done.add(self._line + "\n")
            self._line, self._column = "", 0
        elif piece == "\r":
            self._column = 0
        elif piece == "\b":
            self._column = max(0, self._column - 1)
            self._line = self._line[: self._column] + self._line[self._column + 1 :]
        elif piece:
            self._line = self._line[: self._column] + piece + self._line[self._column + len(piece) :]
            self._column += len(piece)
            if len(self._line) > _MAX_LINE_CHARS:
                # A line without end can't be rewritten for ever; what came first is settled.
                self._done.add(self._line)
                self._line, self._column = "", 0
