"""Locks between the processes of one machine: single bytes of a file, which may be empty.

The operating system releases the locks of a process that dies at once: no lease has to expire.
"""

from __future__ import annotations

import contextlib
import errno
import os
import struct
import threading
import time
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from anaphora.errors import StoreError
from anaphora.storage.forks import ForkAware, fork_safe_lock, register_fork_aware
from anaphora.storage.waiting import IN_THREAD, Waiting, run_blocking

__all__ = ["ByteRangeLocks"]

_FIRST_PAUSE = 0.0005  # seconds
_LONGEST_PAUSE = 0.02
_LONGEST_PAUSE_OF_NEXT = 0.004
_QUEUE_OFFSET = 2**62  # the holder of offset + _QUEUE_OFFSET is the next to get the offset
_LOCKED_ERRNOS = (errno.EAGAIN, errno.EACCES)
_FLOCK = "hhqqi0q"  # struct flock: type, whence, start, length, process


class ByteRangeLocks:
    """The locks of the file at ``path``, created when the first lock is taken, with the
    permissions and the owner of the file ``permissions_of``.

    An offset is a number below 2**62. An offset that is held through this object must not be
    acquired through it again. Raises :class:`StoreError` on systems without such locks.

    One waiter at a time holds the queue position of an offset and gets it next. Otherwise a
    process that releases and acquires in a loop would always be faster than those that poll.
    """

    def __init__(self, path: Path, *, permissions_of: Path) -> None:
        self._path, self._permissions_of = path, permissions_of
        self._mutex = threading.Lock()
        self._backend: _LockBackend | None = None
        self._closed = False

    def acquire(self, offset: int, *, wait: float) -> bool:
        """Lock an offset within ``wait`` seconds; False if it did not become free.

        Raises :class:`StoreError` if the file cannot be locked.
        """
        return run_blocking(self.acquire_as(IN_THREAD, offset, wait=wait))

    async def acquire_as(self, waiting: Waiting, offset: int, *, wait: float) -> bool:
        """Lock an offset as :meth:`acquire` does, but wait as ``waiting`` says."""
        deadline, queue_position = time.monotonic() + wait, offset + _QUEUE_OFFSET
        if not await self._poll(waiting, queue_position, deadline, _LONGEST_PAUSE):
            return False
        try:
            return await self._poll(waiting, offset, deadline, _LONGEST_PAUSE_OF_NEXT)
        finally:
            self.release(queue_position)

    def release(self, offset: int) -> None:
        """Release an offset."""
        with self._mutex:
            if self._backend is not None:
                self._backend.unlock(offset)

    def check(self) -> None:
        """Check that other processes lock the same file. Raises :class:`StoreError` if it was
        replaced."""
        try:
            with self._mutex:
                opened = os.fstat(self._get_backend().descriptor)
            same = os.path.samestat(opened, self._path.stat())
        except OSError as error:
            raise self._error(error) from error
        if not same:
            raise StoreError(f"{self._path} was replaced while it was in use: restart")

    def close(self) -> None:
        """Close the file and release all its locks."""
        with self._mutex:
            self._closed = True
            if self._backend is not None:
                self._backend.close()
                self._backend = None

    def pause(self) -> None:
        """Block all use of the file until :meth:`resume`."""
        self._mutex.acquire()

    def resume(self) -> None:
        """Resume after a :meth:`pause`."""
        self._mutex.release()

    def resume_in_child(self) -> None:
        """Resume after a :meth:`pause` in a process that was forked meanwhile: the locks belong
        to its parent, and the next one that is taken reopens the file."""
        opened, self._backend = self._backend, None
        self._mutex.release()
        if opened is not None:
            opened.close()

    async def _poll(self, waiting: Waiting, offset: int, deadline: float, longest: float) -> bool:
        pause = _FIRST_PAUSE
        while not self._try_lock(offset):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            await waiting.sleep(min(pause, left))
            pause = min(pause * 1.5, longest)
        return True

    def _try_lock(self, offset: int) -> bool:
        # Under the mutex, because the descriptor of a closed file may be reused.
        with self._mutex:
            try:
                return self._get_backend().lock(offset)
            except OSError as error:
                raise self._error(error) from error

    def _get_backend(self) -> _LockBackend:
        """Open the file if it is not open. The caller holds the mutex."""
        if self._closed:
            raise StoreError("this store is closed")
        if self._backend is None:
            self._backend = _create_backend(self._path, self._permissions_of)
        return self._backend

    def _error(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self._path} cannot be locked: {error.strerror or error}; the store must be able to "
            "create files beside its own, on a local disk"
        )


