"""A server of the Wyoming protocol, by which Home Assistant talks to the bots of an engine.

>>> from anaphora import Engine
>>> from anaphora.wyoming import WyomingServer
>>> server = WyomingServer(Engine("lights"), "tcp://127.0.0.1:10500")

``async with server:`` then serves in the event loop; :func:`serve` does so until a signal arrives.
"""

from __future__ import annotations

try:
    from anaphora.wyoming.limits import Limits
    from anaphora.wyoming.process import serve
    from anaphora.wyoming.server import WyomingServer
except ImportError as error:
    if (error.name or "").partition(".")[0] != "wyoming":
        raise
    raise ImportError(
        "the Wyoming server needs the package wyoming: pip install 'anaphora[wyoming]'",
        name=error.name,
    ) from error

__all__ = ["Limits", "WyomingServer", "serve"]
