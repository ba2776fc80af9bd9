"""Snapshots of states, which spare the store reading a log from its beginning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from anaphora.agents.state.records import MessageAdded, Record, load_record
from anaphora.agents.state.state import AgentState
from anaphora.errors import StoreError

__all__ = ["SNAPSHOT_INTERVAL", "dump_state", "load_state", "numbered_records"]

SNAPSHOT_INTERVAL = 64  # records

_decoder = msgspec.json.Decoder(AgentState)


def dump_state(state: AgentState) -> bytes:
    """Serialize a state as JSON."""
    return msgspec.json.encode(state)


def load_state(data: bytes | None) -> AgentState:
    """Parse a snapshot; an empty state for none. Raises :class:`StoreError` if it is damaged."""
    if data is None:
        return AgentState()
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"this is not the state of an agent: {error}") from error


def numbered_records(rows: Iterable[tuple[int, bytes]]) -> Iterator[Record]:
    """Parse the rows (number, record) of a log."""
    for number, data in rows:
        record = load_record(data)
        if isinstance(record, MessageAdded):
            record = MessageAdded(replace(record.message, number=number))
        yield record
