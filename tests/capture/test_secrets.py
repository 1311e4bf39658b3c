"""Secrets of a live session: in nothing that listeners are told, and in no log."""

from __future__ import annotations

import logging
import os

import pytest

from tests.capture.conftest import Lab, OpenLab

FAKE_KEY = "plain-0pen-value-with-no-known-form-77"


def everything_told(lab: Lab) -> str:
    """Return all text that listeners were told."""
    return "\n".join(repr(what) for _, what in lab.heard.events)


async def test_an_environment_variables_value_is_blanked(
    open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", FAKE_KEY)
    caplog.set_level(logging.DEBUG)
    lab = await open_lab()
    step = await lab.run('import os\nprint(os.environ["OPENAI_API_KEY"])')
    assert step.output_text == "[redacted]"
    assert step.code == 'import os\nprint(os.environ["OPENAI_API_KEY"])'
    step = await lab.run("k = os.environ['OPENAI_API_KEY']; d = {'x': [k]}; k")
    assert step.output_text == "'[redacted]'"
    assert [v.summary for v in step.variables] == ["'[redacted]'", "{'x': ['[redacted]']}"]
    await lab.run("print(os.environ)")
    await lab.run("raise RuntimeError(k)")
    assert lab.heard.steps[-1].outputs[0].text == "RuntimeError: [redacted]"
    await lab.recorder.look()
    assert FAKE_KEY not in everything_told(lab)
    assert FAKE_KEY not in caplog.text


async def test_a_secret_that_only_the_kernel_knows_is_blanked(open_lab: OpenLab) -> None:
    lab = await open_lab()
    step = await lab.run("import os\nos.environ['LATE_TOKEN'] = ''.join(['q7', 'k2', 'm9', 'x4', 'z1'])")
    step = await lab.run("print('it is', os.environ['LATE_TOKEN'])")
    assert step.output_text == "it is [redacted]"
    step = await lab.run("db_password = 'swor' + 'dfish9'\nprint(db_password, 'ok')\nnames = [db_password]")
    assert step.output_text == "[redacted] ok"
    step = await lab.run("names")
    assert step.output_text == "['[redacted]']"
    assert {v.name: v.summary for v in step.variables}["db_password"] == "[redacted]"
    told = everything_told(lab)
    assert "q7k2m9x4z1" not in told
    assert "swordfish9" not in told
    assert "q7k2m9x4z1" not in os.environ.get("LATE_TOKEN", "")


async def test_named_values_are_blanked_and_the_rest_is_readable(open_lab: OpenLab) -> None:
    lab = await open_lab()
    code = 'cfg = {"password": "hunter2", "url": "postgresql://u:pw@h/db", "user": "ann"}\ncfg'
    step = await lab.run(code)
    shown = "{'password': '[redacted]', 'url': 'postgresql://u:[redacted]@h/db', 'user': 'ann'}"
    assert step.code == code.replace("hunter2", "[redacted]").replace("pw@h", "[redacted]@h")
    assert step.output_text == shown
    assert (
        step.variables[0].summary == "{'password': [redacted], 'url': 'postgresql://u:[redacted]@h/db', 'user': 'ann'}"
    )
    assert lab.heard.runs[0].code == step.code
    assert "hunter2" not in everything_told(lab)


async def test_a_token_at_the_cut_is_blanked(open_lab: OpenLab) -> None:
    lab = await open_lab()
    token = "sk-proj-" + "a1B2c3D4" * 6
    for n in (130, 150, 155, 158, 380, 395):
        step = await lab.run(f"t = 'x' * {n} + ' {token} end'\nprint('y' * {n} + t)")
        assert token[:14] not in everything_told(lab)
        assert step.variables[-1].name == "t"
    step = await lab.run(f"print('z' * 39_990, ' {token}', 'w' * 80_000)")
    assert step.outputs[0].truncated
    assert token[:14] not in everything_told(lab)


async def test_a_secret_column_is_blanked(open_lab: OpenLab) -> None:
    lab = await open_lab()
    step = await lab.run(
        "import pandas as pd\n"
        "df = pd.DataFrame({'user': ['ann', 'bob'], 'password': ['correct9horse', 'battery8staple'], 'n': [1, 2]})\n"
        "df"
    )
    assert step.output_text == "  user        password  n\n0  ann   [redacted]  1\n1  bob  [redacted]  2"
    assert "password=[redacted]" in step.variables[0].summary
    assert "user=['ann', 'bob']" in step.variables[0].summary
    step = await lab.run("df['password'].tolist()")
    assert step.output_text == "['[redacted]', '[redacted]']"


async def test_harmless_names_and_values_stay(open_lab: OpenLab) -> None:
    lab = await open_lab()
    code = "token_count = 5; max_tokens = 256; tokenizer = 'bert'; sha = '9d1614638d18024d0fbb36575a15f1302a3adf04'"
    step = await lab.run(code + "\nprint(token_count, max_tokens, tokenizer, sha)")
    assert step.code.startswith(code)
    assert step.output_text == "5 256 bert 9d1614638d18024d0fbb36575a15f1302a3adf04"
    assert [v.summary for v in step.variables] == ["5", "256", "'bert'", "'9d1614638d18024d0fbb36575a15f1302a3adf04'"]
