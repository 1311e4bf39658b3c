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
_QUOTED = r"(?P<prefix>[rbuRBU]{0,2})(?P<quote>\"\"\"|'''|\"|')(?P<value>(?:\\.|(?!(?P=quote))[^\\])*)(?P=quote)"
# name = "value", name: str = "value", "name": "value", ["name"] = "value", name="value"
_NAMED_TEXT = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]*)(?P<between>(?:\\?['\"])?\]?\s*"
    r"(?::\s*[A-Za-z_][\w.\[\] |]*\s*=(?!=)|=(?!=)|:|,(?=\s*['\"]))\s*)" + _QUOTED
)
# "name": 1234, password = 1234
_NAMED_NUMBER = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]*)(?P<between>['\"]?\]?\s*(?:=(?!=)|:)\s*)(?P<value>\d[\d_.]{2,})(?![\w.])"
)
# NAME=value in an environment dump, a shell command, a query; name: value alone on a line.
_NAMED_WORD = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]*)(?P<between>=|(?<=\w):[ \t]+(?=\S+[ \t]*$))(?P<value>[^\s'\"&;,)\]}({\[=][^\s'\"&;,)\]}]*)",
    re.MULTILINE,
)
_OPTION = re.compile(r"(?P<name>--[a-z][\w-]*)(?P<between>[ =])(?P<value>[^\s'\"-][^\s'\"]*)")
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
    text, count = blank_tokens(text)
    if known:
        text, n = blank_values(text, known)
        count += n
    if _STEM.search(text):
        for pattern in (_NAMED_TEXT, _NAMED_WORD, _NAMED_NUMBER, _OPTION):
            text, n = _blank_named(pattern, text)
            count += n
        text, n = _blank_columns(text)
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
            line, n = _blank_named(_NAMED_WORD, line)
            line, m = _ENV_MAGIC.subn(_blank_env_magic, line)
            lines[at] = line
            count += n + m
    return "\n".join(lines), count


_ENV_MAGIC = re.compile(r"(?P<head>^\s*%(?:set_)?env\s+(?P<name>\w+)\s+)(?P<value>[^\s=\[]\S*)")


def _blank_env_magic(match: re.Match[str]) -> str:
    return match["head"] + (PLACEHOLDER if is_secret(match["name"], match["value"]) else match["value"])


def _blank_columns(text: str) -> tuple[str, int]:
    """Blank the cells under a secret's name in a table of aligned columns, as pandas prints one."""
    if "\n" not in text:
        return text, 0
    lines = text.split("\n")
    count = 0
    spans: list[tuple[int, int]] = []
    for at, line in enumerate(lines):
        if not line.strip():
            spans = []
            continue
        header = [m.span() for m in _header_names(line)]
        if header:
            spans = header
        elif spans:
            line, n = _blank_spans(line, spans)
            lines[at] = line
            count += n
    return "\n".join(lines), count


def _header_names(line: str) -> Iterator[re.Match[str]]:
    words = list(re.finditer(r"[^\s|]+", line))
    # A header's cells are all names; a sentence is not one.
    if len(words) > 30 or not all(re.fullmatch(r"[\w.()%-]+", word[0]) for word in words):
        return
    for word in words:
        if name_secrecy(word[0]) == SURE:
            yield word


def _blank_spans(line: str, spans: Sequence[tuple[int, int]]) -> tuple[str, int]:
    """Blank the word that ends where a column's name ends, or that begins where it begins."""
    count = 0
    for begin, end in reversed(spans):
        for word in reversed(list(re.finditer(r"[^\s|]+", line))):
            if (word.end() == end or word.start() == begin) and len(word[0]) > 1 and word.start() > 0:
                if word[0] in ("NaN", "None", "...", PLACEHOLDER):
                    continue
                line = line[: word.start()] + PLACEHOLDER + line[word.end() :]
                count += 1
                break
    return line, count


Redactor = Callable[[str], tuple[str, int]]
"""What blanks secrets in a text and counts them."""
