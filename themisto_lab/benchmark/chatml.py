"""The chat form for an embedded model: its messages as the raw text that Qwen's chat models were trained on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from themisto_lab.errors import BadInputError
from themisto_lab.predict.base import Chunk, Predictor, PredictorKind, PredictRequest, PromptForm
from themisto_lab.types import Context, TaskKind

_TURN_END = "<|im_end|>"


def render_chatml(context: Context) -> Context:
    """Return a context whose prompt is the messages in the ChatML form, up to where the model goes on."""
    turns = [f"<|im_start|>{message.role}\n{message.content}{_TURN_END}\n" for message in context.messages]
    return context.model_copy(update={"prompt": "".join(turns) + "<|im_start|>assistant\n", "stop": (_TURN_END,)})


class ChatMl:
    """An embedded model that reads chat messages.

    Parameters
    ----------
    model
        The model, which reads a raw prompt.
    """

    def __init__(self, model: Predictor) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def kind(self) -> PredictorKind:
        """What the model costs."""
        return self._model.kind

    @property
    def form(self) -> PromptForm:
        """Chat messages."""
        return "chat"

    @property
    def tasks(self) -> frozenset[TaskKind]:
        """The model's tasks."""
        return self._model.tasks

    @property
    def context_tokens(self) -> int:
        """The longest prompt that the model takes, in tokens."""
        return self._model.context_tokens

    def predict(self, request: PredictRequest) -> AsyncIterator[Chunk]:
        """Answer a request as a stream of cumulative chunks."""
        if request.context is None or not request.context.messages:
            raise BadInputError(f"{self.name} was to read chat messages, and none were given.")
        return self._model.predict(replace(request, context=render_chatml(request.context)))

    async def warm(self, context: Context) -> None:
        """Read a prompt ahead of the question."""
        await self._model.warm(render_chatml(context))
