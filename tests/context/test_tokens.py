"""The token estimate."""

import random
import string

from themisto_lab.context.tokens import estimate_tokens


def test_hand_counted():
    assert estimate_tokens("") == 0
    # x, =, 4, 2 (single blanks belong to the word behind them)
    assert estimate_tokens("x = 42") == 4
    # Ten letters are two pieces of five.
    assert estimate_tokens("abcdefghij") == 2
    # A run of blanks is one piece, a line end as well.
    assert estimate_tokens("\n    x") == 2


def test_other_scripts_count_by_the_character():
    assert estimate_tokens("日本語") == 3


def test_longer_text_is_never_estimated_shorter():
    code = "for i in range(10):\n    print(i, i ** 2)\n"
    estimates = [estimate_tokens(code * n) for n in range(1, 6)]
    assert estimates == sorted(estimates)


def test_the_short_way_for_ascii_counts_the_same_as_the_long_way():
    draw = random.Random(7)
    signs = string.ascii_letters + string.digits + "_ \t\n\r\x0b\x0c\x1c.,()[]'\"=+#"
    for _ in range(3000):
        text = "".join(draw.choices(signs, k=draw.randint(0, 60)))
        # One letter of another script sends a text the long way, and counts one.
        assert estimate_tokens(text) == estimate_tokens(f"{text}+\u65e5") - 2, repr(text)
