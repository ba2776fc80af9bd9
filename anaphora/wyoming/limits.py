"""The limits of a Wyoming server: sizes, connections, threads, times."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one server. Sizes are in bytes, times in seconds."""

    max_header: int = 65_536
    """The first line of an event."""
    max_data: int = 65_536
    """The data that follow the first line."""
    max_payload: int = 1 << 20
    """The payload, which the server skips: a question has none."""
    max_connections: int = 500
    threads: int = 32
    """Questions that are answered at the same time, if answering may block."""
    event_timeout: float = 20.0
    """For the rest of an event, from its first byte."""
    write_timeout: float = 60.0
    """For a client to read an answer."""
    conversation_timeout: float = 60.0
    """For a question to wait for earlier ones of its conversation."""
    linger: float = 2.0
    """For a client to notice that the server has ended the connection."""
    max_ignored: int = 16 << 20
    """Bytes that an ended connection may still send within that time."""
