"""Secrets out of code, outputs and variables, before anything is cut, stored or sent.

Values are blanked by the name that they go by (a variable, a key, a column, an environment variable), by
the form of known tokens, and where the value itself is known to be secret. All functions are pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from themisto_lab.capture.probe.secrets import (
    PLACEHOLDER,
    SURE,
    blank_tokens,
    blank_values,
    environment_secrets,
    is_secret,
    name_secrecy,
    worth_remembering,
)
from themisto_lab.types import VariableSnapshot

__all__ = [
    "PLACEHOLDER",
    "literal_secrets",
    "redact_code",
    "redact_text",
    "redact_variables",
    "server_secrets",
    "worth_remembering",
]

_STEM = re.compile(r"pass|pwd|secret|token|key|credential", re.IGNORECASE)
# Begins where a word begins and is never tried shorter, so that a long line without blanks takes linear time.
_NAME = r"(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{0,79}+)"
_QUOTED = r"(?P<prefix>[rbufRBUF]{0,2})(?P<quote>\"\"\"|'''|\"|')(?P<value>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"
# name = "value", name: str = "value", "name": "value", ["name"] = "value", name="value"
_NAMED_TEXT = re.compile(
    _NAME + r"(?P<between>(?:\\?['\"])?\]?\s*"
    r"(?::\s*[A-Za-z_][\w.\[\] |]{0,80}=(?!=)|[=!]?=|:|,(?=\s*['\"]))\s*\(?\s*)" + _QUOTED
)
# "name": 1234, password = 1234
_NAMED_NUMBER = re.compile(_NAME + r"(?P<between>['\"]?\]?\s*(?:=(?!=)|:)\s*)(?P<value>\d[\d_.]{2,})(?![\w.])")
# NAME=value in an environment dump, a shell command, a query; name: value alone on a line.
_NAMED_WORD = re.compile(
    _NAME + r"(?P<between>=|(?:(?<=\w):|[ \t]+=)[ \t]+(?=\S+[ \t]*$))"
    r"(?P<value>[^\s'\"&;,)\]}({\[=][^\s'\"&;,)\]}]*)",
    re.MULTILINE,
)
_OPTION = re.compile(r"(?<![\w-])(?P<name>--[a-z][\w-]{0,79}+)(?P<between>[ =])(?P<value>[^\s'\"-][^\s'\"]*)")
# Code that fetches a secret holds none.
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*[(\[.]|None\b|True\b|False\b|<|\*+$|\.\.\.|\$|%\(|\[redacted\]")


def redact_text(text: str, known: Collection[str] = ()) -> tuple[str, int]:
    """Blank secrets in an output.

    Parameters
    ----------
    text
        What a cell printed, returned or raised.
    known
        Values that are secret wherever they occur.

    Returns
    -------
    tuple
        The text with `PLACEHOLDER` for each secret, and how many there were.
    """
    has_names = _STEM.search(text) is not None
    # Columns first: they are found by their places, which all else moves.
    text, count = _blank_columns(text) if has_names else (text, 0)
    text, n = blank_tokens(text)
    count += n
    if known:
        text, n = blank_values(text, known)
        count += n
    if has_names:
        for pattern in (_NAMED_TEXT, _NAMED_WORD, _NAMED_NUMBER, _OPTION):
            text, n = _blank_named(pattern, text)
            count += n
    return text, count


def redact_code(code: str, known: Collection[str] = ()) -> tuple[str, int]:
    """Blank secrets in code: literals that go by a secret's name, and tokens.

    Parameters
    ----------
    code
        A cell's code.
    known
        Values that are secret wherever they occur.

    Returns
    -------
    tuple
        The code with `PLACEHOLDER` for each secret, and how many there were. Code that fetches a secret
        (``os.environ["API_KEY"]``, ``getpass()``) stays as it is.
    """
    code, count = blank_tokens(code)
    if known:
        code, n = blank_values(code, known)
        count += n
    if _STEM.search(code):
        for pattern in (_NAMED_TEXT, _NAMED_NUMBER, _OPTION):
            code, n = _blank_named(pattern, code)
            count += n
        code, n = _blank_shell_lines(code)
        count += n
    return code, count


def redact_variables(
    variables: Sequence[VariableSnapshot], known: Collection[str] = ()
) -> tuple[tuple[VariableSnapshot, ...], int]:
    """Blank secrets in the summaries of variables, by their names and by what they hold.

    Parameters
    ----------
    variables
        The namespace.
    known
        Values that are secret wherever they occur.

    Returns
    -------
    tuple
        The variables, and how many secrets were blanked.
    """
    count = 0
    redacted = []
    for variable in variables:
        if name_secrecy(variable.name) == SURE and variable.type_name in _TEXT_TYPES:
            summary, n = PLACEHOLDER, int(variable.summary != PLACEHOLDER)
        else:
            summary, n = redact_text(variable.summary, known)
        count += n
        redacted.append(variable if n == 0 else variable.model_copy(update={"summary": summary}))
    return tuple(redacted), count


def literal_secrets(code: str) -> set[str]:
    """Return the secret values that code holds as literals and that are odd enough to be blanked elsewhere.

    Parameters
    ----------
    code
        A cell's code.

    Returns
    -------
    set of str
        ``{"hunter2"}`` for ``password = "hunter2"``.
    """
    if not _STEM.search(code):
        return set()
    found = {
        match["value"]
        for match in _NAMED_TEXT.finditer(code)
        if is_secret(match["name"], match["value"]) and not _EXPRESSION.match(match["value"])
    }
    return {value for value in found if worth_remembering(value)}


def server_secrets(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the secret values of the server's environment, which local kernels inherit."""
    return frozenset(environment_secrets(environment.items()))


