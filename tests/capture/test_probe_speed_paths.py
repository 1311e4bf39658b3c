"""What the probe looks at again and what it leaves: no change goes unseen, and nothing is read twice for nothing."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from themisto_lab.capture.probe import buffers, ledger
from themisto_lab.capture.probe.buffers import Budget, OutOfTimeError, fold
from themisto_lab.capture.probe.changes import UNKNOWN, differs, fingerprint
from themisto_lab.capture.probe.glance import glance, is_held, same
from themisto_lab.capture.probe.ledger import Ledger
from themisto_lab.capture.probe.plugins import summary_of
from themisto_lab.capture.probe.sample import sample
from themisto_lab.capture.probe.values import Reader


class Watched:
    """A ledger and a namespace; counts what is described."""

    def __init__(self, **variables: object) -> None:
        self.ledger = Ledger()
        self.space: dict[str, Any] = dict(variables)
        self.described: list[str] = []
        self.look()

    def look(self, *named: str, again: bool = False, limit_s: float = 1.0) -> dict[str, Any]:
        """Take a snapshot after a cell that names some variables."""
        self.described = []

        def describe(name: str, value: object) -> Any:
            self.described.append(name)
            return summary_of(Reader(), name, value)

        return self.ledger.look(list(self.space.items()), set(named), describe, again=again, limit_s=limit_s)

    def changed(self, *named: str) -> list[str]:
        """Return the names that changed."""
        found: list[str] = self.look(*named)["changed"]
        return found


def test_what_is_the_same_is_neither_described_nor_told_again() -> None:
    watched = Watched(a=1, text="x" * 100, items=[1, 2], frame=pd.DataFrame({"a": [1]}), array=np.arange(9))
    found = watched.look()
    assert (found["variables"], found["removed"], found["changed"], found["out_of_time"]) == ([], [], [], 0)
    assert watched.described == []


def test_named_variables_are_described_again_and_told_only_if_they_differ() -> None:
    watched = Watched(items=[1, 2], other=[3])
    found = watched.look("items")
    assert watched.described == ["items"]
    assert (found["variables"], found["changed"]) == ([], [])


@pytest.mark.parametrize(
    ("value", "change"),
    [
        ([1, 2, 3], lambda v: v.append(4)),
        ([1, 2, 3], lambda v: v.__setitem__(0, 1.0)),
        ([[1], 2], lambda v: v[0].append(3)),
        ({"a": 1}, lambda v: v.update(a=2)),
        ({"a": 1}, lambda v: v.update(a=True)),
        ({"a": [1]}, lambda v: v["a"].append(2)),
        ({1, 2}, lambda v: v.add(3)),
        (bytearray(b"ab"), lambda v: v.extend(b"c")),
        (np.zeros(5), lambda v: v.__setitem__(2, 1.0)),
        (np.zeros((3, 4)).T, lambda v: v.__setitem__((2, 1), 1.0)),
        (np.array([1, "a"], dtype=object), lambda v: v.__setitem__(1, "b")),
        (pd.DataFrame({"a": [1, 2]}), lambda v: v.__setitem__("b", 3)),
        (pd.DataFrame({"a": [1, 2]}), lambda v: setattr(v, "columns", ["z"])),
        (pd.Series([1, 2]), lambda v: v.__setitem__(0, 9)),
        (types.SimpleNamespace(x=1), lambda v: setattr(v, "x", 2)),
        (scipy.sparse.csr_matrix(np.eye(3)), lambda v: v.data.__setitem__(0, 5.0)),
    ],
)
def test_a_small_value_that_changes_in_its_place_is_seen_also_where_no_name_is_used(value: Any, change: Any) -> None:
    watched = Watched(v=value, w=0)
    assert watched.changed() == []
    change(value)
    assert watched.changed() == ["v"]
    assert watched.changed() == []


def test_a_new_equal_object_is_no_change_where_content_is_all() -> None:
    watched = Watched(a=[1, 2], frame=pd.DataFrame({"a": [1]}), thing=types.SimpleNamespace(x=1), n=10**6, s="a" * 500)
    watched.space.update(a=[1, 2], frame=pd.DataFrame({"a": [1]}), n=int("1000000"), s="".join(["a"] * 500))
    assert watched.changed() == []
    watched.space["thing"] = types.SimpleNamespace(x=1)
    assert watched.changed() == ["thing"]


def test_equal_states_have_equal_hashes_by_whatever_way_they_were_reached() -> None:
    one = Watched(a=1, b=[1, 2], c=np.arange(4))
    other = Watched(c=np.zeros(3), b="x", gone=5)
    assert one.ledger.hash_index != other.ledger.hash_index
    del other.space["gone"]
    other.space.update(c=np.arange(4), b=[1, 2], a=1)
    assert other.look()["removed"] == ["gone"]
    assert other.ledger.hash_index == one.ledger.hash_index
    other.space["b"].append(3)
    other.look()
    assert other.ledger.hash_index != one.ledger.hash_index


def test_the_same_data_in_another_memory_order_have_the_same_sample() -> None:
    rows = np.arange(6000.0).reshape(60, 100)
    assert sample(rows) == sample(np.asfortranarray(rows)) != sample(rows + 1)
    assert sample(np.asfortranarray(rows)) == sample(np.repeat(rows, 2, axis=1)[:, ::2])


def test_one_item_of_a_200_mb_array_through_its_name() -> None:
    array = np.zeros(25_000_000)
    watched = Watched(array=array)
    watched.look("array")
    array[12_345_678] = 1.0
    assert watched.changed("array") == ["array"]
    array[12_345_678] = 2.0
    assert watched.changed("array") == ["array"]


def test_an_array_that_is_only_read_is_no_change() -> None:
    array = np.arange(1_000_000.0)
    watched = Watched(array=array)
    watched.ledger.take_baseline({"array"}, watched.space)
    assert watched.changed("array") == []
    array[1234] = -1.0
    assert watched.changed("array") == ["array"]


def test_the_first_edit_of_a_value_that_no_cell_named_before_is_seen() -> None:
    values = list(range(3000))
    watched = Watched(values=values)
    watched.ledger.take_baseline({"values", "missing"}, watched.space)
    values[1234] = -1
    assert watched.changed("values") == ["values"]
    assert watched.changed("values") == []


@pytest.mark.parametrize("n", [10, 9_000, 100_000, 2_000_000, 5_000_000])
def test_every_byte_of_a_buffer_counts(n: int) -> None:
    array = np.random.default_rng(n).random(n)
    before = fold(array, Budget(60))
    assert fold(array.copy(), Budget(60)) == before
    for at in (0, n // 2, n - 1):
        kept = array[at]
        array[at] = kept + 1
        assert fold(array, Budget(60)) != before
        array[at] = kept
    assert fold(array, Budget(60)) == before
    array[[1, n - 2]] = array[[n - 2, 1]]
    assert fold(array, Budget(60)) != before


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((300, 400), order="F"),
        np.zeros((600, 400))[::2],
        np.zeros(100_003, dtype=bool),
        np.zeros(100_003, dtype="datetime64[s]"),
        np.zeros(50_001, dtype=[("a", "i4"), ("b", "f8")]),
        np.zeros((), dtype="f8"),
        np.zeros(0),
        np.zeros(40_000, dtype="U5"),
    ],
    ids=lambda array: f"{array.dtype}-{array.shape}",
)
def test_arrays_of_every_layout_are_hashed(array: Any) -> None:
    before = fold(array, Budget(60))
    assert fold(array, Budget(60)) == before
    if array.size:
        array[(-1,) * array.ndim] = np.ones(1, dtype=array.dtype)[0] if array.dtype.kind != "U" else "x"
        assert fold(array, Budget(60)) != before


def test_what_takes_too_long_counts_as_changed() -> None:
    array = np.zeros(1_000_000)
    with pytest.raises(OutOfTimeError):
        fold(array, Budget(0))
    now = fingerprint(array, True, Budget(0))
    assert now.full == UNKNOWN
    assert differs(now, now)
    assert not differs(fingerprint(array, False), fingerprint(array, False))


def test_a_budget_asks_first_whether_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffers.Budget, "speeds", {"rows": 1e9, "both": 1e9, "hash": 1e9, "text": 1e9, "items": 1e6})
    budget = Budget(0.010)
    budget.need("rows", 1e6)
    with pytest.raises(OutOfTimeError):
        budget.need("rows", 1e8)


def test_full_hashes_reach_into_what_a_sample_leaves_out() -> None:
    frame = pd.DataFrame(
        {"a": np.arange(5000), "s": [f"t{i}" for i in range(5000)], "c": pd.Categorical(["u", "v"] * 2500)}
    )
    column = pl.DataFrame({"a": list(range(5000)), "f": [0.5] * 5000})
    loop: list[Any] = [list(range(100))]
    loop.append(loop)
    changes: list[tuple[Any, Any]] = [
        (list(range(5000)), lambda v: v.__setitem__(777, -1)),
        ({i: [i] for i in range(500)}, lambda v: v[333].append(1)),
        (set(range(500)), lambda v: (v.remove(77), v.add(1000))),
        (frame, lambda v: v.__setitem__("s", [*v["s"][:777], "new", *v["s"][778:]])),
        (frame, lambda v: v.__setitem__("a", v["a"].where(v["a"] != 777, -1))),
        (loop, lambda v: v[0].__setitem__(50, "x")),
        (column, lambda v: v.__setitem__((777, "a"), -1)),
        ("a" * 50_000, None),
    ]
    for value, change in changes:
        before = fingerprint(value, True, Budget(60))
        assert before.full
        assert not differs(before, fingerprint(value, True, Budget(60))), type(value)
        if change is not None:
            change(value)
            assert differs(before, fingerprint(value, True, Budget(60))), type(value)


def test_only_small_immutable_values_are_kept_alive() -> None:
    assert all(is_held(value) for value in (1, 1.5, "a", None, b"x", True))
    assert not any(is_held(value) for value in ("a" * 1000, [], (), 10**1000, np.float64(1), object()))
    watched = Watched(big="a" * 1000, array=np.zeros(4), n=1)
    assert {name for name, seen in watched.ledger.seen.items() if seen.kept is not ledger._NOTHING} == {"n"}
    text = "a" * 1000
    assert all(item is not text for item in glance([text]).held)


def test_a_glance_is_not_fooled_by_equal_numbers() -> None:
    for one, other in ((1, True), (1, 1.0), (0.0, -0.0)):
        assert not same(glance([one]), glance([other]))


def test_where_there_are_too_many_each_snapshot_looks_at_the_next_part(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(**{f"v{i}": [i] for i in range(64)})
    monkeypatch.setattr(ledger, "_GLANCES_S", 0.0)
    for value in watched.space.values():
        value[0] = -1
    changed: list[str] = []
    rounds = 0
    while len(changed) < 64 and rounds < 20:
        found = watched.look()
        changed += found["changed"]
        rounds += 1
        assert found["out_of_time"] > 0
    assert sorted(changed) == sorted(watched.space)
    assert rounds > 2


def test_without_time_a_new_variable_is_told_by_its_type_and_looked_at_next_time() -> None:
    watched = Watched(a=1)
    watched.space.update(b=[1, 2], a=2)
    found = watched.look("b", limit_s=-1.0)
    assert [entry[:2] + entry[5:] for entry in found["variables"]] == [["b", "list", ""], ["a", "int", ""]]
    assert (found["changed"], found["out_of_time"]) == (["b", "a"], 2)
    found = watched.look()
    assert [entry[:2] + entry[5:] for entry in found["variables"]] == [["a", "int", "2"], ["b", "list", "[1, 2]"]]
    assert (found["changed"], found["out_of_time"]) == ([], 0)


def test_what_is_told_by_its_outside_is_counted_by_type() -> None:
    watched = Watched(a=object(), b=object(), c=1, d=(i for i in ()))
    assert watched.ledger.skipped == {"object": 2, "generator": 1}
    watched.space["a"] = 1
    del watched.space["d"]
    watched.look()
    assert watched.ledger.skipped == {"object": 1}
