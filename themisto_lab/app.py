"""The server extension: traitlets and wiring, nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

from jupyter_server.extension.application import ExtensionApp
from tornado.ioloop import IOLoop
from traitlets import Bool, Float, Int, Unicode
from traitlets import List as ListTrait

from themisto_lab.capture.manager import RecorderManager
from themisto_lab.live.driver import LiveDriver
from themisto_lab.live.events import Events
from themisto_lab.live.options import NotebookOptions, options_from_metadata
from themisto_lab.live.owner import Owner
from themisto_lab.live.settings import Settings
from themisto_lab.predict.registry import Registry
from themisto_lab.services.base import notebook_metadata
from themisto_lab.services.context import ServerContext
from themisto_lab.services.pulls import Pulls
from themisto_lab.services.routes import handlers
from themisto_lab.store.location import default_store_path
from themisto_lab.store.store import Store

_DEFAULTS = Settings()
_EVENT_SCHEMAS = Path(__file__).parent / "event_schemas"


class ThemistoApp(ExtensionApp):  # type: ignore[misc]  # jupyter_server ships no types
    """Records kernels, predicts, and answers the front end under ``/themisto/api/``."""

    name = "themisto_lab"
    description = "Predicts the next cell and the output of a notebook, and scores what it predicted."
    load_other_extensions = True

    store = Unicode(
        "", help="The record: a SQLite file's path or a database URL. Empty: in Jupyter's data folder."
    ).tag(config=True)
    enabled = Bool(_DEFAULTS.enabled, help="Whether anything is captured and predicted.").tag(config=True)
    recording = Bool(_DEFAULTS.recording, help="Whether the record is written to its file.").tag(config=True)
    model = Unicode(_DEFAULTS.model, help="The predictor whose predictions are shown.").tag(config=True)
    arms = ListTrait(Unicode(), list(_DEFAULTS.arms), help="The arms that are predicted; the first is shown.").tag(
        config=True
    )
    context_tokens = Int(_DEFAULTS.context_tokens, help="The most tokens of context in a prompt.").tag(config=True)
    remote_allowed = Bool(_DEFAULTS.remote_allowed, help="Whether a remote model may be asked.").tag(config=True)
    remote_per_hour = Int(_DEFAULTS.remote_per_hour, help="The most requests an hour to a remote model.").tag(
        config=True
    )
    timeout_s = Float(_DEFAULTS.timeout_s, help="The most seconds that a prediction may take.").tag(config=True)

    def initialize_settings(self) -> None:
        """Open the store, wire the driver, and record kernels from the first turn of the event loop."""
        logger = self.serverapp.event_logger
        for schema in sorted(_EVENT_SCHEMAS.glob("*/v*.yaml")):
            logger.register_event_schema(schema)
        events = Events(lambda schema_id, data: logger.emit(schema_id=schema_id, data=data))
        self._store = Store.open(self.store or default_store_path(), self.log)
        self._registry = Registry()
        settings = Settings(
            enabled=self.enabled,
            recording=self.recording,
            model=self.model,
            arms=tuple(self.arms),
            context_tokens=self.context_tokens,
            remote_allowed=self.remote_allowed,
            remote_per_hour=self.remote_per_hour,
            timeout_s=self.timeout_s,
        )
        self._driver = LiveDriver(
            self._store, self._registry, settings, events=events, log=self.log, read_options=self._read_options
        )
        self._pulls = Pulls(events)
        self._recorders = RecorderManager(
            self.serverapp.kernel_manager, self.serverapp.session_manager, logger, self._driver, self.log
        )
        # The first thing that the event loop does once it runs: no kernel can have been asked for by then.
        IOLoop.current().add_callback(self._recorders.start)
        self._driver.take_look = self._recorders.look_closely
        self.settings["themisto"] = ServerContext(self._driver, Owner(self._driver), self._pulls)

    def initialize_handlers(self) -> None:
        """Add the routes."""
        self.handlers.extend(handlers())

    async def stop_extension(self) -> None:
        """Stop recording, predictions, downloads and engines, then close the store."""
        await self._recorders.stop()
        await asyncio.gather(self._driver.close(), self._pulls.close())
        await self._registry.close()
        await self._store.close()

    async def _read_options(self, notebook: str) -> NotebookOptions:
        return options_from_metadata(await notebook_metadata(self.serverapp.contents_manager, notebook))
