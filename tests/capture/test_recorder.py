"""One kernel from its start to its end, as listeners hear of it."""

from __future__ import annotations

from tests.capture.conftest import OpenLab
from themisto_lab.capture.listener import RunStarted


async def test_a_run_becomes_a_step_with_all_fields_of_table_1(open_lab: OpenLab) -> None:
    lab = await open_lab()
    assert lab.heard.lives[0].capability == "full"
    await lab.run("x = [1, 2, 3]\nprint('hi')\nx", "cell-a")
    step = lab.heard.steps[0]
    assert step.index == 0
    assert step.kernel_id == lab.kernel_id
    assert step.cell_id == "cell-a"
    assert step.code == "x = [1, 2, 3]\nprint('hi')\nx"
    assert step.output_text == "hi\n[1, 2, 3]"
    assert [(v.name, v.type_name, v.shape, v.summary, v.changed) for v in step.variables] == [
        ("x", "list", (3,), "[1, 2, 3]", True)
    ]
    assert step.memory_bytes is not None
    assert step.memory_bytes > 10_000_000
    assert step.peak_memory_bytes is not None
    assert step.peak_memory_bytes >= step.memory_bytes
    assert 0 < step.execution_time_s < 30
    assert len(step.hash_index) == 32
    assert step.status == "ok"
    assert step.execution_count == 1
    assert lab.heard.lives[0].notebook == "work.ipynb"
    assert lab.heard.lives[0].language == "python"


