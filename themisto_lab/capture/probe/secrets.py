"""What a secret looks like: by the name that it goes by, and by the form of known tokens.

Shared by the probe (in the kernel) and by `themisto_lab.capture.redact` (in the server).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

PLACEHOLDER = "[redacted]"

_AUTH_HEADER = r"(\b(?i:(?:proxy-)?authorization['\"]?\s*[:=]\s*['\"]?(?:basic|token|apikey))\s+)[\w.~+/=-]{6,}"
_KEEP_FIRST = r"\1" + PLACEHOLDER

# (a text that must occur, the pattern), by a character that all of them hold. The plain searches are what keep this
# cheap: most texts hold none of these, and a short one not even their characters. A pattern's group is kept.
_TOKEN_FORMS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "_",
        (
            ("sk_", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}"),
            ("rk_", r"\brk_(?:live|test)_[A-Za-z0-9]{10,}"),
            ("whsec_", r"\bwhsec_[A-Za-z0-9+/=]{16,}"),
            ("gh", r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
            ("github_pat_", r"\bgithub_pat_\w{20,}"),
            ("hf_", r"\bhf_[A-Za-z0-9]{24,}"),
            ("npm_", r"\bnpm_[A-Za-z0-9]{30,}"),
            ("dop_v1_", r"\bdop_v1_[0-9a-f]{32,}"),
            ("gsk_", r"\bgsk_[A-Za-z0-9]{32,}"),
            ("r8_", r"\br8_[A-Za-z0-9]{32,}"),
            ("dckr_pat_", r"\bdckr_pat_[\w-]{20,}"),
            ("lin_api_", r"\blin_api_[A-Za-z0-9]{30,}"),
            ("shp", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
            ("pcsk_", r"\bpcsk_\w{32,}"),
            ("lsv2_", r"\blsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{10}"),
            ("KGAT_", r"\bKGAT_[0-9a-f]{32}"),
            ("figd_", r"\bfigd_[\w-]{32,}"),
            ("ntn_", r"\bntn_[A-Za-z0-9]{40,}"),
            ("sbp_", r"\bsbp_[0-9a-f]{40}"),
            ("glsa_", r"\bglsa_[A-Za-z0-9]{32}_[0-9a-f]{8}"),
        ),
    ),
    (
        "-",
        (
            ("PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]+-----|\Z)"),
            ("sk-", r"(?<![\w-])sk-(?=[A-Za-z0-9_-]{0,400}\d)[A-Za-z0-9_-]{20,}"),
            ("gl", r"\bgl(?:pat|dt|rt|ft|soat|ptt|cbt|imt|agent)-[\w-]{16,}"),
            ("xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
            ("xapp-", r"\bxapp-[A-Za-z0-9-]{10,}"),
            ("GOCSPX-", r"\bGOCSPX-[\w-]{20,}"),
            ("pypi-", r"\bpypi-[\w-]{40,}"),
            ("xai-", r"\bxai-[A-Za-z0-9]{32,}"),
            ("pplx-", r"\bpplx-[A-Za-z0-9]{32,}"),
            ("tvly-", r"\btvly-[\w-]{24,}"),
            ("NRAK-", r"\bNRAK-[A-Z0-9]{27}"),
            ("key-", r"\bkey-[0-9a-f]{32}\b"),
            ("-us", r"\b[0-9a-f]{32}-us\d{1,2}\b"),
            ("AGE-SECRET-", r"\bAGE-SECRET-KEY-1[0-9A-Za-z]{40,}"),
            ("X-Amz-S", r"(X-Amz-S(?:ignature|ecurity-Token)=)[\w%+/=-]{16,}"),
            ("X-Goog-Signature=", r"(X-Goog-Signature=)[0-9a-f]{16,}"),
        ),
    ),
    (
        ".",
        (
            ("hooks.slack.com", r"(hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}"),
            ("/api/webhooks/", r"(\.com/api/webhooks/\d{1,30}/)[\w-]{40,}"),
            ("ya29.", r"\bya29\.[\w-]{20,}"),
            ("eyJ", r"\beyJ[\w-]{8,600}\.eyJ[\w-]*(?:\.[\w-]*)?"),
            ("SG.", r"\bSG\.[\w-]{16,100}\.[\w-]{16,}"),
            ("hvs.", r"\bhvs\.[\w-]{20,}"),
            (".atlasv1.", r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}"),
        ),
    ),
    (
        "=",
        (
            ("AccountKey=", r"(AccountKey=)[A-Za-z0-9+/=]{20,}"),
            ("SharedAccessKey=", r"(SharedAccessKey=)[A-Za-z0-9+/=]{20,}"),
            ("key=", r"([?&]key=)[\w-]{20,}"),
            ("sig=", r"([?&]sig=)[\w%+/=-]{16,}"),
        ),
    ),
    (
        ":",
        (
            (":AA", r"\b\d{8,10}:AA[\w-]{32,}"),
            ("://", r"(://[^\s/:@'\"]*:)(?!\[redacted\])[^\s/@'\"]+(?=@)"),
            ("://", r"(://)(?=[A-Za-z_-]*\d)[\w-]{20,}(?=@)"),
            # kaggle.json
            ("username", r"(\busername['\"]\s*:\s*['\"][^'\"]{1,80}['\"]\s*,\s*['\"]key['\"]\s*:\s*['\"])[0-9a-f]{32}"),
        ),
    ),
    (
        "A",
        (
            ("AIza", r"\bAIza[\w-]{30,}"),
            ("EAA", r"\bEAA[A-Za-z0-9]{80,}"),
            ("AKIA", r"\bAKIA[A-Z0-9]{12,}\b"),
            ("ASIA", r"\bASIA[A-Z0-9]{12,}\b"),
            ("ABIA", r"\bABIA[A-Z0-9]{12,}\b"),
            ("ACCA", r"\bACCA[A-Z0-9]{12,}\b"),
        ),
    ),
    (
        "a",
        (
            ("dapi", r"\bdapi[0-9a-f]{32}"),
            ("earer", r"(\b[Bb]earer\s+)(?:(?=[\w.~+/=-]*\d)[\w.~+/=-]{12,}|[\w.~+/=-]{32,})"),
            ("machine", r"(\bmachine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+)(?!\[redacted\])\S+"),
            ("uthorization", _AUTH_HEADER),
        ),
    ),
    ("S", (("SK", r"\bSK[0-9a-f]{32}\b"),)),
    ("T", (("AUTHORIZATION", _AUTH_HEADER),)),
    ("~", (("Q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),)),
)
_FORMS = tuple(
    (
        character,
        tuple(
            (needle, compiled, _KEEP_FIRST if compiled.groups else PLACEHOLDER)
            for needle, compiled in ((needle, re.compile(pattern, re.DOTALL)) for needle, pattern in forms)
        ),
    )
    for character, forms in _TOKEN_FORMS
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SECRET_WORD = _words(
    "password passwords passwd passphrase passcode pwd secret secrets apikey apikeys credential "
    "credentials secretkey accesskey privatekey authkey authtoken accesstoken apitoken csrftoken passwort "
    "kennwort contrasena senha motdepasse wachtwoord"
)
_KEY_OWNER = _words(
    "api access secret private auth encryption signing master service subscription storage account ssh "
    "client consumer app"
)
_TOKEN_OWNER = _words(
    "access auth api refresh bearer session bot oauth id csrf hf huggingface github gh gitlab slack "
    "personal security user client jwt deploy vault openai telegram discord npm pypi wandb login secret"
)
# Words after a secret word that turn it into something else: ``password_length``, ``token_count``.
_TRAILER = _words(
    "hash digest encrypted prod production dev test testing staging old new str value raw text plain "
    "default main backup b64 tmp"
)
_NOT_PASS = _words("first second last this one single forward backward low high band by n num test")
# Words before ``token`` that mean a piece of text.
_LANGUAGE_TOKEN = _words(
    "pad eos bos unk mask sep cls next start end special first last prev previous stop word sub target "
    "per max min num n cur current image begin"
)
# A name's words are looked at only if it holds one of these.
_HINT = re.compile(
    r"pass|pw|secret|cred|key|token|auth|cookie|sessi|kennw|contras|senha|wachtw|asło|ösenord|парол|密码|密碼|"
    r"パスワード|비밀번호|şifre"
)
_NOT_ASCII_WORD = re.compile(r"contraseña|hasło|lösenord|пароль|пароли|密码|密碼|パスワード|비밀번호|şifre")
_LOGIN_COOKIE = _words("sessionid jsessionid phpsessid cookie cookies auth authorization")
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
    n = len(name)
    if n > 80 or (n < 3 and name.isascii()) or _HINT.search(lowered := name.lower()) is None:
        return NO
    if not name.isascii() and _NOT_ASCII_WORD.search(lowered):
        return SURE
    words = [word.lower() for word in _WORD.findall(name)]
    while words and (words[-1] in _TRAILER or words[-1].isdigit()):
        words.pop()
    if not words:
        return NO
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    if last == "pwd" and not before:
        # The working directory in every shell's environment, a password in some code.
        return NO if name in ("PWD", "OLDPWD") else MAYBE
    if (
        last in _SECRET_WORD
        or (last == "pass" and before and before not in _NOT_PASS)
        or (last == "passe" and before == "de")
        or (last == "pw" and before)
        or (last in ("key", "keys") and before in _KEY_OWNER)
        or (last in ("token", "tokens") and before in _TOKEN_OWNER)
    ):
        return SURE
    is_token = last == "token" and before not in _LANGUAGE_TOKEN
    is_key = last == "key" and name.isupper()
    return MAYBE if is_token or is_key or last == "pw" or last in _LOGIN_COOKIE else NO


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
    for character, forms in _FORMS:
        if character in text:
            for needle, pattern, replacement in forms:
                if needle in text:
                    text, n = pattern.subn(replacement, text)
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
