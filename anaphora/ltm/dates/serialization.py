"""Serialization of time zones and date mentions; default values are omitted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, TypeAlias

from anaphora.ltm.exchange import DateMention, Exchange

__all__ = ["DATE_FIELDS", "dump_dates", "load_dates", "restore_zone"]

_Dates: TypeAlias = tuple[DateMention, ...] | None
DATE_FIELDS = ("question_dates", "answer_dates")


def dump_dates(exchange: Exchange) -> dict[str, Any]:
    """Return the UTC offset of the exchange in seconds and the dates of its texts as JSON data;
    offset 0 and undetermined dates are omitted."""
    plain: dict[str, Any] = {}
    if offset := exchange.at.utcoffset():
        plain["offset"] = offset.total_seconds()
    for name in DATE_FIELDS:
        mentions = getattr(exchange, name)
        if mentions is not None:
            plain[name] = [[one.start, one.end, one.value] for one in mentions]
    return plain


def load_dates(plain: Mapping[str, Any]) -> tuple[_Dates, _Dates]:
    """Return the dates of the question and of the answer. Raises TypeError or ValueError for data
    of another shape."""
    question, answer = (plain.get(name) for name in DATE_FIELDS)
    return _load_mentions(question), _load_mentions(answer)


def restore_zone(at: datetime, plain: Mapping[str, Any]) -> datetime:
    """Convert a UTC time to the zone of the exchange. Raises TypeError or ValueError for an
    invalid offset."""
    offset = plain.get("offset", 0)
    return at.astimezone(timezone(timedelta(seconds=offset))) if offset else at.astimezone(UTC)


def _load_mentions(plain: Any) -> _Dates:
    return None if plain is None else tuple(map(_load_mention, plain))


def _load_mention(plain: Any) -> DateMention:
    start, end, value = plain
    if type(start) is not int or type(end) is not int or type(value) is not str:
        raise TypeError(f"a date has a start, an end and a value, not {plain!r}")
    return DateMention(start, end, value)
