"""Secrets by their names in code and variables, known values, and what a name says. The table has a test of its own."""

from __future__ import annotations

import pytest

from themisto_lab.capture.probe.secrets import MAYBE, NO, SURE, environment_secrets, name_secrecy
from themisto_lab.capture.redact import (
    literal_secrets,
    redact_code,
    redact_text,
    redact_variables,
    server_secrets,
)
from themisto_lab.types import VariableSnapshot


@pytest.mark.parametrize(
    ("code", "redacted"),
    [
        ('password = "hunter2"', 'password = "[redacted]"'),
        ("password = 'it''s'", "password = '[redacted]''s'"),
        ('connect(host="h", password="p w", port=1)', 'connect(host="h", password="[redacted]", port=1)'),
        ('os.environ["API_KEY"] = "abc"', 'os.environ["API_KEY"] = "[redacted]"'),
        ('os.getenv("API_KEY", "dflt")', 'os.getenv("API_KEY", "[redacted]")'),
        ('secret: str = """a\nb"""', 'secret: str = """[redacted]"""'),
        ('api_key = f"k{x}"', 'api_key = f"[redacted]"'),
        ('if password == "letmein":', 'if password == "[redacted]":'),
        ("pin_secret = 123_456", "pin_secret = [redacted]"),
        ("!mysql --password hunter2 -u root", "!mysql --password [redacted] -u root"),
        ("%env OPENAI_API_KEY=abc", "%env OPENAI_API_KEY=[redacted]"),
        ("%set_env API_KEY abc", "%set_env API_KEY [redacted]"),
        ("%%bash\nexport DB_PASS=abc\necho $DB_PASS", "%%bash\nexport DB_PASS=[redacted]\necho $DB_PASS"),
        ("# password=hunter2", "# password=[redacted]"),
        ('create_engine("postgresql://u:pw@h/db")', 'create_engine("postgresql://u:[redacted]@h/db")'),
    ],
)
def test_literals_in_code_go(code: str, redacted: str) -> None:
    assert redact_code(code)[0] == redacted


@pytest.mark.parametrize(
    "code",
    [
        'password = os.environ["PASSWORD"]',
        "password = getpass.getpass()",
        "def login(user, password=None): ...",
        "def f(password: str, token: str): return password",
        "api_key=settings.api_key",
        'df["password"].str.len()',
        "password = ''",
        "client = OpenAI(api_key=key)",
        "print(f'{api_key}')",
    ],
)
def test_code_that_fetches_a_secret_stays(code: str) -> None:
    assert redact_code(code) == (code, 0)


def test_known_values_go_wherever_they_are() -> None:
    known = ["river7stone", "a'b\\c-99"]
    assert redact_text("got river7stone!", known) == ("got [redacted]!", 1)
    assert redact_text("river7stones", known) == ("river7stones", 0)
    assert redact_text(repr("a'b\\c-99"), known)[0] == '"[redacted]"'
    assert redact_code("f('river7stone')", known) == ("f('[redacted]')", 1)


def test_variables_are_blanked_by_name_and_by_what_they_hold() -> None:
    variables = [
        VariableSnapshot(name="password", type_name="str", summary="'hunter2'"),
        VariableSnapshot(name="token_count", type_name="int", summary="5"),
        VariableSnapshot(name="cfg", type_name="dict", summary="{'password': 'hunter2', 'n': 1}"),
        VariableSnapshot(name="url", type_name="str", summary="'redis://:pw@h'"),
    ]
    redacted, count = redact_variables(variables)
    assert [v.summary for v in redacted] == [
        "[redacted]",
        "5",
        "{'password': '[redacted]', 'n': 1}",
        "'redis://:[redacted]@h'",
    ]
    assert count == 3
    assert redact_variables(redacted) == (redacted, 0)


def test_literals_worth_remembering_are_found() -> None:
    assert literal_secrets('password = "hunter2"; api_key = "abcdefghijkl"') == {"hunter2", "abcdefghijkl"}
    # A word that occurs in many texts is blanked where it stands, and nowhere else.
    assert literal_secrets('password = "python"; secret = "12345678"; token = "the"') == set()


@pytest.mark.parametrize(
    ("name", "secrecy"),
    [
        ("password", SURE),
        ("DB_PASSWORD", SURE),
        ("dbPassword2", SURE),
        ("OPENAI_API_KEY", SURE),
        ("apiKey", SURE),
        ("aws_secret_access_key", SURE),
        ("HF_TOKEN", SURE),
        ("session_token", SURE),
        ("smtp_pass", SURE),
        ("token", MAYBE),
        ("LICENSE_KEY", MAYBE),
        ("pwd", MAYBE),
        ("tokens", NO),
        ("max_tokens", NO),
        ("eos_token", NO),
        ("primary_key", NO),
        ("PWD", NO),
        ("x", NO),
        ("a" * 100, NO),
    ],
)
def test_names(name: str, secrecy: int) -> None:
    assert name_secrecy(name) == secrecy


def test_an_environment_gives_its_secret_values() -> None:
    environment = {
        "OPENAI_API_KEY": "0123456789",
        "SHORT_TOKEN": "abc",
        "PWD": "/home/ann/project",
        "SSL_KEY": "/etc/ssl/private/key.pem",
        "HOME": "/home/ann",
        "MY_TOKEN": "abcdefghij",
    }
    assert server_secrets(environment) == {"0123456789", "abcdefghij"}
    assert environment_secrets([]) == set()