_TEXT_TYPES = frozenset(["str", "bytes", "bytearray", "int", "float", "list", "tuple", "set", "dict"])


def _blank_named(pattern: re.Pattern[str], text: str) -> tuple[str, int]:
    count = 0

    def blank(match: re.Match[str]) -> str:
        nonlocal count
        groups = match.groupdict()
        value = groups["value"]
        if not is_secret(groups["name"].lstrip("-"), value) or PLACEHOLDER in value:
            return match[0]
        if _EXPRESSION.match(value) and "quote" not in groups:
            return match[0]
        count += 1
        quote = groups.get("quote") or ""
        return groups["name"] + groups["between"] + (groups.get("prefix") or "") + quote + PLACEHOLDER + quote

    return pattern.sub(blank, text), count


def _blank_shell_lines(code: str) -> tuple[str, int]:
    """Blank ``NAME=value`` in lines that a shell or a magic reads: there a value needs no quotes."""
    count = 0
    lines = code.split("\n")
    shell = bool(lines) and lines[0].lstrip().startswith(("%%bash", "%%sh", "%%script", "%%writefile"))
    for at, line in enumerate(lines):
        if shell or line.lstrip().startswith(("!", "%env", "%set_env", "export ", "#")):
            blanked, n = _blank_named(_NAMED_WORD, line)
            lines[at], m = _blank_env_magic(blanked)
            count += n + m
    return "\n".join(lines), count


_ENV_MAGIC = re.compile(r"(?P<head>^\s*%(?:set_)?env\s+(?P<name>\w+)\s+)(?P<value>[^\s=\[]\S*)")


def _blank_env_magic(line: str) -> tuple[str, int]:
    match = _ENV_MAGIC.match(line)
    if match is None or not is_secret(match["name"], match["value"]):
        return line, 0
    return match["head"] + PLACEHOLDER, 1


def _blank_columns(text: str) -> tuple[str, int]:
    """Blank the cells under a secret's name in a table of aligned columns, as pandas prints one."""
    if "\n" not in text:
        return text, 0
    lines = text.split("\n")
    count = 0
    spans: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        header = [cell.span() for cell in _header_names(line)]
        if header or not line.strip():
            spans = header
        elif spans and PLACEHOLDER not in line:
            lines[at], n = _blank_spans(line, spans)
            count += n
    return "\n".join(lines), count


def _header_names(line: str) -> Iterator[re.Match[str]]:
    cells = list(_CELL.finditer(line))
    # A header's cells are all names; a sentence is not one.
    if not 2 <= len(cells) <= 40 or not all(re.fullmatch(r"[\w.()%# -]+", cell[0]) for cell in cells):
        return
    for cell in cells:
        if name_secrecy(cell[0]) == SURE:
            yield cell


def _blank_spans(line: str, spans: Sequence[tuple[int, int]]) -> tuple[str, int]:
    """Blank the cell that ends where a column's name ends, or that begins where it begins."""
    count = 0
    # From the right, so that the places of the cells before it stay true.
    for cell in reversed(list(_CELL.finditer(line))):
        under = any(cell.end() == end or cell.start() == begin for begin, end in spans)
        if under and cell.start() > 0 and cell[0] not in _NO_VALUES:
            line = line[: cell.start()] + PLACEHOLDER + line[cell.end() :]
            count += 1
    return line, count


# Cells of a table stand two blanks or a line apart.
_CELL = re.compile(r"[^\s|│┆]+(?: [^\s|│┆]+)*")
_NO_VALUES = frozenset(["NaN", "None", "null", "...", "…", "---", "str", PLACEHOLDER])


Redactor = Callable[[str], tuple[str, int]]
"""What blanks secrets in a text and counts them."""
