"""What a snapshot of the namespace costs, beside what others do to show variables.

Builds about 300 variables of 1.8 GB in a real ipykernel and measures, in one run: the probe's snapshot after a cell,
the query of the JupyterLab variable inspector (taken from its package, for measuring only), the debugger's
``inspectVariables``, and naive ``getsizeof`` with ``repr``. Then variables that must never be called are added. Last,
the time that the extension adds to a trivial cell, with and without it by turns: to one that is run alone, and to each
of many that are sent at once.

Run: ``python benchmarks/snapshot.py [--quick]``. pip fetches the variable inspector into a temporary folder.
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jupyter_client.manager import start_new_kernel

from themisto_lab.capture.bundle import install_code
from themisto_lab.capture.probe.hooks import SNAPSHOT_MESSAGE

INSPECTOR = "lckr-jupyterlab-variableinspector"
INSPECTOR_QUERY = "_jupyterlab_variableinspector_dict_list()"
TIMEOUT_S = 120.0
PAUSE_S = 0.03
N_WARM = 10
N_IN_A_ROW = 20

NAMESPACE = """
import builtins, datetime, os, random, sys
import numpy as np, pandas as pd, polars as pl
import matplotlib; matplotlib.use('agg')
import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
_scale = {scale}
_rng = np.random.default_rng(0)
for _i in range(100):
    globals()[f'number_{{_i}}'] = _i * 1.5 if _i % 2 else _i
    globals()[f'text_{{_i}}'] = f'the text of variable {{_i}} ' * (_i % 7 + 1)
for _i in range(20):
    globals()[f'list_{{_i}}'] = list(range(10 ** (_i % 6) * 3))
    globals()[f'dict_{{_i}}'] = {{f'k{{_j}}': _j for _j in range(10 ** (_i % 5))}}
