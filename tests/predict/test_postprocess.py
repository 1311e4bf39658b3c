"""Model text becomes prediction text."""

from __future__ import annotations

from itertools import pairwise

import pytest

from themisto_lab.predict.postprocess import prediction_text
from themisto_lab.types import TaskKind

CODE = "df = pd.read_csv('a.csv')\nfor name in df:\n    print(name)"


def next_cell(raw: str, form: str = "chat") -> str:
    return prediction_text(raw, TaskKind.NEXT_CELL, form)


def output(raw: str, form: str) -> str:
    return prediction_text(raw, TaskKind.CELL_OUTPUT, form)


@pytest.mark.parametrize(
    "raw",
    [
        CODE,
        f"\n\n{CODE}\n\n",
        f"```python\n{CODE}\n```",
        f"```\n{CODE}\n```",
        f"~~~py\n{CODE}\n~~~",
        f"````python\n{CODE}\n````",
        f"Here is the next cell:\n\n```python\n{CODE}\n```\nIt prints the names.",
        f"```python\n{CODE}\n```\n\nor, shorter:\n\n```python\nprint(*df)\n```",
        f"The output was\n```text\n3\n```\nso next comes\n```python\n{CODE}\n```",
        f"```python\n{CODE}\n",
        f"```python\n{CODE}\n``",
        f"python\n{CODE}",
        f"# %% [6]\n{CODE}\n# Output:\n#> a\n# %% [7]\nx",
        f"{CODE}\n# No output\n",
        f"{CODE}\n#> a\n",
        f"{CODE}\n# Variables: x = 3\n",
        f"{CODE}<|im_end|>\n<|im_start|>user",
        f"```python\n# %% [6]\n{CODE}\n```",
    ],
)
def test_the_code_comes_out(raw):
    assert next_cell(raw) == CODE
    assert next_cell(raw, "transcript") == CODE


@pytest.mark.parametrize("raw", ["", "  \n", "``", "```", "```pyth", "```python", "```python\n", "~~~"])
def test_nothing_is_shown_of_an_opening_fence(raw):
    assert next_cell(raw) == ""


def test_one_line_fences_and_comments_stay_code():
    assert next_cell("```python x = 1```") == "x = 1"
    assert next_cell("# Output the table\ndf") == "# Output the table\ndf"
    assert next_cell("    x = 1") == "    x = 1"
    assert next_cell("s = 'a`b``c'") == "s = 'a`b``c'"


def test_only_a_block_in_another_language_is_better_than_nothing():
    assert next_cell("```r\nhead(df)\n```") == "head(df)"


def test_a_stream_grows_and_its_first_block_stays():
    raw = f"```python\n{CODE}\n```\nor\n```python\nprint(*df)\n```\n"
    shown = [next_cell(raw[:end]) for end in range(len(raw) + 1)]
    for earlier, later in pairwise(shown):
        assert later.startswith(earlier.rstrip("`")), (earlier, later)
    assert shown[-1] == CODE


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (" 21\n", "21"),
        (" 21\n#> 22\n#>\n#> 23\n", "21\n22\n\n23"),
        ("     a  b\n#> 0  1  2\n", "    a  b\n0  1  2"),
        (" 21\n\nx = 5\n", "21"),
        (" 21\n# %% [6]\nprint(1)", "21"),
        (" 21\n# No output", "21"),
        (" [1,\n 2]\n", "[1,\n 2]"),
        ("#> 21\n#> 22", "21\n22"),
        ("", ""),
        ("\n", ""),
        ("\n# No output", ""),
        ("```\n21\n```", "21"),
        (" 21<|endoftext|>junk", "21"),
    ],
)
def test_a_transcripts_output(raw, expected):
    assert output(raw, "transcript") == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("21", "21"),
        ("```\n21\n```", "21"),
        ("```text\n   a  b\n0  1  2\n```", "   a  b\n0  1  2"),
        ("   a  b\n0  1  2", "   a  b\n0  1  2"),
        ("Out[5]: 21", "21"),
        ("Out[5]:\n21", "21"),
        ("#> 21\n#> 22", "21\n22"),
        ("No output", ""),
        ("# No output", ""),
        ("The output is:\n```\n21\n```\nbecause x is 3.", "21"),
        ("a\n\nb\n\n", "a\n\nb"),
        ("```\n21", "21"),
    ],
)
def test_a_chat_models_output(raw, expected):
    assert output(raw, "chat") == expected


def test_a_predictor_without_a_prompt_is_only_trimmed():
    assert prediction_text("```\nx\n```\n", TaskKind.NEXT_CELL, "none") == "```\nx\n```"
