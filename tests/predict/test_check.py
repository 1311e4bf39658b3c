"""Candidates are checked without being run: what is surely missing is found, and what is not known passes."""

from __future__ import annotations

import pytest

from themisto_lab.capture.probe.values import Reader
from themisto_lab.predict.check import check_code
from themisto_lab.predict.check_known import known_of
from themisto_lab.types import Step, Trajectory, VariableSnapshot

FRAME = VariableSnapshot(
    name="df",
    type_name="pandas.core.frame.DataFrame",
    shape=(3, 3),
    summary="columns: price (int64), zip code (object), built (datetime64[ns, UTC]); first rows: price=[1, 2]",
)
VARIABLES = (
    FRAME,
    VariableSnapshot(name="cfg", type_name="dict", shape=(2,), summary="{'lr': 0.1, 'opt': {'name': 'sgd'}}"),
    VariableSnapshot(name="a", type_name="numpy.ndarray", shape=(3,), summary="array [1, 2, 3]"),
    VariableSnapshot(name="xs", type_name="list", shape=(2,), summary="[1, 2]"),
    VariableSnapshot(name="model", type_name="sklearn.linear_model._base.LinearRegression", summary="<...> with coef_"),
)
PAST = "import pandas as pd\nimport numpy as np\nimport seaborn as sns\ndef load(path):\n    return pd.read_csv(path)"


def session(*codes: str, variables: tuple[VariableSnapshot, ...] = VARIABLES, language: str = "python") -> Trajectory:
    steps = [Step(index=i, kernel_id="k", code=code) for i, code in enumerate(codes or (PAST,))]
    steps[-1] = steps[-1].model_copy(update={"variables": variables})
    return Trajectory(id="t", steps=tuple(steps), language=language)


@pytest.mark.parametrize(
    ("code", "finding"),
    [
        ("df['pricee'].mean()", "`pricee` is no column of df; there is `price`"),
        ("df[['price', 'sqft']]", "`sqft` is no column of df"),
        ("df.loc[df.price > 1, 'Price']", "`Price` is no column of df; there is `price`"),
        ("df.pricee", "`pricee` is no attribute of df; there is `price`"),
        ("df.drop(columns=['gone'])", "`gone` is no column of df"),
        ("df.set_index('id')", "`id` is no column of df"),
        ("sns.relplot(x='price', y='sqft', data=df)", "`sqft` is no column of df"),
        ("df['gone'] += 1", "`gone` is no column of df"),
        ("z = df['gone']\ndf = load('x')", "`gone` is no column of df"),
        ("for row in df['gone']:\n    print(row)", "`gone` is no column of df"),
        ("cfg['learning_rate']", "`learning_rate` is no key of cfg"),
        ("cfg['Opt']", "`Opt` is no key of cfg; there is `opt`"),
        ("cfg['name']", "`name` is no key of cfg"),
        ("a.len()", "`len` is no attribute of a"),
        ("xs.push(3)", "`push` is no attribute of xs"),
        ("modle.predict(a)", "`modle` is not defined; there is `model`"),
        ("y = x\nx = 1", "`x` is not defined"),
        ("print(total)", "`total` is not defined"),
        ("[q for q in missing]", "`missing` is not defined"),
        ("f'{missing}'", "`missing` is not defined"),
        ("print(df.price", "line 1 does not parse: '(' was never closed"),
        ("x = 1\n y = 2", "line 2 does not parse: unexpected indent"),
    ],
)
def test_what_would_fail_is_found(code: str, finding: str) -> None:
    found = check_code(code, session())
    assert len(found) == 1
    assert found[0].startswith(finding)
    # "there is" only where something is alike.
    assert ("; there is" in found[0]) == ("; there is" in finding)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "df['price'].mean()",
        "df[['price', 'zip code']]",
        "df['new'] = df.price * 2\ndf['new'].mean()\ndf.new.mean()",
        "df = load('x')\ndf['other']",
        "df.insert(0, 'first', 1)\ndf['first']",
        "df.rename(columns={'price': 'p'}, inplace=True)\ndf['p']",
        "df.columns = ['a', 'b', 'c']\ndf['a']",
        "df['x' + str(1)] = 1\ndf['whatever']",
        "df.groupby('price').agg(total=('built', 'min'))['total']",
        "df['price']['anything']",
        "if 'sqft' in df.columns:\n    print(df['sqft'])",
        "try:\n    df['sqft']\nexcept KeyError as error:\n    print(error)",
        "def f(df):\n    return df['sqft']",
        "[df['sqft'] for df in [{'sqft': 1}]]",
        "(lambda df: df['sqft'])({'sqft': 2})",
        "for i in range(2):\n    df['sqft'] = i\n    print(df['sqft'])",
        "del df['price']\ndf",
        "cfg['lr']\ncfg['opt']['name']",
        "cfg['new'] = 1\ncfg['new']",
        "cfg.update(x=1)\ncfg['x']",
        "model.anything_at_all",
        "a.mean()\nxs.append(1)\nxs.__len__()",
        "np.nothing_is_known_of_modules",
        "load('a').whatever",
        "%timeit df.price.sum()",
        "!ls",
        "%%bash\necho $HOME",
        "df?",
        "x = !ls\nprint(x)",
        "import os\nos.getcwd()",
        "with open('f') as f:\n    f.read()",
        "print(_, __, _12, In[1], Out)",
        "display(df)\nget_ipython()",
        "match a:\n    case [first, *rest]:\n        print(first, rest)",
        "match cfg:\n    case {'k': v, **others}:\n        print(v, others)",
        "f = lambda *args, **kw: (args, kw)",
        "if (n := len(xs)) > 1:\n    print(n)",
        "class A:\n    def f(self):\n        return self\nA().f()",
        "'\\d'",
        "await load('x')",
    ],
)
def test_what_is_right_or_not_known_passes(code: str) -> None:
    assert check_code(code, session()) == ()


