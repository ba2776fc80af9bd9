"""What the SQLite recall store keeps of exchanges and summaries: the columns of their rows."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeVar

from anaphora.errors import PermanentStoreError, StoreError
from anaphora.ltm.dates.serialization import dump_dates, load_dates, restore_zone
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.stm.records import entity_from_dict, entity_to_dict
from anaphora.storage.sqlite.text_encoding import EncodedText, decode_text, encode_text

__all__ = [
    "EXCHANGE_COLUMNS",
    "QUARANTINE_COLUMNS",
    "SUMMARY_COLUMNS",
    "DamagedRowsError",
    "dump_exchange",
    "dump_summary",
    "dump_terms",
    "load_exchange",
    "load_summary",
    "load_terms",
    "load_terms_or_none",
    "parse_rows",
    "to_microseconds",
]


class DamagedRowsError(StoreError):
    """Rows of exchanges or summaries that cannot be read: the id and the reason of each."""

    def __init__(
        self, kind: Literal["exchange", "summary"], rows: Sequence[tuple[int, str]]
    ) -> None:
        super().__init__(rows[0][1])
        self.kind: Literal["exchange", "summary"] = kind
        self.rows = rows


EXCHANGE_COLUMNS = "number, at, intent, question, answer, rest, clock"
SUMMARY_COLUMNS = "id, first, last, since, until, level, by, of, text"
# What the quarantine keeps of a row, by kind.
QUARANTINE_COLUMNS = {
    "exchange": f"owner, conversation, terms, {EXCHANGE_COLUMNS}",
    "summary": f"conversation, active, {SUMMARY_COLUMNS}",
}

_COMPRESS_FROM = 600  # bytes from which on the rest of an exchange is compressed
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_Part = TypeVar("_Part")
_JSON_PREFIX = (
    "\n"  # terms that begin with it are JSON: one of them is empty, or has a line end in it
)

_encode_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def dump_exchange(exchange: Exchange) -> tuple[Any, ...]:
    """The columns :data:`EXCHANGE_COLUMNS` without the number.

    Raises :class:`StoreError` for one with something in it that cannot be kept.
    """
    rest: dict[str, Any] = {"status": exchange.status, "language": exchange.language}
    try:
        rest["slots"] = {name: list(values) for name, values in exchange.slots.items()}
        rest["memory"] = [entity_to_dict(entity) for entity in exchange.memory]
        rest["truncated"] = dict(exchange.truncated)
        usual = {name: value for name, value in rest.items() if value}
        text = _encode_json(usual | dump_dates(exchange))
    except (TypeError, ValueError, RecursionError) as error:
        raise PermanentStoreError(f"this exchange cannot be kept: {error}") from error
    record = text.encode("utf-8", "surrogatepass")
    return (
        to_microseconds(exchange.at),
        None if exchange.intent is None else encode_text(exchange.intent),
        encode_text(exchange.question),
        encode_text(exchange.answer),
        record if len(record) < _COMPRESS_FROM else zlib.compress(record, 1),
        exchange.clock,
    )


def load_exchange(row: Sequence[Any]) -> Exchange:
    """The exchange of these columns. Raises :class:`StoreError` for what is none."""
    try:
        number, at, intent, question, answer, rest, clock = row
        if rest[:1] != b"{":
            rest = zlib.decompress(rest)
        plain = json.loads(rest.decode("utf-8", "surrogatepass"))
        return Exchange(
            decode_text(question),
            decode_text(answer),
            restore_zone(_to_datetime(at), plain),
            plain.get("status", "matched"),
            None if intent is None else decode_text(intent),
            {name: tuple(values) for name, values in plain.get("slots", {}).items()},
            plain.get("language", ""),
            tuple(map(entity_from_dict, plain.get("memory", ()))),
            _check_int(number),
            _check_int(clock),
            dict(plain.get("truncated", {})),
            *load_dates(plain),
        )
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, zlib.error) as error:
        raise StoreError(f"this exchange cannot be read, the file is damaged: {error!r}") from error


def parse_rows(
    kind: Literal["exchange", "summary"],
    rows: Iterable[Sequence[Any]],
    parse: Callable[[Sequence[Any]], _Part],
) -> list[_Part]:
    """What ``parse`` makes of rows, each after its id.

    Raises :class:`DamagedRowsError` if any of them cannot be read.
    """
    parts: list[_Part] = []
    found: list[tuple[int, str]] = []
    for id, *columns in rows:
        try:
            parts.append(parse(columns))
        except StoreError as error:
            found.append((id, str(error)))
    if found:
        raise DamagedRowsError(kind, found)
    return parts


def dump_summary(summary: Summary) -> tuple[Any, ...]:
    """The columns :data:`SUMMARY_COLUMNS` without the id."""
    return (
        summary.first,
        summary.last,
        to_microseconds(summary.since),
        to_microseconds(summary.until),
        summary.level,
        encode_text(summary.by),
        " ".join(map(str, summary.of)),
        encode_text(summary.text),
    )


def load_summary(row: Sequence[Any]) -> Summary:
    """The summary of these columns. Raises :class:`StoreError` for what is none."""
    try:
        id, first, last, since, until, level, by, of, text = row
        ids = tuple(map(int, of.split()))
        since, until = _to_datetime(since), _to_datetime(until)
        first, last, level = _check_int(first), _check_int(last), _check_int(level)
        return Summary(
            decode_text(text), first, last, since, until, decode_text(by), level, ids, id
        )
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise StoreError(f"this summary cannot be read, the file is damaged: {error!r}") from error


def dump_terms(terms: Sequence[str]) -> EncodedText:
    """Terms as one text: a line for each (they are read by the thousand, 1 µs for twenty, and 5
    as JSON)."""
    text = "\n".join(terms)
    if text.count("\n") != max(len(terms) - 1, 0) or (terms and not all(terms)):
        return encode_text(_JSON_PREFIX + _encode_json(list(terms)))
    return encode_text(text)


def load_terms_or_none(packed: Any) -> tuple[str, ...] | None:
    """The terms, None if they cannot be read."""
    try:
        return load_terms(packed)
    except (AttributeError, TypeError, ValueError):
        return None


def load_terms(packed: EncodedText) -> tuple[str, ...]:
    text = decode_text(packed)
    if text.startswith(_JSON_PREFIX):
        return tuple(json.loads(text))
    return tuple(text.split("\n")) if text else ()


def to_microseconds(time: datetime) -> int:
    """Microseconds since 1970."""
    if time.utcoffset() is None:
        raise StoreError(f"the time {time} has no time zone: say datetime.now(UTC), for example")
    return (time - _EPOCH) // _MICROSECOND


def _check_int(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"a {type(value).__name__} stands where a number should")
    return value


def _to_datetime(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
