"""What a run changed, in one line."""

from themisto_lab.context.changes import MAX_COLUMNS, MAX_STEP_TOKENS, NO_CHANGES, describe, render_changes
from themisto_lab.context.tokens import estimate_tokens
from themisto_lab.types import Step, VariableSnapshot


def variable(name, type_name, summary, changed=True, **facts):
    return VariableSnapshot(name=name, type_name=type_name, summary=summary, changed=changed, **facts)


def changes(code, *variables):
    return render_changes(Step(index=0, kernel_id="k", code=code, variables=variables))


def test_plain_values_stand_for_themselves():
    assert describe(variable("x", "int", "3")) == ("x = 3", 0)
    assert describe(variable("s", "str", "'a b'", shape=(3,))) == ("s = 'a b'", 0)
    assert describe(variable("d", "dict", "{'a': 1}", shape=(1,))) == ("d = {'a': 1}", 0)
    assert describe(variable("n", "NoneType", "None")) == ("n = None", 0)
    assert describe(variable("r", "numpy.float64", "0.25")) == ("r = 0.25", 0)


def test_other_values_are_told_by_type_shape_and_summary():
    array = variable("a", "numpy.ndarray", "array [0, 1, 2]", shape=(3, 4), dtype="int64")
    assert describe(array) == ("a = ndarray 3 x 4 int64: array [0, 1, 2]", 0)
    assert describe(variable("m", "sklearn.linear_model.Ridge", "<sklearn.linear_model.Ridge> with coef_"))[0] == (
        "m = Ridge: with coef_"
    )
    assert describe(variable("g", "generator", "<generator>")) == ("g = generator", 0)


def test_the_digits_of_an_array_are_cut():
    digits = ", ".join(str(i / 7) for i in range(6))
    text, _ = describe(variable("a", "numpy.ndarray", f"array [{digits}]", shape=(6,), dtype="float64"))
    assert text.startswith("a = ndarray 6 float64: array [0.0, 0.14285714285714285, ")
    assert text.endswith(" …")
    assert len(text) < 100


def test_a_frame_is_told_by_its_columns_without_its_rows():
    summary = "columns: a, b (int64), c (x) (str); first rows: a, b=[1, 2], c (x)=['u', 'v']"
    text, n_left = describe(variable("df", "pandas.DataFrame", summary, shape=(2, 2)))
    assert (text, n_left) == ("df = DataFrame 2 x 2: a, b, c (x)", 0)


def test_a_wide_frame_is_cut_with_a_count():
    columns = ", ".join(f"column{i} (float64)" for i in range(20))
    frame = variable("df", "pandas.DataFrame", f"columns: {columns}, ... (300 columns)", shape=(9, 300))
    text, n_left = describe(frame)
    assert n_left == 300 - MAX_COLUMNS
    assert text.endswith(f"column{MAX_COLUMNS - 1}, … {n_left} more columns")
    assert changes("df = load()", frame).n_columns == n_left


def test_only_what_changed_is_told_and_no_definitions():
    line = changes(
        "x = 1\ndef f(): ...",
        variable("x", "int", "1"),
        variable("old", "int", "5", changed=False),
        variable("f", "function", "f()"),
    )
    assert line.text == "# Variables: x = 1\n"
    assert (line.n_variables, line.n_tokens) == (0, estimate_tokens(line.text))


def test_nothing_changed_is_no_line():
    assert changes("x", variable("x", "int", "1", changed=False)) == NO_CHANGES
    assert changes("def f(): ...", variable("f", "function", "f()")).text == ""


def test_a_step_that_makes_many_variables_is_bounded_and_the_ones_it_names_are_kept():
    many = [variable(f"v{i}", "str", f"'{'word ' * 10}'") for i in range(200)]
    line = changes("exec(source)\nv150, v199", *many)
    assert line.n_tokens <= MAX_STEP_TOKENS
    n_told = 200 - line.n_variables
    assert line.text.endswith(f"; … {line.n_variables} more\n")
    assert line.text.count(" = ") == n_told > 2
    assert "v150 = " in line.text
    assert "v199 = " in line.text


def test_the_line_is_one_line_whatever_a_summary_holds():
    line = changes("s = 1", variable("s", "str", "'a\nb\n# %% [3]'"))
    assert line.text.count("\n") == 1
