"""Locks that processes of one machine share: single bytes of a file, which need not hold any.

The lock of a process that dies is free at once, whatever killed it: no lease has to run out.
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
from typing import Any, Protocol

from anaphora.errors import StoreError
from anaphora.storage.forks import ForkAware, fork_safe_lock, register_fork_aware

__all__ = ["ByteRangeLocks"]

_FIRST_PAUSE = 0.0005  # seconds
_LONGEST_PAUSE = 0.02
_LONGEST_PAUSE_OF_NEXT = 0.004
_QUEUE_OFFSET = 2**62  # from here on are the seats: who has that of a place comes next to it
_LOCKED_ERRNOS = (errno.EAGAIN, errno.EACCES)
_FLOCK = "hhqqi0q"  # struct flock: type, whence, start, length, process


class ByteRangeLocks:
    """The locks of the file at ``path``, which is made when the first is taken, with the
    permissions and the owner of the file ``like``.

    A place is a number below 2**62. Whoever shares one object must not ask for a place that is
    held through it. Raises :class:`StoreError` where there are no such locks.

    Nobody takes a place past the one who waits for it in its seat: who gives it back and asks
    for it again at once would always be before the others, who look only now and then.
    """

    def __init__(self, path: Path, *, permissions_of: Path) -> None:
        self._path, self._like = path, permissions_of
        self._mutex = threading.Lock()
        self._backend: _LockBackend | None = None
        self._closed = False

    def acquire(self, offset: int, *, wait: float) -> bool:
        """Take a place within ``wait`` seconds; False if it did not become free.

        Raises :class:`StoreError` if the file cannot be locked.
        """
        deadline, seat = time.monotonic() + wait, offset + _QUEUE_OFFSET
        if not self._poll(seat, deadline, _LONGEST_PAUSE):
            return False
        try:
            return self._poll(offset, deadline, _LONGEST_PAUSE_OF_NEXT)
        finally:
            self.release(seat)

    def release(self, offset: int) -> None:
        """Let the next one have it."""
        with self._mutex:
            if self._backend is not None:
                self._backend.unlock(offset)

    def check(self) -> None:
        """Raises :class:`StoreError` if other processes cannot meet us at this file any more."""
        try:
            with self._mutex:
                opened = os.fstat(self._get_backend().descriptor)
            same = os.path.samestat(opened, self._path.stat())
        except OSError as error:
            raise self._error(error) from error
        if not same:
            raise StoreError(f"{self._path} was replaced while it was in use: start anew")

    def close(self) -> None:
        """Let go of the file and of every place in it."""
        with self._mutex:
            self._closed = True
            if self._backend is not None:
                self._backend.close()
                self._backend = None

    def pause(self) -> None:
        """Let nobody open or close the file; :meth:`resume` must follow."""
        self._mutex.acquire()

    def resume(self) -> None:
        """Go on after a :meth:`pause`."""
        self._mutex.release()

    def resume_in_child(self) -> None:
        """Go on after a :meth:`pause` in a process that was forked meanwhile: the places are its
        parent's, and the next one that is taken opens the file anew."""
        opened, self._backend = self._backend, None
        self._mutex.release()
        if opened is not None:
            opened.close()

    def _poll(self, place: int, deadline: float, longest: float) -> bool:
        pause = _FIRST_PAUSE
        while not self._try_lock(place):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, longest)
        return True

    def _try_lock(self, place: int) -> bool:
        # Under the mutex, for the number of a file that is closed may soon be that of another.
        with self._mutex:
            try:
                return self._get_backend().lock(place)
            except OSError as error:
                raise self._error(error) from error

    def _get_backend(self) -> _LockBackend:
        """The file, opened; whoever asks has the mutex."""
        if self._closed:
            raise StoreError("this store is closed")
        if self._backend is None:
            self._backend = _create_backend(self._path, self._like)
        return self._backend

    def _error(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self._path} cannot be locked: {error.strerror or error}; the store needs to write "
            "beside its file, on a disk of this machine"
        )


class _LockBackend(Protocol):
    """One way to lock a place of an open file, without waiting."""

    descriptor: int

    def lock(self, place: int) -> bool: ...
    def unlock(self, place: int) -> None: ...
    def close(self) -> None: ...


