"""JSON and times in the records of exchanges, and damaged rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

from anaphora.core.utterance import Entity
from anaphora.errors import StoreError
from anaphora.ltm.exchange import Exchange
from anaphora.storage import logical_clock

__all__ = [
    "DamagedRowsError",
    "dump_by_bot",
    "encode_json",
    "load_by_bot",
    "parse_rows",
    "retry_without_damaged",
    "to_datetime",
    "to_microseconds",
]

# Shared: json.dumps would create an encoder for each record.
encode_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Row = TypeVar("_Row")
_Part = TypeVar("_Part")
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class DamagedRowsError(StoreError):
    """Unreadable rows of exchanges or summaries: the id of each, and the reason."""

    def __init__(self, kind: Literal["exchange", "summary"], rows: list[tuple[int, str]]) -> None:
        super().__init__(rows[0][1])
        self.kind: Literal["exchange", "summary"] = kind
        self.rows = rows


def dump_by_bot(exchange: Exchange) -> list[int]:
    """Return the positions in the memory of an exchange of what the bot said."""
    said = exchange.by_bot
    return [at for at, entity in enumerate(exchange.memory) if entity in said] if said else []


def load_by_bot(memory: Sequence[Entity], positions: Iterable[int]) -> tuple[Entity, ...]:
    """Invert :func:`dump_by_bot`. Raises TypeError or LookupError for anything else than
    positions."""
    return tuple([memory[at] for at in positions])


def parse_rows(
    kind: Literal["exchange", "summary"],
    rows: Iterable[tuple[int, _Row]],
    parse: Callable[[_Row], _Part],
) -> list[_Part]:
    """Parse rows, given as pairs of an id and data.

    Raises :class:`DamagedRowsError` if any of them cannot be parsed.
    """
    parts: list[_Part] = []
    damaged: list[tuple[int, str]] = []
    for id, row in rows:
        try:
            parts.append(parse(row))
        except StoreError as error:
            damaged.append((id, str(error)))
    if damaged:
        raise DamagedRowsError(kind, damaged)
    return parts


class _QuarantiningStore(Protocol):
    def _quarantine_rows(self, damage: DamagedRowsError) -> None: ...


_Store = TypeVar("_Store", bound=_QuarantiningStore)


def retry_without_damaged(
    method: Callable[Concatenate[_Store, _Parameters], _Result],
) -> Callable[Concatenate[_Store, _Parameters], _Result]:
    """Make a method of a store put damaged rows that it finds in quarantine, and start again."""

    @wraps(method)
    def call(store: _Store, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        while True:
            try:
                return method(store, *args, **kwargs)
            except DamagedRowsError as damage:
                store._quarantine_rows(damage)

    return call


def to_microseconds(time: datetime) -> int:
    """Convert a time to microseconds since 1970. Raises :class:`StoreError` if it has no zone."""
    if time.utcoffset() is None:
        raise StoreError(f"the time {time} has no time zone: use datetime.now(UTC), for example")
    return logical_clock.to_microseconds(time)


def to_datetime(microseconds: Any) -> datetime:
    """Convert microseconds since 1970 to a time in UTC. Raises TypeError or OverflowError for
    invalid values."""
    return _EPOCH + timedelta(microseconds=microseconds)
