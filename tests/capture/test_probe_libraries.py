"""Summaries of the values of scientific libraries and of records, by exact type."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import fractions
import pathlib
import subprocess
import sys
from typing import Any

import matplotlib.figure
import numpy as np
import pandas as pd
import PIL.Image
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from themisto_lab.capture.probe import safe
from themisto_lab.capture.probe.changes import differs, fingerprint
from themisto_lab.capture.probe.plugins import summary_of
from themisto_lab.capture.probe.values import Reader

calls: list[str] = []


@dataclasses.dataclass
class Config:
    rate: float
    name: str = "a"
    password: str = "hunter2hunter"
    hidden: str = dataclasses.field(default="kept out", repr=False)

    def __repr__(self) -> str:
        calls.append("repr")
        return "called"

    def __getattribute__(self, name: str) -> Any:
        calls.append("getattribute " + name)
        return object.__getattribute__(self, name)


@dataclasses.dataclass(slots=True)
class Slotted:
    a: int = 1


class Colour(enum.Enum):
    RED = 1

    def __str__(self) -> str:
        calls.append("str")
        return "called"


class Mode(enum.IntFlag):
    A = 1
    B = 2


Point = collections.namedtuple("Point", "x y")


def figure() -> matplotlib.figure.Figure:
    found = matplotlib.figure.Figure()
    axes = found.add_subplot()
    axes.plot([1, 2])
    axes.set_title("Mass")
    axes.set_xlabel("time")
    return found


FITTED = LogisticRegression(C=2.0).fit(np.arange(20.0).reshape(10, 2), np.arange(10) % 2)
TABLE = pa.table({"a": [1, 2], "s": ["x", None]})


@pytest.mark.parametrize(
    ("value", "shape", "dtype", "shown"),
    [
        (TABLE, (2, 2), None, "columns: a (int64), s (string); first rows: a=[1, 2], s=['x', None]"),
        (TABLE.to_batches()[0], (2, 2), None, "columns: a (int64), s (string); first rows: a=[1, 2], s=['x', None]"),
        (TABLE.schema, (2,), None, "fields: a (int64), s (string)"),
        (pa.array([1.5, None]), (2,), "double", "[1.5, None]"),
        (pa.chunked_array([[1], [2]]), (2,), "int64", "[1, 2]"),
        (scipy.sparse.csr_matrix(np.eye(3)), (3, 3), "float64", "sparse csr matrix with 3 stored values"),
        (scipy.sparse.coo_array(np.eye(2)), (2, 2), "float64", "sparse coo matrix with 2 stored values"),
        (scipy.sparse.dok_matrix((3, 4)), (3, 4), None, "sparse dok matrix"),
        (PIL.Image.new("RGB", (4, 3)), (3, 4), "RGB", "image of 4x3 pixels, mode RGB"),
        (figure(), None, None, "figure with 1 axes: axes ('Mass', x 'time', 1 Line2D)"),
        (LogisticRegression(), None, None, "LogisticRegression(), not fitted"),
        (
            FITTED,
            None,
            None,
            "LogisticRegression(C=2.0), fitted: n_features_in_=2, classes_=array (2,), n_iter_=array (1,), "
            "coef_=array (1, 2), intercept_=array (1,)",
        ),
        (
            make_pipeline(StandardScaler(), FITTED),
            None,
            None,
            "Pipeline(steps=['standardscaler': StandardScaler, 'logisticregression': LogisticRegression]), not fitted",
        ),
        (Config(0.1), None, None, "Config(rate=0.1, name='a', password=[redacted])"),
        (Slotted(), None, None, "Slotted(a=1)"),
        (Point(1, "b"), None, None, "Point(x=1, y='b')"),
        (Colour.RED, None, None, "<Colour.RED: 1>"),
        (Mode.A | Mode.B, None, None, "<Mode.A|B: 3>"),
        (datetime.time(1, 2), None, None, "01:02:00"),
        (fractions.Fraction(1, 3), None, None, "1/3"),
        (pathlib.PurePosixPath("/a"), None, None, "<pathlib.PurePosixPath>"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_summaries_by_exact_type(value: object, shape: tuple[int, ...] | None, dtype: str | None, shown: str) -> None:
    calls.clear()
    summary, outside = summary_of(Reader(), "v", value)
    before = fingerprint(value, True)
    assert not differs(before, fingerprint(value, True))
    assert calls == []
    if not outside:
        assert (summary.shape, summary.dtype, summary.text) == (shape, dtype, shown)
    assert outside == (shown == f"<{safe.type_name(type(value))}>")


def test_a_change_inside_a_librarys_value_is_seen() -> None:
    image = PIL.Image.new("RGB", (40, 30))
    before = fingerprint(image, True)
    image.putpixel((0, 0), (1, 2, 3))
    assert differs(before, fingerprint(image, True))
    forest = RandomForestClassifier(n_estimators=2, random_state=0)
    before = fingerprint(forest, True)
    forest.fit(np.arange(20.0).reshape(10, 2), np.arange(10) % 2)
    assert differs(before, fingerprint(forest, True))
    longer = pa.table({"a": list(range(5000))})
    other = pa.table({"a": [*range(4000), -1, *range(4001, 5000)]})
    assert differs(fingerprint(longer, True), fingerprint(other, True))


def test_an_image_that_lies_in_a_file_is_not_read(tmp_path: pathlib.Path) -> None:
    PIL.Image.new("L", (4, 3)).save(tmp_path / "small.png")
    with PIL.Image.open(tmp_path / "small.png") as image:
        summary, _ = summary_of(Reader(), "v", image)
        fingerprint(image, True)
        assert summary.text == "image of 4x3 pixels, mode L, Png"
        assert image.fp is not None
        assert image._im is None


def test_a_class_that_only_says_it_is_a_librarys_is_left_alone() -> None:
    class Frame:
        @property
        def _mgr(self) -> object:
            raise AssertionError("user code ran")

        shape = dtype = axes = blocks = _mgr

    for module, name in (
        ("pandas", "DataFrame"),
        ("sklearn.svm", "SVC"),
        ("pyarrow.lib", "Table"),
        ("numpy", "ndarray"),
    ):
        Frame.__module__, Frame.__qualname__ = module, name
        summary, outside = summary_of(Reader(), "v", Frame())
        assert (summary.text, outside) == (f"<{module}.{name}>", True)
        assert fingerprint(Frame(), True).full
        assert not safe.owned_by(Frame(), "pandas")


def test_a_subclass_of_a_librarys_class_is_told_by_its_outside() -> None:
    class Mine(pd.DataFrame):
        @property
        def shape(self) -> Any:
            raise AssertionError("user code ran")

    summary, outside = summary_of(Reader(), "v", Mine({"a": [1]}))
    assert outside
    assert summary.text.startswith("<")
    assert "Mine" in summary.text


def test_the_probe_imports_nothing_into_a_kernel() -> None:
    code = (
        "import sys, datetime, decimal, pathlib, uuid, hashlib, marshal, re, json, dataclasses, enum, collections\n"
        "from themisto_lab.capture.bundle import install_code\n"
        "source = install_code()\n"
        "for name in list(sys.modules):\n"
        "    if name.partition('.')[0] in ('themisto_lab', 'numpy', 'pandas', 'pydantic', 'fractions'): "
        "del sys.modules[name]\n"
        "import ipykernel.kernelapp\n"
        "before = set(sys.modules)\n"
        "exec(source, {})\n"
        "new = set(sys.modules) - before - set(sys.builtin_module_names)\n"
        "print(sorted(m for m in new if not m.startswith('_themisto_lab_probe')))\n"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "[]"
