"""A closer look at a cell before it is run: it tells what the run gives, and nothing of a user's runs for it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from themisto_lab.benchmark.session import KernelSession, kernel_specs
from themisto_lab.types import Look, LookedValue, Step

SETUP = """
import math
import numpy as np
import pandas as pd
from dataclasses import dataclass

df = pd.DataFrame({
    "a": [1, 2, 3, 4],
    "b": [1.5, 2.5, np.nan, 4.0],
    "c": list("xyxy"),
    "when": pd.date_range("2020-01-31", periods=4),
    "kind": pd.Categorical(["u", "v", "u", "u"]),
})
arr = np.arange(12.0).reshape(3, 4)
big = np.zeros(3_000_000)
config = {"lr": 0.1, "layers": [64, 32], "name": "base"}
text = "Hello\\nworld"
x, y = 21, 2
from sklearn.metrics import confusion_matrix, mean_squared_error, r2_score
tall = pd.DataFrame({"score": range(150000), "word": [str(n) for n in range(150000)], "other": 1.5})
tall["word"] = tall["word"].astype(object)
grouped = df.groupby("c")
nested = [list(range(30)), {"k": (1, 2)}, {"s", "t"}]

@dataclass
class Settings:
    rate: float
    names: list

settings = Settings(0.25, ["p", "q"])

from collections import namedtuple
point = namedtuple("Point", "across down")(3, 4)
handlers = {"one": print, "two": Settings}

class Slot:
    __slots__ = ("inner",)

slot = Slot()
slot.inner = {"deep": arr}

def double(n):
    return 2 * n
"""

TOLD = [
    "x",
    "x + y * 2",
    "text",
    "print(text)",
    "print(x, y, sep='-', end='!')",
    "config",
    "config['lr']",
    "config.get('nothing', 'none')",
    "sorted(config)",
    "len(df), df.shape",
    "df",
    "df.head(2)",
    "print(df.tail(1))",
    "df.dtypes",
    "df.columns",
    "df.describe()",
    "df['b'].mean()",
    "df.b.isna().sum()",
    "df[df['a'] > 2]",
    "df.loc[1, 'b']",
    "df.iloc[-1]",
    "df.c.value_counts()",
    "df['c'].unique()",
    "df.when.dt.month",
    "df.c.str.upper()",
    "df.kind.cat.categories",
    "df.groupby('c')['a'].agg(['mean', 'sum'])",
    "grouped['b'].mean()",
    "df.sort_values('b', ascending=False).head(1)",
    "df[['a', 'b']].corr()",
    "pd.concat([df.a, df.b], axis=1)",
    "arr",
    "print(arr)",
    "arr.mean(axis=0)",
    "arr[1, 2:]",
    "arr.T @ arr",
    "np.sqrt(arr).round(2)",
    "np.linspace(0, 1, 5)",
    "big.shape",
    "math.sqrt(x)",
    "settings.rate",
    "settings.names[-1]",
    "slot.inner['deep'][0]",
    "nested",
    "f'{x:>6}|{config[\"lr\"]:.3f}|{text!r}'",
    "'%d of %s' % (x, config['name'])",
    "'{} and {}'.format(x, y)",
    "[n ** 2 for n in range(5) if n % 2]",
    "{k: len(str(v)) for k, v in config.items()}",
    "sum(n for n in config['layers'])",
    "x if y > 5 else -x",
    "3 < x < 30 and y",
    "not df.empty",
    "isinstance(x, int)",
    "for i, name in enumerate(['p', 'q']):\n    print(i, name, config['layers'][i])",
    "if x > 20:\n    print('large')\nelse:\n    print('small')",
    "total = 0\nfor n in [1, 2, 3]:\n    total += n\ntotal",
    "z = df['a'] * 10\nz",
    "q = df.a.copy()\nq[0] = 99\nprint(q)",
    "wide = df.copy()\nwide['d'] = df.a + df.b\nwide.head(2)",
    "import math\nmath.floor(2.7)",
    "from math import pi\nprint(round(pi, 3))",
    "df.head();",
    "x = 5\ny = x + 1\nprint(x, y)",
    "None",
    "def unused(n):\n    return n\nprint(y)",
    "df.drop(columns=['when']).mean(numeric_only=True)",
    "df.isnull().sum()",
    "list(zip('ab', [1, 2]))",
    "dict(zip(config, range(3)))",
    "max(config['layers']), min(arr.ravel())",
    "items = [3, 1]\nitems.append(2)\nitems.sort()\nprint(items)",
    "config.update(extra=1)\nconfig['more'] = 2\nprint(len(config), config['more'])",
    "point.across + point.down",
    "list(handlers.keys()), len(handlers)",
    "str(arr.shape)",
    "p = 1\np += 1\nq = 5\nq += 2\nr = 'a'\nr += 'b'\nprint(p, q, r)",
    "tall.columns",
    "tall.head(2)",
    "tall.score.mean()",
    "tall['score'].head(9).sum() > 1",
    "r2_score(arr[0], arr[1])",
    "print('%.2f' % mean_squared_error(arr[0], arr[1]), confusion_matrix([0, 1, 1], [0, 1, 0]).tolist())",
]
"""Cells whose output the state tells."""

ONLY_A_RUN_TELLS = [
    "double(x)",
    "df.plot()",
    "np.random.rand()",
    "df.sample(2)",
    "df['a'].apply(lambda v: v + 1)",
    "settings",
    "slot",
    "open('nothing')",
    "import antigravity_that_is_not_there",
    "input()",
    "%timeit 1",
    "x = double(x)\nprint(x)",
    "config['new'] = double(2)\nconfig",
    "alias = df\nalias['n'] = 1\nprint(df.shape, arr.base is None, grouped.ngroups)",
    "10 ** 10 ** 10",
    "'a' * 10 ** 9",
    "np.zeros((100000, 100000))",
    "list(range(10 ** 9))",
    "print(x, file=None)",
    "df.drop(columns=['a'], inplace=True)",
    "f'{x:99999999d}'",
    "1 / 0",
    "undefined_name",
    "while True:\n    break",
    "del x",
    "[print(n) for n in range(2)]",
    "exec('print(1)')",
    "big.tolist()",
    "type(x)",
]
"""Cells that would run code of a user's, give something huge or random, or raise."""