def test_names_of_the_past_are_known_without_a_snapshot() -> None:
    past = session("import os as system\nfrom sys import path\nfor i in range(3):\n    last = i", variables=())
    assert check_code("print(system, path, i, last)", past) == ()
    assert check_code("print(os)", past) == ("`os` is not defined",)


@pytest.mark.parametrize("anything", ["from math import *", "%run setup.py", "%load_ext x", "exec(text)"])
def test_names_are_not_judged_where_anything_may_be_bound(anything: str) -> None:
    assert check_code("print(sin(1))", session(PAST, anything)) == ()


def test_the_latest_snapshot_counts_even_before_a_step_without_one() -> None:
    past = session()
    later = Step(index=1, kernel_id="k", code="1 + 1")
    past = past.model_copy(update={"steps": (*past.steps, later)})
    assert check_code("df['sqft']", past) == ("`sqft` is no column of df",)


def test_other_languages_are_not_judged() -> None:
    assert check_code("x <- c(1, 2", session(language="R")) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"summary": FRAME.summary.replace("built", "bu...")[:60]},
        {"shape": (3, 4)},
        {"shape": None},
        {"summary": "frame with an index of another type"},
        {"type_name": "geopandas.geodataframe.GeoDataFrame"},
        {"summary": "columns: " + "x" * 60 + " (int64), b (int64), c (int64)"},
    ],
)
def test_columns_that_are_not_surely_all_known_are_not_judged(changes: dict[str, object]) -> None:
    frame = FRAME.model_copy(update=changes)
    assert known_of(frame).columns is None
    assert check_code("df['sqft']\ndf.sqft", session(variables=(frame,))) == ()


def test_what_the_probe_writes_of_a_real_frame_is_understood() -> None:
    pandas = pytest.importorskip("pandas")
    import numpy as np

    from themisto_lab.capture.probe.arrays import summarizer_for

    frame = pandas.DataFrame(
        {
            "n": [1],
            "a (b)": ["x, y (z)"],
            "when": pandas.to_datetime(["2024-01-01"]).tz_localize("UTC"),
            "kind": pandas.Categorical(["k"]),
            "x, y": np.array([1.5]),
        }
    )
    summarize = summarizer_for(type(frame))
    assert summarize is not None
    found = summarize(Reader(), frame)
    variable = VariableSnapshot(name="df", type_name=FRAME.type_name, shape=found.shape, summary=found.text)
    assert known_of(variable).columns == frozenset(frame.columns)


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        ({"a": 1, "it's": "b': 2", "c": {"d": [1, "e"]}}, True),
        ({"a": ("x", "y"), "b": print}, True),
        ({1: "a", "b": 2}, False),
        ({str(i): i for i in range(100)}, False),
        ({}, True),
    ],
)
def test_what_the_probe_writes_of_a_dict_is_understood(value: dict[object, object], whole: bool) -> None:
    summary = Reader().write(value)
    variable = VariableSnapshot(name="d", type_name="dict", shape=(len(value),), summary=summary)
    assert known_of(variable).keys == (frozenset(value) if whole else None)
