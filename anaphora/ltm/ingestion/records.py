"""What a journal keeps of an exchange: JSON that says its format."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from anaphora.errors import StoreError
from anaphora.ltm.dates.serialization import dump_dates, load_dates, restore_zone
from anaphora.ltm.exchange import Exchange
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.records import entity_from_dict, entity_to_dict

__all__ = ["NewerFormatError", "dump_record", "load_record"]

# Written only where it is needed: 1 has no `truncated` at its end, 2 no zone and no dates.
FORMAT_VERSION = 3

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# Made once: json.dumps would make an encoder for each record.
_encode_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class NewerFormatError(StoreError):
    """A record that only a later version can read: it must not be lost."""


def dump_record(key: ConversationKey, exchange: Exchange) -> bytes:
    """The record of an exchange of the conversation ``key``.

    Raises :class:`StoreError` for one with something in it that JSON does not know, and
    ValueError for a time without a zone.
    """
    if exchange.at.utcoffset() is None:
        raise ValueError(f"the time {exchange.at} has no time zone")
    dates = dump_dates(exchange)
    fields = (
        FORMAT_VERSION if dates else 2 if exchange.truncated else 1,
        *key,
        (exchange.at - _EPOCH) // _MICROSECOND,
        exchange.question,
        exchange.answer,
        exchange.status,
        exchange.intent,
        {name: list(values) for name, values in exchange.slots.items()},
        exchange.language,
        [entity_to_dict(entity) for entity in exchange.memory],
        exchange.clock,
        *([dict(exchange.truncated)] if exchange.truncated or dates else ()),
        *([dates] if dates else ()),
    )
    try:
        return _encode_json(fields).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"an exchange of {key.user!r} cannot be kept: {error}") from error


def load_record(record: bytes) -> tuple[ConversationKey, Exchange]:
    """The conversation and the exchange that :func:`dump_record` made this record of.

    Raises :class:`NewerFormatError` for one of a later version, :class:`StoreError` for what is no
    such record.
    """
    try:
        plain: Any = json.loads(record.decode("utf-8", "surrogatepass"))
        if type(plain[0]) is int and plain[0] > FORMAT_VERSION:
            raise NewerFormatError(
                f"an exchange was kept by a later version (in format {plain[0]}; this one reads "
                f"{FORMAT_VERSION}): update anaphora"
            )
        _, user, model, tenant, at, question, answer, status, intent, slots, *rest = plain
        language, memory, clock, *more = rest
        truncated, dates = (*more, {}, {})[:2]
        question_dates, answer_dates = load_dates(dates)
        if type(clock) is not int:
            raise TypeError(f"a clock is a number, not {clock!r}")
        exchange = Exchange(
            question=question,
            answer=answer,
            at=restore_zone(_EPOCH + timedelta(microseconds=at), dates),
            status=status,
            intent=intent,
            slots={name: tuple(values) for name, values in slots.items()},
            language=language,
            memory=tuple(map(entity_from_dict, memory)),
            clock=clock,
            truncated=dict(truncated),
            question_dates=question_dates,
            answer_dates=answer_dates,
        )
        return ConversationKey(user, model, tenant), exchange
    except (
        ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError
    ) as error:  # fmt: skip
        raise StoreError(f"this is no record of an exchange: {error}") from error
