"""An advisory lock on a whole file, released when its descriptor is closed."""

from __future__ import annotations

import sys

__all__ = ["try_lock_file"]


def try_lock_file(descriptor: int) -> bool:
    """Lock the file exclusively without waiting; False if another descriptor holds the lock.

    The lock lasts while the descriptor is open, in this process or in its forked children.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