class _OpenFileDescriptionLocks:
    """Locks of an open file description (Linux): two stores in one process exclude each other."""

    def __init__(self, descriptor: int, fcntl: Any) -> None:
        self.descriptor, self._fcntl = descriptor, fcntl

    def lock(self, offset: int) -> bool:
        try:
            self._set(self._fcntl.F_WRLCK, offset)
        except OSError as error:
            if error.errno in _LOCKED_ERRNOS:
                return False
            raise
        return True

    def unlock(self, offset: int) -> None:
        self._set(self._fcntl.F_UNLCK, offset)

    def close(self) -> None:
        os.close(self.descriptor)

    def _set(self, kind: int, offset: int) -> None:
        how = struct.pack(_FLOCK, kind, os.SEEK_SET, offset, 1, 0)
        self._fcntl.fcntl(self.descriptor, self._fcntl.F_OFD_SETLK, how)


@dataclass(slots=True)
class _SharedFile:
    """A file that the stores of this process lock through one descriptor, because closing a
    second one would release every lock. ``held`` lists the offsets locked in this process."""

    descriptor: int
    process: int
    users: int = 0
    held: set[int] = field(default_factory=set)


class _Files(ForkAware):
    """The lock files of this process by device and inode."""

    def __init__(self) -> None:
        self.mutex = fork_safe_lock()
        self.known: dict[tuple[int, int], _SharedFile] = {}
        register_fork_aware(self)

    def after_fork_in_child(self) -> None:
        """Forget all files: the locks belong to the parent."""
        self.known = {}


_files = _Files()


class _PerProcessLocks:
    """Locks of a process (POSIX); a list of our own makes the stores of one process exclude each
    other."""

    def __init__(self, file: _SharedFile, fcntl: Any) -> None:
        self._file, self._fcntl = file, fcntl
        self._mine: set[int] = set()
        self.descriptor = file.descriptor
        file.users += 1

    def lock(self, offset: int) -> bool:
        with _files.mutex:
            if offset in self._file.held:
                return False
            try:
                self._fcntl.lockf(
                    self.descriptor, self._fcntl.LOCK_EX | self._fcntl.LOCK_NB, 1, offset
                )
            except OSError as error:
                if error.errno in _LOCKED_ERRNOS:
                    return False
                raise
            self._file.held.add(offset)
            self._mine.add(offset)
            return True

    def unlock(self, offset: int) -> None:
        with _files.mutex:
            self._release(offset)

    def close(self) -> None:
        with _files.mutex:
            for offset in tuple(self._mine):
                self._release(offset)
            self._file.users -= 1
            if not self._file.users:
                identity = _identity(os.fstat(self.descriptor))
                if _files.known.get(identity) is self._file:
                    del _files.known[identity]
                os.close(self.descriptor)

    def _release(self, offset: int) -> None:
        self._mine.discard(offset)
        self._file.held.discard(offset)
        if self._file.process == os.getpid():
            self._fcntl.lockf(self.descriptor, self._fcntl.LOCK_UN, 1, offset)


_LockBackend: TypeAlias = _OpenFileDescriptionLocks | _PerProcessLocks


def _create_backend(path: Path, permissions_of: Path) -> _LockBackend:
    try:
        fcntl = import_module("fcntl")
    except ImportError as error:
        raise StoreError(
            "this system has no byte-range file locks, which sqlite: stores need; use redis:"
        ) from error
    if hasattr(fcntl, "F_OFD_SETLK"):
        return _OpenFileDescriptionLocks(_open_file(path, permissions_of), fcntl)
    with _files.mutex:
        return _PerProcessLocks(_get_shared_file(path, permissions_of), fcntl)


def _get_shared_file(path: Path, permissions_of: Path) -> _SharedFile:
    """Return the file at ``path``, which this process opens at most once."""
    with contextlib.suppress(FileNotFoundError):
        if known := _files.known.get(_identity(path.stat())):
            return known
    descriptor = _open_file(path, permissions_of)
    file = _files.known[_identity(os.fstat(descriptor))] = _SharedFile(descriptor, os.getpid())
    return file


def _open_file(path: Path, permissions_of: Path) -> int:
    """Open the file at ``path``; a new one gets the permissions of ``permissions_of``."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(path, os.O_RDWR)
    model = permissions_of.stat()
    with contextlib.suppress(OSError):  # without the right to do so; others then get an error
        if os.geteuid() == 0:
            os.fchown(descriptor, model.st_uid, model.st_gid)
        os.fchmod(descriptor, model.st_mode & 0o666)
    return descriptor


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
