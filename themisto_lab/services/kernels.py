"""``kernels/<id>``: what the sidebar shows about one kernel."""

from __future__ import annotations

from jupyter_server.auth.decorator import authorized
from tornado import web

from themisto_lab.services.assemble import kernel_view, step_view
from themisto_lab.services.base import ThemistoHandler
from themisto_lab.services.views import NotebookOptions, StateView, StepsView

_PAGE_STEPS = 200


class KernelHandler(ThemistoHandler):
    """``GET kernels/<id>``."""

    @web.authenticated
    @authorized
    async def get(self, kernel_id: str) -> None:
        """Return all that the sidebar shows."""
        driver = self.themisto.driver
        self.reply(kernel_view(driver.session(kernel_id), enabled=driver.settings.enabled))


class NotebookHandler(ThemistoHandler):
    """``PUT kernels/<id>/notebook``."""

    @web.authenticated
    @authorized
    async def put(self, kernel_id: str) -> None:
        """Take over the options that the notebook's metadata hold."""
        driver = self.themisto.driver
        session = await self.themisto.owner.set_options(kernel_id, self.body(NotebookOptions))
        self.reply(kernel_view(session, enabled=driver.settings.enabled))


class StepsHandler(ThemistoHandler):
    """``GET kernels/<id>/steps?after=N``."""

    @web.authenticated
    @authorized
    async def get(self, kernel_id: str) -> None:
        """Return a page of the trajectory."""
        steps = self.themisto.driver.session(kernel_id).steps
        after = self.number("after", 0)
        page = steps[after : after + _PAGE_STEPS]
        self.reply(StepsView(steps=tuple(step_view(step) for step in page), total=len(steps)))


class StateHandler(ThemistoHandler):
    """``GET kernels/<id>/state``."""

    @web.authenticated
    @authorized
    async def get(self, kernel_id: str) -> None:
        """Return the variables after the last run."""
        session = self.themisto.driver.session(kernel_id)
        last = session.steps[-1] if session.steps else None
        self.reply(
            StateView(
                as_of_step=last.index if last else None,
                running=session.running,
                variables=last.variables if last else (),
            )
        )
