"""Write-ahead journal: makes exchanges safe before they reach the store.

A journal is a folder. Each writing process has its own files in it, of a fixed size and mapped
into memory. Appending an entry is a copy without a system call; it takes a microsecond and keeps
the interpreter lock. The entry survives the process, even ``kill -9``, because the pages belong to
the kernel. Only a power cut can lose the last seconds.

An entry is a magic number that occurs in no text, its length, its checksum and its bytes. If these
do not match, reading resumes at the next magic number, and the bytes between are reported as a
damaged entry. A file ends where no magic number follows. A process that dies may leave an
incomplete entry there; its magic number is written last and is still zero. The next process takes
over the files of a dead one.
"""

from __future__ import annotations

import logging
import mmap
import os
import secrets
import struct
import threading
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from anaphora.errors import StoreError
from anaphora.storage.file_lock import try_lock_file
from anaphora.storage.forks import ForkAware, register_fork_aware

__all__ = ["DamagedEntry", "Journal", "JournalSegment"]

_log = logging.getLogger(__name__)

_MAGIC = b"\xffAE\xff"  # starts an entry; not valid in UTF-8
_HEADER = struct.Struct("<4sII")  # magic number, length and CRC-32 of the entry
_SEGMENT_SIZE = 4 << 20  # bytes
_LOCK_SUFFIX = ".lock"
_SEGMENT_SUFFIX = ".journal"


class JournalSegment:
    """One file of a journal; its ``name`` is never reused."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem

    def entries(self, position: int, end: int | None = None) -> Iterator[tuple[bytes, int]]:
        """Return the entries from ``position`` on, before ``end`` if given: the bytes of each
        (:class:`DamagedEntry` if corrupt), and the position after it.

        Raises :class:`StoreError` if the file cannot be read.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(position)
                data = file.read(-1 if end is None else end - position)
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from error
        return _parse_entries(data, position)

    def delete(self) -> None:
        """Delete the file if it exists."""
        with suppress(OSError):
            self.path.unlink()


class DamagedEntry(bytes):
    """Bytes of a corrupt journal entry."""


def _parse_entries(data: bytes, position: int) -> Iterator[tuple[bytes, int]]:
    """Yield the entries in ``data``, which starts at a ``position``."""
    at = 0
    while at < len(data):
        if end := _end_of_entry(data, at):
            yield data[at + _HEADER.size : end], position + end
        else:
            following = data.find(_MAGIC, at + 1)
            end = len(data) if following < 0 else following
            # The end of the data is empty if nothing was written there, if it was cleared, or if a
            # process died before it completed its last entry.
            if end < len(data) or any(data[at : at + len(_MAGIC)]):
                damaged = DamagedEntry(data[at:end].rstrip(b"\0"))
                if damaged:
                    yield damaged, position + at + len(damaged)
        at = end


def _end_of_entry(data: bytes, at: int) -> int:
    """Return the end of the entry at ``at``; 0 if there is no intact one."""
    if at + _HEADER.size > len(data):
        return 0
    magic, length, checksum = _HEADER.unpack_from(data, at)
    begin, end = at + _HEADER.size, at + _HEADER.size + length
    is_sound = (
        magic == _MAGIC
        and 0 < length <= len(data) - begin
        and zlib.crc32(memoryview(data)[begin:end]) == checksum
    )
    return end if is_sound else 0


