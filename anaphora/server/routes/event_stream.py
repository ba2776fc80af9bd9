"""Streams of server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse

from anaphora.server.schemas.serializers import to_json_bytes

__all__ = ["KEEP_ALIVE", "MEDIA_TYPE", "event_stream", "format_event"]

KEEP_ALIVE = 15.0  # seconds of silence that proxies tolerate
MEDIA_TYPE = "text/event-stream"

# JSON does not escape these, and some SSE readers treat them as line ends.
_LINE_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def event_stream(events: AsyncIterator[bytes]) -> StreamingResponse:
    """Create the response that streams encoded events."""
    headers = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}
    return StreamingResponse(events, media_type=MEDIA_TYPE, headers=headers)


def format_event(name: str, value: Any) -> bytes:
    """Encode an event with a value of the API, or plain data."""
    data = to_json_bytes(value).decode().translate(_LINE_BREAKS)
    return format_sse_event(event=name, data_str=data)
