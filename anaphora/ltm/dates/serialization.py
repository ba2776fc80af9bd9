"""Time zones and dates of exchanges in the records of all stores: JSON-able data, and only what is
not as usual."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, TypeAlias

from anaphora.ltm.exchange import DateMention, Exchange

__all__ = ["dump_dates", "load_dates", "restore_zone"]

_Dates: TypeAlias = tuple[DateMention, ...] | None
_DATE_FIELDS = ("question_dates", "answer_dates")


def dump_dates(exchange: Exchange) -> dict[str, Any]:
    """How far the exchange's zone was from UTC, in seconds, and the dates of its texts as far as
    somebody has looked for them; empty if there is nothing to say."""
    plain: dict[str, Any] = {}
    if offset := exchange.at.utcoffset():
        plain["offset"] = offset.total_seconds()
    for name in _DATE_FIELDS:
        mentions = getattr(exchange, name)
        if mentions is not None:
            plain[name] = [[one.start, one.end, one.value] for one in mentions]
    return plain


def load_dates(plain: Mapping[str, Any]) -> tuple[_Dates, _Dates]:
    """The dates of the question and of the answer. Raises TypeError or ValueError for data of
    another shape."""
    question, answer = (plain.get(name) for name in _DATE_FIELDS)
    return _load_mentions(question), _load_mentions(answer)


def restore_zone(at: datetime, plain: Mapping[str, Any]) -> datetime:
    """A time in UTC as the clock of the exchange showed it. Raises TypeError or ValueError for an
    offset that is none."""
    offset = plain.get("offset", 0)
    return at.astimezone(timezone(timedelta(seconds=offset))) if offset else at.astimezone(UTC)


def _load_mentions(plain: Any) -> _Dates:
    return None if plain is None else tuple(map(_load_mention, plain))


def _load_mention(plain: Any) -> DateMention:
    start, end, value = plain
    if type(start) is not int or type(end) is not int or type(value) is not str:
        raise TypeError(f"a date has a start, an end and a value, not {plain!r}")
    return DateMention(start, end, value)
