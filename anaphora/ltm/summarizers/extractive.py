"""The sentences of a segment that tell the most, in their order: no weights, no network.

A summary is a dialog again, cut short: a line for each turn of which something is left, with the
speaker before it (see :mod:`~anaphora.ltm.summarizers.turns`), and the day where the segment has
more than one. "…" marks what was cut off a sentence, and a question whose answer is left out. A
summary of summaries is read and written in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from anaphora.ltm.counting import WORDS, words
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history import Part
from anaphora.ltm.summarizers.cover import Costs, Sentence, cover
from anaphora.ltm.summarizers.cut import first_words
from anaphora.ltm.summarizers.facts import Facts, Weights, asks, facts
from anaphora.ltm.summarizers.sentences import clauses, sentences
from anaphora.ltm.summarizers.summarizer import Segment
from anaphora.ltm.summarizers.turns import BOT, USER, Speakers, Turn, first_day, fold, turns_of

__all__ = ["Extractive"]

_WEIGHTS, _COSTS = Weights(), Costs()


class Extractive:
    """Keeps the sentences that together cover the most names, numbers, dates and slot values,
    and rarer words, per word spent.

    ``user`` and ``bot`` are how the speakers are called. With ``dates`` "resolved" the date
    stands behind words like "yesterday", which mean nothing later. ``language`` is that of parts
    that don't say theirs. Raises ValueError if a speaker has no name of its own.
    """

    name = "extractive"

    def __init__(
        self,
        *,
        user: str = USER,
        bot: str = BOT,
        dates: Literal["resolved", "as said"] = "resolved",
        language: str = "en",
        weights: Weights = _WEIGHTS,
        costs: Costs = _COSTS,
    ) -> None:
        self._speakers = Speakers(user, bot)
        self._dates, self._language = dates, language
        self._weights, self._costs = weights, costs

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """A summary of each segment, of at most ``max_words`` words and always shorter than the
        segment; empty if no word may stand for it."""
        return [self._summary(segment) for segment in segments]

    def _summary(self, segment: Segment) -> str:
        budget = min(segment.max_words, WORDS.total(segment.parts) - 1)
        turns = turns_of(
            segment.parts,
            speakers=self._speakers,
            language=self._language,
            resolved=self._dates == "resolved",
        )
        speaking = [turn for turn in turns if turn.text.strip()]
        if budget < 1 or not speaking:
            return ""
        said = self._said(speaking, segment.parts)
        chosen = cover([one.sentence for one in said], budget, costs=self._costs)
        if not chosen:
            return _scrap(said, budget)
        return "\n".join(_lines([(said[index], count) for index, count in chosen.items()]))

    def _said(self, turns: Sequence[Turn], parts: Sequence[Part]) -> list[_Said]:
        """The sentences of all turns, with what they tell."""
        split = [
            (number, some)
            for number, turn in enumerate(turns)
            for sentence in sentences(turn.text)
            if sentence.strip()
            for some in _dosed(clauses(sentence))
        ]
        found = facts(
            [clauses for _, clauses in split],
            [turns[number].language for number, _ in split],
            values=_values(parts),
            weights=self._weights,
        )
        needs = _needs([(number, "".join(clauses)) for number, clauses in split])
        # A line without a day is of the day that the summary begins with, in UTC.
        days = {turn.day for turn in turns}
        dated = len(days) > 1 or not days <= {None, first_day(parts[0])}
        return [
            self._told(number, turns[number], parts, told, needs.get(index, ()), dated=dated)
            for index, ((number, parts), told) in enumerate(zip(split, found, strict=True))
        ]

    def _told(
        self,
        number: int,
        turn: Turn,
        parts: Sequence[str],
        told: Sequence[Facts],
        needs: tuple[int, ...],
        *,
        dated: bool,
    ) -> _Said:
        strong = any(worth > self._weights.noun for of in told for worth in of.values())
        label = self._speakers.label(turn.speaker)
        day = turn.day if dated else None
        sentence = Sentence(
            sizes=tuple(map(words, parts)),
            facts=tuple(told),
            who=str(number),
            label=words(label),
            day=day,
            needs=needs,
            least=0 if strong or needs else _SHORT + 1,
        )
        return _Said(number, label, day, tuple(parts), sentence)


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence, the number of its turn, the ``label`` of who said it, and on which day, if that
    is to be shown."""

    turn: int
    label: str
    day: date | None
    clauses: tuple[str, ...]
    sentence: Sentence


_MOST_CLAUSES = 40  # of one sentence; choosing among its beginnings takes the square of them
_SHORT = 3  # words: a sentence that says little without the one before it
_LOOSE = " \t,;:，；：、،؛–—-"


def _dosed(parts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The clauses of a sentence, those of an endless one (a long list) by doses."""
    for start in range(0, len(parts), _MOST_CLAUSES):
        yield parts[start : start + _MOST_CLAUSES]


def _values(parts: Iterable[Part]) -> Iterator[str]:
    """What the bot has understood: values of slots, and entities that it remembered."""
    for part in parts:
        if isinstance(part, Exchange):
            for values in part.slots.values():
                yield from values
            for entity in part.memory:
                yield from (entity.text, entity.said)


def _needs(said: Sequence[tuple[int, str]]) -> Mapping[int, tuple[int, ...]]:
    """Which sentences, each after the number of its turn, mean something only together: a
    question, and a short answer to it, by their indexes."""
    needs: dict[int, tuple[int, ...]] = {}
    for index in range(1, len(said)):
        (asker, question), (answerer, answer) = said[index - 1 : index + 1]
        if asker != answerer and asks(question) and not asks(answer) and words(answer) <= _SHORT:
            needs[index - 1] = (*needs.get(index - 1, ()), index)
            needs[index] = (index - 1,)
    return needs


def _lines(chosen: Sequence[tuple[_Said, int]]) -> Iterator[str]:
    """A line for each turn, with the labels that :class:`Sentence` counts."""
    line: list[str] = []
    before: _Said | None = None
    for said, count in chosen:
        text = _text(said.clauses, count)
        if before is not None and before.turn == said.turn:
            line.append(text)
        else:
            if before is not None:
                yield _closed(line, answered=said.turn == before.turn + 1)
            new_day = said.day is not None and (before is None or before.day != said.day)
            line = [*([f"[{said.day}]"] if new_day else []), said.label, text]
        before = said
    yield " ".join(line)


def _closed(line: Sequence[str], *, answered: bool) -> str:
    """A line, with a mark behind a question that the next line does not answer."""
    text = " ".join(line)
    return text if answered or not asks(text) else f"{text}…"


def _text(parts: Sequence[str], count: int) -> str:
    text = fold("".join(parts[:count]))
    return text if count == len(parts) else text.rstrip(_LOOSE + "…") + "…"


def _scrap(said: Sequence[_Said], budget: int) -> str:
    """The start of the sentence that tells the most, where no sentence is short enough."""
    best = max(said, key=lambda one: sum(sum(told.values()) for told in one.sentence.facts))
    start = first_words(fold("".join(best.clauses)), budget - best.sentence.label).rstrip(_LOOSE)
    return f"{best.label} {start}…" if start else ""
