"""Patterns of edits, and the same pattern elsewhere."""

from __future__ import annotations

import pytest

from themisto_lab.predict.history_edits import moved_on, replacements, transferred


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("df.mean()", "df.median()", {"mean": "median"}),
        ("f(x, x)", "f(y, y)", {"x": "y"}),
        ("f(a, b)", "f(b, a)", {"a": "b", "b": "a"}),
        ("alpha = 0.3", "alpha = 0.5", {"0.3": "0.5"}),
        ("f(x, x)", "f(y, z)", None),
        ("f(x)", "f(x, y)", None),
        ("f(x)", "f[x]", None),
        ("f(x)", "f(x)", None),
        ("a b c d", "e f g h", None),
        ("é = 1", "é = 2", {"1": "2"}),
    ],
)
def test_replacements(before, after, expected):
    assert replacements(before, after) == expected


def test_long_cells_are_left_alone():
    assert replacements("x " * 2000, "y " * 2000) is None


def test_transfer_touches_whole_names_only():
    assert transferred("a = df", "a = houses", "df2 = df.copy()") == "df2 = houses.copy()"
    assert transferred("a = df", "a = houses", "print(1)") is None
    assert transferred("f(x)", "f(x, y)", "x") is None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("head(2)", "head(3)", "head(4)"),
        ("head(9)", "head(6)", "head(3)"),
        ("head(3)", "head(1)", None),
        ("head(x)", "head(3)", None),
        ("head(0.1)", "head(0.2)", None),
        ("f(3, 2)", "f(3, 3)", "f(3, 4)"),
        ("f(2, 3)", "f(3, 2)", None),
    ],
)
def test_a_number_moves_on(before, after, expected):
    assert moved_on(before, after) == expected
