"""``predictions``: ask, follow, cancel, what was sent, what the user did with it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from jupyter_server.auth.decorator import authorized
from tornado import web

from themisto_lab.errors import NotFoundError
from themisto_lab.live.tracked import Tracked
from themisto_lab.services.assemble import prediction_view, sent_view, stored_prediction_view
from themisto_lab.services.base import ThemistoHandler
from themisto_lab.services.views import AskRequest, DeltaLine, FeedbackRequest, PredictionView


class _Streaming(ThemistoHandler):
    _lines: asyncio.Task[None] | None = None

    async def follow(self, tracked: Tracked) -> None:
        """Stream a prediction as NDJSON: its state, its text as it grows, its state again.

        When the client goes, so does the stream; a prediction that was to live only while it is followed is then
        given up.
        """
        self.begin_stream()
        self._lines = asyncio.create_task(self._send_lines(tracked))
        await asyncio.wait([self._lines])
        if tracked.only_while_followed and tracked.followers == 0 and not tracked.done:
            await self.themisto.driver.cancel(tracked.prediction.id)
        if not self._lines.cancelled():
            self._lines.result()

    async def _send_lines(self, tracked: Tracked) -> None:
        prediction_id = tracked.prediction.id
        here = await self.stream_line(_state_line(tracked))
        async with aclosing(tracked.follow()) as texts:
            async for text in texts:
                here = here and await self.stream_line(DeltaLine(type="text", id=prediction_id, text=text))
                if not here:
                    return
        await self.stream_line(_state_line(tracked))

    def on_connection_close(self) -> None:
        """End the stream at once when its reader goes."""
        if self._lines is not None:
            self._lines.cancel()
        super().on_connection_close()


def _state_line(tracked: Tracked) -> DeltaLine:
    return DeltaLine(type="state", id=tracked.prediction.id, text=tracked.text, prediction=prediction_view(tracked))


class PredictionsHandler(_Streaming):
    """``POST predictions``."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        """Ask for a prediction and stream it."""
        ask = self.body(AskRequest)
        tracked = await self.themisto.driver.ask(
            ask.kernel_id,
            ask.task,
            cell_id=ask.cell_id,
            code=ask.code,
            below=ask.below,
            only_while_followed=ask.trigger == "pause",
        )
        await self.follow(tracked)


class PredictionHandler(ThemistoHandler):
    """``predictions/<id>``."""

    @web.authenticated
    @authorized
    async def get(self, prediction_id: str) -> None:
        """Return a prediction, with its truth and scores where its run is over."""
        self.reply(await find_prediction(self, prediction_id))

    @web.authenticated
    @authorized
    async def delete(self, prediction_id: str) -> None:
        """Give a prediction up."""
        await self.themisto.driver.cancel(prediction_id)
        self.set_status(204)
        self.finish()


class PredictionStreamHandler(_Streaming):
    """``predictions/<id>/stream``."""

    @web.authenticated
    @authorized
    async def get(self, prediction_id: str) -> None:
        """Follow a prediction from its present text until it is complete."""
        tracked = self.themisto.driver.find(prediction_id)
        if tracked is not None:
            await self.follow(tracked)
            return
        view = await find_prediction(self, prediction_id)
        self.begin_stream()
        await self.stream_line(DeltaLine(type="state", id=view.id, text=view.text, prediction=view))


class SentHandler(ThemistoHandler):
    """``predictions/<id>/sent``."""

    @web.authenticated
    @authorized
    async def get(self, prediction_id: str) -> None:
        """Return exactly what a model was sent."""
        driver = self.themisto.driver
        tracked = driver.find(prediction_id)
        if tracked is not None:
            self.reply(sent_view(tracked.prediction))
            return
        stored = await driver.store.get_prediction(prediction_id)
        if stored is None:
            raise NotFoundError("There is no such prediction.")
        self.reply(sent_view(stored.prediction))


class FeedbackHandler(ThemistoHandler):
    """``predictions/<id>/feedback``."""

    @web.authenticated
    @authorized
    async def post(self, prediction_id: str) -> None:
        """Log what the user did with a prediction."""
        feedback = self.body(FeedbackRequest)
        await self.themisto.owner.feedback(prediction_id, feedback.action, feedback.detail)
        self.set_status(204)
        self.finish()


async def find_prediction(handler: ThemistoHandler, prediction_id: str) -> PredictionView:
    """Find a prediction in memory or in the store."""
    driver = handler.themisto.driver
    tracked = driver.find(prediction_id)
    if tracked is not None:
        return prediction_view(tracked)
    stored = await driver.store.get_prediction(prediction_id)
    if stored is None:
        raise NotFoundError("There is no such prediction.")
    return stored_prediction_view(stored)