@asynccontextmanager
async def a_kernel(folder: Path) -> AsyncIterator[KernelSession]:
    """Start a real kernel with a recorder."""
    with kernel_specs(sys.executable) as specs:
        session = KernelSession(specs, folder, folder / "ipython")
        await session.start(60)
        try:
            yield session
        finally:
            await session.close()


async def look_and_run(session: KernelSession, code: str) -> tuple[Look, Step]:
    """Look at a cell and then run it."""
    look = await session.look(code)
    assert look is not None
    return look, await session.run(code, None, 30)


def value_of(look: Look, expression: str) -> LookedValue:
    """Return what a look tells of an expression."""
    return next(value for value in look.values if value.expression == expression)


async def test_the_output_that_a_look_tells_is_the_one_that_the_run_gives(tmp_path: Path) -> None:
    async with a_kernel(tmp_path) as session:
        await session.run(SETUP, None, 60)
        silent = []
        for code in TOLD:
            await session.run(SETUP if "=" in code or "config" in code else "", None, 60)
            look, step = await look_and_run(session, code)
            assert step.status == "ok", code
            if look.output is None:
                silent.append(code)
            else:
                assert look.output == step.output_text, code
        assert not silent


async def test_what_only_a_run_tells_is_not_told(tmp_path: Path) -> None:
    async with a_kernel(tmp_path) as session:
        await session.run(SETUP, None, 60)
        for code in ONLY_A_RUN_TELLS:
            look = await session.look(code)
            assert look is not None
            assert look.output is None, code
        # The kernel is as it was: the cells were looked at and not run.
        step = await session.run("print(x, y, sorted(config), df.shape, len(big))", None, 30)
        assert step.output_text == "21 2 ['layers', 'lr', 'name'] (4, 5) 3000000"


