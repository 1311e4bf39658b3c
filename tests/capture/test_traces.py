"""A capture leaves no trace in the user's kernel, and never holds it up."""

from __future__ import annotations

import asyncio

import pytest

from tests.capture.conftest import Lab, OpenLab

STATE = (
    "(lambda ip: (len(ip.user_ns['In']), sorted(ip.user_ns['Out']), ip.execution_count, "
    "len(ip.history_manager.input_hist_raw), "
    "list(ip.history_manager.get_range(raw=True, output=False)), "
    "sorted(n for n in ip.user_ns if n not in ip.user_ns_hidden), "
    "getattr(__import__('sys'), 'last_value', None).args, "
    "ip.user_ns['_'], ip.user_ns['__'], ip.user_ns['___'], "
    "__import__('sys').modules['matplotlib.pyplot'].get_fignums()))(get_ipython())"
)


async def test_a_capture_leaves_everything_as_it_was(open_lab: OpenLab) -> None:
    """The same cells with and without a recorder leave the same history, counter, figures and last error."""
    recorded = await open_lab()
    plain = await _plain_kernel(recorded)
    cells = [
        "40 + 2",
        "_",
        "import matplotlib.pyplot as plt\n%matplotlib agg\nfig = plt.figure()",
        "raise ValueError('mine')",
        "'text'",
        "_i1; x = Out[1]",
    ]
    shown = []
    for kernel in (recorded, plain):
        replies = [await kernel.client.run(cell, f"c{i}") for i, cell in enumerate(cells)]
        await kernel.recorder.look() if kernel is recorded else None
        shown.append(([r["execution_count"] for r in replies], await kernel.client.look(STATE)))
    assert shown[0] == shown[1]
    assert shown[0][0] == [1, 2, 3, 4, 5, 6]
    steps = await recorded.heard.steps_are(len(cells))
    assert [step.output_text for step in steps[:2]] == ["42", "42"]
    assert "mine" in shown[0][1]
    await plain.app.kernel_manager.shutdown_kernel(plain.kernel_id, now=True)
    plain.client.close()


async def _plain_kernel(lab: Lab) -> Lab:
    """Start a kernel that no recorder knows of."""
    from tests.capture.conftest import Client

    recorder_listener = lab.recorders._on_action
    lab.app.event_logger.remove_listener(listener=recorder_listener)
    kernel_id = await lab.app.kernel_manager.start_kernel(kernel_name="python3")
    client = Client(lab.app.kernel_manager.get_kernel(kernel_id))
    await client.ready()
    assert lab.recorders.recorder(kernel_id) is None
    return Lab(lab.app, lab.heard, lab.recorders, kernel_id, client)


