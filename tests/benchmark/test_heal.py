"""What a cell needs and makes, and which cells are stale before another."""

from __future__ import annotations

import pytest

from themisto_lab.benchmark.heal import Healer
from themisto_lab.context.names import names_of


@pytest.mark.parametrize(
    ("code", "reads", "binds", "changes"),
    [
        ("x = 1", "", "x", ""),
        ("y = x + 1", "x", "y", ""),
        ("x = x + 1", "x", "", "x"),
        ("x += 1", "x", "", "x"),
        ("a, (b, *c) = f()", "f", "a b c", ""),
        ("x: int = n", "n", "x", ""),
        ("x: int", "", "", ""),
        ("df['a'] = df.b", "df", "", "df"),
        ("df.loc[i, 'a'] = 1", "df i", "", "df"),
        ("model.coef_ = 1", "model", "", "model"),
        ("rows.append(x)", "rows x", "", "rows"),
        ("df.drop(columns='a', inplace=True)", "df", "", "df"),
        ("df.head()", "df", "", ""),
        ("m = M()\nm.fit(x)\nm.predict(x)", "M x", "m", ""),
        ("import numpy as np, os.path", "", "np os", ""),
        ("from a import b as c", "", "c", ""),
        ("for i in rows:\n    total = i", "rows", "i total", ""),
        ("[i * k for i in rows if i > low]", "k rows low", "", ""),
        ("{k: v for k, v in d.items()}", "d", "", ""),
        ("f = lambda a: a + b", "b", "f", ""),
        ("def f(a, b=c):\n    d = a\n    return d + e", "c e", "f", ""),
        ("async def f():\n    await g()", "g", "f", ""),
        ("class A(B):\n    x = y", "B y", "A", ""),
        ("with open(p) as f:\n    t = f.read()", "open p", "f t", ""),
        ("%matplotlib inline\nx = 1", "get_ipython", "x", ""),
        ("files = !ls", "get_ipython", "files", ""),
        ("x = ", "", "", ""),
        ("print(x)\nx = 2", "print x", "", "x"),
        ("if (n := len(a)) > 1:\n    print(n)", "len a print", "n", ""),
        ("{i for i in a}, list(j for j in b)", "a b list", "", ""),
    ],
)
def test_names_of_a_cell(code: str, reads: str, binds: str, changes: str) -> None:
    names = names_of(code)
    assert (set(names.reads), set(names.binds), set(names.changes)) == (
        set(reads.split()),
        set(binds.split()),
        set(changes.split()),
    )


def healer_after(*runs: tuple[str, str] | tuple[str, str, bool]) -> Healer:
    healer = Healer()
    for key, code, *failed in runs:
        healer.ran(key, code, ok=not failed)
    return healer


FEATURES, SPLIT, FIT, SCORE = ("c1", "x = 1"), ("c2", "train = split(x)"), ("c3", "pred = fit(train)"), ("c4", "pred")


def test_nothing_is_stale_after_a_run_from_above() -> None:
    healer = healer_after(FEATURES, SPLIT, FIT)
    assert healer.stale(*SCORE) == []


def test_stale_cells_come_upstream_first() -> None:
    healer = healer_after(FEATURES, SPLIT, FIT, ("c1", "x = 2"))
    assert healer.stale(*SCORE) == [SPLIT, FIT]
    assert healer.stale("c3", "pred = fit(train)") == [SPLIT]
    assert healer.stale("c9", "print(other)") == []


def test_cells_that_were_healed_are_not_stale_any_more() -> None:
    healer = healer_after(FEATURES, SPLIT, FIT, ("c1", "x = 2"), SPLIT, FIT)
    assert healer.stale(*SCORE) == []


def test_a_half_healed_chain_is_healed_from_where_it_broke() -> None:
    healer = healer_after(FEATURES, SPLIT, FIT, ("c1", "x = 2"), SPLIT)
    assert healer.stale(*SCORE) == [FIT]


def test_the_edited_code_is_run_again_and_not_the_old_one() -> None:
    healer = healer_after(FEATURES, SPLIT, ("c2", "train = split(x, 3)"), ("c1", "x = 2"))
    assert healer.stale("c3", "fit(train)") == [("c2", "train = split(x, 3)")]


def test_an_import_that_runs_again_makes_nothing_stale() -> None:
    healer = healer_after(("c0", "import pandas as pd"), ("c1", "df = pd.read_csv('a')"), ("c0", "import pandas as pd"))
    assert healer.stale("c2", "df.head()") == []


def test_a_cell_that_failed_is_stale_once_what_it_lacked_is_there() -> None:
    failed = ("c2", "train = split(x)", True)
    assert healer_after(failed).stale("c3", "fit(train)") == []
    assert healer_after(failed, FEATURES).stale("c3", "fit(train)") == [SPLIT]


def test_a_cell_that_failed_does_not_take_a_name_from_one_that_did_not() -> None:
    healer = healer_after(FEATURES, ("c9", "x = lacking", True))
    assert healer.upstream("c3", "print(x)") == [FEATURES]


def test_cells_that_need_each_other_do_not_go_round_for_ever() -> None:
    healer = healer_after(("a", "p = q"), ("b", "q = p"), ("a", "p = q"))
    assert healer.stale("c", "p") == [("b", "q = p"), ("a", "p = q")]


def test_a_change_in_place_makes_no_one_stale() -> None:
    healer = healer_after(("a", "df = read()"), ("b", "n = len(df)"), ("c", "df['x'] = 1"))
    assert healer.stale("d", "n") == []


def test_upstream_holds_those_that_change_too_after_the_one_that_binds() -> None:
    healer = healer_after(("c", "df['x'] = k"), ("b", "k = 1"), ("f", "df['y'] = 2"), ("a", "df = read()"))
    healer.ran("e", "other = 2", ok=True)
    assert [key for key, _ in healer.upstream("d", "df.x")] == ["a", "b", "c", "f"]


def test_cells_without_an_id_go_by_their_code() -> None:
    healer = healer_after(("x = 1", "x = 1"), ("y = x", "y = x"), ("x = 2", "x = 2"))
    assert healer.stale("y", "y") == [("y = x", "y = x")]
