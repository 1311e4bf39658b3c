"""The embedded engine's child process: how it is started, asked whether it is ready, and ended."""

from __future__ import annotations

import json
import logging
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

log = logging.getLogger(__name__)

_CHILD_SCRIPT = Path(__file__).with_name("engine_child.py")
_END_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How an engine is run.

    Attributes
    ----------
    context_tokens
        The longest prompt and answer together, in tokens.
    n_threads
        Threads that generate. One is the fastest beside a busy kernel.
    n_batch_threads
        Threads that read a prompt.
    cache_mib
        Memory for the states of earlier prompts, in MiB, so that alternating prompts need not be read again.
    idle_s
        How long it stays up without a request, in seconds.
    start_timeout_s
        How long it may take to load, in seconds.
    """

    context_tokens: int = 8192
    n_threads: int = 1
    n_batch_threads: int = 2
    cache_mib: int = 512
    idle_s: float = 15 * 60
    start_timeout_s: float = 120.0


class EngineProcess:
    """A child process that loads a model and then serves it. Every method may block: call it in a thread.

    Parameters
    ----------
    model_path
        The model's file.
    options
        How to run it.

    Attributes
    ----------
    key
        The key that the child asks for with each request.
    """

    def __init__(self, model_path: Path, options: EngineOptions) -> None:
        self.key = secrets.token_urlsafe(24)
        # -P: a json.py in the user's working folder must not shadow the standard library's.
        self._process = subprocess.Popen(  # noqa: S603 - our own script, without a shell
            [sys.executable, "-P", str(_CHILD_SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # native logs could hold parts of prompts
            text=True,
            encoding="utf-8",
        )
        self._configure(
            {
                "model_path": str(model_path),
                "api_key": self.key,
                "context_tokens": options.context_tokens,
                "n_threads": options.n_threads,
                "n_batch_threads": options.n_batch_threads,
                "cache_mib": options.cache_mib,
            }
        )

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How the child ended; None while it runs."""
        return self._process.poll()

    def wait_ready(self) -> int | str:
        """Wait until the model is loaded; return the port, or else the name of what went wrong."""
        line = self._process.stdout.readline() if self._process.stdout else ""
        try:
            answer = json.loads(line)
        except ValueError:
            return "no answer"
        port = answer.get("port")
        return port if isinstance(port, int) else str(answer.get("error", "no answer"))

    def wait(self, timeout_s: float) -> int | None:
        """Wait for the child's end and return its exit code; None if it still runs then."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> int:
        """End the child by closing its input, by force if that is not enough, and return its exit code."""
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except OSError:
                log.debug("The engine's process had closed its input")
        if self.wait(_END_WAIT_S) is None:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        return self._process.returncode

    def _configure(self, config: dict[str, Any]) -> None:
        try:
            if self._process.stdin is not None:
                self._process.stdin.write(json.dumps(config) + "\n")
                self._process.stdin.flush()
        except OSError:
            # It died at once; `wait_ready` finds that out.
            log.warning("The engine's process ended before it read its configuration")
