"""A Dask scheduler and its workers as processes of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from benchmark_helpers import ROOT

HERE = Path(__file__).parent


def wait_until(what: Callable[[], bool], timeout_s: float = 150.0) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < deadline_s, "it takes too long"
        time.sleep(0.01)


def fake_package(folder: Path, name: str, version: str, entry_points: str = "") -> Path:
    """Make a folder in which a package of this name and version seems to be installed."""
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    return folder


def environment(*paths: Path, **variables: str) -> dict[str, str]:
    """The environment of a process that looks into some folders first."""
    words = [*(str(path) for path in paths), str(HERE), str(ROOT)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(words), **variables}


@contextmanager
def dask(folder: Path, what: str, *words: str, env: dict[str, str]) -> Iterator[str]:
    """Run ``dask scheduler`` or ``dask worker`` while the block lasts; give what it says at its start."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{what}.log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", what, *words, "--no-dashboard"], stdout=file, stderr=file, env=env
        )
    ready = re.compile(r"Scheduler at: *(\S+)" if what == "scheduler" else r"Registered to:")
    try:
        wait_until(lambda: bool(ready.search(log.read_text())) or process.poll() is not None)
        found = ready.search(log.read_text())
        assert found, log.read_text()
        yield found.group(found.lastindex or 0)
    finally:
        process.terminate()
        process.wait(30)


def scheduler(folder: Path, allowed_failures: int = 3) -> AbstractContextManager[str]:
    env = environment(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES=str(allowed_failures))
    return dask(folder, "scheduler", "--host", "127.0.0.1", "--port", "0", env=env)


def worker(folder: Path, address: str, env: dict[str, str], *words: str) -> AbstractContextManager[str]:
    place = str(folder / "local")
    return dask(folder, "worker", address, "--nthreads", "1", "--local-directory", place, *words, env=env)


def lines(path: Path) -> list[dict[str, object]]:
    """The whole lines of a log that other processes write."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
