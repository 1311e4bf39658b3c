"""A live driver on a real store, fed with the runs of a made-up person."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from themisto_lab.capture.listener import KernelLife, RunStarted
from themisto_lab.live.driver import LiveDriver
from themisto_lab.live.events import Events
from themisto_lab.live.owner import Owner
from themisto_lab.live.settings import Settings
from themisto_lab.predict.registry import Registry
from themisto_lab.store.store import Store
from themisto_lab.types import MIME_STDOUT, CellOutput, Step, utc_now

LOG = logging.getLogger("themisto_lab.tests")


class Person:
    """Runs cells as the recorder would tell of them."""

    def __init__(self, driver: LiveDriver, events: list[tuple[str, dict]]) -> None:
        self.driver = driver
        self.events = events
        self.owner = Owner(driver)
        self.life = KernelLife("t" * 32, "kernel", "python3", capability="full", notebook="a.ipynb")

    async def begin(self) -> None:
        await self.driver.life_started(self.life)

    async def start(self, code: str) -> RunStarted:
        run = RunStarted(self.life.trajectory_id, self.life.kernel_id, code, 1, utc_now())
        await self.driver.run_started(run)
        return run

    async def finish(self, run: RunStarted, printed: str = "", cell_id: str | None = None, status="ok") -> Step:
        outputs = (CellOutput(mime=MIME_STDOUT, text=printed),) if printed else ()
        step = Step(
            index=0,
            kernel_id=self.life.kernel_id,
            cell_id=cell_id,
            code=run.code,
            outputs=outputs,
            status=status,
            started_at=run.started_at,
            execution_time_s=(utc_now() - run.started_at) / timedelta(seconds=1),
        )
        await self.driver.step_recorded(self.life, step)
        return step

    async def run(self, code: str, printed: str = "", cell_id: str | None = None, status="ok") -> Step:
        return await self.finish(await self.start(code), printed, cell_id, status)

    @property
    def session(self):
        return self.driver.session(self.life.kernel_id)

    async def stored(self):
        return await self.driver.store_for(self.session).predictions(self.session.trajectory_id)


@pytest.fixture
def make_person(tmp_path, jp_asyncio_loop):
    """Return a function that makes a person with a driver; its keywords are settings."""
    opened = []

    async def make(registry: Registry | None = None, **settings) -> Person:
        events: list[tuple[str, dict]] = []
        store = Store.open(tmp_path / "store.sqlite", LOG)
        registry = registry or Registry()
        driver = LiveDriver(
            store,
            registry,
            Settings(**{"model": "baseline/follower", **settings}),
            events=Events(lambda schema_id, data: events.append((schema_id.split("/")[-2], data))),
            log=LOG,
        )
        opened.append((driver, registry, store))
        person = Person(driver, events)
        await person.begin()
        return person

    yield make

    async def close():
        for driver, registry, store in opened:
            await driver.close()
            await registry.close()
            await store.close()

    jp_asyncio_loop.run_until_complete(close())
