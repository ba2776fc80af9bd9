"""What the SQLite recall store keeps of exchanges and summaries: the columns of their rows."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeVar

from anaphora.errors import StoreError, Unkeepable
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.plain_dates import dates_from_plain, dates_to_plain, in_zone
from anaphora.stm.records import entity_from_plain, entity_to_plain
from anaphora.storage.texts import Text, kept, read

__all__ = [
    "EXCHANGE",
    "QUARANTINE_COLUMNS",
    "SUMMARY",
    "DamagedRows",
    "exchange_of",
    "exchange_row",
    "from_time",
    "pack_terms",
    "parsed",
    "summary_of",
    "summary_row",
    "terms_of",
    "unpack_terms",
]


class DamagedRows(StoreError):  # noqa: N818 - what they are
    """Rows of exchanges or summaries that cannot be read: the id and the reason of each."""

    def __init__(
        self, kind: Literal["exchange", "summary"], rows: Sequence[tuple[int, str]]
    ) -> None:
        super().__init__(rows[0][1])
        self.kind: Literal["exchange", "summary"] = kind
        self.rows = rows


EXCHANGE = "number, at, intent, question, answer, rest, clock"
SUMMARY = "id, first, last, since, until, level, by, of, text"
# What the quarantine keeps of a row, by kind.
QUARANTINE_COLUMNS = {
    "exchange": f"owner, conversation, terms, {EXCHANGE}",
    "summary": f"conversation, active, {SUMMARY}",
}

_LONG = 600  # bytes from which on the rest of an exchange is compressed
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_Part = TypeVar("_Part")
_UNUSUAL = "\n"  # terms that begin with it are JSON: one of them is empty, or has a line end in it

_as_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def exchange_row(exchange: Exchange) -> tuple[Any, ...]:
    """The columns :data:`EXCHANGE` without the number.

    Raises :class:`StoreError` for one with something in it that cannot be kept.
    """
    rest: dict[str, Any] = {"status": exchange.status, "language": exchange.language}
    try:
        rest["slots"] = {name: list(values) for name, values in exchange.slots.items()}
        rest["memory"] = [entity_to_plain(entity) for entity in exchange.memory]
        rest["truncated"] = dict(exchange.truncated)
        usual = {name: value for name, value in rest.items() if value}
        text = _as_json(usual | dates_to_plain(exchange))
    except (TypeError, ValueError, RecursionError) as error:
        raise Unkeepable(f"this exchange cannot be kept: {error}") from error
    record = text.encode("utf-8", "surrogatepass")
    return (
        from_time(exchange.at),
        None if exchange.intent is None else kept(exchange.intent),
        kept(exchange.question),
        kept(exchange.answer),
        record if len(record) < _LONG else zlib.compress(record, 1),
        exchange.clock,
    )


def exchange_of(row: Sequence[Any]) -> Exchange:
    """The exchange of these columns. Raises :class:`StoreError` for what is none."""
    try:
        number, at, intent, question, answer, rest, clock = row
        if rest[:1] != b"{":
            rest = zlib.decompress(rest)
        plain = json.loads(rest.decode("utf-8", "surrogatepass"))
        return Exchange(
            read(question),
            read(answer),
            in_zone(_time(at), plain),
            plain.get("status", "matched"),
            None if intent is None else read(intent),
            {name: tuple(values) for name, values in plain.get("slots", {}).items()},
            plain.get("language", ""),
            tuple(map(entity_from_plain, plain.get("memory", ()))),
            _number(number),
            _number(clock),
            dict(plain.get("truncated", {})),
            *dates_from_plain(plain),
        )
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, zlib.error) as error:
        raise StoreError(f"this exchange cannot be read, the file is damaged: {error!r}") from error


def parsed(
    kind: Literal["exchange", "summary"],
    rows: Iterable[Sequence[Any]],
    parse: Callable[[Sequence[Any]], _Part],
) -> list[_Part]:
    """What ``parse`` makes of rows, each after its id.

    Raises :class:`DamagedRows` if any of them cannot be read.
    """
    parts: list[_Part] = []
    found: list[tuple[int, str]] = []
    for id, *columns in rows:
        try:
            parts.append(parse(columns))
        except StoreError as error:
            found.append((id, str(error)))
    if found:
        raise DamagedRows(kind, found)
    return parts


def summary_row(summary: Summary) -> tuple[Any, ...]:
    """The columns :data:`SUMMARY` without the id."""
    return (
        summary.first,
        summary.last,
        from_time(summary.since),
        from_time(summary.until),
        summary.level,
        kept(summary.by),
        " ".join(map(str, summary.of)),
        kept(summary.text),
    )


def summary_of(row: Sequence[Any]) -> Summary:
    """The summary of these columns. Raises :class:`StoreError` for what is none."""
    try:
        id, first, last, since, until, level, by, of, text = row
        ids = tuple(map(int, of.split()))
        since, until = _time(since), _time(until)
        first, last, level = _number(first), _number(last), _number(level)
        return Summary(read(text), first, last, since, until, read(by), level, ids, id)
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise StoreError(f"this summary cannot be read, the file is damaged: {error!r}") from error


def pack_terms(terms: Sequence[str]) -> Text:
    """Terms as one text: a line for each (they are read by the thousand, 1 µs for twenty, and 5
    as JSON)."""
    text = "\n".join(terms)
    if text.count("\n") != max(len(terms) - 1, 0) or (terms and not all(terms)):
        return kept(_UNUSUAL + _as_json(list(terms)))
    return kept(text)


def terms_of(packed: Any) -> tuple[str, ...] | None:
    """The terms, None if they cannot be read."""
    try:
        return unpack_terms(packed)
    except (AttributeError, TypeError, ValueError):
        return None


def unpack_terms(packed: Text) -> tuple[str, ...]:
    text = read(packed)
    if text.startswith(_UNUSUAL):
        return tuple(json.loads(text))
    return tuple(text.split("\n")) if text else ()


def from_time(time: datetime) -> int:
    """Microseconds since 1970."""
    if time.utcoffset() is None:
        raise StoreError(f"the time {time} has no time zone: say datetime.now(UTC), for example")
    return (time - _EPOCH) // _MICROSECOND


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"a {type(value).__name__} stands where a number should")
    return value


def _time(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
