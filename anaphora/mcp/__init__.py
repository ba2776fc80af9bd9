"""A Model Context Protocol server that offers the bots of an engine as tools for agents.

>>> from anaphora import Engine
>>> from anaphora.mcp import create_server
>>> server = create_server(Engine("weather"))

``server.run()`` then serves on the standard input and output.
"""

from __future__ import annotations

try:
    from anaphora.mcp.server import create_server
    from anaphora.mcp.transports import serve_http, serve_stdio
except ImportError as error:
    if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
        raise
    raise ImportError(
        "the MCP server needs the package mcp: pip install 'anaphora[mcp]'", name=error.name
    ) from error

__all__ = ["create_server", "serve_http", "serve_stdio"]
