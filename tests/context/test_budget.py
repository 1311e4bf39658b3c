"""The budget: what is kept, and that the prompt's beginning seldom moves."""

import pytest

from themisto_lab.context.budget import divide, fill, first_kept


@pytest.mark.parametrize("limit", [256, 1000, 2048, 32768])
def test_a_divided_limit_is_used_up_and_not_passed(limit):
    budget = divide(limit)
    assert budget.transcript_tokens + budget.state_tokens + budget.target_tokens == limit
    assert budget.transcript_tokens > budget.state_tokens > 0


def test_nothing_is_dropped_while_all_fits():
    assert first_kept([], 10) == 0
    assert first_kept([3, 3, 4], 10) == 0


def test_over_the_limit_the_oldest_half_goes_at_once():
    # 4 x 3 = 12 > 10: drop until at most 5 are left, which is one block of 3.
    assert first_kept([3, 3, 3, 3], 10) == 3
    # The next two fit beside it: the beginning stays where it was.
    assert first_kept([3, 3, 3, 3, 3], 10) == 3
    assert first_kept([3, 3, 3, 3, 3, 3], 10) == 3
    assert first_kept([3, 3, 3, 3, 3, 3, 3], 10) == 6


def test_the_last_step_is_kept_even_if_it_alone_is_too_long():
    assert first_kept([1, 1, 50], 10) == 2


def test_the_beginning_moves_rarely_and_only_forward():
    lengths = [7, 2, 9, 4, 4, 11, 3, 8, 5, 6] * 30
    starts = [first_kept(lengths[:n], 100) for n in range(1, len(lengths) + 1)]
    assert starts == sorted(starts)
    n_moves = len(set(starts)) - 1
    assert 1 < n_moves < len(lengths) / 6


def test_fill_passes_over_what_does_not_fit():
    assert fill([4, 9, 3, 3], 10) == [0, 2, 3]
    assert fill([11], 10) == []
