"""What the probe says of values of each type, in this process."""

from __future__ import annotations

import collections
import datetime
import decimal
import pathlib
import subprocess
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from themisto_lab.capture.bundle import install_code
from themisto_lab.capture.probe.arrays import summarizer_for
from themisto_lab.capture.probe.changes import differs, fingerprint, named_in, state_hash
from themisto_lab.capture.probe.memory import memory
from themisto_lab.capture.probe.values import MAX_SUMMARY_CHARS, Reader, Summary, summarize


class Plain:
    def __init__(self) -> None:
        self.alpha = 1
        self._hidden = 2
        self.beta = 3


def function(a: int, b: int = 2, /, c: str = "x", *rest: int, key: object = None, **more: int) -> None:
    """Do nothing."""


def generator() -> Iterator[int]:
    yield 1


def text(value: object, name: str = "v") -> str:
    return look(value, name).text


def look(value: object, name: str = "v", known: tuple[str, ...] = ()) -> Summary:
    reader = Reader(known)
    special = summarizer_for(type(value))
    return special(reader, value) if special else summarize(reader, name, value)


DEEP: Any = [[[[["deep"]]]]]
LOOP: list[Any] = [1]
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "None"),
        (True, "True"),
        (3, "3"),
        (2.5, "2.5"),
        (1 + 2j, "(1+2j)"),
        (10**200, "int of 665 bits"),
        ("it's", '"it\'s"'),
        ("a" * 1000, repr("a" * 160) + "... (1000 characters)"),
        ("\ud800", "'?'"),
        (b"ab\x00", "b'ab\\x00'"),
        (b"x" * 100, "b" + repr("x" * 64) + "... (100 bytes)"),
        ([], "[]"),
        ([1, "b", None], "[1, 'b', None]"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, ..., 19] (20 items)"),
        ((1,), "(1,)"),
        ((1, 2), "(1, 2)"),
        ({3, 1, 2}, "{1, 2, 3}"),
        (set(), "set()"),
        (frozenset(["b", "a"]), "{'a', 'b'}"),
        ({"a": 1, 2: [3]}, "{'a': 1, 2: [3]}"),
        ({i: i for i in range(14)}, "{" + ", ".join(f"{i}: {i}" for i in range(12)) + ", ... (14 items)}"),
        (collections.Counter("aab"), "{'a': 2, 'b': 1}"),
        (collections.deque([1, 2]), "deque([1, 2])"),
        (DEEP, "[[[list of 1]]]"),
        (LOOP, "[1, [1, [1, list of 2]]]"),
        (range(5), "range(0, 5)"),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC), "2026-01-02T00:00:00+00:00"),
        (decimal.Decimal("1.50"), "1.50"),
        (pathlib.Path("/a/b"), "/a/b"),
        (function, "function(a, b=2, /, c='x', *rest, key=None, **more)"),
        (lambda: 0, "<lambda>()"),
        (generator(), "<generator>"),
        (len, "<builtin_function_or_method>"),
        (np.float64(1.5), "1.5"),
        (np.int64(7), "7"),
        (np.datetime64("2026-01-02"), "2026-01-02"),
        (pd.Timestamp("2026-01-02"), "2026-01-02 00:00:00"),
        (pd.NaT, "NaT"),
        (Plain(), f"<{__name__}.Plain> with alpha, beta"),
        (Plain, f"class {__name__}.Plain"),
    ],
)
def test_summaries(value: object, shown: str) -> None:
    assert text(value) == shown


