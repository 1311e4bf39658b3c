"""When to look: once the kernel has answered, so that no cell waits for it."""

from __future__ import annotations

import _thread
import asyncio
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

_UNTIL_IDLE_S = 0.020
"""ipykernel sends a run's reply and its ``idle`` without giving its loop a turn in between: any delay comes after them.
But other threads put them on the wire, and a look at once would keep the interpreter's lock from them.
"""


def call_when_idle(kernel: Any, callback: Callable[[], object]) -> bool:
    """Have the kernel's own loop make a call, once the run that just ended is answered.

    Parameters
    ----------
    kernel
        The kernel, in a run's last moment.
    callback
        What to call; it raises nothing.

    Returns
    -------
    bool
        Whether it will be called. Not where a graphical loop (``%gui``) holds the kernel's own up, nor in the thread
        of a subshell.
    """
    if getattr(kernel, "eventloop", None) is not None or threading.current_thread() is not threading.main_thread():
        return False
    try:
        asyncio.get_running_loop().call_later(_UNTIL_IDLE_S, callback)
    except RuntimeError:
        return False
    return True


def interrupt_again() -> None:
    """Send an interrupt anew that came while IPython ran a callback, where it would be swallowed."""
    if sys.platform == "win32":
        timer = threading.Timer(0.05, _thread.interrupt_main)
    else:
        # To the main thread, so that a sleep or a read there wakes up.
        main = threading.main_thread().ident or 0
        timer = threading.Timer(0.05, signal.pthread_kill, args=(main, signal.SIGINT))
    timer.daemon = True
    timer.start()
