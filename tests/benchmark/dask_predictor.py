"""A predictor that workers find by its entry point; it writes down what it is asked, and by which process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator

from themisto_lab.predict.base import Chunk, PredictRequest
from themisto_lab.predict.echo import EchoPredictor
from themisto_lab.types import Usage

NAME = "test/logged"
LOG_VARIABLE = "THEMISTO_TEST_LOG"
DEADLY = "kill_the_worker()"


def write_down(line: dict[str, object]) -> None:
    with open(os.environ[LOG_VARIABLE], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


class LoggedPredictor(EchoPredictor):
    """Answers with the last cell; a cell that says so takes its process down."""

    def __init__(self) -> None:
        super().__init__(name=NAME, form="chat")

    async def predict(self, request: PredictRequest) -> AsyncGenerator[Chunk, None]:
        assert request.context is not None
        write_down({"pid": os.getpid(), "asked": request.context.messages[-1].content + request.task.value})
        await asyncio.sleep(0.02)
        if request.code == DEADLY:
            os.kill(os.getpid(), signal.SIGKILL)
        yield Chunk(request.trajectory.steps[-1].code, usage=Usage(prompt_tokens=7, completion_tokens=3), cost=0.25)
