"""The memory of this process, in bytes."""

from __future__ import annotations

import ctypes
import gc
import re
import sys
from pathlib import Path

import psutil  # type: ignore[import-untyped]

__all__ = ["peak", "resident"]


def resident() -> int:
    """The resident memory of this process, after freeing what it can."""
    gc.collect()
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)  # glibc keeps freed memory otherwise
    return int(psutil.Process().memory_info().rss)


def peak() -> int:
    """The peak memory of this process. `getrusage` is of no use on Linux: its peak may be that of
    the parent process."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # not on Linux
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
    (kilobytes,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(kilobytes) * 1024
