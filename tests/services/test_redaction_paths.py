"""Secrets that only a name or a form gives away, from a real kernel: in no prompt, answer or row of the store."""

from __future__ import annotations

import pytest
from waiting import until

from tests.capture.redaction_parts import odd
from themisto_lab.context.build import build_prefix
from themisto_lab.types import Arm

ARMS = (Arm(name="no_runtime", policy="none"), Arm(name="runtime", policy="all"), Arm(name="curated", policy="curated"))
WORD = "river-9-stone"
TOKEN = "sk-" + "proj-" + odd(48, "paths")
FRAME = (
    "import pandas as pd, json\n"
    "word = 'river-9' + '-stone'\n"
    "df = pd.DataFrame({'user': ['ann', 'bob'], 'api_key': [word, word], 'n': [5432, 2]})\n"
)
CELLS = {
    "frame": (FRAME + "df", ("ann", "5432")),
    "printed-frame": (FRAME + "print(df.to_string(index=False))", ("ann", "5432")),
    "one-column": (FRAME + "df[['api_key']]", ("api_key",)),
    "series": (FRAME + "df['api_key']", ("Name: api_key",)),
    "row": (FRAME + "df.iloc[0]", ("ann",)),
    "csv": (FRAME + "print(df.to_csv(index=False))", ("ann", "5432")),
    "dict-of-frame": (FRAME + "df.to_dict()", ("ann", "5432")),
    "key": (FRAME + "{'password': word, 'port': 5432}", ("5432",)),
    "nested-key": (FRAME + "cfg = {'db': [{'auth': {'password': word}}], 'port': 5432}\ncfg", ("5432",)),
    "json-in-json": (FRAME + "print(json.dumps(json.dumps({'password': word, 'port': 5432})))", ("5432",)),
    "flag": (FRAME + "print('run --password ' + word + ' --port 5432')", ("5432",)),
}


async def everything_kept_and_sent(themisto, api, kernel_id):
    """Return the prompts of all arms, the answers and the store's rows."""
    _, steps = await api("GET", "kernels", kernel_id, "steps")
    _, state = await api("GET", "kernels", kernel_id, "state")
    trajectory = await themisto.driver.store.get_trajectory(themisto.driver.session(kernel_id).trajectory_id)
    prompts = [build_prefix(trajectory, arm, "df.head()", limit_tokens=30_000) for arm in ARMS]
    return {"prompt": str(prompts), "answers": str((steps, state)), "store": str(trajectory)}


async def run_all(themisto, kernel_id, client, cells):
    for number, code in enumerate(cells, 1):
        await client.run(code, f"c{number}")
        await until(lambda n=number: len(themisto.driver.session(kernel_id).steps) == n)
        await themisto.driver.settled(kernel_id)


@pytest.mark.parametrize("kind", CELLS)
async def test_a_named_secret_is_blanked_before_it_is_stored_or_sent(kind, start_kernel, themisto, api):
    code, readable = CELLS[kind]
    kernel_id, client = await start_kernel()
    await run_all(themisto, kernel_id, client, [code])
    output = themisto.driver.session(kernel_id).steps[0].output_text
    assert "[redacted]" in output
    assert all(text in output for text in readable)
    for place, text in (await everything_kept_and_sent(themisto, api, kernel_id)).items():
        assert WORD not in text, place
        assert "[redacted]" in text, place


async def test_a_token_across_a_cut_is_blanked_before_it_is_cut(start_kernel, themisto, api):
    kernel_id, client = await start_kernel()
    cells = [f"token = '{TOKEN[:9]}' + '{TOKEN[9:]}'\nprint('z' * 39_990, token, 'w' * 80_000)"]
    cells += [f"text{n} = 'x' * {n} + ' ' + token\ntext{n}" for n in (130, 150, 158, 390)]
    await run_all(themisto, kernel_id, client, cells)
    steps = themisto.driver.session(kernel_id).steps
    assert steps[0].outputs[0].truncated
    assert "[redacted]" in steps[1].outputs[0].text
    for place, text in (await everything_kept_and_sent(themisto, api, kernel_id)).items():
        # The first nine stand in the cell's code, which holds no whole token.
        assert TOKEN[9:14] not in text.replace(TOKEN[9:] + "'", ""), place
        assert TOKEN[:14] not in text, place
