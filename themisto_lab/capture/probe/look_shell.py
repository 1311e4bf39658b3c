"""What the shell is set to and does, as far as a closer look depends on it."""

from __future__ import annotations

import ast
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def is_silenced(statement: ast.stmt, code: str) -> bool:
    """Tell whether a semicolon keeps the last value from being shown."""
    lines = code.split("\n")[(statement.end_lineno or 1) - 1 :]
    rest = lines[0].encode()[statement.end_col_offset or 0 :].decode("utf-8", "replace")
    return rest.lstrip().startswith(";")


def runs_code_plainly(shell: Any) -> bool:
    """Tell whether the shell shows what it does by default: the last expression, through no transformer."""
    return (
        shell.ast_node_interactivity == "last_expr"
        and not shell.ast_transformers
        and not shell.input_transformers_post
        and type(shell.displayhook).__module__.partition(".")[0] in ("IPython", "ipykernel")
        and sys.displayhook.__class__.__module__.partition(".")[0] in ("IPython", "ipykernel", "builtins")
    )


@contextmanager
def quiet(is_busy: bool) -> Iterator[None]:
    """Keep warnings of a library from the user; while a cell runs nothing is done that could warn."""
    if is_busy:
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def is_busy() -> bool:
    """Tell whether the main thread runs a cell at this moment."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if frame.f_code.co_name in ("run_code", "run_ast_nodes"):
            return True
        frame = frame.f_back
    return False
