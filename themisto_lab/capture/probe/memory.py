"""The memory that the kernel's process holds."""

from __future__ import annotations

import os
import sys


def memory() -> dict[str, int | None]:
    """Return the process's resident memory and its peak, in bytes, where the system tells."""
    try:
        # By the system's own calls: a file object asks four more things of the system.
        number = os.open("/proc/self/status", os.O_RDONLY)
        try:
            status = os.read(number, 8192)
        finally:
            os.close(number)
        return _as_content(_kib(status, b"\nVmRSS:") * 1024, _kib(status, b"\nVmHWM:") * 1024)
    except (OSError, ValueError):
        return _as_content(*_elsewhere())


def _kib(status: bytes, label: bytes) -> int:
    """Read one line of the process's status, ``VmRSS:     1234 kB``."""
    begin = status.index(label) + len(label)
    return int(status[begin : status.index(b"kB", begin)])


def _as_content(now: int | None, peak: int | None) -> dict[str, int | None]:
    return {"memory_bytes": now, "peak_memory_bytes": peak}


def _elsewhere() -> tuple[int | None, int | None]:
    now: int | None = None
    psutil = sys.modules.get("psutil")
    if psutil is not None:
        now = int(psutil.Process().memory_info().rss)
    try:
        import resource
    except ImportError:
        return now, None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak_bytes = int(peak) * (1 if sys.platform == "darwin" else 1024)
    return (peak_bytes if now is None else now), peak_bytes