long_list = [str(_i) for _i in range(1_000_000 // _scale)]
long_dict = {{_i: str(_i) for _i in range(1_000_000 // _scale)}}
long_set = set(range(500_000 // _scale))
nested = {{'a': [1, {{'b': (2, 3)}}], 'c': {{'d': [4] * 10}}}}
several = [(_i, [_i]) for _i in range(10_000)]
for _i in range(5):
    globals()[f'set_{{_i}}'] = set(range(10 ** _i))
for _i in range(20):
    globals()[f'array_{{_i}}'] = _rng.random(10 ** (_i % 6 + 1))
big_array = np.zeros(50_000_000 // _scale) + 1.0
matrix = np.ones((5_000, 5_000 // _scale))
grid = np.zeros((1000, 1000, 50 // _scale), dtype='float32')
objects = np.array([1, 'a', None] * 1000, dtype=object)
flags = np.zeros(20_000_000 // _scale, dtype=bool)
for _i in range(8):
    _n = 10 ** (_i % 4 + 2)
    globals()[f'frame_{{_i}}'] = pd.DataFrame({{
        'a': np.arange(_n), 'b': _rng.random(_n), 'c': ['x', 'y'] * (_n // 2),
        'd': pd.date_range('2026-01-01', periods=_n, freq='s'), 'e': pd.Categorical(['u', 'v'] * (_n // 2))}})
_n = 5_000_000 // _scale
large_frame = pd.DataFrame({{f'c{{_j}}': np.arange(_n, dtype='float64') for _j in range(10)}})
wide_frame = pd.DataFrame(_rng.random((1000, 500 // _scale)))
# Private: the variable inspector raises an error at an eager polars frame.
_polars_frame = pl.DataFrame({{'a': list(range(1000)), 'b': ['z'] * 1000}})
lazy_frame = _polars_frame.lazy().filter(pl.col('a') > 5)
series = pd.Series(np.arange(1_000_000 // _scale))
estimator = RandomForestClassifier(n_estimators=5, random_state=0).fit(_rng.random((100, 4)), np.arange(100) % 2)
figure, axes = plt.subplots(); axes.plot([1, 2, 3]); plt.close(figure)
generator = (_i for _i in range(10))
opened = open(os.devnull)
recursive = [1]; recursive.append(recursive)
long_text = 'x' * (50_000_000 // _scale)
today = datetime.date(2026, 1, 2)
def function(a, b=2): return a + b
class Thing:
    def __init__(self): self.x = 1
thing = Thing()
"""

HOSTILE = """
import builtins
builtins.calls = []
class Slow:
    def __repr__(self):
        builtins.calls.append('slow repr'); import time; time.sleep(3); return 'slow'
class Raises:
    def __repr__(self): builtins.calls.append('raising repr'); raise RuntimeError('no repr')
    def __len__(self): builtins.calls.append('len'); raise RuntimeError('no len')
    def __sizeof__(self): builtins.calls.append('sizeof'); raise RuntimeError('no size')
class Lazy:
    computed = 0
    def compute(self): builtins.calls.append('compute'); Lazy.computed += 1
    __repr__ = __str__ = __len__ = __iter__ = __array__ = compute
    def __getattr__(self, name): builtins.calls.append('getattr ' + name); raise AttributeError(name)
slow = Slow(); raises = Raises(); lazy = Lazy()
"""

# Times the whole callback: the look, and the message that is made of it and sent.
TIMER = """
(lambda probe, time, costs: setattr(probe, '_push', (lambda push: lambda *a: (
    costs.append(-time.perf_counter()), push(*a), costs.append(costs.pop() + time.perf_counter())
))(probe._push)) or setattr(probe, 'costs', costs))(
    get_ipython()._themisto_lab_probe, __import__('time'), [])
"""
COSTS = "get_ipython()._themisto_lab_probe.costs"

NAIVE = """
def _naive():
    import sys
    shown = []
    for name, value in list(get_ipython().user_ns.items()):
        if not name.startswith('_'):
            shown.append((name, sys.getsizeof(value), repr(value)))
    return sum(len(text) for _, _, text in shown)
"""


class Kernel:
    """A real kernel and a client of it."""

    def __init__(self) -> None:
        self.manager, self.client = start_new_kernel(kernel_name="python3")

    def run(self, code: str, *, silent: bool = False, expressions: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Run a cell; return its reply's content, its id and the IOPub messages up to ``idle``."""
        message_id = self.client.execute(
            code, silent=silent, store_history=not silent, user_expressions=dict(expressions or {})
        )
        published = []
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT_S)
            if message["parent_header"].get("msg_id") != message_id:
                continue
            published.append(message)
            if message["header"]["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        while True:
            reply = self.client.get_shell_msg(timeout=TIMEOUT_S)
            if reply["parent_header"].get("msg_id") == message_id:
                break
        if reply["content"]["status"] != "ok":
            raise RuntimeError("\n".join(reply["content"]["traceback"]))
        return {"reply": reply["content"], "published": published, "message_id": message_id}

    def snapshot_after(self, result: Mapping[str, Any]) -> dict[str, Any]:
        """Return the content of a run's snapshot, which may come after ``idle``."""
        published = list(result["published"])
        while True:
            message = published.pop(0) if published else self.client.get_iopub_msg(timeout=TIMEOUT_S)
            is_ours = message["parent_header"].get("msg_id") == result["message_id"]
            if is_ours and message["header"]["msg_type"] == SNAPSHOT_MESSAGE:
                content: dict[str, Any] = message["content"]
                return content

    def run_all(self, codes: list[str]) -> None:
        """Send cells at once, as Run All does, and wait until the last one is done."""
        last = [self.client.execute(code) for code in codes][-1]
        while True:
            message = self.client.get_iopub_msg(timeout=TIMEOUT_S)
            is_status = message["header"]["msg_type"] == "status"
            if (
                is_status
                and message["content"]["execution_state"] == "idle"
                and message["parent_header"]["msg_id"] == last
            ):
                break
        for _ in codes:
            self.client.get_shell_msg(timeout=TIMEOUT_S)

    def value(self, expression: str) -> Any:
        """Evaluate an expression in the kernel, with no trace in it."""
        shown = self.run("", silent=True, expressions={"it": expression})["reply"]["user_expressions"]["it"]
        return ast.literal_eval(shown["data"]["text/plain"])

    def debug(self, command: str, sequence: int, arguments: dict[str, Any]) -> dict[str, Any]:
        """Send one request of the debugger and wait for its reply."""
        content = {"type": "request", "seq": sequence, "command": command, "arguments": arguments}
        message = self.client.session.msg("debug_request", content)
        self.client.control_channel.send(message)
        while True:
            reply: dict[str, Any] = self.client.get_control_msg(timeout=TIMEOUT_S)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                return reply

    def close(self) -> None:
        """Shut the kernel down."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def timed(work: Callable[[], object], n: int) -> list[float]:
    """Do something n times; return how long each took, in milliseconds."""
    taken = []
    for _ in range(n):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def figures(taken_ms: list[float]) -> dict[str, float]:
    """Return the median and the 95th percentile."""
    ordered = sorted(taken_ms)
    return {
        "median_ms": round(statistics.median(ordered), 3),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))], 3),
    }


def inspector_script(folder: Path) -> str:
    """Install the variable inspector into a folder, and return the Python code that it sends to kernels."""
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), INSPECTOR]
    subprocess.run(command, check=True, capture_output=True)
    for path in sorted(folder.rglob("*.js")):
        source = path.read_text(encoding="utf-8")
        begin = source.find(".py_script='")
        if begin < 0:
            continue
        quote = begin + len(".py_script=")
        end = quote + 1
        while source[end] != "'":
            end += 2 if source[end] == "\\" else 1
        script: str = ast.literal_eval(source[quote : end + 1])
        return script
    raise RuntimeError("the variable inspector's script was not found in its package")


def measure_ours(kernel: Kernel, n: int) -> dict[str, Any]:
    """Measure the snapshot at first sight, and after cells that change little."""
    first = kernel.snapshot_after(kernel.run(install_code(), silent=True))
    kernel.run(TIMER, silent=True)
    round_trips, inside = [], []
    for at in range(n):
        began = time.perf_counter()
        result = kernel.run(f"number_0 = {at} + 0.5")
        round_trips.append((time.perf_counter() - began) * 1000)
        content = kernel.snapshot_after(result)
        if content["changed"] != ["number_0"]:
            raise RuntimeError("the change was not told")
        inside.append(float(content["receipt"]["cost_ms"]))
    whole = [1000 * each for each in kernel.value(COSTS)][-n:]
    return {
        "n_variables": first["n_variables"],
        "first_ms": first["receipt"]["cost_ms"],
        "in_kernel": figures(inside),
        "in_kernel_and_sent": figures(whole),
        "round_trip": figures(round_trips),
        "skipped": first["receipt"]["skipped"],
    }


def measure_first_sight(kernel: Kernel, n: int) -> dict[str, float]:
    """Measure the snapshot of variables that the probe has not seen, all at once."""
    costs = []
    for _ in range(n):
        kernel.run("get_ipython()._themisto_lab_probe.ledger.__init__()", silent=True)
        content = kernel.snapshot_after(kernel.run("None"))
        costs.append(float(content["receipt"]["cost_ms"]))
    return figures(costs)


def measure_edit(kernel: Kernel, n: int) -> dict[str, Any]:
    """Change one item of a 200 MB array by its name; tell whether it is seen, and what looking cost."""
    kernel.run("edited = np.zeros(25_000_000)")
    costs, seen, reads, unchanged = [], [], [], []
    for at in range(n):
        content = kernel.snapshot_after(kernel.run(f"edited[{12_345_678 + at}] += 1"))
        costs.append(float(content["receipt"]["cost_ms"]))
        seen.append("edited" in content["changed"])
        content = kernel.snapshot_after(kernel.run("edited.shape; None"))
        reads.append(float(content["receipt"]["cost_ms"]))
        unchanged.append("edited" not in content["changed"])
    kernel.run("del edited")
    return {"seen": all(seen), "cost": figures(costs), "share_told_unchanged_when_read": statistics.mean(unchanged)}


def measure_many(n: int) -> dict[str, Any]:
    """Measure the snapshot with 5,000 small variables."""
    kernel = Kernel()
    try:
        kernel.run(
            "for _i in range(5000):\n    globals()[f'v{_i}'] = [_i, str(_i), _i * .5, [_i], {'k': _i}, (1, _i)][_i % 6]"
        )
        first = kernel.snapshot_after(kernel.run(install_code(), silent=True))
        costs = []
        for at in range(n):
            content = kernel.snapshot_after(kernel.run(f"v0 = {at}"))
            costs.append(float(content["receipt"]["cost_ms"]))
        return {"first_ms": first["receipt"]["cost_ms"], **figures(costs)}
    finally:
        kernel.close()


def measure_peers(kernel: Kernel, script: str, n: int) -> dict[str, dict[str, float]]:
    """Measure what others do, on the same namespace, without the probe."""
    kernel.run("get_ipython()._themisto_lab_probe.remove()", silent=True)
    kernel.run(script, silent=True)
    found = {"variable_inspector": figures(timed(lambda: kernel.run(INSPECTOR_QUERY, silent=True), n))}
    if not kernel.manager.is_alive():
        raise RuntimeError("the kernel died")
    kernel.debug("initialize", 1, {"clientID": "benchmark", "adapterID": "", "pathFormat": "path"})
    kernel.debug("attach", 2, {})
    found["debugger"] = figures(timed(lambda: kernel.debug("inspectVariables", 3, {}), n))
    kernel.debug("disconnect", 4, {"restart": False, "terminateDebuggee": False})
    kernel.run(NAIVE, silent=True)
    found["naive"] = figures(timed(lambda: kernel.run("_naive()", silent=True), max(1, n // 5)))
    return found


def measure_hostile(script: str) -> dict[str, Any]:
    """Look at variables that must not be called, with the probe and with the variable inspector."""
    kernel = Kernel()
    try:
        kernel.run("kept = 1")
        kernel.run(install_code(), silent=True)
        kernel.run(HOSTILE)
        costs = []
        for at in range(20):
            content = kernel.snapshot_after(kernel.run(f"kept = {at}; (slow, raises, lazy); None"))
            costs.append(float(content["receipt"]["cost_ms"]))
        calls = kernel.value("__import__('builtins').calls")
        computed = kernel.value("Lazy.computed")
        kernel.run(script, silent=True)
        inspector_ms = timed(lambda: kernel.run(INSPECTOR_QUERY, silent=True), 1)[0]
        return {
            "calls": calls,
            "computed": computed,
            **figures(costs),
            "variable_inspector_ms": round(inspector_ms, 1),
            "variable_inspector_calls": len(kernel.value("__import__('builtins').calls")),
        }
    finally:
        kernel.close()


def measure_added(n: int) -> dict[str, float]:
    """Measure the time that the extension adds to a trivial cell: two kernels, one with it, by turns."""
    kernels = {"with": Kernel(), "without": Kernel()}
    try:
        for kernel in kernels.values():
            kernel.run(
                "import numpy as np\nfor _i in range(25):\n    globals()[f'a{_i}'] = _i\n"
                "    globals()[f'b{_i}'] = [_i, 'x', np.arange(100)]"
            )
        kernels["with"].run(install_code(), silent=True)
        alone = by_turns(kernels, lambda kernel: kernel.run("1 + 1"), n)
        in_a_row = by_turns(kernels, lambda kernel: kernel.run_all(["1 + 1"] * N_IN_A_ROW), max(10, n // 10))
        return {
            **alone,
            "in_a_row_with_ms": round(in_a_row["with_ms"] / N_IN_A_ROW, 3),
            "in_a_row_added_ms": round(in_a_row["added_ms"] / N_IN_A_ROW, 3),
        }
    finally:
        for kernel in kernels.values():
            kernel.close()


def by_turns(kernels: Mapping[str, Kernel], work: Callable[[Kernel], object], n: int) -> dict[str, float]:
    """Time the same work in a kernel with the probe and in one without, n times each."""
    taken: dict[str, list[float]] = {"with": [], "without": []}
    for at in range(n + N_WARM):
        order = ("with", "without") if at % 2 else ("without", "with")
        for name in order:
            took = timed(lambda kernel=kernels[name]: work(kernel), 1)[0]  # type: ignore[misc] # bound now
            # What a kernel does after its answer is not to slow the other one down.
            time.sleep(PAUSE_S)
            if at >= N_WARM:
                taken[name].append(took)
    with_ms, without_ms = statistics.median(taken["with"]), statistics.median(taken["without"])
    paired = statistics.median(a - b for a, b in zip(taken["with"], taken["without"], strict=True))
    return {
        "with_ms": round(with_ms, 3),
        "without_ms": round(without_ms, 3),
        "added_ms": round(with_ms - without_ms, 3),
        "added_paired_ms": round(paired, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the data and fewer runs")
    quick = parser.parse_args().quick
    n, n_peers = (60, 5) if quick else (200, 20)
    with tempfile.TemporaryDirectory() as folder:
        script = inspector_script(Path(folder))
    kernel = Kernel()
    try:
        print("building the namespace ...", flush=True)
        kernel.run(NAMESPACE.format(scale=10 if quick else 1))
        ours = measure_ours(kernel, n)
        print(
            f"{ours['n_variables']} variables; first sight {ours['first_ms']:.2f} ms (with the probe's own first steps)"
        )
        first = measure_first_sight(kernel, 10)
        print(f"all at first sight        median {first['median_ms']:9.2f}  p95 {first['p95_ms']:9.2f} ms")
        for name in ("in_kernel", "in_kernel_and_sent", "round_trip"):
            print(f"ours, {name:20}median {ours[name]['median_ms']:9.2f}  p95 {ours[name]['p95_ms']:9.2f} ms")
        edit = measure_edit(kernel, 5 if quick else 20)
        print(f"one item of 200 MB edited: seen {edit['seen']}, cost {edit['cost']['median_ms']:.2f} ms")
        peers = measure_peers(kernel, script, n_peers)
        for name, found in peers.items():
            print(f"{name:26}median {found['median_ms']:9.2f}  p95 {found['p95_ms']:9.2f} ms")
    finally:
        kernel.close()
    many = measure_many(n)
    print(f"5,000 small variables     median {many['median_ms']:9.2f}  p95 {many['p95_ms']:9.2f} ms")
    hostile = measure_hostile(script)
    print(
        f"hostile variables: {len(hostile['calls'])} calls, {hostile['median_ms']:.2f} ms; the variable inspector: "
        f"{hostile['variable_inspector_calls']} calls, {hostile['variable_inspector_ms']:.0f} ms"
    )
    added = measure_added(60 if quick else 200)
    print(
        f"a trivial cell, 50 variables: {added['with_ms']:.2f} ms with, {added['without_ms']:.2f} ms without, "
        f"{added['added_ms']:.2f} ms added; "
        f"{N_IN_A_ROW} sent at once: {added['in_a_row_added_ms']:.2f} ms added to each"
    )
    ratio = peers["variable_inspector"]["median_ms"] / ours["in_kernel_and_sent"]["median_ms"]
    print(f"ratio to the variable inspector: {ratio:.0f}")
    print(
        json.dumps(
            {
                "ratio_to_peer": round(ratio, 1),
                "median_ms": ours["in_kernel"]["median_ms"],
                "first_sight_ms": first["median_ms"],
                "added_ms": added["added_ms"],
                "ours": ours,
                "first_sight": first,
                "edit": edit,
                "peers": peers,
                "many": many,
                "hostile": hostile,
                "added": added,
                "quick": quick,
            }
        )
    )


if __name__ == "__main__":
    main()