async def test_values_are_told_where_the_whole_cell_is_unknown(tmp_path: Path) -> None:
    async with a_kernel(tmp_path) as session:
        await session.run(SETUP, None, 60)
        look = await session.look(
            "model.fit(df[['a', 'b']].head(1), epochs=x, rate=settings.rate, big=big, s=settings)"
        )
        assert look is not None
        assert look.output is None
        assert value_of(look, "df[['a', 'b']].head(1)").shown.split() == ["a", "b", "0", "1", "1.5"]
        assert value_of(look, "x").shown == "21"
        assert value_of(look, "settings.rate").shown == "0.25"
        large = value_of(look, "big")
        assert not large.exact or "..." in large.shown
        own = value_of(look, "settings")
        assert not own.exact
        assert "Settings" in own.type_name
        assert look.receipt.cost_ms > 0
        assert look.receipt.skipped == {"__main__.Settings": 1}


async def test_a_long_column_is_described(tmp_path: Path) -> None:
    async with a_kernel(tmp_path) as session:
        await session.run(
            "import pandas as pd\nd = pd.DataFrame({'p': range(9000), 'q': list('ab') * 4500})\nd.loc[3, 'q'] = None",
            None,
            60,
        )
        look = await session.look("plot(d['p'].tolist(), d)")
        assert look is not None
        frame = value_of(look, "d")
        # Its text is short enough to stand for itself; the list's is not.
        assert frame.exact
        assert "[9000 rows x 2 columns]" in frame.shown
        assert "9000" in value_of(look, "d['p'].tolist()").shown


HOSTILE = """
import time
calls = []

class Loud:
    def __init__(self):
        object.__setattr__(self, "held", 7)
    def __repr__(self):
        calls.append("repr"); time.sleep(3); return "loud"
    __str__ = __format__ = __repr__
    def __getattr__(self, name):
        calls.append("getattr " + name); raise AttributeError(name)
    def __eq__(self, other):
        calls.append("eq"); return True
    def __hash__(self):
        calls.append("hash"); return 1
    def __len__(self):
        calls.append("len"); return 3
    def __bool__(self):
        calls.append("bool"); return True
    def __getitem__(self, key):
        calls.append("getitem"); raise IndexError
    def __add__(self, other):
        calls.append("add"); return 1
    @property
    def lazy(self):
        calls.append("lazy"); return 1

class Wrapped(Loud):
    def __getattribute__(self, name):
        calls.append("getattribute " + name); return object.__getattribute__(self, name)

import numpy as np, pandas as pd
class Frame(pd.DataFrame):
    def __repr__(self):
        calls.append("frame repr"); return "frame"

loud, wrapped = Loud(), Wrapped()
holders = {"one": [loud], "two": pd.DataFrame({"v": [loud, loud]}), "three": np.empty(1, dtype=object)}
holders["three"][0] = loud
frame = Frame({"a": [1]})
odd = {loud: 1}
calls.clear()
"""


async def test_no_method_of_a_users_class_is_called(tmp_path: Path) -> None:
    cells = [
        *(
            "loud",
            "print(loud)",
            "f'{loud}'",
            "str(loud)",
            "len(loud)",
            "bool(loud)",
            "loud + 1",
            "1 + loud",
            "loud[0]",
        ),
        *("loud.lazy", "loud.held", "loud.missing", "wrapped.held", "loud == 1", "loud in [1, 2]", "[1] == [loud]"),
        *("holders", "holders['one']", "print(holders['two'])", "holders['two']['v'].max()", "holders['three']"),
        *("sorted([loud, loud])", "frame", "frame.head()", "frame.a", "odd['x']", "{loud}", "'%s' % loud", "not loud"),
        *("if loud:\n    print(1)", "for i in loud:\n    print(i)", "np.sum(holders['three'])", "max(loud, 1)"),
        *("pd.Series([loud, 1])", "made = pd.DataFrame({'z': [loud]})\nmade", "[n for n in loud]", "loud and 1"),
    ]
    async with a_kernel(tmp_path) as session:
        assert (await session.run(HOSTILE, None, 60)).status == "ok"
        for code in cells:
            look = await session.look(code)
            assert look is not None
            assert look.output is None or code in ("loud.held", "len(holders)"), code
        step = await session.run("print(calls)", None, 30)
        assert step.output_text == "[]"
        look, step = await look_and_run(session, "print(loud.held)")
        assert look.output == step.output_text == "7"