@pytest.mark.parametrize(
    ("value", "shape", "dtype", "shown"),
    [
        (np.arange(6).reshape(2, 3), (2, 3), "int64", "array [0, 1, 2, 3, 4, 5]"),
        (np.zeros(100, dtype="float32"), (100,), "float32", "array [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ... (100 items)]"),
        (np.array(5), (), "int64", "array [5]"),
        (np.array(["a", "b"]), (2,), "<U1", "array ['a', 'b']"),
        (np.array([b"a"], dtype=object), (1,), "object", "array [b'a']"),
        (np.zeros((4, 4))[::2, ::2], (2, 2), "float64", "array [0.0, 0.0, 0.0, 0.0]"),
        (pd.Series([1, 2], name="n"), (2,), "int64", "n: [1, 2]"),
        (pd.Series(["a", None]), (2,), "str", "['a', nan]"),
        (pd.Index(["a", "b"]), (2,), "str", "['a', 'b']"),
        (pd.RangeIndex(3), (3,), "int64", "[0, 1, 2]"),
        (
            pd.DataFrame({"a": [1, 2], "b": ["x", "y"], "c": pd.to_datetime(["2026-01-02", None])}),
            (2, 3),
            None,
            "columns: a (int64), b (str), c (datetime64[us]); first rows: a=[1, 2], b=['x', 'y'], "
            "c=[2026-01-02 00:00:00, NaT]",
        ),
        (pd.DataFrame(), (0, 0), None, "columns: "),
        (
            pd.DataFrame({"k": pd.Categorical(["u", "v"])}),
            (2, 1),
            None,
            "columns: k (category); first rows: k=['u', 'v']",
        ),
        (
            pl.DataFrame({"a": [1, 2], "b": ["x", None]}),
            (2, 2),
            None,
            "columns: a (Int64), b (String); first rows: a=[1, 2], b=['x', None]",
        ),
        (pl.Series("s", [1.5]), (1,), "Float64", "[1.5]"),
        (pl.DataFrame({"a": [1]}).lazy(), None, None, "<polars.lazyframe.frame.LazyFrame>"),
    ],
)
def test_arrays_and_frames(value: object, shape: tuple[int, ...] | None, dtype: str | None, shown: str) -> None:
    summary = look(value)
    assert (summary.shape, summary.dtype, summary.text) == (shape, dtype, shown)


def test_frames_of_two_libraries_do_not_disturb_each_other() -> None:
    for frame in (pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]})):
        assert look(frame).text.startswith("columns: a (")
        assert look(frame).shape == (1, 1)


def test_a_wide_frame_is_cut_and_says_so() -> None:
    summary = look(pd.DataFrame({f"column_{i}": [i] for i in range(500)}))
    assert summary.shape == (1, 500)
    assert len(summary.text) <= MAX_SUMMARY_CHARS
    assert summary.text.startswith("columns: column_0 (int64), column_1 (int64)")


def test_sizes_are_estimates_of_all_that_is_held() -> None:
    assert look(np.zeros(1000)).size_bytes == 8000
    strings = [str(i) * 10 for i in range(1000, 2000)]
    size = look(strings).size_bytes
    true_size = sys.getsizeof(strings) + sum(map(sys.getsizeof, strings))
    assert size is not None
    assert 0.8 * true_size < size < 1.2 * true_size
    frame = pd.DataFrame({"a": np.zeros(1000), "o": pd.Series(["x" * 100] * 1000, dtype=object)})
    size = look(frame).size_bytes
    assert size is not None
    assert 8000 + 8000 + 100_000 < size < 300_000
    assert look({}).size_bytes == sys.getsizeof({})


