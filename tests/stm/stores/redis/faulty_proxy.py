"""A network that loses what it is told to: it stands between a store and a Redis server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Literal

Fault = Literal["question lost", "answer lost"] | None


class Proxy:
    """Passes on what comes in on its port.

    ``fault`` is asked what happens to each command that begins with one of the words in
    ``watched``: its question never arrives, or its answer never does; either way the connection
    is then cut.
    """

    def __init__(self, to: str, fault: Callable[[], Fault], watched: bytes = b"EVALSHA") -> None:
        self._to = to
        self._fault = fault
        self._watched = watched
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.faults = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"

    def serve(self) -> None:
        with suppress(OSError):  # closed
            while True:
                near, _ = self._listener.accept()
                self._open.append(near)
                thread = threading.Thread(target=self._carry, args=(near,))
                self._threads.append(thread)
                thread.start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for near in self._open:
            with suppress(OSError):
                near.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    def _carry(self, near: socket.socket) -> None:
        """One question, one answer, and again: the store's client sends nothing ahead."""
        with near, socket.socket(socket.AF_UNIX) as far, suppress(OSError):
            far.connect(self._to)
            while question := near.recv(1_000_000):
                fault = self._fault() if self._watched in question else None
                self.faults += fault is not None
                if fault == "question lost":
                    return
                far.sendall(question)
                answer = far.recv(1_000_000)
                if fault == "answer lost":
                    return
                near.sendall(answer)


@contextmanager
def proxy(to: str, fault: Callable[[], Fault]) -> Iterator[Proxy]:
    """A proxy to the server whose Unix socket is at the path ``to``."""
    made = Proxy(to, fault)
    serving = threading.Thread(target=made.serve)
    serving.start()
    try:
        yield made
    finally:
        made.close()
        serving.join()
