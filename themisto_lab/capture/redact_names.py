"""Finds values that only the name before them gives away, whatever stands between the two.

A text is searched for the stems of such names, each is widened to the whole name, and what follows the name decides.
That takes time in proportion to the text, and no name hides another that stands in its value.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from themisto_lab.capture.probe.secrets import (
    MAYBE,
    PLACEHOLDER,
    SURE,
    is_secret,
    looks_like_credential,
    name_secrecy,
)

Span = tuple[int, int]

STEM = re.compile(
    r"pass|pw(?![a-z])|pwd|secret|token|key|credential|auth|cookie|sessionid|sessid|kennwort|contrase|senha|wachtwoord|"
    r"hasło|lösenord|парол|密码|密碼|パスワード|비밀번호|şifre",
    re.IGNORECASE,
)
_NAME_CHARS = string.ascii_letters + string.digits + "_.-"
_NAME_REST = re.compile(r"[\w.-]{1,80}")
# "API key: ...": the word before the blank belongs to the name.
_SPACED_OWNER = re.compile(
    r"\b(?:api|access|secret|private|auth|refresh|client|account|bearer|session)(?:[ ](?:access|secret|auth))?[ ]\Z",
    re.IGNORECASE,
)

_TEXT = (
    r"(?P<prefix>[rbufRBUF]{0,2})(?P<quote>\"\"\"|'''|\"|')(?P<value>(?:\\.|(?!(?P=quote))[^\\]){0,20000})(?P=quote)"
)
# name = "value", "name": "value", ["name"] = "value", name="value", name := "value", 'name' => 'value', name <- "value"
_QUOTED = re.compile(r"(?:\\?['\"])?\]?\s*(?:[=!]?=|:=|=>|<-|:)\s*(?:Secret(?:Str|Bytes)\()?\(?\s*" + _TEXT, re.DOTALL)
# name: str = "value"
_ANNOTATED = re.compile(r"\s*:\s*[A-Za-z_][\w.\[\] |]{0,80}=(?!=)\s*\(?\s*" + _TEXT, re.DOTALL)
# ("name", "value")
_SECOND = re.compile(r"['\"]\s*,\s*" + _TEXT, re.DOTALL)
_FIRST_OF_TWO = re.compile(r"(?:\(|\bsetattr\([\w.\[\]]{1,80},\s*)['\"]\Z")
# names = ["value", "value"], "names": {0: "value"}, name = ("val" "ue")
_MANY = re.compile(
    r"['\"]?\]?\s*[=:]\s*(?P<open>[\[({])(?P<body>(?:\"[^\"\\\n]{0,2000}\"|'[^'\\\n]{0,2000}'|[^\[\](){}'\"]){1,999})"
)
_ONE_OF_MANY = re.compile(r"(?P<key>\d+:\s*)?(?P<quote>['\"])(?P<value>[^'\"\\\n]+)(?P=quote)(?!\s*:)")
# a, name = "x", "value"
_TARGETS = re.compile(r"(?P<after>(?:\s*,\s*[\w.]{1,80}){0,9})\s*=(?!=)\s*\(?\s*(?=[\"'])")
_TARGETS_BEFORE = re.compile(r"(?:^|\n)[ \t]*(?P<before>(?:[\w.]{1,80}\s*,\s*)+)\Z")
_VALUES = re.compile(r"(?P<quote>['\"])(?P<value>(?:\\.|(?!(?P=quote))[^\\\n]){0,2000})(?P=quote)\s*,?\s*")
# PASSWORD 'value' in SQL
_SQL = re.compile(r"[ ]+'(?P<value>[^'\n]{1,200})'")
# "host=db user=ann password=..." and "Server=db;Password=...": a string, also within code.
_IN_SETTINGS = re.compile(r"\w=[^\s,;()'\"]{1,80}[ ;]\Z")
# \"name\": \"value\"
_ESCAPED = re.compile(r"\\+\"\s*:\s*\\+\"(?P<value>[^\"\\]{1,4000})")
# "name": 1234, password = 1234
_NUMBER = re.compile(r"['\"]?\]?\s*(?:=(?!=)|:)\s*(?P<value>\d[\d_.]{2,})(?![\w.])")
# NAME=value in an environment dump, a shell command, a query; name: value at the end of a line or of a header.
_WORD = re.compile(
    r"(?:=|(?:(?<=\w):|[ \t]+=)[ \t]+(?=[^\s'\"]+(?:['\"]|[ \t]*$|[ \t]+#)))"
    r"(?P<value>[^\s'\"&;,)\]}({\[=<>][^\s'\"&;,)\]}<>]*)",
    re.MULTILINE,
)
_TAG = re.compile(r">(?P<value>[^<>\s][^<>\n]{0,2000})</")
_SENTENCE = re.compile(r"[ ](?:is|was)[ :]+(?P<value>[^\s'\",;]{8,})")
_OPTION = re.compile(r"[ =](?P<value>[^\s'\"-][^\s'\"]*)")

# Code that fetches a secret holds none.
_EXPRESSION = re.compile(r"[A-Za-z_][\w.]*[(\[.]|<|\*+$|\.\.\.|\$|%\(|\[redacted\]")
_NO_VALUE = re.compile(
    r"(?:str|string|int|int64|integer|float|float64|bool|boolean|bytes|object|category|any|none|null|nan|true|false|"
    r"required|optional|varchar|text|secretstr|undefined|yes|no|[*•.…-]+)",
    re.IGNORECASE,
)
_OTHER_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def holds_no_secret(value: str) -> bool:
    """Tell whether a word is what stands where no secret does: a type, nothing, stars."""
    return _NO_VALUE.fullmatch(value) is not None


def named_values(text: str, shell: Sequence[Span] | None = None) -> list[Span]:
    """Find the values that go by a secret's name.

    Parameters
    ----------
    text
        An output or a cell's code.
    shell
        In code the places that a shell or a magic reads, where a value needs no quotes; None for an output, which may
        be the like anywhere.

    Returns
    -------
    list of tuple
        Where each begins and ends, in order, none in another.
    """
    begins = None if shell is None else [begin for begin, _ in shell]
    spans: list[Span] = []
    blanked_to = 0
    for begin, end in _names(text):
        if begin < blanked_to:
            continue
        name = text[begin:end]
        if not name_secrecy(name.lstrip("-")):
            continue
        bare = True
        if shell is not None and begins is not None:
            at = bisect_right(begins, begin) - 1
            bare = at >= 0 and begin < shell[at][1]
        for span in _values_after(text, begin, end, bare=bare):
            if span[0] >= blanked_to:
                spans.append(span)
                blanked_to = span[1]
    return spans


def _names(text: str) -> Iterator[Span]:
    """Find each name that holds a stem, as a whole."""
    seen_to = 0
    for stem in STEM.finditer(text):
        if stem.start() < seen_to:
            continue
        rest = _NAME_REST.match(text, stem.start())
        end = stem.end() if rest is None else rest.end()
        left = text[max(seen_to, stem.start() - 80) : stem.start()]
        begin = stem.start() - len(left) + len(left.rstrip(_NAME_CHARS))
        seen_to = end
        if begin == stem.start() and left.endswith(" "):
            owner = _SPACED_OWNER.search(left[-40:])
            begin -= 0 if owner is None else len(owner[0])
        yield begin, end


def _values_after(text: str, begin: int, end: int, *, bare: bool) -> Iterator[Span]:
    """Find the values that belong to one name."""
    name = text[begin:end].lstrip("-")
    before = text[max(0, begin - 200) : begin]
    targets = _TARGETS.match(text, end)
    earlier = _TARGETS_BEFORE.search(before) if targets else None
    if targets and (earlier or targets["after"]):
        span = _value_at(text, targets.end(), earlier["before"].count(",") if earlier else 0)
        if span and _is_value(name, text[span[0] : span[1]]):
            yield span
        return
    quoted = _QUOTED.match(text, end) or _ANNOTATED.match(text, end) or _ESCAPED.match(text, end)
    if quoted is not None and text[begin - 1 : begin] == text[quoted.start("value") - 1 : quoted.start("value")]:
        # 'Password:', 'other': the quote after the colon ends a label.
        quoted = None if text[end : end + 1] == ":" else quoted
    if quoted is None and _FIRST_OF_TWO.search(before):
        quoted = _SECOND.match(text, end)
    if quoted is None and name.isupper():
        quoted = _SQL.match(text, end)
    many = _MANY.match(text, end) if name_secrecy(name) == SURE else None
    if many is not None and (quoted is None or many["open"] == "("):
        found = list(_ONE_OF_MANY.finditer(text, many.start("body"), many.end("body")))
        if many["open"] == "{":
            found = [one for one in found if one["key"]]
        yield from (one.span("value") for one in found if _is_value(name, one["value"]))
    elif quoted is not None:
        if _is_value(name, quoted["value"]):
            yield quoted.span("value")
    else:
        yield from _bare_value(text, begin, end, bare=bare or _IN_SETTINGS.search(before) is not None)


def _value_at(text: str, position: int, n_before: int) -> Span | None:
    """Find the value that an assignment to several names gives to one of them."""
    for at in range(n_before + 1):
        value = _VALUES.match(text, position)
        if value is None:
            return None
        if at == n_before:
            return value.span("value")
        position = value.end()
    return None


def _bare_value(text: str, begin: int, end: int, *, bare: bool) -> Iterator[Span]:
    """Find a value without quotes."""
    name = text[begin:end].lstrip("-")
    patterns = [_NUMBER]
    if text.startswith("--", begin):
        patterns.append(_OPTION)
    if bare:
        patterns += [_WORD, _TAG]
    for pattern in patterns:
        match = pattern.match(text, end)
        if match is not None:
            value = match["value"]
            if _is_value(name, value) and not _EXPRESSION.match(value) and not holds_no_secret(value):
                yield match.span("value")
            return
    sentence = _SENTENCE.match(text, end) if bare else None
    if sentence is not None and looks_like_credential(sentence["value"]) and name_secrecy(name) >= MAYBE:
        yield sentence.span("value")


def _is_value(name: str, value: str) -> bool:
    if not is_secret(name, value) or PLACEHOLDER in value:
        return False
    # The name of an environment variable, not its value.
    return not (_OTHER_NAME.fullmatch(value) and name_secrecy(value) == SURE)
