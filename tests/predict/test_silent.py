"""Cells that print nothing, by their syntax alone."""

import pytest

from themisto_lab.predict.silent import is_silent
from themisto_lab.types import MIME_STDOUT, CellOutput, Step


@pytest.mark.parametrize(
    "code",
    [
        "",
        "# only a comment",
        "x = 3",
        "x: int = 3\nx += 1",
        "import numpy as np\nfrom os import path",
        "df = pd.read_csv('a.csv')",
        "def f():\n    print('later')",
        "class A:\n    '''A doc text.'''\n    x = 1",
        "for i in range(3):\n    total += i",
        "with open('f') as file:\n    text = file.read()",
        "try:\n    import a\nexcept ImportError:\n    a = None",
    ],
)
def test_silent(code):
    assert is_silent(code)


@pytest.mark.parametrize(
    "code",
    [
        "x",
        "print(x)",
        "x = 3\nx",
        "y = print(3)",
        "for i in range(3):\n    print(i)",
        "for i in range(3):\n    f(i)",
        "df.info()",
        "x = df.info()",
        "%timeit x",
        "!ls",
        "x = ",
        "'text'",
        "@display()\ndef f():\n    pass",
        "raise ValueError",
        "assert x",
    ],
)
def test_not_silent(code):
    assert not is_silent(code)


def ran(index, code, printed="", status="ok"):
    outputs = (CellOutput(mime=MIME_STDOUT, text=printed),) if printed else ()
    return Step(index=index, kernel_id="k", code=code, outputs=outputs, status=status)


def test_what_printed_when_it_ran_last_is_not_called_silent():
    code = "fitted = model.fit()"
    assert is_silent(code, [ran(0, code), ran(1, "x = 1", "other")])
    assert not is_silent(code, [ran(0, code), ran(1, code, "Iterations: 35"), ran(2, "x = 1")])
    assert is_silent(code, [ran(0, code, "Iterations: 35"), ran(1, code)])
    assert is_silent(code, [ran(0, code), ran(1, code, "NameError", status="error")])
