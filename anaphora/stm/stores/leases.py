"""Renew the leases of locks: a lock expires when its process dies, and lasts while it lives."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

from anaphora.errors import StoreError

__all__ = ["LeaseRenewer"]

_log = logging.getLogger(__name__)


class LeaseRenewer:
    """Calls ``renew(lock, token)`` at least ``every`` so many seconds for each lock, until the
    call returns False because the lock is lost.

    One daemon thread serves all locks. It ends by itself when no lock is held.
    """

    def __init__(self, renew: Callable[[bytes, str], bool], *, every: float) -> None:
        self._renew = renew
        self._pause = every / 2  # a lock is renewed in the second round after its acquisition
        self._leases: dict[str, _Lease] = {}
        self._thread: threading.Thread | None = None
        self._mutex = threading.Lock()
        self._closed = threading.Event()

    def add(self, lock: bytes, token: str) -> None:
        """Start renewing a lock that has just been acquired."""
        with self._mutex:
            self._leases[token] = _Lease(lock)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="anaphora-leases", daemon=True
                )
                self._thread.start()

    def remove(self, token: str) -> None:
        """Stop renewing a lock, if it is still held."""
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
                due = [(token, lease) for token, lease in self._leases.items() if lease.was_seen]
                for lease in self._leases.values():
                    lease.was_seen = True
            for token, lease in due:
                self._renew_one(token, lease)

    def _renew_one(self, token: str, lease: _Lease) -> None:
        try:
            is_held = self._renew(lease.lock, token)
        except StoreError as error:  # the server may be back before the lease ends
            _log.warning("a lease cannot be renewed", extra={"reason": str(error)})
            return
        if not is_held:  # the question gets an error when it commits
            self.remove(token)


@dataclass(slots=True)
class _Lease:
    """A lock, and whether the thread has seen it in an earlier round."""

    lock: bytes
    was_seen: bool = False
