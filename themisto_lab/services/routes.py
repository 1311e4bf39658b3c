"""The routes: one table, read by the server extension and by the API's documentation."""

from __future__ import annotations

from typing import Any

from themisto_lab.services.kernels import KernelHandler, NotebookHandler, StateHandler, StepsHandler
from themisto_lab.services.models import ModelsHandler
from themisto_lab.services.predictions import (
    FeedbackHandler,
    PredictionHandler,
    PredictionsHandler,
    PredictionStreamHandler,
    SentHandler,
)
from themisto_lab.services.pulls_handlers import PullHandler, PullsHandler, PullStreamHandler
from themisto_lab.services.settings import SettingsHandler, StatusHandler
from themisto_lab.services.store import ForgetHandler, ScoresHandler, StoreHandler

PREFIX = "themisto/api"

_KERNEL = r"(?P<kernel_id>[\w-]+)"
_PREDICTION = r"(?P<prediction_id>[0-9a-f]+)"
_MODEL = r"(?P<name>[^/]+)"

ROUTES: tuple[tuple[str, type[Any]], ...] = (
    (r"status", StatusHandler),
    (r"settings", SettingsHandler),
    (r"models", ModelsHandler),
    (r"pulls", PullsHandler),
    (rf"pulls/{_MODEL}", PullHandler),
    (rf"pulls/{_MODEL}/stream", PullStreamHandler),
    (rf"kernels/{_KERNEL}", KernelHandler),
    (rf"kernels/{_KERNEL}/notebook", NotebookHandler),
    (rf"kernels/{_KERNEL}/steps", StepsHandler),
    (rf"kernels/{_KERNEL}/state", StateHandler),
    (r"predictions", PredictionsHandler),
    (rf"predictions/{_PREDICTION}", PredictionHandler),
    (rf"predictions/{_PREDICTION}/stream", PredictionStreamHandler),
    (rf"predictions/{_PREDICTION}/sent", SentHandler),
    (rf"predictions/{_PREDICTION}/feedback", FeedbackHandler),
    (r"scores", ScoresHandler),
    (r"store", StoreHandler),
    (r"store/forget", ForgetHandler),
)


def handlers() -> list[tuple[str, type[Any]]]:
    """Return the handlers as a server extension takes them."""
    return [(rf"/{PREFIX}/{pattern}", handler) for pattern, handler in ROUTES]