async def test_a_secret_never_comes_to_the_surface(tmp_path: Path) -> None:
    async with a_kernel(tmp_path) as session:
        setup = (
            "import pandas as pd\npassword = 'tiger-47-moon'\nconn = {'host': 'db', 'password': password}\n"
            "people = pd.DataFrame({'user': ['ada'], 'api_key': ['zz-9911-qqq']})\n"
            "note = 'the word is tiger-47-moon'\nurl = 'postgres://ada:s3cr3t77@db/x'"
        )
        await session.run(setup, None, 60)
        cells = [
            *("password", "print(password)", "password[:5]", "f'{password}!'", "conn", "conn['password']", "people"),
            *("print(people['api_key'][0])", "note", "print(password, note)", "url", "[password]", "people.to_dict()"),
        ]
        for code in cells:
            look = await session.look(code)
            assert look is not None
            told = look.model_dump_json()
            for secret in ("tiger", "zz-9911", "s3cr3t77"):
                assert secret not in told.replace(code, ""), code
        look = await session.look("print(conn['host'])")
        assert look is not None
        assert look.output == "db"


async def test_a_look_leaves_no_trace(tmp_path: Path) -> None:
    async with a_kernel(tmp_path) as session:
        await session.run("import numpy as np\na = np.array([1.0, 0.0])\n41 + 1", None, 60)
        before = await session.run("print(_, sorted(Out), In[-2:], __import__('warnings').filters[:1])", None, 30)
        for code in ("1 / a", "a.mean()", "a[0] / a[1]", "b = a * 2\nb"):
            assert await session.look(code) is not None
        after = await session.run("print(_, sorted(Out), In[-3:-1], __import__('warnings').filters[:1])", None, 30)
        assert after.output_text.split("[")[:2] == before.output_text.split("[")[:2]
        assert after.output_text.rsplit("[", 1)[1] == before.output_text.rsplit("[", 1)[1]
        assert after.execution_count == (before.execution_count or 0) + 1
        # The warning that the look kept quiet is shown when the cell is really run.
        step = await session.run("1 / a", None, 30)
        assert any("RuntimeWarning" in output.text for output in step.outputs)
        missing = await session.run("b", None, 30)
        assert missing.status == "error"


async def test_a_look_while_a_cell_runs_only_reads(tmp_path: Path) -> None:
    async with a_kernel(tmp_path) as session:
        await session.run("import time\nn = 3\nitems = [1, 2]", None, 60)
        running = asyncio.ensure_future(session.run("time.sleep(3)", None, 30))
        await asyncio.sleep(0.7)
        look = await asyncio.wait_for(session.look("print(n, items + [1])\nitems"), 2)
        assert not running.done()
        assert look is not None
        assert look.output is None
        assert value_of(look, "n").shown == "3"
        assert value_of(look, "items").shown == "[1, 2]"
        assert not any(value.expression == "items + [1]" for value in look.values)
        assert (await running).status == "ok"


async def test_a_changed_display_is_not_second_guessed(tmp_path: Path) -> None:
    async with a_kernel(tmp_path) as session:
        await session.run("v = [1.5]\nimport numpy as np\na = np.array([1.5])", None, 60)
        own = "get_ipython().display_formatter.formatters['text/plain'].for_type(list, lambda o, p, c: p.text('mine'))"
        assert (await session.look("v")).output == "[1.5]"  # type: ignore[union-attr] # a real kernel tells
        await session.run(own, None, 30)
        look, step = await look_and_run(session, "v")
        assert step.output_text == "mine"
        assert look.output is None
        await session.run("np.set_printoptions(formatter={'float': lambda f: 'f'})", None, 30)
        assert (await session.look("print(a)")).output is None  # type: ignore[union-attr] # as above


@pytest.mark.parametrize("code", ["", "   ", "# only words", "x = (", "\0", "é" * 30_000, "%%html\n<b>"])
async def test_odd_code_is_no_fault(tmp_path: Path, code: str) -> None:
    async with a_kernel(tmp_path) as session:
        look = await session.look(code)
        assert look is not None
        assert look.output in (None, "")
