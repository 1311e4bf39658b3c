"""Secrets out of code, outputs and variables, before anything is cut, stored or sent.

Values are blanked by the name that they go by (a variable, a key, a column, an environment variable), by
the form of known tokens, and where the value itself is known to be secret. All functions are pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

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
from themisto_lab.capture.redact_columns import blank_columns, blank_columns_in_code
from themisto_lab.capture.redact_names import STEM, named_values
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

# requests' auth=("ann", "..."), HTTPBasicAuth("ann", "..."), server.login("ann", "...")
_PAIR = re.compile(
    r"(?:\bauth\s*=\s*\(|\b(?:HTTP(?:Basic|Digest|Proxy)|Basic)Auth\(|\.login\()\s*[^,()\n]{1,120},\s*"
    r"(?P<quote>['\"])(?P<value>[^'\"\\\n]{1,2000})(?P=quote)\s*\)"
)
_COOKIES = re.compile(r"\b[Cc]ookie['\"]?\s*[:=]\s*['\"]?(?P<pairs>[^\n'\"]{1,4000})")
_COOKIE = re.compile(r"(?<==)(?=[\w%.~+/-]*\d)[\w%.~+/-]{16,}")
# mysql -p..., sshpass -p ..., curl -u name:...
_SHELL_FLAG = re.compile(
    r"\b(?:mysql\w{0,10}\b[^\n|;]{0,300}?[ ]-p(?P<mysql>[^\s'\"]+)"
    r"|sshpass[ ]+-p[ ]*(?P<sshpass>[^\s'\"]+)"
    r"|curl\b[^\n|;]{0,300}?[ ](?:-u|--user)[ =]['\"]?[^\s:'\"]{1,100}:(?P<curl>[^\s'\"]+))"
)


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
    has_names = STEM.search(text) is not None
    # Columns first: they are found by their places, which all else moves.
    text, count = blank_columns(text) if has_names else (text, 0)
    text, n = blank_tokens(text)
    count += n
    if known:
        text, n = blank_values(text, known)
        count += n
    if has_names:
        text, n = _blank(text, named_values(text))
        count += n
        text, n = _blank(text, _logins(text))
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
    has_names = STEM.search(code) is not None
    code, count = blank_columns_in_code(code) if has_names else (code, 0)
    code, n = blank_tokens(code)
    count += n
    if known:
        code, n = blank_values(code, known)
        count += n
    if has_names:
        code, n = _blank(code, named_values(code, _shell_spans(code)))
        count += n
    code, n = _blank(code, _logins(code))
    count += n
    if "%" in code:
        code, n = _blank_env_magics(code)
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
    values = {code[begin:end] for begin, end in named_values(code, ())}
    return {value for value in values if worth_remembering(value)}


def server_secrets(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the secret values of the server's environment, which local kernels inherit."""
    return frozenset(environment_secrets(environment.items()))


_TEXT_TYPES = frozenset(["str", "bytes", "bytearray", "int", "float", "list", "tuple", "set", "dict"])


def _blank(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, int]:
    """Put `PLACEHOLDER` at places that are in order."""
    if not spans:
        return text, 0
    pieces = []
    at = 0
    for begin, end in spans:
        pieces += [text[at:begin], PLACEHOLDER]
        at = end
    return "".join([*pieces, text[at:]]), len(spans)


def _logins(text: str) -> list[tuple[int, int]]:
    """Find what is given with a user's name, and what a browser keeps of a login."""
    spans = []
    if "auth" in text or "Auth" in text or ".login(" in text:
        spans += [match.span("value") for match in _PAIR.finditer(text)]
    if "ookie" in text:
        for header in _COOKIES.finditer(text):
            spans += [match.span() for match in _COOKIE.finditer(text, *header.span("pairs"))]
    if "mysql" in text or "curl" in text or "sshpass" in text:
        spans += [match.span(match.lastgroup or 0) for match in _SHELL_FLAG.finditer(text)]
    return [span for span in sorted(spans) if PLACEHOLDER not in text[span[0] : span[1]]]


def _shell_spans(code: str) -> list[tuple[int, int]]:
    """Find the lines that a shell or a magic reads, and comments: there a value needs no quotes."""
    if code.lstrip().startswith(("%%bash", "%%sh", "%%script", "%%writefile")):
        return [(0, len(code))]
    spans = []
    at = 0
    for line in code.split("\n"):
        if line.lstrip().startswith(("!", "%env", "%set_env", "export ", "#")):
            spans.append((at, at + len(line)))
        at += len(line) + 1
    return spans


_ENV_MAGIC = re.compile(r"^\s*%(?:set_)?env\s+(?P<name>\w+)\s+(?P<value>[^\s=\[]\S*)", re.MULTILINE)


def _blank_env_magics(code: str) -> tuple[str, int]:
    matches = [match for match in _ENV_MAGIC.finditer(code) if is_secret(match["name"], match["value"])]
    return _blank(code, [match.span("value") for match in matches])


Redactor = Callable[[str], tuple[str, int]]
"""What blanks secrets in a text and counts them."""
