"""Read events from a client that may send anything.

``wyoming.event.async_read_event`` trusts its peer: it reads as many bytes as a header announces,
and fails with various exceptions if a header is no JSON object.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from wyoming.event import Event

from anaphora.wyoming.limits import Limits

__all__ = ["EventError", "read_rest_of_event"]

_CHUNK = 65_536


class EventError(Exception):
    """An event is invalid. The message is for the client and the log: it has no text of a user."""


async def read_rest_of_event(reader: asyncio.StreamReader, first: bytes, limits: Limits) -> Event:
    """Read an event whose ``first`` byte has been read. Its payload is skipped.

    Raises :class:`EventError` for an event that is invalid, too large, too slow or incomplete.
    """
    try:
        async with asyncio.timeout(limits.event_timeout):
            return await _read(reader, first, limits)
    except TimeoutError:
        raise EventError(f"the event did not arrive within {limits.event_timeout:g} s") from None
    except asyncio.IncompleteReadError:
        raise EventError("the connection ended within an event") from None


async def _read(reader: asyncio.StreamReader, first: bytes, limits: Limits) -> Event:
    header = _parse_object(await _read_line(reader, first, limits.max_header), "the header")
    type, data = header.get("type"), header.get("data")
    if not isinstance(type, str) or not type:
        raise EventError('the header has no type; write {"type": "transcript", …}')
    if data is not None and not isinstance(data, dict):
        raise EventError("the data of the header is not a JSON object")
    data = dict(data or {})
    if length := _length(header, "data_length", limits.max_data):
        data |= _parse_object(await reader.readexactly(length), "the data")
    await _skip(reader, _length(header, "payload_length", limits.max_payload))
    return Event(type, data)


async def _read_line(reader: asyncio.StreamReader, first: bytes, limit: int) -> bytes:
    if first == b"\n":
        return b""
    try:
        line = first + await reader.readuntil(b"\n")
    except asyncio.LimitOverrunError:
        line = b""
    if not line or len(line) > limit:
        raise EventError(f"the header has more than {limit:,} bytes")
    return line


def _parse_object(data: bytes, what: str) -> dict[str, Any]:
    try:
        found = json.loads(data.decode("utf-8"))
        if b"\\u" in data:  # half of a surrogate pair is not text
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise EventError(f"{what} of the event is not a JSON object in UTF-8")
    return found


def _length(header: dict[str, Any], name: str, limit: int) -> int:
    length = header.get(name)
    if length is None:
        return 0
    if not isinstance(length, int) or isinstance(length, bool) or length < 0:
        raise EventError(f"the {name} of the header is not a number of bytes")
    if length > limit:
        raise EventError(f"the {name} of the header is more than {limit:,}")
    return length


async def _skip(reader: asyncio.StreamReader, length: int) -> None:
    while length:
        length -= len(await reader.readexactly(min(length, _CHUNK)))
