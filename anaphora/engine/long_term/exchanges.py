"""The parts of the exchanges that the engine records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from anaphora.core.utterance import Entity
from anaphora.engine.bots.bot import DATE_ELEMENTS
from anaphora.intents.match import Candidate
from anaphora.ltm.exchange import DateMention, Exchange

__all__ = ["build_reset_mark", "find_sentence_dates"]


def find_sentence_dates(taken: Iterable[Candidate]) -> tuple[DateMention, ...]:
    """Return the dates of the sentence that an intent has ``taken``, with their values."""
    sentence = [one.entity for one in taken if one.source == "sentence"]
    return tuple([date for entity in sentence for date in _iter_dates(entity)])


def _iter_dates(entity: Entity) -> Iterator[DateMention]:
    if entity.element in DATE_ELEMENTS and entity.value:
        yield DateMention(entity.start, entity.end, entity.value)
    for part in entity.parts:
        yield from _iter_dates(part)


def build_reset_mark(at: datetime, memory: Iterable[Entity] = (), *, clock: int) -> Exchange:
    """Build the mark that something was forgotten on purpose: an exchange without texts. No
    exchange with a smaller ``clock`` may restore anything; ``memory`` is what was still remembered
    afterwards."""
    return Exchange("", "", at, status="reset", memory=tuple(memory), clock=clock)
