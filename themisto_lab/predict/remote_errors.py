"""What a remote model's failure means. Nothing of the provider's own text is passed on: it may hold a key or prompt.

Errors are told apart by status and by class name, so that this module needs no import of litellm.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from themisto_lab.errors import (
    ModelKeyError,
    ModelRequestError,
    ModelTimeoutError,
    ModelUnavailableError,
    PromptTooLongError,
    ThemistoError,
)
from themisto_lab.predict.remote_keys import key_variable

_IDENTIFIER = re.compile(r"[A-Za-z][\w.-]{0,63}")
_NO_MODEL_STATUS = 404
_KEY_STATUSES = (401, 403)
_BUSY_STATUSES = (408, 409, 425, 429)


@dataclass(frozen=True, slots=True)
class RemoteFailure:
    """A failure of a remote model.

    Attributes
    ----------
    error
        What a person is told.
    retry
        Whether the same request may do better a little later.
    retry_after_s
        How long the provider asks to be left alone, in seconds, where it says so.
    setting
        The setting that the provider rejected, where it can be told.
    """

    error: ThemistoError
    retry: bool = False
    retry_after_s: float | None = None
    setting: str | None = None


def explain(error: Exception, model: str, timeout_s: float, settings: Collection[str]) -> RemoteFailure:
    """Return what a failure means.

    Parameters
    ----------
    error
        What litellm raised.
    model
        The model's full name, ``openai/gpt-4o``.
    timeout_s
        The time that was allowed, in seconds.
    settings
        The names of the settings that are sent, or were until they were rejected.
    """
    classes = {cls.__name__ for cls in type(error).__mro__}
    if isinstance(error, TimeoutError) or classes & {"Timeout", "APITimeoutError"}:
        return RemoteFailure(timed_out(model, timeout_s))
    if "ContextWindowExceededError" in classes:
        return RemoteFailure(PromptTooLongError(f"The prompt is longer than {model} reads; choose a smaller context."))
    if "MidStreamFallbackError" in classes:
        return RemoteFailure(ModelUnavailableError(f"{model} broke off in the middle of its answer."), retry=True)
    if _is_connection(error, classes):
        provider = _provider(model)
        return RemoteFailure(
            ModelUnavailableError(f"{provider} could not be reached; check the network and its address."),
            retry=True,
        )
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return _explain_status(error, status, model, settings)
    return RemoteFailure(ModelUnavailableError(f"{model} failed ({type(error).__name__})."))


def _explain_status(error: Exception, status: int, model: str, settings: Collection[str]) -> RemoteFailure:
    """Return what an HTTP status means."""
    provider = _provider(model)
    if status in _KEY_STATUSES:
        return RemoteFailure(key_refused(provider))
    if status in _BUSY_STATUSES or status >= 500:
        return RemoteFailure(
            ModelUnavailableError(f"{provider} is overloaded or limits requests (HTTP {status}); try later."),
            retry=True,
            retry_after_s=_retry_after_s(error),
        )
    if status == _NO_MODEL_STATUS:
        return RemoteFailure(ModelRequestError(f"{provider} has no model {model} (HTTP 404); check its name."))
    return _rejected(error, model, status, settings)


def _provider(model: str) -> str:
    return model.partition("/")[0]


def timed_out(model: str, timeout_s: float) -> ModelTimeoutError:
    """Return the error for a model that took too long."""
    return ModelTimeoutError(f"{model} did not finish in {timeout_s:g} s; allow more time or send less context.")


def key_refused(provider: str) -> ModelKeyError:
    """Return the error for a key that was refused."""
    return ModelKeyError(
        f"The key for {provider} was refused. Set a valid one in the environment variable {key_variable(provider)}."
    )


def key_missing(provider: str) -> ModelKeyError:
    """Return the error for a key that is not there."""
    return ModelKeyError(
        f"There is no key for {provider}. Set one in the environment variable {key_variable(provider)}."
    )


def _is_connection(error: Exception, classes: Collection[str]) -> bool:
    """Tell whether no answer came at all; litellm dresses some of these up as an HTTP 500 of the provider."""
    if "APIStatusError" in classes:
        return "InternalServerError" in classes and "Connection error" in str(error)
    return not {"APIConnectionError", "TransportError", "ConnectionError"}.isdisjoint(classes)


def _rejected(error: Exception, model: str, status: int, settings: Collection[str]) -> RemoteFailure:
    """Return what a rejected request means: which setting it was, or else the provider's own code word."""
    setting = _named_setting(error, settings)
    if setting is not None:
        text = f"{model} rejected the setting {setting} (HTTP {status}); remove it or choose another model."
        return RemoteFailure(ModelRequestError(text), setting=setting)
    words = [word for word in (_body_word(error, "code"), _body_word(error, "type")) if word]
    detail = f"HTTP {status}: {words[0]}" if words else f"HTTP {status}"
    return RemoteFailure(ModelRequestError(f"{model} rejected the request ({detail})."))


def _named_setting(error: Exception, settings: Collection[str]) -> str | None:
    """Return the setting that an error is about: its ``param``, or else the one that its text quotes or names."""
    param = _body_word(error, "param")
    if param in settings:
        return param
    text = str(error)
    for pattern in (r"['\"`]{}['\"`]", r"\b{}\b"):
        for setting in settings:
            # Only names that are no English words may stand without quotes.
            if ("_" in setting or setting == "temperature" or "\\b" not in pattern) and re.search(
                pattern.format(re.escape(setting)), text
            ):
                return setting
    return None


def _body_word(error: Exception, field: str) -> str | None:
    """Return a field of the provider's error object if it is one plain word."""
    value = getattr(error, field, None)
    body = getattr(error, "body", None)
    if not isinstance(value, str) and isinstance(body, dict):
        inner = body.get("error")
        value = (inner if isinstance(inner, dict) else body).get(field)
    return value if isinstance(value, str) and _IDENTIFIER.fullmatch(value) else None


def _retry_after_s(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None)
    try:
        return max(0.0, float(headers["retry-after"])) if headers is not None else None
    except (KeyError, ValueError, TypeError):
        return None
