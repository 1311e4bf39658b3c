"""A look as lines before the target."""

import pytest

from themisto_lab.context.render_look import RenderedLook, render_look
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import Look, LookedValue


def value(expression, shown, printed=None, exact=True):
    return LookedValue(expression=expression, type_name="t", shown=shown, printed=printed, exact=exact)


def render(*values, limit=1000, code=""):
    return render_look(Look(values=values), limit, code)


def test_no_look_is_no_text():
    assert render_look(None, 100) == RenderedLook()
    assert render_look(Look(), 100) == RenderedLook()


def test_exact_values_stand_to_the_letter_and_others_as_summaries():
    table = "   a  b\n0  1  2\n1  3  4"
    looked = render(
        value("df.shape", "(506, 14)"), value("df.head(2)", table), value("model", "Ridge with\n coef_", exact=False)
    )
    assert looked.text == (
        "# df.shape -> (506, 14)\n# df.head(2) ->\n#>    a  b\n#> 0  1  2\n#> 1  3  4\n# model: Ridge with coef_\n"
    )
    assert (looked.n_values, looked.n_lines) == (0, 0)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("print(name)", "# name ->\n#> Ada\n"),
        ("print('it is', name)", "# name ->\n#> it is Ada\n"),
        ("print()\nprint(name, 5)", "# name ->\n#> \n#> Ada 5\n"),
        ("print(name, sep='')", "# name -> Ada\n"),
        ("print(f'{name} it is')", "# name -> Ada\n"),
        ("for i in x:\n    print(name)", "# name -> Ada\n"),
    ],
)
def test_what_the_cell_prints_stands_as_print_writes_it(code, told):
    assert render(value("name", "'Ada'", printed="Ada"), code=code).text == told


def test_what_the_cell_ends_with_stands_as_a_notebook_shows_it():
    assert render(value("d[ 'k' ]", "'Ada'", printed="Ada"), code='d["k"]').text == "# d[ 'k' ] ->\n#> 'Ada'\n"


@pytest.mark.parametrize(
    ("between", "blocks"),
    [
        ("import os", "# a; b ->\n#> 1\n#> 2\n"),
        ("c = a", "# a; b ->\n#> 1\n#> 2\n"),
        ("print(unknown())", "# a ->\n#> 1\n# b ->\n#> 2\n"),
        ("fit()", "# a ->\n#> 1\n# b ->\n#> 2\n"),
        ("c = fit()", "# a ->\n#> 1\n# b ->\n#> 2\n"),
        ("for i in x:\n    print(i)", "# a ->\n#> 1\n# b ->\n#> 2\n"),
    ],
)
def test_what_statements_in_a_row_put_out_is_one_block(between, blocks):
    assert render(value("a", "1"), value("b", "2"), code=f"print(a)\n{between}\nb").text == blocks


def test_a_value_that_changes_within_the_cell_is_not_put_into_a_block():
    looked = render(value("a", "1"), value("a", "2"), code="print(a)\na = 2\nprint(a)")
    assert looked.text == "# a -> 1\n# a -> 2\n"


def test_where_not_all_fit_what_is_printed_is_kept_and_stands_last():
    values = [value(f"a{i}", "0123456789") for i in range(20)]
    whole = "# a0 -> 0123456789\n# a1 -> 0123456789\n# a15; a17 ->\n#> 0123456789\n#> 0123456789\n"
    looked = render(*values, limit=estimate_tokens(whole), code="x = a0\nprint(a15)\na17")
    assert looked.text == whole
    assert looked.n_values == 16


def test_exact_values_come_before_summaries():
    looked = render(value("a", "about a", exact=False), value("b", "5"), limit=estimate_tokens("# b -> 5\n"))
    assert looked == RenderedLook("# b -> 5\n", 1, 0)


@pytest.mark.parametrize("limit", [30, 60, 200, 500])
def test_a_long_value_is_cut_in_its_middle_with_a_count(limit):
    lines = [f"row {i}" for i in range(300)]
    looked = render(value("df", "\n".join(lines)), limit=limit)
    assert estimate_tokens(looked.text) <= limit
    told = looked.text.splitlines()[1:]
    assert told[0] == "#> row 0"
    assert told[-1] == "#> row 299"
    assert f"#> … {looked.n_lines} lines …" in told
    assert len(told) - 1 + looked.n_lines == 300


def test_a_value_without_room_is_left_out():
    assert render(value("df", "x\n" * 50), limit=5) == RenderedLook("", 1, 0)
    assert render(value("s", "word " * 500), limit=50) == RenderedLook("", 1, 0)


def test_code_that_does_not_parse_is_no_obstacle():
    assert render(value("df[", "1"), value("x", "2"), code="print(x").text == "# df[ -> 1\n# x -> 2\n"


def test_a_long_value_that_the_cell_only_uses_on_its_way_is_cut_short():
    table = "\n".join(f"row {i}" for i in range(100))
    aside = render(value("df", table), value("df.mean()", "4"), code="df.mean()")
    assert aside.n_lines > 50
    assert aside.text.endswith("#> row 99\n# df.mean() ->\n#> 4\n")
    assert render(value("df", table), code="print('all:')\ndf").n_lines == 0
