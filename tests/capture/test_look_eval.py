"""The evaluator of closer looks against `pure_eval`, and against Python itself."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from pure_eval import CannotEval
from pure_eval import Evaluator as PureEvaluator

from themisto_lab.capture.probe.buffers import clock
from themisto_lab.capture.probe.look_eval import Evaluator
from themisto_lab.capture.probe.look_limits import UnknownError

NAMES: dict[str, Any] = {
    "n": 7,
    "f": 2.5,
    "s": "hello world",
    "items": [3, 1, 2],
    "pair": (1, "a"),
    "d": {"k": [1, 2], "m": {"deep": True}},
    "u": {1, 2},
}

BOTH = [
    *("n", "s", "items[0]", "items[-1]", "items[1:]", "pair[1]", "d['k'][1]", "d['m']['deep']", "n + 1", "n * f"),
    *("-n", "not n", "n > 3", "n == 7", "1 < n < 9", "n if f else s", "n and f", "0 or s", "[n, f]", "(n, s)"),
    *("{'a': n}", "len(items)", "len(s)", "n in items", "2 in items", "s[0]", "s[:5]", "n // 2", "n % 4", "n ** 2"),
    *("abs(-n)", "sorted(items)", "max(items)", "f'{n}'", "str(n)", "bool(d)", "round(f)", "sum(items)", "u"),
]


def ours(code: str, names: dict[str, Any] = NAMES, **options: Any) -> Any:
    evaluator = Evaluator(dict(names), clock() + 10, lambda name, value: False, **options)
    return evaluator.evaluate(ast.parse(code, mode="eval").body)


@pytest.mark.parametrize("code", BOTH)
def test_what_pure_eval_evaluates_is_the_same_here(code: str) -> None:
    node = ast.parse(code, mode="eval").body
    found = ours(code)
    assert found == eval(code, {}, dict(NAMES))
    try:
        pure = PureEvaluator(dict(NAMES))[node]
    except CannotEval:
        return  # it knows less than this one: no calls, no f-strings
    assert type(found) is type(pure)
    assert found == pure


@pytest.mark.parametrize(
    "code",
    [
        *("10 ** 10 ** 6", "'x' * 10 ** 8", "[0] * 10 ** 8", "1 << 10 ** 6", "f'{n:9999999}'", "'%9999999d' % n"),
        *("'{:>9999999}'.format(n)", "'{0.__class__}'.format(n)", "'{0[0]}'.format(items)", "s.zfill(10 ** 9)"),
        *("list(range(10 ** 9))", "sum(range(10 ** 9))", "[i for i in range(10 ** 6)]", "eval('1')", "open('x')"),
        *("__import__('os')", "getattr(n, 'real')", "(lambda: 1)()", "items.append(4)", "d.pop('k')", "print(n)"),
        *("missing", "items[9]", "d['none']", "n / 0", "s + 1", "int('x')", "{**d}", "[*items]", "len(*[s])"),
    ],
)
def test_what_is_huge_or_changes_or_fails_stays_unknown(code: str) -> None:
    before = repr(NAMES)
    with pytest.raises(UnknownError):
        ours(code)
    assert repr(NAMES) == before


def test_nothing_is_computed_while_only_reading() -> None:
    assert ours("d['k'][0]", reading_only=True) == 1
    for code in ("n + 1", "sorted(items)", "s.upper()", "items == [1]"):
        with pytest.raises(UnknownError):
            ours(code, reading_only=True)


def test_the_time_that_is_up_ends_it() -> None:
    evaluator = Evaluator(dict(NAMES), clock() - 1, lambda name, value: False)
    with pytest.raises(UnknownError):
        evaluator.evaluate(ast.parse("n", mode="eval").body)


def test_a_secret_is_read_by_no_expression() -> None:
    evaluator = Evaluator({"password": "tiger", "n": 1}, clock() + 10, lambda name, value: name == "password")
    for code in ("password", "password[:2]", "len(password)", "f'{password}'", "[password]"):
        with pytest.raises(UnknownError):
            evaluator.evaluate(ast.parse(code, mode="eval").body)


def test_a_changed_builtin_is_not_taken_for_the_real_one() -> None:
    with pytest.raises(UnknownError):
        ours("len(s)", {"s": "x", "len": lambda value: 99})


def test_a_patched_method_of_a_library_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": [1]})
    assert ours("frame.head()", {"frame": frame}).shape == (1, 1)
    monkeypatch.setattr(pd.DataFrame, "head", lambda self: pytest.fail("a user's code was called"))
    with pytest.raises(UnknownError):
        ours("frame.head()", {"frame": frame})
