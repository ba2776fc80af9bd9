"""Detect changes of files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["FileWatcher"]


class FileWatcher:
    """The files of a model, and their state at the last check: modification time, size, inode."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._stamps = {path: _stamp(path) for path in paths}

    def watch(self, paths: Iterable[Path]) -> None:
        """Watch other files. The last state of those watched before stays."""
        known = self._stamps
        self._stamps = {path: known[path] if path in known else _stamp(path) for path in paths}

    def has_changed(self) -> bool:
        """Whether a file has changed since the last check. A missing or empty file has not: an
        editor may be replacing it. If another one has changed meanwhile, it has when it is back."""
        now = {path: _stamp(path) for path in self._stamps}
        changed = any(stamp and stamp != self._stamps[path] for path, stamp in now.items())
        if changed:
            self._stamps = now
        return changed


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino) if status.st_size else None
