"""File lock that elects one process of a machine to run a task."""

from __future__ import annotations

import os
from pathlib import Path

from anaphora.storage.file_lock import try_lock_file

__all__ = ["ProcessLock"]


class ProcessLock:
    """A lock on the file at ``path``, which is created if missing. One object in one process holds
    it at a time; the lock of a process that dies is free at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def acquire(self) -> bool:
        """Try to take the lock; True if it is held now, or if the file cannot be created."""
        if self._descriptor >= 0:
            return True
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:  # running a task twice is better than never
            return True
        if try_lock_file(descriptor):
            self._descriptor = descriptor
            return True
        os.close(descriptor)
        return False

    def release(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
