"""A server of the Wyoming protocol, by which Home Assistant talks to the bots of an engine.

>>> from anaphora import Engine
>>> from anaphora.wyoming import serve
>>> serve(Engine("lights"), "tcp://127.0.0.1:10400")  # doctest: +SKIP

:class:`WyomingServer` does the same within a running event loop.
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
