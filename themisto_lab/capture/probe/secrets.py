"""What a secret looks like: by the name that it goes by, and by the form of known tokens.

Shared by the probe (in the kernel) and by `themisto_lab.capture.redact` (in the server).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

PLACEHOLDER = "[redacted]"

# (a text that must occur, the pattern, the group that is blanked). The plain search for the first text is
# what keeps this cheap: most texts hold none of them.
_TOKEN_FORMS: tuple[tuple[str, str], ...] = (
    ("PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]+-----|\Z)"),
    ("sk-", r"(?<![\w-])sk-(?=[A-Za-z0-9_-]{0,400}\d)[A-Za-z0-9_-]{20,}"),
    ("sk_", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("rk_", r"\brk_(?:live|test)_[A-Za-z0-9]{10,}"),
    ("whsec_", r"\bwhsec_[A-Za-z0-9+/=]{16,}"),
    ("gh", r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    ("github_pat_", r"\bgithub_pat_\w{20,}"),
    ("glpat-", r"\bglpat-[\w-]{16,}"),
    ("hf_", r"\bhf_[A-Za-z0-9]{24,}"),
    ("xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("xapp-", r"\bxapp-[A-Za-z0-9-]{10,}"),
    ("hooks.slack.com", r"(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}"),
    ("AIza", r"\bAIza[\w-]{30,}"),
    ("ya29.", r"\bya29\.[\w-]{20,}"),
    ("GOCSPX-", r"\bGOCSPX-[\w-]{20,}"),
    ("eyJ", r"\beyJ[\w-]{8,600}\.eyJ[\w-]*(?:\.[\w-]*)?"),
    ("npm_", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("pypi-", r"\bpypi-[\w-]{40,}"),
    ("SG.", r"\bSG\.[\w-]{16,100}\.[\w-]{16,}"),
    ("dop_v1_", r"\bdop_v1_[0-9a-f]{32,}"),
    ("dapi", r"\bdapi[0-9a-f]{32}"),
    (":AA", r"\b\d{8,10}:AA[\w-]{32,}"),
    ("gsk_", r"\bgsk_[A-Za-z0-9]{32,}"),
    ("xai-", r"\bxai-[A-Za-z0-9]{32,}"),
    ("r8_", r"\br8_[A-Za-z0-9]{32,}"),
    ("pplx-", r"\bpplx-[A-Za-z0-9]{32,}"),
    ("dckr_pat_", r"\bdckr_pat_[\w-]{20,}"),
    ("hvs.", r"\bhvs\.[\w-]{20,}"),
    ("lin_api_", r"\blin_api_[A-Za-z0-9]{30,}"),
    ("AccountKey=", r"(?<=AccountKey=)[A-Za-z0-9+/=]{20,}"),
    ("SharedAccessKey=", r"(?<=SharedAccessKey=)[A-Za-z0-9+/=]{20,}"),
    ("sig=", r"(?<=[?&]sig=)[\w%+/=-]{16,}"),
    ("X-Amz-", r"(?<=X-Amz-Signature=)[0-9a-f]{16,}"),
)
_AWS_KEY_ID = re.compile(r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}\b")
_FORMS = tuple((needle, re.compile(pattern, re.DOTALL)) for needle, pattern in _TOKEN_FORMS)
_URL_PASSWORD = re.compile(r"(://[^\s/:@'\"]*:)(?!\[redacted\])([^\s/@'\"]+)(?=@)")
_BEARER = re.compile(r"(\b[Bb]earer\s+)((?=[\w.~+/=-]*\d)[\w.~+/=-]{12,}|[\w.~+/=-]{32,})")
_AUTH_HEADER = re.compile(
    r"(?i)(\b(?:proxy-)?authorization['\"]?\s*[:=]\s*['\"]?(?:basic|token|apikey)\s+)([\w.~+/=-]{6,})"
)

_SECRET_WORD = re.compile(
    r"password|passwords|passwd|passphrase|passcode|pwd|secret|secrets|apikey|apikeys|credential|"
    r"credentials|secretkey|accesskey|privatekey|authkey|authtoken|accesstoken|apitoken"
)
_KEY_OWNER = re.compile(
    r"api|access|secret|private|auth|encryption|signing|master|service|subscription|storage|account|ssh|"
    r"client|consumer|app"
)
_TOKEN_OWNER = re.compile(
    r"access|auth|api|refresh|bearer|session|bot|oauth|id|csrf|hf|huggingface|github|gh|gitlab|slack|personal|"
    r"security|user|client|jwt|deploy|vault|openai|telegram|discord|npm|pypi|wandb|login|secret"
)
# Words after a secret word that turn it into something else: ``password_length``, ``token_count``.
_TRAILER = re.compile(
    r"hash|digest|encrypted|prod|production|dev|test|testing|staging|old|new|str|value|raw|text|plain|default|main|backup|b64|tmp"
)
_NOT_PASS = re.compile(r"first|second|last|this|one|single|forward|backward|low|high|band|by|n|num|test")
# Words before ``token`` that mean a piece of text.
_LANGUAGE_TOKEN = re.compile(
    r"pad|eos|bos|unk|mask|sep|cls|next|start|end|special|first|last|prev|previous|stop|word|sub|target|per|"
    r"max|min|num|n|cur|current|image|begin"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

SURE = 2
MAYBE = 1
NO = 0


def name_secrecy(name: str) -> int:
    """Tell whether a name says that its value is a secret.

    Parameters
    ----------
    name
        A variable, key, column or environment variable.

    Returns
    -------
    int
        `SURE`, `MAYBE` (only a value that looks like a credential is one), or `NO`.
    """
    if not 3 <= len(name) <= 80:
        return NO
    words = [word.lower() for word in _WORD.findall(name)]
    while words and (_TRAILER.fullmatch(words[-1]) or words[-1].isdigit()):
        words.pop()
    if not words:
        return NO
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    if last == "pwd" and not before:
        # The working directory in every shell's environment, a password in some code.
        return NO if name in ("PWD", "OLDPWD") else MAYBE
    if (
        _SECRET_WORD.fullmatch(last)
        or (last == "pass" and before and not _NOT_PASS.fullmatch(before))
        or (last in ("key", "keys") and _KEY_OWNER.fullmatch(before))
        or (last in ("token", "tokens") and _TOKEN_OWNER.fullmatch(before))
    ):
        return SURE
    is_token = last == "token" and not _LANGUAGE_TOKEN.fullmatch(before)
    return MAYBE if is_token or last == "authorization" or (last == "key" and name.isupper()) else NO


def looks_like_credential(value: str) -> bool:
    """Tell whether a value could be a credential: one long word that no language has."""
    if len(value) < 8 or len(value) > 4096 or any(c.isspace() for c in value):
        return False
    has_digit = any(c.isdigit() for c in value)
    has_letter = any(c.isalpha() for c in value)
    return (has_digit and has_letter) or len(value) >= 24


def is_secret(name: str, value: str) -> bool:
    """Tell whether a text is a secret, given the name that it goes by."""
    if not value:
        return False
    secrecy = name_secrecy(name)
    return secrecy == SURE or (secrecy == MAYBE and looks_like_credential(value))


def worth_remembering(value: str) -> bool:
    """Tell whether a value is odd enough to be blanked wherever it occurs, and not a common word."""
    if len(value) > 4096 or value == PLACEHOLDER:
        return False
    return len(value) >= 10 or (len(value) >= 6 and not value.isalpha() and not value.isdigit())


def environment_secrets(environment: Iterable[tuple[str, str]]) -> set[str]:
    """Return the values of environment variables whose names say that they are secret.

    Parameters
    ----------
    environment
        Names and values.

    Returns
    -------
    set of str
        Values of eight characters or more.
    """
    found = set()
    for name, value in environment:
        if len(value) < 8 or value.isspace():
            continue
        secrecy = name_secrecy(name)
        if secrecy == SURE or (secrecy == MAYBE and not value.startswith(("/", "."))):
            found.add(value)
    return found


def blank_tokens(text: str) -> tuple[str, int]:
    """Blank everything that has the form of a known token.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    tuple
        The text with each token replaced by `PLACEHOLDER`, and how many there were.
    """
    count = 0
    for needle, pattern in _FORMS:
        if needle in text:
            text, n = pattern.subn(PLACEHOLDER, text)
            count += n
    if "A" in text:
        text, n = _AWS_KEY_ID.subn(PLACEHOLDER, text)
        count += n
    if "://" in text:
        text, n = _URL_PASSWORD.subn(_keep_first, text)
        count += n
    if "earer" in text:
        text, n = _BEARER.subn(_keep_first, text)
        count += n
    if "uthorization" in text or "AUTHORIZATION" in text:
        text, n = _AUTH_HEADER.subn(_keep_first, text)
        count += n
    return text, count


def blank_values(text: str, values: Iterable[str]) -> tuple[str, int]:
    """Blank every occurrence of known secret values.

    A value that is part of a longer word stays: a password ``river7`` does not blank ``river77``.
    """
    count = 0
    for value in sorted(values, key=len, reverse=True):
        # As it is, and as a repr writes it.
        for form in {value, repr(value)[1:-1]}:
            if form in text:
                text, n = re.subn(r"(?<![A-Za-z0-9])" + re.escape(form) + r"(?![A-Za-z0-9])", PLACEHOLDER, text)
                count += n
    return text, count


def _keep_first(match: re.Match[str]) -> str:
    return match.group(1) + PLACEHOLDER
