"""The errors that reach a person. Each has a stable code and the HTTP status that a handler answers with.

A message is one sentence that names what was wrong and what to do. It never holds a key, a value from the
kernel, or a stack trace.
"""

from __future__ import annotations


class ThemistoError(Exception):
    """The base of all errors that are meant for a person."""

    code = "error"
    http_status = 500


class BadInputError(ThemistoError):
    """The caller sent something that can't be used."""

    code = "bad_input"
    http_status = 400


class NotFoundError(ThemistoError):
    """The thing that was named does not exist."""

    code = "not_found"
    http_status = 404


class UnknownModelError(ThemistoError):
    """No predictor has that name; the message lists those that exist."""

    code = "model_unknown"
    http_status = 404


class ModelMissingError(ThemistoError):
    """The model's file is not on this machine; the message says how to pull it."""

    code = "model_missing"
    http_status = 409


class ModelDamagedError(ThemistoError):
    """The model's file is not what it should be; the message says how to pull it again."""

    code = "model_damaged"
    http_status = 409


class DownloadError(ThemistoError):
    """No source of the model could be reached, or what came was wrong."""

    code = "download_failed"
    http_status = 502


class EngineError(ThemistoError):
    """The embedded engine could not start, or died with the request."""

    code = "engine_failed"
    http_status = 502


class PromptTooLongError(ThemistoError):
    """The prompt is longer than the model's context."""

    code = "prompt_too_long"
    http_status = 413


class ModelKeyError(ThemistoError):
    """The provider refused the key, or there is none."""

    code = "model_key_refused"
    http_status = 502


class ModelRequestError(ThemistoError):
    """The provider rejected the request; the message names the model and the setting."""

    code = "model_request_rejected"
    http_status = 502


class ModelTimeoutError(ThemistoError):
    """The model did not answer in the time that was allowed."""

    code = "model_timeout"
    http_status = 504


class ModelUnavailableError(ThemistoError):
    """The provider could not be reached, or is overloaded."""

    code = "model_unavailable"
    http_status = 502


class RemoteLimitError(ThemistoError):
    """The hourly limit on requests to a remote model is used up."""

    code = "remote_limit"
    http_status = 429


class StoreError(ThemistoError):
    """The store can't be opened, read or written."""

    code = "store_failed"
    http_status = 500