async def test_what_is_told_of_a_run_comes_in_order(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("1")
    await lab.run("2")
    assert lab.heard.kinds()[-4:] == ["run_started", "step_recorded", "run_started", "step_recorded"]
    assert [run.code for run in lab.heard.runs] == ["1", "2"]
    assert lab.heard.runs[0].execution_count == 1
    assert lab.heard.runs[1].started_at <= lab.heard.steps[1].started_at


async def test_async_cells_errors_and_prints_are_recorded(open_lab: OpenLab) -> None:
    lab = await open_lab()
    step = await lab.run("import asyncio\nawait asyncio.sleep(0.01)\ny = 5\nprint(y)", "async-cell")
    assert (step.status, step.cell_id, step.output_text) == ("ok", "async-cell", "5")
    assert [v.name for v in step.variables] == ["y"]
    step = await lab.run("z = 1\nz / 0", "bad-cell")
    assert (step.status, step.cell_id) == ("error", "bad-cell")
    assert [(o.mime, o.text) for o in step.outputs] == [
        ("application/vnd.jupyter.error", "ZeroDivisionError: division by zero")
    ]
    assert [v.name for v in step.variables] == ["y", "z"]
    step = await lab.run("def (", "syntax-cell")
    assert (step.status, step.cell_id) == ("error", "syntax-cell")
    step = await lab.run("await asyncio.sleep(0)\nraise ValueError('no')")
    assert (step.status, step.outputs[-1].text) == ("error", "ValueError: no")
    assert [s.index for s in lab.heard.steps] == [0, 1, 2, 3]


async def test_an_interrupt_ends_a_step_as_interrupted(open_lab: OpenLab) -> None:
    lab = await open_lab()
    slow = "import time\ntime.sleep(60)", "import asyncio\nfor _ in range(200): await asyncio.sleep(0.05)"
    for n, code in enumerate(slow):
        message_id = lab.client.send("print('on', flush=True)\n" + code, "slow")
        await lab.client.heard_on_iopub("stream", message_id)
        await lab.kernel.interrupt_kernel()
        await lab.client.reply_to(message_id)
        step = (await lab.heard.steps_are(n + 1))[n]
        assert (step.status, step.cell_id) == ("interrupted", "slow")
        assert step.output_text == "on"
        assert step.execution_time_s < 30
    assert (await lab.run("7")).output_text == "7"


async def test_an_interrupt_at_the_very_start_is_not_lost(open_lab: OpenLab) -> None:
    lab = await open_lab()
    for n in range(8):
        message_id = lab.client.send("while True: pass")
        await lab.heard.until(lambda n=n: len(lab.heard.runs) > n)  # type: ignore[misc] # n is bound now
        await lab.kernel.interrupt_kernel()
        await lab.client.reply_to(message_id)
        assert (await lab.heard.steps_are(n + 1))[n].status == "interrupted"


async def test_reset_keeps_the_probe(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("a = 1")
    step = await lab.run("%reset -f", "reset")
    assert (step.variables, step.cell_id) == ((), "reset")
    step = await lab.run("b = 2", "after")
    assert ([v.name for v in step.variables], step.cell_id) == (["b"], "after")


async def test_autoreload_keeps_the_probe(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("%load_ext autoreload\n%autoreload 2")
    await lab.run(
        "from pathlib import Path\n_ = Path('helper_of_mine.py').write_text('value = 1')\nimport helper_of_mine"
    )
    step = await lab.run("v = helper_of_mine.value", "after")
    assert (step.cell_id, [(v.name, v.summary) for v in step.variables if v.name == "v"]) == ("after", [("v", "1")])


async def test_runs_of_tools_are_not_steps(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("a = 1")
    await lab.client.run("print('a tool looks')", store_history=False)
    await lab.client.run("b = 3", silent=True)
    step = await lab.run("2")
    assert (step.index, step.execution_count) == (1, 2)
    assert len(lab.heard.runs) == 2
    assert [v.name for v in step.variables] == ["a", "b"]


async def test_cells_behind_a_failing_one_are_not_steps(open_lab: OpenLab) -> None:
    lab = await open_lab()
    ids = [lab.client.send(code) for code in ("import time; time.sleep(0.3); 1/0", "a = 1", "b = 2")]
    replies = [await lab.client.reply_to(message_id) for message_id in ids]
    assert [reply["status"] for reply in replies] == ["error", "aborted", "aborted"]
    await lab.heard.steps_are(1)
    await lab.run("c = 3")
    assert [step.code[-3:] for step in lab.heard.steps] == ["1/0", "= 3"]


async def test_a_cell_that_asks_for_input_is_recorded(open_lab: OpenLab) -> None:
    lab = await open_lab()
    message_id = lab.client.send("name = input('Who? ')\nprint('hello', name)", allow_stdin=True)
    request = await lab.client.kc.get_stdin_msg(timeout=30)
    assert request["content"]["prompt"] == "Who? "
    lab.client.kc.input("Ada")
    await lab.client.reply_to(message_id)
    step = (await lab.heard.steps_are(1))[0]
    assert step.output_text == "hello Ada"
    assert [v.summary for v in step.variables] == ["'Ada'"]


async def test_a_cell_that_calls_run_cell_is_one_step(open_lab: OpenLab) -> None:
    lab = await open_lab()
    step = await lab.run("get_ipython().run_cell('inner = 1')\nouter = 2", "outer")
    await lab.run("3")
    assert len(lab.heard.steps) == 2
    assert (step.cell_id, step.execution_count) == ("outer", 1)
    assert [(v.name, v.changed) for v in step.variables] == [("inner", True), ("outer", True)]


async def test_run_all_of_200_cells(open_lab: OpenLab) -> None:
    lab = await open_lab()
    requests_before = await lab.client.look("get_ipython().kernel.shell_handlers['execute_request'].__name__")
    assert requests_before == "'execute_request'"
    await lab.client.run(COUNT_REQUESTS, silent=True)
    ids = [lab.client.send(f"v{i} = {i}\nprint(v{i})", f"cell-{i}") for i in range(200)]
    for message_id in ids:
        await lab.client.reply_to(message_id)
    steps = await lab.heard.steps_are(200)
    assert int(await lab.client.look("__import__('builtins').n_requests")) == 201  # the cells and this look
    await lab.run("'last'")
    assert len(steps) == 201
    assert [step.output_text for step in steps[:200]] == [str(i) for i in range(200)]
    assert [step.cell_id for step in steps[:200]] == [f"cell-{i}" for i in range(200)]
    assert [step.index for step in steps] == list(range(201))
    assert [len(step.variables) for step in steps[:200]] == list(range(1, 201))
    assert all([v.name for v in step.variables if v.changed] == [f"v{i}"] for i, step in enumerate(steps[:200]))
    assert len({step.hash_index for step in steps[:200]}) == 200
    assert len(lab.heard.runs) == 201


COUNT_REQUESTS = """
import builtins
builtins.n_requests = 0
def _count(handler):
    async def counted(stream, ident, parent):
        builtins.n_requests += 1
        return await handler(stream, ident, parent)
    return counted
_handlers = get_ipython().kernel.shell_handlers
_handlers.update({kind: _count(handler) for kind, handler in _handlers.items() if kind == "execute_request"})
"""


async def test_equal_states_have_equal_hashes(open_lab: OpenLab) -> None:
    lab = await open_lab()
    code = (
        "import numpy as np\nclass A: pass\na = [A(), A()]\nf = lambda x: x\ns = {'q', 'w', 'e'}\nn = np.arange(5000)"
    )
    first = await lab.run(code)
    again = await lab.run(code)
    assert first.hash_index == again.hash_index
    changed = await lab.run("n[2500] = 1; s2 = 1")
    assert changed.hash_index != again.hash_index
    back = await lab.run("del s2; n[2500] = 2500")
    assert back.hash_index == again.hash_index
    assert all("0x7" not in v.summary for v in back.variables)


async def test_changes_are_found_in_place(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run(
        "xs = list(range(3000)); d = {'k': [1]}; keep = [1]; import pandas as pd; df = pd.DataFrame({'a': range(9000)})"
    )
    step = await lab.run("xs[1234] = -1")
    assert [v.name for v in step.variables if v.changed] == ["xs"]
    step = await lab.run("d['k'].append(2)")
    assert [v.name for v in step.variables if v.changed] == ["d"]
    step = await lab.run("df.loc[5, 'a'] = -7")
    assert [v.name for v in step.variables if v.changed] == ["df"]
    step = await lab.run("print(len(xs), len(d), len(df))")
    assert [v.name for v in step.variables if v.changed] == []
    step = await lab.run("def grow():\n    keep.append(1)\ngrow()")
    assert [v.name for v in step.variables if v.changed] == ["keep", "grow"]


async def test_the_notebooks_path_follows_a_rename(open_lab: OpenLab) -> None:
    lab = await open_lab(path="old.ipynb")
    await lab.run("1")
    session = await lab.app.session_manager.get_session(kernel_id=lab.kernel_id)
    await lab.app.session_manager.update_session(session["id"], path="folder/new.ipynb")
    await lab.run("2")
    assert lab.heard.lives[0].notebook == "folder/new.ipynb"
    assert lab.recorder.life == lab.heard.lives[0]
    assert lab.heard.kinds().count("life_started") == 1


async def test_a_listener_that_fails_loses_nothing_else(open_lab: OpenLab) -> None:
    lab = await open_lab()
    real = lab.heard.run_started

    async def fail(run: RunStarted) -> None:
        await real(run)
        raise RuntimeError("hunter2")

    lab.heard.run_started = fail  # type: ignore[method-assign] # the fault that is tried
    await lab.run("1")
    await lab.run("2")
    assert [step.output_text for step in lab.heard.steps] == ["1", "2"]
