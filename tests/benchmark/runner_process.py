"""Runs a benchmark in child processes that are killed at random moments; run by a test.

Usage: ``runner_process.py SAMPLE RUN N_KILLS SEED``. Prints, for each child, which replies were on disk when it began
and which questions it asked, as one JSON object; the last child is left to end by itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
import zlib
from collections.abc import AsyncGenerator
from pathlib import Path

from runner_helpers import MODEL, FakeModel, bench_with

from themisto_lab.benchmark.manifest import RESULTS_NAME
from themisto_lab.predict.base import Chunk, PredictRequest


class LoggedModel(FakeModel):
    """Writes down each prompt that it is asked with, before it takes a moment to answer."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self._log = log

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        assert request.context is not None
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(request.context.messages[-1].content + request.task.value) + "\n")
        await asyncio.sleep(0.005)
        async for chunk in super().predict(request):
            yield chunk
        self.requests.clear()


def prompts_on_disk(out: Path) -> list[str]:
    """The prompts of the replies that are committed."""
    path = out / RESULTS_NAME
    if not path.exists():
        return []
    connection = sqlite3.connect(path)
    try:
        has_table = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'bench_replies'").fetchone()
        rows = connection.execute("SELECT context FROM bench_replies").fetchall() if has_table else []
    finally:
        connection.close()
    contexts = [json.loads(zlib.decompress(context)) for (context,) in rows if context is not None]
    tasks = {True: "cell_output", False: "next_cell"}
    return [
        context["messages"][-1]["content"] + tasks["REPL" in context["messages"][0]["content"]] for context in contexts
    ]


def in_child(sample: Path, out: Path, log: Path) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            asyncio.run(bench_with(LoggedModel(log), sample, out, models=(MODEL,)))
            code = 0
        finally:
            os._exit(code)
    return pid


def wait_for_questions(pid: int, log: Path, number: int) -> None:
    """Wait until a child has asked so many questions, so that a slow machine is not killed before it begins."""
    deadline_s = time.monotonic() + 30
    while log.read_bytes().count(b"\n") < number and time.monotonic() < deadline_s:
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return  # it came to its end
        time.sleep(0.002)


def main(sample: Path, out: Path, n_kills: int, seed: int) -> None:
    moments = random.Random(seed)
    for number in range(n_kills + 1):
        before = prompts_on_disk(out)
        log = out.parent / f"asked-{number}.jsonl"
        log.touch()
        pid = in_child(sample, out, log)
        if number < n_kills:
            wait_for_questions(pid, log, moments.randrange(45))
            time.sleep(moments.uniform(0.0, 0.05))
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        asked = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
        killed = os.WIFSIGNALED(status)
        sys.stdout.write(json.dumps({"before": before, "asked": asked, "killed": killed, "status": status}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