def test_a_library_is_never_imported() -> None:
    code = (
        "import sys\n"
        "from themisto_lab.capture.probe import hooks\n"
        "from themisto_lab.capture.probe.arrays import summarizer_for\n"
        "summarizer_for(int); summarizer_for(type('DataFrame', (), {'__module__': 'pandas'}))\n"
        "print([m for m in ('numpy', 'pandas', 'polars', 'torch') if m in sys.modules])\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    # The server's own package may load numpy through pydantic's neighbours; the probe itself loads none.
    assert shown.stdout.strip() == "[]"


def test_a_module_that_loads_itself_when_touched_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lazy(types.ModuleType):
        def __getattribute__(self, name: str) -> object:
            raise AssertionError("the lazy module was touched")

    lazy = types.ModuleType.__new__(Lazy)
    monkeypatch.setitem(sys.modules, "torch", lazy)
    assert summarizer_for(type("Tensor", (), {"__module__": "torch"})) is None


def test_a_tensor_is_described_without_its_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is looked up by name in ``sys.modules``; here a small one stands in its place."""
    torch = types.ModuleType("torch")

    class Tensor:
        shape = (2, 3)
        dtype = "torch.float32"
        device = "cpu"

        def numel(self) -> int:
            return 6

        def element_size(self) -> int:
            return 4

    Tensor.__module__ = "torch"
    torch.Tensor = Tensor  # type: ignore[attr-defined] # a module made here
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert look(Tensor()) == Summary((2, 3), "torch.float32", 24, "tensor on cpu")


def test_secrets_are_blanked_in_the_kernel_already() -> None:
    token = "ghp_" + "a1B2" * 9
    assert text("hunter2", "password") == "[redacted]"
    assert text(["x1y2z3"], "secrets") == "[redacted]"
    assert text({"password": "hunter2", "n": 1}) == "{'password': [redacted], 'n': 1}"
    assert text("x" * 150 + " " + token) == repr("x" * 150 + " [redacted") + "... (191 characters)"
    assert token[:6] not in text([token, {"deep": token}])
    assert token[:6] not in text(token.encode())
    assert look("got river7stone", known=("river7stone",)).text == "'got [redacted]'"
    frame = pd.DataFrame({"user": ["ann"], "api_key": ["k1k2k3k4"]})
    reader = Reader()
    special = summarizer_for(pd.DataFrame)
    assert special is not None
    assert special(reader, frame).text.endswith("first rows: user=['ann'], api_key=[redacted]")
    assert reader.found == {"k1k2k3k4"}
    assert text(pd.Series(["a1b2c3d4"], name="password")) == "password: [redacted]"
    polars = special = summarizer_for(pl.DataFrame)
    assert polars is not None
    assert "k1k2k3k4" not in polars(Reader(), pl.DataFrame({"api_key": ["k1k2k3k4"]})).text


def changed(before: object, after: object, named: bool = True) -> bool:
    return differs(fingerprint(before, named), fingerprint(after, named))


def test_equal_values_are_no_change() -> None:
    for make in (
        lambda: 5,
        lambda: "text" * 100,
        lambda: {"a": [1, 2, {3}]},
        lambda: np.arange(1000),
        lambda: pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}),
        lambda: lambda x: x + 1,
    ):
        assert not changed(make(), make()), make()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        ("a", "b"),
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": 2}),
        ({1, 2}, {1, 3}),
        (b"a", bytearray(b"a")),
        ([[1]], [[2]]),
        (np.zeros(3), np.zeros(3, dtype=int)),
        (np.zeros(3), np.array([0, 0, 1.0])),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]})),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})),
        (pd.Series(["a", "b"]), pd.Series(["a", "c"])),
        (pd.Series(pd.to_datetime(["2026-01-01"])), pd.Series(pd.to_datetime(["2026-01-02"]))),
        (lambda: 1, lambda: 2),
        (generator(), generator()),
        pytest.param(10**5000, 10**5000 + 1, id="long integers"),
    ],
)
def test_different_values_are_a_change(before: object, after: object) -> None:
    assert changed(before, after)


def test_attributes_of_an_object_are_looked_at() -> None:
    thing = Plain()
    before = fingerprint(thing, True)
    assert not differs(before, fingerprint(thing, True))
    thing.beta = 4
    assert differs(before, fingerprint(thing, True))
    assert differs(None, before)


def test_a_full_hash_is_only_compared_with_another() -> None:
    values = list(range(3000))
    sampled, full = fingerprint(values, False), fingerprint(values, True)
    assert sampled.full is None
    assert not differs(sampled, full)
    values[1234] = -1
    assert differs(full, fingerprint(values, True))
    assert not differs(sampled, fingerprint(values, False))


def test_names_of_a_cell_reach_into_the_functions_it_calls() -> None:
    space: dict[str, Any] = {}
    exec("def grow():\n    kept.append(1)\nkept = []", space)
    assert {"grow", "kept"} <= named_in("grow()", space)
    assert "kept" not in named_in("other()", space)


def test_the_state_hash_does_not_depend_on_order() -> None:
    assert state_hash(["a", "b"]) == state_hash(["b", "a"]) != state_hash(["a", "c"])


def test_memory_is_that_of_this_process() -> None:
    import psutil

    told = memory()
    rss = psutil.Process().memory_info().rss
    assert told["memory_bytes"] is not None
    assert told["peak_memory_bytes"] is not None
    assert 0.5 * rss < told["memory_bytes"] < 2 * rss
    assert told["peak_memory_bytes"] >= told["memory_bytes"] * 0.99


def test_the_install_code_binds_no_name_and_raises_nothing_where_there_is_no_kernel() -> None:
    space: dict[str, Any] = {}
    exec(install_code(), space)
    assert set(space) == {"__builtins__"}
    for name in [name for name in sys.modules if name.startswith("_themisto_lab_probe")]:
        del sys.modules[name]
