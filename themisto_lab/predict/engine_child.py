"""The embedded engine's own process: loads a model and serves it on a loopback port.

It is started by `themisto_lab.predict.engine` as a script, so that a crash of native code, or the memory that it
takes, never reaches the Jupyter server. It imports the standard library and the engine, nothing of ours.

The first line of standard input is one JSON object: ``{"model_path", "api_key", "context_tokens",
"n_threads", "n_batch_threads", "cache_mib"}``. The key comes that way because arguments and environments of
processes can be read by others. The first line of standard output is ``{"port": ...}`` or ``{"error": ...}``.
The process ends when its standard input does: that is how it notices that its parent is gone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any, TextIO
from urllib.parse import urlsplit

_BATCH_TOKENS = 256  # The unit of work that a cancelled prompt still finishes.


def _common_params(config: dict[str, Any]) -> Any:
    """Return the engine's parameters for a configuration."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = config["model_path"]
    params.model_alias = {"embedded"}
    params.n_ctx = config["context_tokens"]
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = config["n_threads"]
    params.cpuparams_batch.n_threads = config["n_batch_threads"]
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cache_ram_mib = config["cache_mib"]
    params.api_keys = [config["api_key"]]
    params.ui = False
    params.endpoint_slots = False
    params.endpoint_props = False
    params.cors_origins = ""
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.offline = True
    params.fit_params = False  # else the file is read twice, to fit a graphics card that is not used
    params.verbosity = 0
    return params


def _end_with_parent(stdin: TextIO) -> None:
    """Wait for the end of standard input, then end at once: a running prompt must not hold this process."""
    while stdin.read(1024):
        pass
    os._exit(0)


def main() -> int:
    """Serve until standard input ends; return 1 if the model can't be loaded."""
    # Native code may print to descriptor 1; what the parent reads gets a descriptor of its own.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    config = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, args=(sys.stdin,), daemon=True).start()
    try:
        import xllamacpp

        server = xllamacpp.Server(_common_params(config))
        port = urlsplit(server.listening_address).port
    except Exception as error:  # noqa: BLE001 - whatever the engine raises, the parent has to hear of it
        answers.write(json.dumps({"error": type(error).__name__}) + "\n")
        answers.flush()
        return 1
    answers.write(json.dumps({"port": port}) + "\n")
    answers.flush()
    threading.Event().wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
