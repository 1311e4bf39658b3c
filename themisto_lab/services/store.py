"""``store`` and ``scores``: the record and what it amounts to."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado import web

from themisto_lab.errors import BadInputError
from themisto_lab.services.assemble import scores_view, store_view
from themisto_lab.services.base import ThemistoHandler
from themisto_lab.services.views import ForgetRequest, ForgetView


class StoreHandler(ThemistoHandler):
    """``GET store``."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Return where the record is and how large."""
        driver = self.themisto.driver
        self.reply(store_view(await driver.store.info(), driver.settings))


class ForgetHandler(ThemistoHandler):
    """``POST store/forget``."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        """Erase what matches, or count it."""
        ask = self.body(ForgetRequest)
        if not (ask.everything or ask.before or ask.notebook):
            raise BadInputError("Say what to forget: before a date, a notebook, or everything.")
        counts = await self.themisto.owner.forget(
            before=ask.before, notebook=ask.notebook, everything=ask.everything, dry_run=ask.dry_run
        )
        self.reply(
            ForgetView(n_trajectories=counts.n_trajectories, n_steps=counts.n_steps, n_predictions=counts.n_predictions)
        )


class ScoresHandler(ThemistoHandler):
    """``GET scores?kernel_id=...|notebook=...``."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        """Return mean scores and the paired differences of the arms."""
        driver = self.themisto.driver
        kernel_id = self.get_query_argument("kernel_id", "")
        notebook = self.get_query_argument("notebook", "") or None
        session = driver.session(kernel_id) if kernel_id else None
        store = driver.store_for(session) if session else driver.store
        self.reply(
            await scores_view(
                store,
                trajectory_id=session.life.trajectory_id if session else None,
                notebook=notebook,
                n_steps=len(session.steps) if session else None,
            )
        )
