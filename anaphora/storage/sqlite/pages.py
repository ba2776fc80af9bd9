"""Overwrite the unallocated space of a SQLite file's b-tree pages with zeros.

``PRAGMA secure_delete`` clears deleted cells and freed pages. When SQLite distributes the cells of
a full page among several pages, though, it leaves copies of those that moved in the unallocated
space between a page's cell pointers and its cell content. Only VACUUM, which rewrites the whole
file, would remove them. The space is unused by definition
(https://www.sqlite.org/fileformat2.html#b_tree_pages), so clearing it changes no content.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

from anaphora.errors import StoreError
from anaphora.storage.forks import fork_safe_lock

__all__ = ["SharedFile", "clear_unallocated"]

_MAGIC = b"SQLite format 3\0"
_BTREE_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}  # bytes of the header by the type of a page
_FILE_HEADER = 100  # bytes on page 1 before its own header
_PENDING_BYTE = 1 << 30  # the page that contains it is reserved for locks
# In larger files the first byte of an overflow page, part of a page number, may look like a type.
_MOST_PAGES = 2 << 24


def clear_unallocated(descriptor: int, first: int, count: int) -> int:
    """Clear the unallocated space of up to ``count`` pages from page ``first`` (1 is the first).

    Returns the number of the next page, 0 after the last one. The caller holds the write lock,
    the WAL is empty, and connections reread the file afterwards.

    Raises :class:`StoreError` for a file that is not a SQLite database, or has more than 33
    million pages.
    """
    header = os.pread(descriptor, _FILE_HEADER, 0)
    if header[:16] != _MAGIC:
        raise StoreError("the file is not a SQLite database")
    size: int = struct.unpack_from(">H", header, 16)[0]
    size = 65_536 if size == 1 else size
    pages = os.fstat(descriptor).st_size // size
    if pages >= _MOST_PAGES:
        raise StoreError(f"the file has {pages:,} pages; up to {_MOST_PAGES:,} can be cleared")
    usable = size - header[20]
    has_pointer_maps = header[52:56] != b"\0\0\0\0"
    data = os.pread(descriptor, count * size, (first - 1) * size)
    for index in range(len(data) // size):
        number = first + index
        if has_pointer_maps and _is_pointer_map(number, size, usable):
            continue
        begin, end = _unallocated(data, index * size, number, usable)
        if data[begin:end].strip(b"\0"):
            os.pwrite(descriptor, bytes(end - begin), (first - 1) * size + begin)
    following = first + len(data) // size
    return following if len(data) >= size and following <= pages else 0


def _unallocated(data: bytes, start: int, number: int, usable: int) -> tuple[int, int]:
    """Return the bounds of the unallocated space of the page at ``start``, equal if it is empty."""
    header = start + (_FILE_HEADER if number == 1 else 0)
    length = _BTREE_HEADERS.get(data[header])
    if length is None:
        return start, start
    cells, content = struct.unpack_from(">HH", data, header + 3)
    begin, end = header + length + 2 * cells, start + (content or 65_536)
    return (begin, end) if begin < end <= start + usable else (start, start)


def _is_pointer_map(number: int, size: int, usable: int) -> bool:
    if number < 2:
        return False
    per_map = usable // 5 + 1
    at = (number - 2) // per_map * per_map + 2
    return number == (at + 1 if at == _PENDING_BYTE // size + 1 else at)


class SharedFile:
    """A database file, opened beside SQLite at most once in this process.

    Closing any descriptor of a file drops the locks that SQLite has on it in this process, so it
    is closed only after the last user of the database has released it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1
        self._users = 0

    @classmethod
    def acquire(cls, path: Path) -> SharedFile:
        """Return the file at ``path``, a real path; :meth:`release` must follow."""
        with _mutex:
            shared = _files.setdefault(path, cls(path))
            shared._users += 1
            return shared

    def release(self) -> None:
        """Release the file, after SQLite has closed all connections of this user."""
        with _mutex:
            self._users -= 1
            if self._users:
                return
            _files.pop(self._path, None)
            if self._descriptor >= 0:
                os.close(self._descriptor)

    def descriptor(self) -> int:
        """Return the descriptor. Raises OSError if the file cannot be opened."""
        with _mutex:
            if self._descriptor < 0:
                self._descriptor = os.open(self._path, os.O_RDWR)
            return self._descriptor


_files: dict[Path, SharedFile] = {}
_mutex = fork_safe_lock()
