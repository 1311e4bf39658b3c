"""``status`` and ``settings``."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado import web

from themisto_lab import __version__
from themisto_lab.services.assemble import error_view, store_view
from themisto_lab.services.base import ThemistoHandler
from themisto_lab.services.models import model_view
from themisto_lab.services.views import SettingsView, StatusView


class StatusHandler(ThemistoHandler):
    """``GET status``."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Return the version, the settings, the model's and the store's state, and one trouble at most."""
        driver = self.themisto.driver
        trouble = self.themisto.owner.current_trouble()
        self.reply(
            StatusView(
                version=__version__,
                settings=SettingsView(**driver.settings.model_dump()),
                model=model_view(self.themisto, driver.settings.model),
                store=store_view(await driver.store.info(), driver.settings),
                trouble=error_view(trouble) if trouble else None,
            )
        )


class SettingsHandler(ThemistoHandler):
    """``settings``."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Return the settings in force."""
        self.reply(SettingsView(**self.themisto.driver.settings.model_dump()))

    @web.authenticated
    @authorized
    async def put(self) -> None:
        """Take over what the user chose; what is left out is as the server was configured."""
        settings = await self.themisto.owner.choose(self.body(SettingsView))
        self.reply(SettingsView(**settings.model_dump()))