class _OpenFileDescriptionLocks:
    """Locks of an open file description (Linux): those of two stores in one process are two."""

    def __init__(self, descriptor: int, fcntl: Any) -> None:
        self.descriptor, self._fcntl = descriptor, fcntl

    def lock(self, place: int) -> bool:
        try:
            self._set(self._fcntl.F_WRLCK, place)
        except OSError as error:
            if error.errno in _LOCKED_ERRNOS:
                return False
            raise
        return True

    def unlock(self, place: int) -> None:
        self._set(self._fcntl.F_UNLCK, place)

    def close(self) -> None:
        os.close(self.descriptor)

    def _set(self, kind: int, place: int) -> None:
        how = struct.pack(_FLOCK, kind, os.SEEK_SET, place, 1, 0)
        self._fcntl.fcntl(self.descriptor, self._fcntl.F_OFD_SETLK, how)


@dataclass(slots=True)
class _SharedFile:
    """A file that the stores of this process lock through one descriptor: closing a second one
    would let go of every lock. Which of them holds what, only we know."""

    descriptor: int
    process: int
    users: int = 0
    held: set[int] = field(default_factory=set)


class _Files(ForkAware):
    """The files of this process, by which they are told apart."""

    def __init__(self) -> None:
        self.mutex = fork_safe_lock()
        self.known: dict[tuple[int, int], _SharedFile] = {}
        register_fork_aware(self)

    def after_fork_in_child(self) -> None:
        """Begin with none: the locks are the parent's."""
        self.known = {}


_files = _Files()


class _PerProcessLocks:
    """Locks of a process (POSIX), told apart among its stores by our own list."""

    def __init__(self, file: _SharedFile, fcntl: Any) -> None:
        self._file, self._fcntl = file, fcntl
        self._mine: set[int] = set()
        self.descriptor = file.descriptor
        file.users += 1

    def lock(self, place: int) -> bool:
        with _files.mutex:
            if place in self._file.held:
                return False
            try:
                self._fcntl.lockf(
                    self.descriptor, self._fcntl.LOCK_EX | self._fcntl.LOCK_NB, 1, place
                )
            except OSError as error:
                if error.errno in _LOCKED_ERRNOS:
                    return False
                raise
            self._file.held.add(place)
            self._mine.add(place)
            return True

    def unlock(self, place: int) -> None:
        with _files.mutex:
            self._let_go(place)

    def close(self) -> None:
        with _files.mutex:
            for place in tuple(self._mine):
                self._let_go(place)
            self._file.users -= 1
            if not self._file.users:
                identity = _identity(os.fstat(self.descriptor))
                if _files.known.get(identity) is self._file:
                    del _files.known[identity]
                os.close(self.descriptor)

    def _let_go(self, place: int) -> None:
        self._mine.discard(place)
        self._file.held.discard(place)
        if self._file.process == os.getpid():
            self._fcntl.lockf(self.descriptor, self._fcntl.LOCK_UN, 1, place)


def _create_backend(path: Path, permissions_of: Path) -> _LockBackend:
    try:
        fcntl = import_module("fcntl")
    except ImportError as error:
        raise StoreError(
            "this system has no locks on parts of files, which sqlite: stores need; use redis:"
        ) from error
    if hasattr(fcntl, "F_OFD_SETLK"):
        return _OpenFileDescriptionLocks(_open_file(path, permissions_of), fcntl)
    with _files.mutex:
        return _PerProcessLocks(_get_shared_file(path, permissions_of), fcntl)


def _get_shared_file(path: Path, permissions_of: Path) -> _SharedFile:
    """The file at ``path`` as this process has it open, opened at most once."""
    with contextlib.suppress(FileNotFoundError):
        if known := _files.known.get(_identity(path.stat())):
            return known
    descriptor = _open_file(path, permissions_of)
    file = _files.known[_identity(os.fstat(descriptor))] = _SharedFile(descriptor, os.getpid())
    return file


def _open_file(path: Path, permissions_of: Path) -> int:
    """A descriptor of the file at ``path``: who may use ``like`` may use it, too."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return os.open(path, os.O_RDWR)
    model = permissions_of.stat()
    with contextlib.suppress(OSError):  # not ours to give away; then those who need it are told
        if os.geteuid() == 0:
            os.fchown(descriptor, model.st_uid, model.st_gid)
        os.fchmod(descriptor, model.st_mode & 0o666)
    return descriptor


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
