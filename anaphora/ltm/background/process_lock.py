"""One process of a machine does what need not be done twice."""

from __future__ import annotations

import os
from pathlib import Path

from anaphora.storage.file_lock import try_lock_file

__all__ = ["ProcessLock"]


class ProcessLock:
    """A claim to the file at ``path``, which is made if need be: one process (and one object of
    it) has it at a time; that of a process that dies is free at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def acquire(self) -> bool:
        """Whether it is ours now; also where the file cannot be made."""
        if self._descriptor >= 0:
            return True
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:  # doing it twice is better than not at all
            return True
        if try_lock_file(descriptor):
            self._descriptor = descriptor
            return True
        os.close(descriptor)
        return False

    def release(self) -> None:
        """Let another have it."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
