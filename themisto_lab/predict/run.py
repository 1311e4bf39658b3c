"""Asks a predictor and returns the completed `Prediction`; a model's failure is part of it, not an exception."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from themisto_lab.errors import BadInputError, ThemistoError
from themisto_lab.predict.base import Chunk, Predictor, PredictRequest
from themisto_lab.predict.postprocess import prediction_text
from themisto_lab.types import Prediction, PredictionError, utc_now

log = logging.getLogger(__name__)


async def run_prediction(
    predictor: Predictor,
    prediction: Prediction,
    request: PredictRequest,
    on_text: Callable[[str], None] | None = None,
) -> Prediction:
    """Stream an answer and return the prediction with its result, or with its error.

    Parameters
    ----------
    predictor
        Whom to ask.
    prediction
        The prediction to complete, ``running``.
    request
        What to ask.
    on_text
        Called with the post-processed text so far, each time that it changes.

    Returns
    -------
    Prediction
        A completed copy, ``ready`` or ``failed``. What had come before a failure is kept in ``raw_text``.

    Raises
    ------
    asyncio.CancelledError
        The caller gave up; by then the predictor's stream is closed.
    """
    chunk = Chunk("")
    text = ""
    error: PredictionError | None = None
    try:
        if request.task not in predictor.tasks:
            raise BadInputError(f"{predictor.name} can't be asked for {request.task.value}.")
        async with aclosing(answer_stream(predictor, request)) as chunks:
            async for chunk in chunks:
                new_text = prediction_text(chunk.raw_text, request.task, predictor.form)
                if new_text != text:
                    text = new_text
                    if on_text is not None:
                        on_text(text)
    except ThemistoError as failure:
        error = PredictionError(code=failure.code, message=str(failure))
    except Exception as failure:  # noqa: BLE001 - a predictor may be anyone's code
        # The class alone: a message or a traceback may hold the user's values.
        log.error("%s failed with %s", predictor.name, type(failure).__name__)
        error = PredictionError(
            code=ThemistoError.code, message=f"{predictor.name} failed unexpectedly ({type(failure).__name__})."
        )
    return prediction.model_copy(
        update={
            "text": "" if error else text,
            "raw_text": chunk.raw_text,
            "source": chunk.source,
            "reason": chunk.reason,
            "probability": chunk.probability,
            "context": chunk.context or prediction.context,
            "usage": chunk.usage,
            "cost": chunk.cost,
            "completed_at": utc_now(),
            "status": "failed" if error else "ready",
            "error": error,
        }
    )


async def answer_stream(predictor: Predictor, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
    """Yield a predictor's chunks, and close its iterator whether or not it is a generator."""
    chunks = predictor.predict(request)
    try:
        async for chunk in chunks:
            yield chunk
    finally:
        close = getattr(chunks, "aclose", None)
        if close is not None:
            await close()
