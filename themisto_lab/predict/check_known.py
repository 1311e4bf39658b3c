"""What a snapshot tells of a variable's columns, keys and attributes; where it does not tell all, it tells nothing."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from themisto_lab.types import VariableSnapshot

PANDAS_FRAME = "pandas.core.frame.DataFrame"
_FRAMES = frozenset({PANDAS_FRAME, "polars.dataframe.frame.DataFrame"})
_BUILTINS = ("list", "dict", "str", "int", "float", "tuple", "set", "bytes", "bool", "frozenset", "complex")

# A column's dtype holds no parenthesis but those of its own parameters.
_COLUMN = re.compile(r"(?P<name>.+?) \((?P<dtype>[^()]*(?:\([^()]*\))?[^()]*)\)(?:, |$)", re.DOTALL)
_KEY = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_LONGEST_NAME = 60
"""Names are cut at this length in a summary."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is surely known of one variable.

    Attributes
    ----------
    columns
        All columns of a frame; None where not all are known.
    keys
        All keys of a dict; None where not all are known.
    attributes
        All attributes of its type; None where they are not known.
    """

    columns: frozenset[str] | None = None
    keys: frozenset[str] | None = None
    attributes: frozenset[str] | None = None


def known_of(variable: VariableSnapshot) -> Known:
    """Read what a snapshot surely tells of a variable."""
    kind = variable.type_name.removeprefix("builtins.")
    if kind in _FRAMES:
        columns = _columns(variable)
        attributes = None
        if kind == PANDAS_FRAME and columns is not None:
            attributes = frame_attributes() | columns
        return Known(columns=columns, attributes=attributes)
    if kind == "numpy.ndarray":
        return Known(attributes=_array_attributes())
    if kind in _BUILTINS:
        attributes = frozenset(dir(getattr(builtins, kind)))
        return Known(keys=_keys(variable) if kind == "dict" else None, attributes=attributes)
    return Known()


def _columns(variable: VariableSnapshot) -> frozenset[str] | None:
    text = variable.summary
    if variable.shape is None or len(variable.shape) != 2 or not text.startswith("columns: "):
        return None
    listed = text.removeprefix("columns: ").partition("; first rows: ")[0]
    names = [match["name"] for match in _COLUMN.finditer(listed)]
    # As many as there are, none cut, and none taken for two: else nothing is said.
    whole = len(names) == variable.shape[1] == len(set(names)) and all(len(name) < _LONGEST_NAME for name in names)
    return frozenset(names) if whole else None


def _keys(variable: VariableSnapshot) -> frozenset[str] | None:
    if variable.shape is None or len(variable.shape) != 1 or not variable.summary.endswith("}"):
        return None
    keys = set(_top_level_keys(variable.summary[1:-1]))
    return frozenset(keys) if len(keys) == variable.shape[0] else None


def _top_level_keys(text: str) -> Iterator[str]:
    """Yield the keys in ``'a': 1, 'b': {...}`` that are texts."""
    depth, at, at_key = 0, 0, True
    while at < len(text):
        quoted = _KEY.match(text, at)
        if quoted:
            if depth == 0 and at_key and text.startswith(": ", quoted.end()):
                yield quoted.group()[1:-1]
            at, at_key = quoted.end(), False
            continue
        mark = text[at]
        depth += (mark in "([{<") - (mark in ")]}>")
        at_key = depth == 0 and (mark == "," or (at_key and mark == " "))
        at += 1


@lru_cache(maxsize=1)
def frame_attributes() -> frozenset[str]:
    """Return the public attributes of a pandas frame, of the versions 1.5 to 3: pandas need not be installed here."""
    text = files(__package__).joinpath("check_frame_attributes.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


@lru_cache(maxsize=1)
def _array_attributes() -> frozenset[str]:
    import numpy as np

    # Those of older versions that newer ones took away.
    return frozenset(dir(np.ndarray)) | {"ptp", "newbyteorder", "itemset", "tostring"}
