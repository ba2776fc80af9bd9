"""A lock on a whole file, which is free as soon as nobody has it open."""

from __future__ import annotations

import sys

__all__ = ["try_lock_file"]


def try_lock_file(descriptor: int) -> bool:
    """Whether the file is now locked by this descriptor and no other: as long as it is open, in
    this process or in those that it forks."""
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
