"""The sentences of a segment that tell the most, in their order: no weights, no network.

A summary is a dialog again, cut short: a line for each turn of which something is left, with the
speaker before it, and the day where the segment has more than one. "…" marks what was cut off a
sentence. A summary of summaries is read and written in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

import regex

from anaphora.ltm.counting import WORDS, words
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history import Part
from anaphora.ltm.summarizers.cover import Costs, Sentence, cover
from anaphora.ltm.summarizers.cut import first_words
from anaphora.ltm.summarizers.days import days
from anaphora.ltm.summarizers.facts import Facts, Weights, asks, facts
from anaphora.ltm.summarizers.sentences import clauses, sentences
from anaphora.ltm.summarizers.summarizer import Segment

__all__ = ["Extractive"]

_WEIGHTS, _COSTS = Weights(), Costs()


class Extractive:
    """Keeps the sentences that together cover the most names, numbers, dates and slot values,
    and rarer words, per word spent.

    ``user`` and ``bot`` are how the speakers are called. With ``dates`` "resolved" the date
    stands behind words like "yesterday", which mean nothing later. ``language`` is that of parts
    that don't say theirs. Raises ValueError if a speaker has no name.
    """

    name = "extractive"

    def __init__(
        self,
        *,
        user: str = "User",
        bot: str = "Bot",
        dates: Literal["resolved", "as said"] = "resolved",
        language: str = "en",
        weights: Weights = _WEIGHTS,
        costs: Costs = _COSTS,
    ) -> None:
        if not user.strip() or not bot.strip() or user == bot:
            raise ValueError("the user and the bot need names that tell them apart")
        self._user, self._bot = " ".join(user.split()), " ".join(bot.split())
        self._dates, self._language = dates, language
        self._weights, self._costs = weights, costs
        names = "|".join(map(regex.escape, (self._user, self._bot)))
        self._line = regex.compile(rf"(?:\[(\d{{4}}-\d\d-\d\d)\]\s)?(?:({names}):\s)?(.*)")

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """A summary of each segment, of at most ``max_words`` words and always shorter than the
        segment; empty if no word may stand for it."""
        return [self._summary(segment) for segment in segments]

    def _summary(self, segment: Segment) -> str:
        budget = min(segment.max_words, WORDS.total(segment.parts) - 1)
        turns = [turn for part in segment.parts for turn in self._turns(part)]
        if budget < 1 or not turns:
            return ""
        said = self._said(turns, _values(segment.parts))
        chosen = cover([one.sentence for one in said], budget, costs=self._costs)
        if not chosen:
            return _scrap(said, budget)
        return "\n".join(_lines((said[index], count) for index, count in chosen.items()))

    def _turns(self, part: Part) -> Iterator[_Turn]:
        if isinstance(part, Summary):
            yield from self._read(part)
            return
        language = part.language or self._language
        day = part.at.date()
        yield _Turn(self._user, day, part.question, language)
        yield _Turn(self._bot, day, part.answer, language)

    def _read(self, summary: Summary) -> Iterator[_Turn]:
        """The turns that are left in a summary. Another summarizer's is told by nobody, whatever
        stands before its lines, and on no day, unless all of it was said on one."""
        first = summary.since.date()
        if summary.by != self.name:
            day = first if first == summary.until.date() else None
            yield _Turn("", day, summary.text, self._language)
            return
        day = first
        for line in summary.text.split("\n"):
            match = self._line.fullmatch(line.strip())
            if match is None:
                continue
            if match[1]:
                day = _day(match[1]) or day
            yield _Turn(match[2] or "", day, match[3], self._language)

    def _said(self, turns: Sequence[_Turn], values: Iterable[str]) -> list[_Said]:
        """The sentences of all turns, with what they tell."""
        split = [
            (turn, some)
            for turn in turns
            for sentence in sentences(turn.text)
            if sentence.strip()
            for some in _dosed(clauses(sentence))
        ]
        found = facts(
            [parts for _, parts in split],
            [turn.language for turn, _ in split],
            values=values,
            weights=self._weights,
        )
        needs = _needs([(turn, "".join(parts)) for turn, parts in split])
        dated = len({turn.day for turn in turns}) > 1
        return [
            self._told(turn, parts, told, needs.get(index, ()), turn.day if dated else None)
            for index, ((turn, parts), told) in enumerate(zip(split, found, strict=True))
        ]

    def _told(
        self,
        turn: _Turn,
        parts: Sequence[str],
        told: Sequence[Facts],
        needs: tuple[int, ...],
        day: date | None,
    ) -> _Said:
        if self._dates == "resolved" and turn.day is not None:
            of_language = days(turn.language)
            parts = [of_language.resolved(part, turn.day) for part in parts]
        strong = any(worth > self._weights.noun for of in told for worth in of.values())
        sentence = Sentence(
            sizes=tuple(map(words, parts)),
            facts=tuple(told),
            who=turn.who,
            label=words(f"{turn.who}:") if turn.who else 0,
            day=day,
            needs=needs,
            least=0 if strong or needs else _SHORT + 1,
        )
        return _Said(turn.who, day, tuple(parts), sentence)


@dataclass(frozen=True, slots=True)
class _Turn:
    """What one speaker said at once."""

    who: str
    day: date | None  # None: it is not known
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence, who said it, and on which day if that is to be shown."""

    who: str
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


def _needs(said: Sequence[tuple[_Turn, str]]) -> Mapping[int, tuple[int, ...]]:
    """Which sentences mean something only together: a question, and a short answer to it, by
    their indexes."""
    needs: dict[int, tuple[int, ...]] = {}
    for index in range(1, len(said)):
        (asker, question), (answerer, answer) = said[index - 1 : index + 1]
        if (
            asker is not answerer
            and asks(question)
            and not asks(answer)
            and words(answer) <= _SHORT
        ):
            needs[index - 1] = (*needs.get(index - 1, ()), index)
            needs[index] = (index - 1,)
    return needs


def _lines(chosen: Iterable[tuple[_Said, int]]) -> Iterator[str]:
    """A line for each turn, with the labels that :class:`Sentence` counts."""
    line: list[str] = []
    before: _Said | None = None
    for said, count in chosen:
        new_day = said.day is not None and (before is None or before.day != said.day)
        if new_day or before is None or before.who != said.who:
            if line:
                yield " ".join(line)
            line = [f"[{said.day}]"] if new_day else []
            line += [f"{said.who}:"] if said.who else []
        line.append(_text(said.clauses, count))
        before = said
    yield " ".join(line)


def _text(parts: Sequence[str], count: int) -> str:
    text = " ".join("".join(parts[:count]).split())
    return text if count == len(parts) else text.rstrip(_LOOSE + "…") + "…"


def _scrap(said: Sequence[_Said], budget: int) -> str:
    """The start of the sentence that tells the most, where no sentence is short enough."""
    best = max(said, key=lambda one: sum(sum(told.values()) for told in one.sentence.facts))
    label = f"{best.who}: " if best.who else ""
    text = " ".join("".join(best.clauses).split())
    start = first_words(text, budget - best.sentence.label).rstrip(_LOOSE)
    return f"{label}{start}…" if start else ""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
