"""The embedded engine's life: a real child process with the real model."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from themisto_lab.errors import EngineError, ModelDamagedError, ModelMissingError
from themisto_lab.predict import engine as engine_module
from themisto_lab.predict.engine import Engine
from themisto_lab.predict.engine_process import EngineOptions
from themisto_lab.predict.local import LocalPredictor
from themisto_lab.predict.models import MODELS

SPEC = MODELS["qwen2.5-coder-0.5b"]
SMALL = EngineOptions(context_tokens=2048, cache_mib=64)

PROMPT = "# %% [1]\nx = 3\n# No output\n# %% [2]\nprint(x * 7)\n# Output:\n#>"


async def until(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "it did not come to pass"
        await asyncio.sleep(0.02)


async def answer_of(engine: Engine, request) -> str:
    chunks = [chunk async for chunk in LocalPredictor(engine).predict(request)]
    return chunks[-1].raw_text


@pytest.fixture
def own_engine(model_path: Path) -> AsyncIterator[Engine]:
    engine = Engine(SPEC, SMALL)
    yield engine
    asyncio.run(engine.stop())


@pytest.mark.model
async def test_callers_at_the_same_time_share_one_start(own_engine, transcript):
    assert (own_engine.state, own_engine.pid) == ("stopped", None)
    tasks = [asyncio.create_task(answer_of(own_engine, transcript(PROMPT))) for _ in range(3)]
    await until(lambda: own_engine.state == "loading")
    given_up = asyncio.create_task(answer_of(own_engine, transcript(PROMPT)))
    await asyncio.sleep(0)
    given_up.cancel()  # must not take the start away from the others
    assert await asyncio.gather(*tasks) == [" 21\n"] * 3
    assert own_engine.state == "ready"
    children = [child.pid for child in psutil.Process().children() if "engine_child" in " ".join(child.cmdline())]
    assert children.count(own_engine.pid) == 1
    await own_engine.stop()
    assert (own_engine.state, own_engine.pid) == ("stopped", None)


@pytest.mark.model
async def test_a_killed_child_ends_the_request_and_the_next_one_works(own_engine, transcript):
    await answer_of(own_engine, transcript(PROMPT))
    pid = own_engine.pid
    long_answer = transcript("# %% [1]\nfor i in range(10**6): print(i)\n# Output:\n#>", max_tokens=900)
    chunks = LocalPredictor(own_engine).predict(long_answer)
    await anext(chunks)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(EngineError, match="next request starts it again"):
        [chunk async for chunk in chunks]
    assert own_engine.state == "stopped"
    assert await answer_of(own_engine, transcript(PROMPT)) == " 21\n"
    assert own_engine.pid not in (None, pid)


@pytest.mark.model
async def test_it_stops_when_idle_and_not_before(model_path, transcript):
    engine = Engine(SPEC, EngineOptions(context_tokens=2048, cache_mib=64, idle_s=0.3))
    long_answer = transcript("# %% [1]\nfor i in range(10**6): print(i)\n# Output:\n#>", max_tokens=60)
    started_s = time.monotonic()
    await answer_of(engine, long_answer)
    assert time.monotonic() - started_s > 0.3
    pid = engine.pid
    assert pid is not None
    await until(lambda: engine.state == "stopped" and not psutil.pid_exists(pid))


@pytest.mark.model
async def test_stopping_while_it_loads(own_engine, transcript):
    task = asyncio.create_task(answer_of(own_engine, transcript(PROMPT)))
    await until(lambda: own_engine.state == "loading")
    await asyncio.sleep(0.1)
    await own_engine.stop()
    with pytest.raises(EngineError, match="stopped while it was loading"):
        await task
    assert own_engine.state == "stopped"


@pytest.mark.model
async def test_the_key_is_neither_in_arguments_nor_environment_and_is_asked_for(engine):
    async with engine.lease() as client:
        key = client.headers["Authorization"].removeprefix("Bearer ")
        child = psutil.Process(engine.pid)
        assert key not in " ".join(child.cmdline())
        assert key not in child.environ().values()
        addresses = {conn.laddr.ip for conn in child.net_connections() if conn.status == psutil.CONN_LISTEN}
        assert addresses == {"127.0.0.1"}
        for method, path in (("POST", "/completion"), ("GET", "/props"), ("GET", "/slots")):
            response = await client.request(method, path, json={}, headers={"Authorization": "Bearer no"})
            assert response.status_code == 401, path


@pytest.mark.model
def test_the_child_ends_with_its_parent(model_path):
    code = """
    import asyncio, sys
    from themisto_lab.predict.engine import Engine
    from themisto_lab.predict.models import MODELS

    async def main():
        engine = Engine(MODELS["qwen2.5-coder-0.5b"])
        async with engine.lease():
            print(engine.pid, flush=True)
            await asyncio.sleep(60)

    asyncio.run(main())
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    with parent:
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        parent.kill()
    psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=10)
    assert not psutil.pid_exists(pid)


async def test_a_missing_file_says_how_to_get_it(tmp_path, monkeypatch, transcript):
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(tmp_path))
    with pytest.raises(ModelMissingError, match=r"run: jupyter themisto model pull qwen2\.5-coder-0\.5b"):
        await answer_of(Engine(SPEC), transcript(PROMPT))


async def test_a_file_cut_short_says_how_to_get_it_again(tmp_path, monkeypatch, transcript):
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(tmp_path))
    (tmp_path / "qwen2.5-coder-0.5b.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelDamagedError, match=r"damaged \(104 of .*run: jupyter themisto model pull"):
        await answer_of(Engine(SPEC), transcript(PROMPT))


async def test_a_file_with_other_bytes_is_found_out_when_it_does_not_load(tmp_path, monkeypatch, transcript):
    monkeypatch.setenv("THEMISTO_MODEL_DIR", str(tmp_path))
    path = tmp_path / "qwen2.5-coder-0.5b.gguf"
    path.write_bytes(b"GGUF")
    os.truncate(path, SPEC.size_bytes)
    engine = Engine(SPEC)
    with pytest.raises(ModelDamagedError, match=r"checksum is wrong.*run: jupyter themisto model pull"):
        await answer_of(engine, transcript(PROMPT))
    started_s = time.monotonic()
    with pytest.raises(ModelDamagedError):
        await answer_of(engine, transcript(PROMPT))
    assert time.monotonic() - started_s < 0.2, "a file that is known to be broken is not loaded again"


async def test_without_the_engines_package_it_says_so(monkeypatch, transcript):
    monkeypatch.setattr(engine_module, "engine_installed", lambda: False)
    with pytest.raises(EngineError, match="not installed"):
        await answer_of(Engine(SPEC), transcript(PROMPT))
