"""Run a function in a forked child of the test process, with a time limit."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable

__all__ = ["TIMEOUT", "run_forked"]

TIMEOUT = 120  # seconds; a loaded machine is slow, a child that hangs never ends


def run_forked(child: Callable[[], int]) -> int:
    """The return value of ``child`` in a forked process; 1 if it fails, -14 if it hangs."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(TIMEOUT)
            code = child()
        except BaseException:
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
