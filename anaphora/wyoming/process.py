"""Serve in the main thread of a process until a stop signal arrives."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress

from anaphora.engine.engine import Engine
from anaphora.wyoming.answers import AnswerMode
from anaphora.wyoming.server import WyomingServer

__all__ = ["serve"]

_EXIT_INTERRUPTED = 130  # the convention of shells
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def serve(
    engine: Engine,
    uri: str,
    *,
    answers: AnswerMode = "auto",
    grace: float = 20.0,
    started: Callable[[str], object] = lambda uri: None,
) -> bool:
    """Serve the models of ``engine`` at ``uri`` (``tcp://127.0.0.1:10500``; port 0 selects a free
    port) until SIGINT or SIGTERM arrives; a second SIGINT ends the process at once. ``started`` is
    called with the address. The engine stays open.

    Questions in progress are answered for up to ``grace`` seconds. Returns whether a thread is
    still busy then: it keeps the process alive unless ``os._exit`` ends it.

    Raises :class:`AnaphoraError` for an address that is invalid or in use.
    """
    server = WyomingServer(engine, uri, answers=answers, grace=grace)
    asyncio.run(_serve_until_signal(server, started))
    return server.is_busy


async def _serve_until_signal(server: WyomingServer, started: Callable[[str], object]) -> None:
    stop = asyncio.Event()

    def handle(sign: signal.Signals) -> None:
        if stop.is_set() and sign == signal.SIGINT:
            os._exit(_EXIT_INTERRUPTED)
        stop.set()

    async with server:
        loop = asyncio.get_running_loop()
        for sign in _STOP_SIGNALS:
            with suppress(NotImplementedError):  # on Windows, Ctrl-C cancels the wait
                loop.add_signal_handler(sign, handle, sign)
        started(server.uri)
        await stop.wait()
