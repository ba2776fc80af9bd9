"""Versioned JSON records of exchanges for the journal."""

from __future__ import annotations

import json
from typing import Any

from anaphora.errors import StoreError
from anaphora.ltm.dates.serialization import dump_dates, load_dates, restore_zone
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.records import dump_by_bot, encode_json, load_by_bot, to_datetime
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.records import entity_from_dict, entity_to_dict
from anaphora.storage.logical_clock import to_microseconds

__all__ = ["NewerFormatError", "dump_record", "load_record"]

# The lowest sufficient version is written: 1 lacks `truncated`, 2 lacks the zone and the dates, 3
# lacks who said what.
FORMAT_VERSION = 4


class NewerFormatError(StoreError):
    """A record that only a later version can read; it must not be lost."""


def dump_record(key: ConversationKey, exchange: Exchange) -> bytes:
    """Serialize an exchange of the conversation ``key``.

    Raises :class:`StoreError` for values that JSON cannot represent, and ValueError for a time
    without a zone.
    """
    if exchange.at.utcoffset() is None:
        raise ValueError(f"the time {exchange.at} has no time zone")
    later = [dict(exchange.truncated), dump_dates(exchange), dump_by_bot(exchange)]
    while later and not later[-1]:
        later.pop()
    fields = (
        1 + len(later),
        *key,
        to_microseconds(exchange.at),
        exchange.question,
        exchange.answer,
        exchange.status,
        exchange.intent,
        {name: list(values) for name, values in exchange.slots.items()},
        exchange.language,
        [entity_to_dict(entity) for entity in exchange.memory],
        exchange.clock,
        *later,
    )
    try:
        return encode_json(fields).encode("utf-8", "surrogatepass")
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"an exchange of {key.user!r} cannot be stored: {error}") from error


def load_record(record: bytes) -> tuple[ConversationKey, Exchange]:
    """Parse a record written by :func:`dump_record` into the conversation and the exchange.

    Raises :class:`NewerFormatError` for a record of a later version, :class:`StoreError` for
    anything else that cannot be parsed.
    """
    try:
        plain: Any = json.loads(record.decode("utf-8", "surrogatepass"))
        if type(plain[0]) is int and plain[0] > FORMAT_VERSION:
            raise NewerFormatError(
                f"an exchange was written by a later version (in format {plain[0]}; this one reads "
                f"{FORMAT_VERSION}): update anaphora"
            )
        _, user, model, tenant, at, question, answer, status, intent, slots, *rest = plain
        language, memory, clock, *more = rest
        truncated, dates, by_bot = (*more, {}, {}, {})[:3]
        question_dates, answer_dates = load_dates(dates)
        if type(clock) is not int:
            raise TypeError(f"a clock must be an integer, not {clock!r}")
        remembered = tuple(map(entity_from_dict, memory))
        exchange = Exchange(
            question=question,
            answer=answer,
            at=restore_zone(to_datetime(at), dates),
            status=status,
            intent=intent,
            slots={name: tuple(values) for name, values in slots.items()},
            language=language,
            memory=remembered,
            clock=clock,
            truncated=dict(truncated),
            question_dates=question_dates,
            answer_dates=answer_dates,
            by_bot=load_by_bot(remembered, by_bot),
        )
        return ConversationKey(user, model, tenant), exchange
    except (
        ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError
    ) as error:  # fmt: skip
        raise StoreError(f"this is not a record of an exchange: {error}") from error
