"""The base of all handlers: authentication, parsing, errors as JSON. A handler makes one call and writes."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import ensure_async
from pydantic import BaseModel, ValidationError
from tornado import web
from tornado.iostream import StreamClosedError

from themisto_lab.errors import BadInputError, ThemistoError
from themisto_lab.services.context import ServerContext
from themisto_lab.services.views import ErrorView

Model = TypeVar("Model", bound=BaseModel)

AUTH_RESOURCE = "themisto"
"""The resource that an authorizer is asked about."""


class ThemistoHandler(APIHandler):  # type: ignore[misc]  # jupyter_server ships no types
    """Maps our errors to JSON with a code and one sentence, and never lets a stack trace out."""

    auth_resource = AUTH_RESOURCE

    @property
    def themisto(self) -> ServerContext:
        """All that handlers call."""
        context: ServerContext = self.settings["themisto"]
        return context

    def body(self, model: type[Model]) -> Model:
        """Parse the request's body.

        Raises
        ------
        BadInputError
            If it is not JSON or not of the model's form; the message names the field.
        """
        try:
            return model.model_validate_json(self.request.body or b"{}")
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "the body"
            raise BadInputError(f"{place}: {first['msg']}. See the API's documentation for what it takes.") from None

    def number(self, name: str, default: int) -> int:
        """Parse a query argument that is a whole number of 0 or more."""
        text = self.get_query_argument(name, str(default))
        if not text.isdecimal():
            raise BadInputError(f"{name}: '{text[:40]}' is not a whole number of 0 or more.")
        return int(text)

    def reply(self, view: BaseModel, status: int = 200) -> None:
        """Answer with a view as JSON."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(view.model_dump_json())

    async def stream_line(self, view: BaseModel) -> bool:
        """Send one NDJSON line; return whether the client is still there."""
        try:
            self.write(view.model_dump_json() + "\n")
            await self.flush()
        except StreamClosedError:
            return False
        return True

    def begin_stream(self) -> None:
        """Start an NDJSON answer."""
        self.set_header("Content-Type", "application/x-ndjson; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Accel-Buffering", "no")  # a proxy in front must not hold lines back

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Answer any error as an `ErrorView`."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        if isinstance(error, ThemistoError):
            self.set_status(error.http_status)
            view = ErrorView(code=error.code, message=str(error))
        elif isinstance(error, web.HTTPError):
            view = ErrorView(code=f"http_{status_code}", message=error.log_message or self._reason)
        else:
            view = ErrorView(code="error", message="Themisto met an unexpected error; the server's log names it.")
        if self._headers_written:
            return  # a stream had begun: its connection ends here
        self.set_header("Content-Type", "application/json; charset=utf-8")
        self.finish(json.dumps(view.model_dump()))

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Log our own errors as one line; others with their traceback, as every Jupyter handler does."""
        if isinstance(value, ThemistoError):
            self.log.debug("%s %s: %s", self.request.method, self.request.path, value.code)
            return
        super().log_exception(typ, value, tb)


async def notebook_metadata(contents_manager: Any, path: str) -> dict[str, Any]:
    """Read a notebook's metadata through the contents manager."""
    model = await ensure_async(contents_manager.get(path, content=True, type="notebook"))
    metadata: dict[str, Any] = dict(model["content"].get("metadata", {}))
    return metadata
