"""Bounds on what a closer look evaluates: nothing huge is made."""

from __future__ import annotations

import ast
import re
from typing import Any

from .look_rules import family
from .look_trust import n_cells

MAX_REPEATS = 200
"""The longest loop that is gone through."""

_MAX_MADE = 1_000_000
_MAX_PAIRS = 100_000_000
_MAX_BITS = 4096
_REPEATED = (str, bytes, list, tuple)
_WIDE = re.compile(r"\d{4,}")
_READS_INSIDE = re.compile(r"\{[^}:!]*[.\[]")


class UnknownError(Exception):
    """Raised where only a run can tell."""


class _Missing:
    """Stands for the value of what is not known."""


MISSING = _Missing()


def check_format(spec: Any) -> None:
    """Refuse a format that asks for a huge width."""
    if type(spec) is str and _WIDE.search(spec):
        raise UnknownError


def check_template(template: str) -> None:
    """Refuse a `str.format` template that reads attributes or items by itself."""
    check_format(template)
    if _READS_INSIDE.search(template):
        raise UnknownError


def check_made(values: list[Any]) -> None:
    """Refuse what would make something huge."""
    total = 1.0
    for value in values:
        for one in value if type(value) in (tuple, list) else [value]:
            if type(one) in (int, float):
                total *= max(1.0, abs(one))
            elif family(one) == "numpy":
                total *= max(1, n_cells(one))
    if not total <= _MAX_MADE:
        raise UnknownError


def check_pairs(values: list[Any]) -> None:
    """Refuse to join tables that are large together."""
    if len(values) > 1 and n_cells(values[0]) * n_cells(values[1]) > _MAX_PAIRS:
        raise UnknownError


def check_growth(op: ast.operator, left: Any, right: Any) -> None:
    """Refuse arithmetic whose result is out of proportion to its parts."""
    kinds = (type(left), type(right))
    if isinstance(op, ast.Mod) and type(left) in (str, bytes):
        check_format(left if type(left) is str else left.decode("latin-1"))
    is_repeat = isinstance(op, ast.Mult) and int in kinds and any(kind in _REPEATED for kind in kinds)
    if is_repeat and _length(left) * _length(right) > _MAX_MADE:
        raise UnknownError
    if isinstance(op, (ast.Pow, ast.LShift)) and kinds == (int, int):
        if right < 0:
            return
        bits = left.bit_length() * right if isinstance(op, ast.Pow) else left.bit_length() + right
        if bits > _MAX_BITS:
            raise UnknownError
    if isinstance(op, ast.Mult) and kinds == (int, int) and left.bit_length() + right.bit_length() > 4 * _MAX_BITS:
        raise UnknownError
    if family(left) in ("numpy", "pandas") and family(right) in ("numpy", "pandas"):
        a, b = n_cells(left), n_cells(right)
        if a != b and a * b > 20 * _MAX_MADE:
            raise UnknownError


def _length(value: Any) -> int:
    return max(0, value) if type(value) is int else len(value)
