"""``pulls``: fetch a model, follow the fetch, cancel it."""

from __future__ import annotations

from contextlib import aclosing

from jupyter_server.auth.decorator import authorized
from tornado import web

from themisto_lab.services.base import ThemistoHandler
from themisto_lab.services.views import PullRequest


class PullsHandler(ThemistoHandler):
    """``POST pulls``."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        """Start to fetch a model, or join the fetch under way."""
        self.reply(self.themisto.pulls.start(self.body(PullRequest).name), status=202)


class PullHandler(ThemistoHandler):
    """``pulls/<name>``."""

    @web.authenticated
    @authorized
    async def get(self, name: str) -> None:
        """Return how far a fetch is."""
        self.reply(self.themisto.pulls.get(name))

    @web.authenticated
    @authorized
    async def delete(self, name: str) -> None:
        """Cancel a fetch."""
        await self.themisto.pulls.cancel(name)
        self.set_status(204)
        self.finish()


class PullStreamHandler(ThemistoHandler):
    """``pulls/<name>/stream``."""

    @web.authenticated
    @authorized
    async def get(self, name: str) -> None:
        """Stream how far a fetch is, until it ends."""
        pulls = self.themisto.pulls
        pulls.get(name)
        self.begin_stream()
        async with aclosing(pulls.follow(name)) as views:
            async for view in views:
                if not await self.stream_line(view):
                    return