class Journal(ForkAware):
    """The part of the journal in ``folder`` that belongs to this process. A missing folder is
    created, private to its owner; all processes share it. ``appended`` counts the entries that this
    process has written. Any thread may call the methods, and the process may fork.

    Raises :class:`StoreError` if the folder cannot be used.
    """

    def __init__(self, folder: Path, *, size: int = _SEGMENT_SIZE) -> None:
        self.folder, self._size = folder, size
        self._mutex = threading.Lock()
        self._full: deque[JournalSegment] = deque()
        self._open: _OpenSegment | None = None
        self._count = self.appended = 0
        self._descriptor = -1
        self._warned: set[str] = set()
        self._create_lock_file()
        register_fork_aware(self)

    def append(self, entry: bytes) -> None:
        """Write a non-empty entry.

        Raises :class:`StoreError` if it cannot be written, for example if the disk is full.
        """
        with self._mutex:
            opened = self._open
            if opened is None or not opened.has_room_for(entry):
                opened = self._open_next_segment(_HEADER.size + len(entry))
            opened.append(entry)
            self.appended += 1

    def segments(self) -> tuple[JournalSegment, ...]:
        """Return the segments, oldest first; only the last one may still grow."""
        with self._mutex:
            last = (self._open.segment,) if self._open else ()
            return (*self._full, *last)

    def end(self, segment: JournalSegment) -> int | None:
        """Return the position of the next entry in the last segment; None for the full ones."""
        with self._mutex:
            opened = self._open
            return opened.position if opened is not None and opened.segment is segment else None

    def clear(self, segment: JournalSegment, begin: int, end: int) -> None:
        """Overwrite the entries from ``begin`` to ``end`` of the last segment with zeros. Full
        segments are deleted as a whole."""
        with self._mutex:
            if self._open is not None and self._open.segment is segment:
                self._open.clear(begin, end)

    def drop(self, segment: JournalSegment, position: int | None = None) -> bool:
        """Delete a segment; if it is the last one, the next append opens another. With a
        ``position``, delete only the last segment, and only if nothing was written after it.
        Returns whether it was deleted."""
        with self._mutex:
            last = self._open if self._open and self._open.segment is segment else None
            if position is not None and (last is None or last.position != position):
                return False
            if last is not None:
                last.close()
                self._open = None
            with suppress(ValueError):
                self._full.remove(segment)
        segment.delete()
        return True

    def orphans(self) -> Iterator[JournalSegment]:
        """Iterate over segments of dead processes, locking each process's files meanwhile. The
        lock file is removed once all segments of its process are deleted."""
        for path in sorted(self.folder.glob(f"*{_LOCK_SUFFIX}")):
            if path.stem == self._name:
                continue
            try:
                descriptor = os.open(path, os.O_RDWR)
            except PermissionError as error:
                # Only another user of this machine can ingest these segments.
                if path.name not in self._warned and self._segments_of(path.stem):
                    self._warned.add(path.name)
                    _log.warning(
                        "segments of another user's process in the journal cannot be read",
                        extra={"file": str(path), "reason": error.strerror},
                    )
                continue
            except OSError:  # another process removed it
                continue
            try:
                if try_lock_file(descriptor):
                    yield from map(JournalSegment, self._segments_of(path.stem))
                    if not self._segments_of(path.stem):
                        path.unlink(missing_ok=True)
            finally:
                os.close(descriptor)

    def close(self) -> None:
        """Close the files. Their contents stay for the next process."""
        with self._mutex:
            if self._open is not None:
                self._open.close()
                self._open = None
            if self._descriptor >= 0:
                if not self._segments_of(self._name):
                    self._lock_path.unlink(missing_ok=True)
                os.close(self._descriptor)
                self._descriptor = -1

    def before_fork(self) -> None:
        """Block writers until one of the next two methods is called."""
        self._mutex.acquire()

    def after_fork(self) -> None:
        """Let writers continue."""
        self._mutex.release()

    def after_fork_in_child(self) -> None:
        """Continue with new files: the written ones belong to the parent."""
        self._mutex = threading.Lock()
        if self._descriptor < 0:  # closed before the fork
            return
        if self._open is not None:
            self._open.close()
        os.close(self._descriptor)
        self._full.clear()
        self._open = None
        self._create_lock_file()

    def _segments_of(self, name: str) -> list[Path]:
        return sorted(self.folder.glob(f"{name}-*{_SEGMENT_SUFFIX}"))

    def _create_lock_file(self) -> None:
        self._name = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._count = self.appended = 0
        self._lock_path = self.folder / f"{self._name}{_LOCK_SUFFIX}"
        hidden = self._lock_path.with_suffix(".new")  # invisible to others until it is locked
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try_lock_file(self._descriptor)
            hidden.rename(self._lock_path)
        except OSError as error:
            raise StoreError(
                f"the journal {self.folder} cannot be written: {error.strerror}; choose another "
                "folder, or give this user write permission"
            ) from error

    def _open_next_segment(self, needed: int) -> _OpenSegment:
        if self._descriptor < 0:
            raise StoreError("this journal is closed")
        path = self.folder / f"{self._name}-{self._count + 1:08}{_SEGMENT_SUFFIX}"
        try:
            opened = _OpenSegment(path, max(self._size, needed + _HEADER.size))
        except OSError as error:
            path.unlink(missing_ok=True)
            raise StoreError(
                f"the journal {self.folder} cannot be written: {error.strerror}"
            ) from error
        self._count += 1
        if self._open is not None:
            self._full.append(self._open.segment)
            self._open.close()
        self._open = opened
        return opened


class _OpenSegment:
    def __init__(self, path: Path, size: int) -> None:
        self.segment = JournalSegment(path)
        self.position = 0
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _preallocate(descriptor, size)
            self._map = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)
        self._size = size

    def has_room_for(self, entry: bytes) -> bool:
        return self.position + _HEADER.size + len(entry) <= self._size

    def append(self, entry: bytes) -> None:
        begin, end = self.position + _HEADER.size, self.position + _HEADER.size + len(entry)
        self._map[begin:end] = entry
        head, after_magic = _HEADER.pack(_MAGIC, len(entry), zlib.crc32(entry)), len(_MAGIC)
        # The magic number goes last: without it the entry does not exist.
        self._map[self.position + after_magic : begin] = head[after_magic:]
        self._map[self.position : self.position + after_magic] = _MAGIC
        self.position = end

    def clear(self, begin: int, end: int) -> None:
        self._map[begin:end] = bytes(end - begin)

    def close(self) -> None:
        self._map.close()


def _preallocate(descriptor: int, size: int) -> None:
    """Allocate ``size`` bytes on disk: writing to a mapped page without disk space would kill the
    process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
        return
    for _ in range(0, size, 1 << 16):
        os.write(descriptor, bytes(1 << 16))
