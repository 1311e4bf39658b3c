"""What a benchmark run is told to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from themisto_lab.errors import BadInputError
from themisto_lab.types import TaskKind

PromptName = Literal["none", "transcript", "paper"]
"""What a row was asked with: nothing but the trajectory, the raw transcript, or the paper's chat form."""

ANSWER_TOKENS: dict[TaskKind, int] = {TaskKind.NEXT_CELL: 192, TaskKind.CELL_OUTPUT: 256}
"""The most that an answer may take, in tokens: as live, so that both give the same text."""

PAPER_PRESET = "paper"

PAPER_MODELS: dict[str, str] = {
    "GPT-4o": "openai/gpt-4o",
    "GPT-4o-mini": "openai/gpt-4o-mini",
    "Claude 3.5 Sonnet": "anthropic/claude-sonnet-4-6",
    "Gemini 1.5 Pro": "gemini/gemini-2.5-pro",
    "DeepSeek-V3": "deepseek/deepseek-v3",
}
"""The paper's five models, each with the nearest one that litellm knows and its provider still serves."""


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """The options of a run.

    Attributes
    ----------
    sample
        The sample file.
    out
        The folder of the run.
    models, arms
        Who is asked, in which arms.
    limit
        Items of each task, chosen by the seed; None for all.
    seed
        Another seed chooses other items where there is a limit.
    concurrency
        Requests to one model at a time; an embedded model always answers one at a time.
    prompt
        The form of the prompts; None for each model's own.
    context_tokens
        The most that a prompt may take, in tokens.
    timeout_s
        How long an answer may take, in seconds.
    attempts
        How often a request is made before its item counts as failed.
    first_pause_s
        The pause before the second attempt, in seconds; each next one is twice as long.
    baselines
        Whether the free predictors run beside the models.
    store
        The URL of a database for the results; None for a file in the folder.
    threads
        Threads with which an embedded model generates; it is part of what its replies are kept under.
    scheduler
        The address of a Dask scheduler whose workers ask the models; None to ask them here.
    """

    sample: Path
    out: Path
    models: tuple[str, ...]
    arms: tuple[str, ...]
    limit: int | None = None
    seed: int = 0
    concurrency: int = 4
    prompt: Literal["paper", "transcript"] | None = None
    context_tokens: int = 2048
    timeout_s: float = 60.0
    attempts: int = 3
    first_pause_s: float = 2.0
    baselines: bool = True
    store: str | None = None
    scheduler: str | None = None
    threads: int = 1

    def check(self) -> None:
        """Check what the command line can't.

        Raises
        ------
        BadInputError
            A number makes no sense, or nobody is to be asked.
        """
        if not self.models and not self.baselines:
            raise BadInputError("Nobody is asked: name a model, or leave the baselines on.")
        if self.models and not self.arms:
            raise BadInputError("Name at least one arm.")
        numbers = {"limit": self.limit, "concurrency": self.concurrency, "attempts": self.attempts}
        for name, value in {**numbers, "threads": self.threads}.items():
            if value is not None and value < 1:
                raise BadInputError(f"--{name} must be at least 1.")
        if self.context_tokens <= max(ANSWER_TOKENS.values()):
            raise BadInputError(f"--context-tokens must be more than {max(ANSWER_TOKENS.values())}.")
        if self.timeout_s <= 0:
            raise BadInputError("--timeout must be more than 0.")


def model_names(words: list[str]) -> tuple[str, ...]:
    """Return the models that comma-separated words name, each once; ``paper`` stands for the paper's five."""
    names: dict[str, None] = {}
    for word in ",".join(words).split(","):
        name = word.strip()
        if name == PAPER_PRESET:
            names.update(dict.fromkeys(PAPER_MODELS.values()))
        elif name:
            names[name] = None
    return tuple(names)
