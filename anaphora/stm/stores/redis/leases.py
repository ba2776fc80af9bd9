"""Leases on locks: a lock ends by itself when its process dies, and lasts while it lives."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from anaphora.errors import StoreError

__all__ = ["LeaseRenewer"]

_log = logging.getLogger(__name__)


class LeaseRenewer:
    """Calls ``renew(lock, token)`` for the locks that are held for long, again and again,
    ``every`` so many seconds at least. It answers False once the lock is lost.

    One thread does so for all. It ends by itself when nothing is held, and nothing waits for it.
    """

    def __init__(self, renew: Callable[[bytes, str], bool], *, every: float) -> None:
        self._renew = renew
        self._pause = every / 2  # a lock is renewed on the second beat after it was taken
        self._leases: dict[str, _Lease] = {}
        self._thread: threading.Thread | None = None
        self._mutex = threading.Lock()
        self._closed = threading.Event()

    def add(self, lock: bytes, token: str) -> None:
        """The lock has just been taken."""
        with self._mutex:
            self._leases[token] = _Lease(lock)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="anaphora-redis-leases", daemon=True
                )
                self._thread.start()

    def remove(self, token: str) -> None:
        """The lock is no longer held, if it was."""
        with self._mutex:
            self._leases.pop(token, None)

    def close(self) -> None:
        self._closed.set()

    def _run(self) -> None:
        while not self._closed.wait(self._pause):
            with self._mutex:
                if not self._leases:
                    self._thread = None
                    return
                due = [(token, held) for token, held in self._leases.items() if held.beaten]
                for held in self._leases.values():
                    held.beaten = True
            for token, held in due:
                self._renew_one(token, held)

    def _renew_one(self, token: str, held: _Lease) -> None:
        try:
            kept = self._renew(held.lock, token)
        except StoreError as error:  # it may be reached again before the lease ends
            _log.warning("a lease cannot be renewed", extra={"reason": str(error)})
            return
        if not kept:  # whoever holds it will be told when it commits
            self.remove(token)


class _Lease:
    """A lock, and whether the thread has seen it before."""

    __slots__ = ("beaten", "lock")

    def __init__(self, lock: bytes) -> None:
        self.lock = lock
        self.beaten = False
