"""Made-up secrets. None was ever valid; they are put together at run time, so that no scanner trips over them."""

from __future__ import annotations

import base64
import hashlib
import json
import string
from dataclasses import dataclass
from typing import Literal

Where = Literal["output", "code"]


@dataclass(frozen=True, slots=True)
class Case:
    """A text, and what of it is secret.

    Attributes
    ----------
    name
        Names the case in tests and in the documentation.
    text
        What a cell holds or shows.
    secrets
        What must be blanked; nothing in a harmless look-alike.
    where
        Whether the text is code or an output.
    """

    name: str
    text: str
    secrets: tuple[str, ...] = ()
    where: Where = "output"


def out(name: str, text: str, *secrets: str) -> Case:
    """Make a case of an output."""
    return Case(name, text, secrets)


def code(name: str, text: str, *secrets: str) -> Case:
    """Make a case of a cell's code."""
    return Case(name, text, secrets, "code")


def odd(n: int, salt: str, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Make n characters that look random and are the same each time; letters and digits are among them."""
    digest = b"".join(hashlib.sha256(f"{salt}/{at}".encode()).digest() for at in range(n // 32 + 1))
    text = "".join(alphabet[byte % len(alphabet)] for byte in digest[:n])
    return text if alphabet.isdigit() else text[: n - 2] + "a7"


def hexa(n: int, salt: str) -> str:
    """Make n hexadecimal digits."""
    return odd(n, salt, string.hexdigits[:16])


def b64(n_bytes: int, salt: str) -> str:
    """Make the base64 of n odd bytes."""
    return base64.b64encode(odd(n_bytes, salt).encode("latin-1")).decode()


def b64_json(**fields: object) -> str:
    """Make a part of a signed web token."""
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode().rstrip("=")


def pem(label: str, salt: str, n_lines: int = 4) -> str:
    """Make a block as keys and certificates are written."""
    lines = [b64(48, f"{salt}{at}") for at in range(n_lines)]
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


JWT = ".".join([b64_json(alg="HS256", typ="JWT"), b64_json(sub="1234", name="Ann"), odd(43, "jwt")])
PRIVATE = "PRIVATE" + " KEY"