async def test_a_figure_is_shown_once_and_in_its_own_cell(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("%matplotlib inline\nimport matplotlib.pyplot as plt")
    step = await lab.run("plt.plot([1, 2]); None")
    assert [(o.mime, o.text) for o in step.outputs] == [("image/png", "<Figure size 640x480 with 1 Axes>")]
    assert step.output_text == ""
    step = await lab.run("1")
    assert [(o.mime, o.text) for o in step.outputs] == [("text/plain", "1")]


async def test_the_servers_clock_of_activity_sees_no_capture(open_lab: OpenLab) -> None:
    """A capture after a run neither counts as activity nor makes the kernel look busy."""
    lab = await open_lab()
    await lab.run("import os; os.environ['MY_API_TOKEN'] = 'abcdefgh12345678'; a = 1")
    # The look for the new secret is over once the step is told; the server's own watcher is asked to catch up.
    await lab.client.ready()
    await _caught_up(lab)
    seen: list[str] = []
    lab.kernel.observe(lambda change: seen.append(str(change["new"])), names=["execution_state"])
    before = lab.kernel.last_activity
    assert await lab.recorder.look() is not None
    await _caught_up(lab)
    assert lab.kernel.last_activity == before
    assert seen == []


async def _caught_up(lab: Lab) -> None:
    """Wait until the server's watcher of activity has seen all that the kernel published so far."""
    message_id = lab.client.kc.kernel_info()
    seen = asyncio.Event()
    stream = lab.kernel._activity_stream
    watcher = stream._recv_callback

    def listen(frames: list[bytes]) -> None:
        watcher(frames)
        text = b"".join(frames)
        if message_id.encode() in text and b'"idle"' in text:
            seen.set()

    stream.on_recv(listen)
    await asyncio.wait_for(seen.wait(), 30)
    stream.on_recv(watcher)


async def test_a_look_while_a_cell_runs(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run("a = [1, 2]; b = 'x'")
    message_id = lab.client.send("c = 5\nprint('in', flush=True)\nimport time\ntime.sleep(30)")
    await lab.client.heard_on_iopub("stream", message_id)
    # The recorder has a socket of its own, and may hear a moment later.
    await lab.heard.until(lambda: sum(name == "run_started" for name, *_ in lab.heard.events) == 2)
    began = asyncio.get_running_loop().time()
    some = await lab.recorder.look(["a", "c", "missing"])
    all_names = await lab.recorder.look()
    assert asyncio.get_running_loop().time() - began < 2
    assert some is not None
    assert [(v.name, v.summary) for v in some] == [("a", "[1, 2]"), ("c", "5")]
    assert all_names is not None
    assert [v.name for v in all_names] == ["a", "b", "c"]
    await lab.kernel.interrupt_kernel()
    await lab.client.reply_to(message_id)
    await lab.heard.steps_are(2)
    assert not lab.recorder.running


@pytest.mark.parametrize(
    "code",
    [
        "big = [str(i).zfill(100) for i in range(500_000)]",
        "big = {i: str(i) for i in range(1_000_000)}",
        "import numpy as np; big = np.zeros(20_000_000)",
        "big = 'x' * 200_000_000",
        "big = set(range(1_000_000))",
        "big = 7 ** 3_000_000",
    ],
)
async def test_a_large_value_holds_nothing_up(open_lab: OpenLab, code: str) -> None:
    lab = await open_lab()
    costs: list[float] = []
    take = lab.recorder._take_snapshot
    lab.recorder._take_snapshot = lambda record, event: (
        costs.append(event.content["receipt"]["cost_ms"]),
        take(record, event),
    )[1]  # type: ignore[method-assign] # listens in
    step = await lab.run(code)
    assert [v.name for v in step.variables] == ["big"]
    assert len(step.variables[0].summary) <= 400
    await lab.run("1 + 1")
    await lab.run("len(big) if hasattr(big, '__len__') else 0")
    assert len(costs) == 3
    # A bound that a machine under load keeps; the benchmark measures.
    assert max(costs) < 250, costs


HOSTILE = """
import builtins
builtins.calls = []
loud = 0
class Meta(type):
    def __getattribute__(cls, name):
        if name not in ('mro',): builtins.calls.append('meta ' + name)
        return super().__getattribute__(name)
    def __hash__(cls): builtins.calls.append('meta hash'); return type.__hash__(cls)
    def __eq__(cls, other): builtins.calls.append('meta eq'); return cls is other
    def __instancecheck__(cls, other):
        builtins.calls.append('instancecheck'); return True
class Hostile(metaclass=Meta):
    def __init__(self): object.__setattr__(self, 'shown', 1); object.__setattr__(self, '_hidden', 2)
    def _note(self, what):
        builtins.calls.append(what); loud and print('user code ran:', what)
    def __repr__(self): self._note('repr'); return 'r'
    def __str__(self): self._note('str'); return 's'
    def __len__(self): self._note('len'); raise RuntimeError('no len')
    def __bool__(self): self._note('bool'); raise RuntimeError('no bool')
    def __iter__(self): self._note('iter'); return iter(())
    def __eq__(self, other): self._note('eq'); raise RuntimeError('no eq')
    def __hash__(self): self._note('hash'); return 1
    def __sizeof__(self): self._note('sizeof'); return 1
    def __getattr__(self, name): self._note('getattr ' + name); raise AttributeError(name)
    def __getattribute__(self, name):
        if name != '_note': builtins.calls.append('getattribute ' + name)
        return object.__getattribute__(self, name)
    def __dir__(self): self._note('dir'); return []
    def __reduce__(self, *a): self._note('array'); raise RuntimeError
    def __reduce_ex__(self, p): self._note('reduce'); raise RuntimeError
    def __format__(self, spec): self._note('format'); return ''
    def __deepcopy__(self, memo): self._note('deepcopy'); return self
    @property
    def __class__(self): self._note('class'); return int
    @property
    def shape(self): self._note('shape'); return (1,)
    @property
    def dtype(self): self._note('dtype'); return 'x'
class Sneaky:
    @property
    def __dict__(self): builtins.calls.append('dict'); return {}
class Ghost(list):
    def __iter__(self): builtins.calls.append('list iter'); return iter(())
    def __len__(self): builtins.calls.append('list len'); return 3
    def __repr__(self): builtins.calls.append('list repr'); return 'x'
class Text(str):
    def __str__(self): builtins.calls.append('text str'); return 'x'
    def __repr__(self): builtins.calls.append('text repr'); return 'x'
    def __hash__(self): return str.__hash__(self)
    def __eq__(self, other): builtins.calls.append('text eq'); return str.__eq__(self, other)
h = Hostile(); sneaky = Sneaky(); ghost = Ghost([1]); text = Text('abc')
several = [h, {'k': h}, (h,)]
keyed = {h: 1, 'plain': h, Text('odd'): 2}
loop = [1]; loop.append(loop)
ring = {}; ring['self'] = ring
lazy = (print('item') for _ in range(3))
def delayed(n=h): builtins.calls.append('delayed'); return n
class Delayed:
    def compute(self): builtins.calls.append('compute')
    def __getattr__(self, name): builtins.calls.append('delayed getattr'); return lambda *a: 1
d = Delayed()
import numpy as np, pandas as pd
objects = np.array([h, h], dtype=object)
frame = pd.DataFrame({'o': [h, h], 'n': [1, 2]}); frame.attrs['h'] = h
series = pd.Series([h, 1], dtype=object); index = pd.Index([h], dtype=object)
labelled = pd.DataFrame([[1]], columns=pd.Index([h], dtype=object))
builtins.calls.clear()
loud = 1
"""


async def test_no_code_of_the_users_classes_is_ever_called(open_lab: OpenLab) -> None:
    lab = await open_lab()
    step = await lab.run(HOSTILE)
    assert step.status == "ok", step.outputs
    # The bracket keeps IPython itself from looking at `h`.
    again = await lab.run("(h, sneaky, ghost, text, several, keyed, loop, ring, frame, series); None")
    looked = await lab.recorder.look()
    assert await lab.client.look("__import__('builtins').calls") == "[]"
    assert step.outputs == again.outputs == ()
    shown = {v.name: v.summary for v in again.variables}
    assert looked is not None
    assert {v.name: v.summary for v in looked} == shown
    assert shown["h"] == "<__main__.Hostile> with shown"
    assert shown["ghost"] == "<__main__.Ghost>"
    assert shown["text"] == "<__main__.Text>"
    assert shown["sneaky"] == "<__main__.Sneaky>"
    assert shown["several"] == "[<__main__.Hostile>, {'k': <__main__.Hostile>}, (<__main__.Hostile>,)]"
    assert shown["keyed"] == "{<__main__.Hostile>: 1, 'plain': <__main__.Hostile>, <__main__.Text>: 2}"
    assert shown["loop"] == "[1, [1, [1, list of 2]]]"
    assert shown["lazy"] == "<generator>"
    assert shown["delayed"] == "delayed(n=<__main__.Hostile>)"
    assert shown["d"] == "<__main__.Delayed>"
    assert shown["objects"] == "array [<__main__.Hostile>, <__main__.Hostile>]"
    assert shown["frame"].startswith("columns: o (object), n (int64); first rows: o=[<__main__.Hostile>")
    assert [v.name for v in again.variables if v.changed] == []


async def test_a_repr_that_prints_is_not_called(open_lab: OpenLab) -> None:
    lab = await open_lab()
    step = await lab.run(
        "class P:\n    n = 0\n    def __repr__(self):\n        P.n += 1; print('!'); return 'p'\np = P()"
    )
    assert step.outputs == ()
    step = await lab.run("P.n")
    assert step.output_text == "0"


async def test_an_object_that_computes_when_it_is_looked_at_is_not_computed(open_lab: OpenLab) -> None:
    lab = await open_lab()
    await lab.run(
        "class Delayed:\n    n = 0\n    def compute(self, *a):\n        Delayed.n += 1; return 1\n"
        "    __repr__ = __str__ = __len__ = __iter__ = __array__ = __bool__ = __getattr__ = compute\n"
        "lazy = Delayed(); held = [lazy, {'k': lazy}]"
    )
    await lab.run("lazy is held[0]")
    assert await lab.recorder.look() is not None
    step = await lab.run("Delayed.n")
    assert step.output_text == "0"


async def test_a_snapshot_leaves_the_garbage_collector_as_it_was(open_lab: OpenLab) -> None:
    lab = await open_lab()
    assert (await lab.run("import gc; gc.isenabled()")).output_text == "True"
    assert (await lab.run("gc.isenabled()")).output_text == "True"
    await lab.run("gc.disable()")
    assert (await lab.run("gc.isenabled()")).output_text == "False"
