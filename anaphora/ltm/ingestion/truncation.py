"""Bounds on what is kept of one exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import regex

from anaphora.core.utterance import Entity
from anaphora.ltm.exchange import DateMention, Exchange

__all__ = ["ExchangeLimits", "truncate_exchange", "truncate_text"]

_WORD_SEARCH_RANGE = 100  # characters before the limit in which the end of a word is looked for
_GRAPHEME = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class ExchangeLimits:
    """How much of one exchange is kept: characters of the question, of the answer, and of each
    slot value; how many slot values, and how many remembered entities.

    Raises ValueError for limits that leave nothing.
    """

    question: int = 10_000
    answer: int = 20_000
    slot_value: int = 1_000
    slots: int = 100
    memory: int = 100

    def __post_init__(self) -> None:
        if min(self.question, self.answer, self.slot_value, self.slots, self.memory) < 1:
            raise ValueError("the limits of an exchange are numbers from 1")


def truncate_exchange(exchange: Exchange, limits: ExchangeLimits) -> Exchange:
    """The exchange within the limits. ``truncated`` says what was cut, and how long it was."""
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
    )


def truncate_text(text: str, limit: int) -> str:
    """The beginning of ``text``, at most ``limit`` characters: up to the end of a word if one is
    near, else of a grapheme."""
    if len(text) <= limit:
        return text
    if text[limit].isspace():
        return text[:limit].rstrip()
    words = max(text.rfind(space, max(limit - _WORD_SEARCH_RANGE, 1), limit) for space in " \n\t")
    if words > 0 and (head := text[:words].rstrip()):
        return head
    # With what follows the limit, for a grapheme may go on there.
    end = 0
    for match in _GRAPHEME.finditer(text, 0, limit + _WORD_SEARCH_RANGE):
        if match.end() > limit:
            break
        end = match.end()
    return text[: end or limit]  # one grapheme longer than the limit has no better place


def _dates_within(
    dates: tuple[DateMention, ...] | None, text: str
) -> tuple[DateMention, ...] | None:
    """Those that lie within what is left of their text."""
    return None if dates is None else tuple(one for one in dates if one.end <= len(text))


def _is_within_limits(exchange: Exchange, limits: ExchangeLimits) -> bool:
    """Whether nothing is to be cut, as usual."""
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
    """The first values, each within its limit."""
    kept: dict[str, tuple[str, ...]] = {}
    room = limits.slots
    for name, values in islice(slots.items(), limits.slots):
        kept[name] = tuple([_truncate_value(value, limits.slot_value) for value in values[:room]])
        room -= len(kept[name])
    return kept


def _truncate_value(value: Any, limit: int) -> Any:
    """A value within the limit. What is no text is not judged here."""
    return truncate_text(value, limit) if isinstance(value, str) else value


def _truncate_memory(memory: tuple[Entity, ...], limits: ExchangeLimits) -> tuple[Entity, ...]:
    """The newest entities, without those whose words are too long."""
    kept = [one for one in memory[: limits.memory] if len(one.text) <= limits.slot_value]
    return memory if len(kept) == len(memory) else tuple(kept)
