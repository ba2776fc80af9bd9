"""How much time of the processor something takes, for tests of what must not explode."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

__all__ = ["cpu_seconds"]


def cpu_seconds(call: Callable[[], object]) -> float:
    """The seconds that a call takes without garbage collection: that of all tests before may take
    seconds itself."""
    collects = gc.isenabled()
    gc.disable()
    try:
        begun = time.process_time()
        call()
        return time.process_time() - begun
    finally:
        if collects:
            gc.enable()
