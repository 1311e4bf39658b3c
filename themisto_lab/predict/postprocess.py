"""From what a model wrote to the text of its prediction. Pure, and cheap enough for each chunk of a stream.

A growing text gives a growing result as far as its form can be told from its beginning: of two fenced blocks
the first counts, so that the second does not replace it while a person reads.
"""

from __future__ import annotations

import re

from themisto_lab.predict.base import PromptForm
from themisto_lab.types import TaskKind

_FENCE_OPEN = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})[ \t]*(?P<tag>[\w+#.-]*)[^\n`]*$", re.MULTILINE)
_FENCE_ON_ONE_LINE = re.compile(r"^\s*`{3,}(?:(?:python3?|py|ipython)\b)?[ \t]*(?P<text>[^\n`]+?)[ \t]*`{3,}\s*$")
_HALF_FENCE = re.compile(r"^(`{1,2}|~{1,2}|(`{3,}|~{3,})[\w+#.-]*)$")
_PYTHON_TAGS = frozenset({"", "python", "python3", "py", "ipython", "ipython3", "jupyter", "pycon"})
_LONE_TAG = re.compile(r"^\s*(?:python3?|py)[ \t]*\n", re.IGNORECASE)

_SPECIAL_TOKEN = re.compile(r"<\|(?:im_start|im_end|endoftext|fim_\w+|file_sep|repo_name)\|>")
_CELL_MARKER = re.compile(r"^# %%.*$", re.MULTILINE)
_CODE_END = re.compile(r"^(?:# %%|# Output:\s*$|# No output\b|# Variables:|#> |#>$)", re.MULTILINE)
_OUTPUT_END = re.compile(r"^(?:# %%|# Output:\s*$|# No output\b|# Variables:)", re.MULTILINE)
_OUT_PROMPT = re.compile(r"^\s*Out ?\[\d*\]:[ \t]?\n?")
_LINE_MARK = "#>"


def prediction_text(raw_text: str, task: TaskKind, form: PromptForm) -> str:
    """Return the prediction that a model's text holds.

    Parameters
    ----------
    raw_text
        All that the model has written so far.
    task
        What it was asked for.
    form
        The form of the prompt: a transcript's answer has that transcript's markers.
    """
    if form == "none":
        return _trim(raw_text)
    text = _before(_SPECIAL_TOKEN, raw_text)
    if task is TaskKind.NEXT_CELL:
        return _code(text)
    return _transcript_output(text) if form == "transcript" else _chat_output(text)


def _code(text: str) -> str:
    """Return the code of the next cell."""
    block = _fenced_block(text, _PYTHON_TAGS)
    code = _LONE_TAG.sub("", text, count=1) if block is None else block
    marker = _CELL_MARKER.match(code.lstrip())
    if marker:
        code = code.lstrip()[marker.end() :]
    return _trim(_before(_CODE_END, code))


def _transcript_output(text: str) -> str:
    """Return an output that continues a transcript, whose prompt ended with the mark of the first line."""
    if _fenced_block(text, None) is not None:
        return _chat_output(text)
    lines: list[str] = []
    for number, line in enumerate(_before(_OUTPUT_END, text).split("\n")):
        marked = line.startswith(_LINE_MARK)
        if number and not marked and not line.strip():
            break  # an empty line of output would have its mark: this one ends the output
        content = line.removeprefix(_LINE_MARK) if marked else line
        # The mark of the first line is the prompt's last word, so that its space is still here.
        lines.append(content.removeprefix(" ") if marked or not number else content)
    return _trim("\n".join(lines))


def _chat_output(text: str) -> str:
    """Return an output that a chat model wrote."""
    block = _fenced_block(text, None)
    output = _before(_OUTPUT_END, text if block is None else block)
    if text.strip() in ("No output", "No output.", "# No output"):
        return ""
    output = _OUT_PROMPT.sub("", output, count=1)
    lines = output.split("\n")
    if all(line.startswith(_LINE_MARK) for line in lines if line.strip()):
        lines = [line.removeprefix(_LINE_MARK).removeprefix(" ") for line in lines]
    return _trim("\n".join(lines))


def _fenced_block(text: str, tags: frozenset[str] | None) -> str | None:
    """Return the first fenced block with one of some tags, else the first one; None if there is none.

    A block need not be closed, and of an opening fence that is still being written nothing is returned.
    """
    if text.lstrip().startswith("```") and (one_line := _FENCE_ON_ONE_LINE.match(text)):
        return one_line["text"]
    first: str | None = None
    position = 0
    while opening := _FENCE_OPEN.search(text, position):
        closing = re.compile(rf"^ {{0,3}}{opening['mark'][0]}{{3,}}[ \t]*$", re.MULTILINE).search(text, opening.end())
        end = closing.start() if closing else len(text)
        content = text[opening.end() + 1 : end] if opening.end() < len(text) else ""
        if closing is None:
            content = _without_half_fence(content)
        if tags is None or opening["tag"].lower() in tags:
            return content
        first = content if first is None else first
        if closing is None:
            break
        position = closing.end()
    if first is None and _HALF_FENCE.match(text.strip()):
        return ""
    return first


def _without_half_fence(content: str) -> str:
    """Drop a last line that is the beginning of a closing fence."""
    head, _, last = content.rpartition("\n")
    return head if last and _HALF_FENCE.match(last.strip()) else content


def _before(pattern: re.Pattern[str], text: str) -> str:
    """Return what is before the first match of a pattern."""
    match = pattern.search(text)
    return text[: match.start()] if match else text


def _trim(text: str) -> str:
    """Drop blank lines at both ends, and blanks at the very end; indentation is left as it is."""
    return re.sub(r"\A(?:[ \t]*\n)+", "", text).rstrip()
