"""Truncation of exchanges that exceed the limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import regex

from anaphora.core.utterance import Entity
from anaphora.ltm.exchange import DateMention, Exchange

__all__ = ["ExchangeLimits", "truncate_exchange", "truncate_text"]

_WORD_SEARCH_RANGE = 100  # characters before the limit in which a word may end
_GRAPHEME = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """Limits of one exchange: characters of the question, of the answer and of each slot value;
    number of slot values and of remembered entities.

    Raises ValueError for limits below 1.
    """

    question: int = 10_000
    answer: int = 20_000
    slot_value: int = 1_000
    slots: int = 100
    memory: int = 100

    def __post_init__(self) -> None:
        if min(self.question, self.answer, self.slot_value, self.slots, self.memory) < 1:
            raise ValueError("the limits of an exchange must be at least 1")


def truncate_exchange(exchange: Exchange, limits: ExchangeLimits) -> Exchange:
    """Truncate an exchange to the limits; ``truncated`` records the original lengths."""
    if _is_within_limits(exchange, limits):
        return exchange
    truncated = dict(exchange.truncated)
    question = truncate_text(exchange.question, limits.question)
    answer = truncate_text(exchange.answer, limits.answer)
    if question != exchange.question:
        truncated.setdefault("question", len(exchange.question))
    if answer != exchange.answer:
        truncated.setdefault("answer", len(exchange.answer))
    slots = _truncate_slots(exchange.slots, limits)
    if slots != exchange.slots:
        truncated.setdefault("slots", sum(map(len, exchange.slots.values())))
    memory = _truncate_memory(exchange.memory, limits)
    if len(memory) < len(exchange.memory):
        truncated.setdefault("memory", len(exchange.memory))
    return replace(
        exchange,
        question=question,
        answer=answer,
        slots=slots,
        memory=memory,
        truncated=truncated,
        question_dates=_dates_within(exchange.question_dates, question),
        answer_dates=_dates_within(exchange.answer_dates, answer),
        by_bot=tuple([one for one in exchange.by_bot if one in memory]),
    )


def truncate_text(text: str, limit: int) -> str:
    """Return the beginning of ``text``, at most ``limit`` characters: up to the end of a word if
    one is near, else of a grapheme."""
    if len(text) <= limit:
        return text
    if text[limit].isspace():
        return text[:limit].rstrip()
    words = max(text.rfind(space, max(limit - _WORD_SEARCH_RANGE, 1), limit) for space in " \n\t")
    if words > 0 and (head := text[:words].rstrip()):
        return head
    # Search beyond the limit, because a grapheme may continue there.
    end = 0
    for match in _GRAPHEME.finditer(text, 0, limit + _WORD_SEARCH_RANGE):
        if match.end() > limit:
            break
        end = match.end()
    return text[: end or limit]  # a single grapheme longer than the limit is split


def _dates_within(
    dates: tuple[DateMention, ...] | None, text: str
) -> tuple[DateMention, ...] | None:
    return None if dates is None else tuple(one for one in dates if one.end <= len(text))


def _is_within_limits(exchange: Exchange, limits: ExchangeLimits) -> bool:
    """Whether nothing needs to be truncated, which is the usual case."""
    return (
        len(exchange.question) <= limits.question
        and len(exchange.answer) <= limits.answer
        and sum(map(len, exchange.slots.values())) <= limits.slots
        and all(
            len(str(value)) <= limits.slot_value
            for values in exchange.slots.values()
            for value in values
        )
        and _truncate_memory(exchange.memory, limits) == exchange.memory
    )


def _truncate_slots(
    slots: Mapping[str, Sequence[str]], limits: ExchangeLimits
) -> dict[str, tuple[str, ...]]:
    """Keep the first values, each truncated to its limit."""
    kept: dict[str, tuple[str, ...]] = {}
    room = limits.slots
    for name, values in islice(slots.items(), limits.slots):
        kept[name] = tuple([_truncate_value(value, limits.slot_value) for value in values[:room]])
        room -= len(kept[name])
    return kept


def _truncate_value(value: Any, limit: int) -> Any:
    """Truncate a value; values of other types are returned as they are."""
    return truncate_text(value, limit) if isinstance(value, str) else value


def _truncate_memory(memory: tuple[Entity, ...], limits: ExchangeLimits) -> tuple[Entity, ...]:
    """Keep the newest entities, without those whose text is too long."""
    kept = [one for one in memory[: limits.memory] if len(one.text) <= limits.slot_value]
    return memory if len(kept) == len(memory) else tuple(kept)
