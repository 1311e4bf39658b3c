"""Cells that print nothing, by their syntax alone."""

import pytest

from themisto_lab.predict.silent import is_silent


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
