"""A model that takes a minute: the server answers everything else meanwhile, shutdown included."""

import asyncio
import json
import time

from waiting import until

from themisto_lab.predict.base import Chunk
from themisto_lab.types import TaskKind


class SlowModel:
    """A third party's predictor that says a word and then nothing for a minute."""

    name = "slow"
    kind = "remote"
    form = "chat"
    tasks = frozenset(TaskKind)
    context_tokens = 4096

    def __init__(self) -> None:
        self.n_started = 0
        self.n_closed = 0

    async def predict(self, request):
        self.n_started += 1
        try:
            yield Chunk("print(")
            await asyncio.sleep(60)
            yield Chunk("print(1)")
        finally:
            self.n_closed += 1

    async def warm(self, context):
        """Do nothing."""


async def test_the_server_goes_on_while_a_model_takes_a_minute(api, start_kernel, themisto):
    slow = SlowModel()
    themisto.driver.registry.register("slow", lambda: slow)
    kernel_id, client = await start_kernel()
    settings = {**themisto.driver.settings.model_dump(), "model": "slow", "remote_allowed": True, "timeout_s": 300}
    assert (await api("PUT", "settings", body=settings))[0] == 200

    await client.run("a = 1")
    await until(lambda: slow.n_started == 2)
    begin = time.monotonic()
    assert (await api("GET", "status"))[0] == 200
    _, view = await api("GET", "kernels", kernel_id)
    assert (view["next_cell"]["status"], view["next_cell"]["text"]) == ("running", "print(")
    assert (await client.run("b = 2"))["status"] == "ok"
    assert time.monotonic() - begin < 20

    # The run gave both up at once: nobody waits for an answer that comes too late.
    await until(lambda: slow.n_closed == 2)
    await until(lambda: slow.n_started == 4)
    stored = await themisto.driver.store.predictions(themisto.driver.session(kernel_id).trajectory_id)
    assert [one.prediction.status for one in stored if one.prediction.predictor == "slow"] == ["missed", "missed"]

    # So does the server's end.
    begin = time.monotonic()
    await asyncio.wait_for(themisto.driver.close(), 10)
    assert slow.n_closed == 4
    assert time.monotonic() - begin < 10


async def test_a_forecast_that_nobody_reads_any_more_is_given_up(
    start_kernel, themisto, jp_serverapp, http_server_port, jp_base_url
):
    slow = SlowModel()
    themisto.driver.registry.register("slow", lambda: slow)
    kernel_id, client = await start_kernel()
    await client.run("a = 1")
    await until(lambda: themisto.driver.session(kernel_id).steps)
    await themisto.driver.settled(kernel_id)
    changed = themisto.driver.settings.model_copy(update={"model": "slow", "remote_allowed": True})
    await themisto.owner.change_settings(changed)

    body = json.dumps(
        {"task": "cell_output", "kernel_id": kernel_id, "cell_id": "c", "code": "print(hash(a))", "trigger": "pause"}
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", http_server_port[1])
    writer.write(
        f"POST {jp_base_url}themisto/api/predictions HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Authorization: token {jp_serverapp.identity_provider.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    await asyncio.wait_for(reader.readuntil(b"print("), 20)
    assert slow.n_started == 2
    tracked = themisto.driver.session(kernel_id).shown[TaskKind.CELL_OUTPUT]
    writer.close()
    await until(lambda: tracked.prediction.status == "cancelled")
    await until(lambda: slow.n_closed == 2)
