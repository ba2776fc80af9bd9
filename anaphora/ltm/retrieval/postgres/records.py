"""Records of exchanges and summaries in PostgreSQL: JSON, compressed by zlib if long."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any

from anaphora.errors import StoreError
from anaphora.ltm.dates.serialization import DATE_FIELDS, dump_dates, load_dates, restore_zone
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.retrieval.records import (
    dump_by_bot,
    encode_json,
    load_by_bot,
    parse_rows,
    to_datetime,
    to_microseconds,
)
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.records import entity_from_dict, entity_to_dict
from anaphora.storage.postgres.text_encoding import decode_text, encode_text

__all__ = [
    "dump_exchange",
    "dump_summary",
    "dump_terms",
    "identify_exchange",
    "intent_word",
    "load_exchange",
    "load_summary",
    "load_terms",
    "parse_exchanges",
    "slot_word",
    "term_word",
]

_COMPRESS_FROM = 600  # bytes of a record
_MAX_WORD_BYTES = 200  # of an index entry; longer words are stored as digests


def dump_exchange(key: ConversationKey, exchange: Exchange) -> bytes:
    """Serialize an exchange of the conversation ``key``, without its number.

    Raises :class:`StoreError` for a time without a zone or values that JSON cannot represent.
    """
    full = {
        "question": exchange.question,
        "answer": exchange.answer,
        "at": to_microseconds(exchange.at),
        "status": exchange.status,
        "intent": exchange.intent,
        "slots": {name: list(values) for name, values in exchange.slots.items()},
        "language": exchange.language,
        "memory": [entity_to_dict(entity) for entity in exchange.memory],
        "clock": exchange.clock,
        "truncated": dict(exchange.truncated),
        "by_bot": dump_by_bot(exchange),
    }
    try:
        # An empty intent is stored, too.
        given = {name: value for name, value in full.items() if value or value == ""}
        return _dump_json(given | dump_dates(exchange))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"an exchange of {key.user!r} with '{key.model}' cannot be stored: {error}"
        ) from error


def load_exchange(record: bytes, number: int) -> Exchange:
    """Parse the record of an exchange. Raises :class:`StoreError` if it is damaged."""
    try:
        plain = _load_json(record)
        plain["question_dates"], plain["answer_dates"] = load_dates(plain)
        plain["at"] = restore_zone(to_datetime(plain.get("at", 0)), plain)
        plain.pop("offset", None)
        slots = plain.get("slots", {})
        plain["slots"] = {name: tuple(values) for name, values in slots.items()}
        plain["memory"] = tuple(map(entity_from_dict, plain.get("memory", ())))
        plain["by_bot"] = load_by_bot(plain["memory"], plain.get("by_bot", ()))
        return Exchange(**plain, number=number)
    except (AttributeError, LookupError, TypeError, ValueError, OverflowError, zlib.error) as error:
        raise StoreError(f"a stored exchange is unreadable: {error!r}") from error


def identify_exchange(record: bytes) -> bytes:
    """Return what the records of one exchange have in common, whether its dates have been read or
    not; the record itself if it is damaged."""
    try:
        plain = _load_json(record)
        return _dump_json({name: value for name, value in plain.items() if name not in DATE_FIELDS})
    except (AttributeError, TypeError, ValueError, zlib.error):
        return record


def parse_exchanges(rows: Iterable[Sequence[Any]]) -> list[Exchange]:
    """Parse rows of id, record and number. Raises
    :class:`~anaphora.ltm.retrieval.records.DamagedRowsError`."""
    pairs = ((id, (record, number)) for id, record, number in rows)
    return parse_rows("exchange", pairs, lambda row: load_exchange(*row))


def dump_summary(summary: Summary) -> bytes:
    """Serialize a summary without its id."""
    times = [to_microseconds(summary.since), to_microseconds(summary.until)]
    plain = [summary.text, summary.first, summary.last, *times, summary.by, summary.level]
    return _dump_json([*plain, list(summary.of)])


def load_summary(record: bytes, id: int) -> Summary:
    """Parse the record of a summary. Raises :class:`StoreError` if it is damaged."""
    try:
        text, first, last, since, until, by, level, of = _load_json(record)
        return Summary(
            text, first, last, to_datetime(since), to_datetime(until), by, level, tuple(of), id
        )
    except (TypeError, ValueError, OverflowError, zlib.error) as error:
        raise StoreError(f"a stored summary is unreadable: {error!r}") from error


def dump_terms(terms: Sequence[str]) -> bytes:
    return encode_text(encode_json(terms))


def load_terms(rows: Sequence[bytes]) -> list[list[str]]:
    """Parse the terms of many rows at once: 0.8 ms for 1,200 rows of 20; one by one 2.2 ms."""
    text = b"[" + b",".join(rows) + b"]"
    try:
        found: list[list[str]] = json.loads(text.decode("utf-8", "surrogatepass"))
    except ValueError:  # the damaged one gets no terms
        found = [_load_terms_or_none(row) for row in rows]
    return found


def _load_terms_or_none(row: bytes) -> list[str]:
    try:
        terms: list[str] = json.loads(row.decode("utf-8", "surrogatepass"))
    except ValueError:
        return []
    return terms


def term_word(term: str) -> bytes:
    """Return the index word of a term."""
    return _index_word(b"t", term)


def intent_word(intent: str) -> bytes:
    return _index_word(b"i", intent)


def slot_word(name: str, value: str) -> bytes:
    return _index_word(b"s", f"{len(name)}:{name}{value}")


def _index_word(kind: bytes, text: str) -> bytes:
    word = kind + encode_text(text)
    return word if len(word) <= _MAX_WORD_BYTES else kind + b"\xff" + blake2b(word).digest()


def _dump_json(plain: Any) -> bytes:
    record = encode_text(encode_json(plain))
    return record if len(record) <= _COMPRESS_FROM else zlib.compress(record)


def _load_json(record: bytes) -> Any:
    text = record if record[:1] in (b"{", b"[") else zlib.decompress(record)
    return json.loads(decode_text(text))
