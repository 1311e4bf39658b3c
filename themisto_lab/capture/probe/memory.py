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
            lines = os.read(number, 8192).splitlines()
        finally:
            os.close(number)
        found = {line.split(b":")[0]: line.split() for line in lines if line.startswith((b"VmRSS", b"VmHWM"))}
        return _as_content(int(found[b"VmRSS"][1]) * 1024, int(found[b"VmHWM"][1]) * 1024)
    except (OSError, KeyError, ValueError):
        return _as_content(*_elsewhere())


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
