"""Secrets go, what only looks like one stays."""

from __future__ import annotations

import base64
import hashlib
import time

import pytest

from themisto_lab.capture.probe.secrets import MAYBE, NO, SURE, environment_secrets, name_secrecy
from themisto_lab.capture.redact import (
    PLACEHOLDER,
    literal_secrets,
    redact_code,
    redact_text,
    redact_variables,
    server_secrets,
)
from themisto_lab.types import VariableSnapshot

ALNUM = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0"
HEX = hashlib.sha256(b"x").hexdigest()
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq\nc0ffee\n-----END RSA PRIVATE KEY-----"

# Text, and the part of it that must go; the rest must stay.
SECRETS = [
    (f"key sk-{ALNUM} end", f"sk-{ALNUM}"),
    (f"sk-proj-{ALNUM}-{ALNUM}", f"sk-proj-{ALNUM}-{ALNUM}"),
    (f"sk-ant-api03-{ALNUM}", f"sk-ant-api03-{ALNUM}"),
    (f"sk-or-v1-{HEX}", f"sk-or-v1-{HEX}"),
    (f"'sk_live_{ALNUM[:24]}'", f"sk_live_{ALNUM[:24]}"),
    (f"rk_test_{ALNUM[:24]}", f"rk_test_{ALNUM[:24]}"),
    (f"whsec_{ALNUM[:32]}", f"whsec_{ALNUM[:32]}"),
    ("id AKIAIOSFODNN7EXAMPLE here", "AKIAIOSFODNN7EXAMPLE"),
    ("ASIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", None),
    (f"ghp_{ALNUM[:36]}", f"ghp_{ALNUM[:36]}"),
    (f"gho_{ALNUM[:36]}", f"gho_{ALNUM[:36]}"),
    (f"ghs_{ALNUM[:36]}", f"ghs_{ALNUM[:36]}"),
    (f"github_pat_11AB_{ALNUM}", f"github_pat_11AB_{ALNUM}"),
    (f"glpat-{ALNUM[:20]}", f"glpat-{ALNUM[:20]}"),
    (f"hf_{ALNUM[:34]}", f"hf_{ALNUM[:34]}"),
    ("xoxb-123456789012-1234567890123-AbCdEfGh", "xoxb-123456789012-1234567890123-AbCdEfGh"),
    ("xapp-1-A0123-456-abcdef", "xapp-1-A0123-456-abcdef"),
    (
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        "T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    ),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "AIzaSyA1234567890abcdefghijklmnopqrstuv"),
    ("ya29.a0AfH6SMBxxxxxxxxxxxxxxxxxxxx", "ya29.a0AfH6SMBxxxxxxxxxxxxxxxxxxxx"),
    ("GOCSPX-abcdefghijklmnopqrst1234", "GOCSPX-abcdefghijklmnopqrst1234"),
    (f"jwt: {JWT}", JWT),
    (JWT[:70], JWT[:70]),
    (f"npm_{ALNUM[:36]}", f"npm_{ALNUM[:36]}"),
    (f"pypi-AgEIcHlwaS5vcmcCJ{ALNUM}", f"pypi-AgEIcHlwaS5vcmcCJ{ALNUM}"),
    (f"SG.{ALNUM[:22]}.{ALNUM}", f"SG.{ALNUM[:22]}.{ALNUM}"),
    (f"dop_v1_{HEX}", f"dop_v1_{HEX}"),
    (f"dapi{HEX[:32]}", f"dapi{HEX[:32]}"),
    (f"123456789:AA{ALNUM[:33]}", f"123456789:AA{ALNUM[:33]}"),
    (f"gsk_{ALNUM}", f"gsk_{ALNUM}"),
    (f"xai-{ALNUM}", f"xai-{ALNUM}"),
    (f"r8_{ALNUM}", f"r8_{ALNUM}"),
    (f"pplx-{ALNUM}", f"pplx-{ALNUM}"),
    (f"dckr_pat_{ALNUM[:27]}", f"dckr_pat_{ALNUM[:27]}"),
    (f"hvs.{ALNUM}", f"hvs.{ALNUM}"),
    (f"lin_api_{ALNUM}", f"lin_api_{ALNUM}"),
    (f"AccountName=a;AccountKey={ALNUM}==;End=b", f"{ALNUM}=="),
    (f"https://x.blob/c?se=1&sig={ALNUM}%3D&x=1", f"{ALNUM}%3D"),
    (PEM, PEM),
    (PEM[:60], PEM[:60]),
    ("postgresql://u:pw@h/db", "pw"),
    ("https://user:s3cr3t@example.org:8080/x", "s3cr3t"),
    (f"curl -H 'Authorization: Bearer {ALNUM}'", ALNUM),
    ("{'Authorization': 'Basic dXNlcjpwYXNzd29yZA=='}", "dXNlcjpwYXNzd29yZA=="),
    ("{'password': 'hunter2', 'user': 'ann'}", "hunter2"),
    ('{"api_key": "abc", "n": 1}', "abc"),
    ("Config(password='hunter2', port=5)", "hunter2"),
    ("DB_PASSWORD=hunter2", "hunter2"),
    ("user: ann\npassword: hunter2\nport: 5", "hunter2"),
    ("environ({'WANDB_API_KEY': '0123456789abcdef', 'HOME': '/root'})", "0123456789abcdef"),
    ("run --api-key abc123 --verbose", "abc123"),
    ("  user  password\n0  ann   hunter2\n1  bob  letmein", None),
    ("{'pin_secret': 123456, 'n': 2}", "123456"),
    ("client_secret='x', refresh_token='y1'", None),
    ("dbPassword: 'hunter2'", "hunter2"),
]

HARMLESS = [
    "9d1614638d18024d0fbb36575a15f1302a3adf04",
    HEX,
    "550e8400-e29b-41d4-a716-446655440000",
    "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    hashlib.md5(b"x").hexdigest(),
    base64.b64encode(bytes(range(200))).decode(),
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "token_count = 5",
    "max_tokens=256",
    "{'max_tokens': 256, 'n_tokens': 12}",
    "tokenizer = 'bert-base-uncased'",
    "pad_token='[PAD]'",
    "eos_token: '</s>'",
    "token = 'the'",
    "for token in ['a', 'b']: print(token)",
    "tokens = ['hello', 'world']",
    "primary_key='id'",
    "sort_key = 'name'",
    "key = 'value'",
    "keys: ['a', 'b']",
    "foreign_key: 'user_id'",
    "keyboard = 'qwerty'",
    "monkey='chimp'",
    "password_length = 12",
    "password_field='Enter'",
    "passenger = 'Smith, John'",
    "compass = 'north'",
    "n_pass = 3",
    "secretary: 'Jones'",
    "secret_santa = 'Bob'",
    "task-sk-learn",
    "scikit-learn==1.5.0 risk-averse-strategy-for-everyone",
    "disk-usage-of-the-whole-machine-in-percent",
    "http://localhost:8888/tree",
    "https://example.org:8080/path@2x.png",
    "s3://bucket/key/file.parquet",
    "10:30:45 a@b.org",
    "bearer of good news to everybody",
    "a basic understanding of statistics",
    "Authorization is required",
    "2026-01-01T00:00:00Z",
    "0x7f3a2b4c5d6e",
    "[0.123456789012345, 0.987654321098765]",
    "PWD=/home/ann/project",
    "sklearn.pipeline.Pipeline(steps=[('a', 1)])",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "author_key_points = ['one']",
    "<Figure size 640x480 with 1 Axes>",
    "x = 'password'",
    "columns: user (object), password (object)",
    "the secret of success\nis to keep going",
    "ghost_writer = 'Poe'",
    "hf_dataset_name",
]


def test_the_tables_are_long_enough() -> None:
    assert len(SECRETS) >= 40
    assert len(HARMLESS) >= 40


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_secrets_go_and_the_rest_stays(text: str, secret: str | None) -> None:
    redacted, count = redact_text(text)
    assert count >= 1
    assert PLACEHOLDER in redacted
    if secret is not None:
        assert redacted == text.replace(secret, PLACEHOLDER)
    assert redact_text(redacted) == (redacted, 0), "what is redacted stays as it is"


@pytest.mark.parametrize("text", HARMLESS)
def test_look_alikes_stay(text: str) -> None:
    assert redact_text(text) == (text, 0)
    assert redact_code(text) == (text, 0)


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


@pytest.mark.parametrize(
    "text",
    [
        "key " + "z" * 60_000,
        "password='" * 6_000,
        "sk-" + "a-" * 30_000,
        "eyJ-" * 15_000,
        "token: " * 9_000,
        "://a:" * 12_000,
        "secret=" + "[" * 60_000,
        "--key-" * 10_000,
        "a  password\n" * 5_000,
        ("x" * 30 + "  ") * 2_000 + "\npassword",
        "SG." * 20_000,
        "pwd " + "a.b-" * 15_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    redact_text(text, ["some-known-value-1"])
    redact_code(text, ["some-known-value-1"])
    assert time.process_time() - began < 1.5
