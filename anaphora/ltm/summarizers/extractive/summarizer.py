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

from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.measure import WORDS, count_words
from anaphora.ltm.history.working_history import HistoryPart
from anaphora.ltm.summarizers.extractive.coverage import (
    ScoredSentence,
    SelectionCosts,
    select_sentences,
)
from anaphora.ltm.summarizers.extractive.facts import Facts, FactWeights, extract_facts, is_question
from anaphora.ltm.summarizers.first_words import take_first_words
from anaphora.ltm.summarizers.sentences import split_clauses, split_sentences
from anaphora.ltm.summarizers.summarizer import Segment
from anaphora.ltm.summarizers.turns import (
    BOT,
    USER,
    SpeakerNames,
    Turn,
    first_day,
    iterate_turns,
    normalize_whitespace,
)

__all__ = ["Extractive"]

_WEIGHTS, _COSTS = FactWeights(), SelectionCosts()


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
        weights: FactWeights = _WEIGHTS,
        costs: SelectionCosts = _COSTS,
    ) -> None:
        self._speakers = SpeakerNames(user, bot)
        self._dates, self._language = dates, language
        self._weights, self._costs = weights, costs

    def summarize(self, segments: Sequence[Segment]) -> Sequence[str]:
        """A summary of each segment, of at most ``max_words`` words and always shorter than the
        segment; empty if no word may stand for it."""
        return [self._summarize_segment(segment) for segment in segments]

    def _summarize_segment(self, segment: Segment) -> str:
        budget = min(segment.max_words, WORDS.total(segment.parts) - 1)
        turns = iterate_turns(
            segment.parts,
            speakers=self._speakers,
            language=self._language,
            resolved=self._dates == "resolved",
        )
        speaking = [turn for turn in turns if turn.text.strip()]
        if budget < 1 or not speaking:
            return ""
        said = self._split_sentences(speaking, segment.parts)
        chosen = select_sentences([one.sentence for one in said], budget, costs=self._costs)
        if not chosen:
            return _shorten_best(said, budget)
        return "\n".join(_format_lines([(said[index], count) for index, count in chosen.items()]))

    def _split_sentences(
        self, turns: Sequence[Turn], parts: Sequence[HistoryPart]
    ) -> list[_DialogSentence]:
        """The sentences of all turns, with what they tell."""
        split = [
            (number, some)
            for number, turn in enumerate(turns)
            for sentence in split_sentences(turn.text)
            if sentence.strip()
            for some in _batch_clauses(split_clauses(sentence))
        ]
        found = extract_facts(
            [clauses for _, clauses in split],
            [turns[number].language for number, _ in split],
            values=_understood_values(parts),
            weights=self._weights,
        )
        needs = _pair_questions([(number, "".join(clauses)) for number, clauses in split])
        # A line without a day is of the day that the summary begins with, in UTC.
        days = {turn.day for turn in turns}
        dated = len(days) > 1 or not days <= {None, first_day(parts[0])}
        return [
            self._build_sentence(
                number, turns[number], parts, told, needs.get(index, ()), dated=dated
            )
            for index, ((number, parts), told) in enumerate(zip(split, found, strict=True))
        ]

    def _build_sentence(
        self,
        number: int,
        turn: Turn,
        parts: Sequence[str],
        told: Sequence[Facts],
        needs: tuple[int, ...],
        *,
        dated: bool,
    ) -> _DialogSentence:
        strong = any(worth > self._weights.noun for of in told for worth in of.values())
        label = self._speakers.label(turn.speaker)
        day = turn.day if dated else None
        sentence = ScoredSentence(
            sizes=tuple(map(count_words, parts)),
            facts=tuple(told),
            turn=str(number),
            label=count_words(label),
            day=day,
            requires=needs,
            min_words=0 if strong or needs else _SHORT_ANSWER + 1,
        )
        return _DialogSentence(number, label, day, tuple(parts), sentence)


@dataclass(frozen=True, slots=True)
class _DialogSentence:
    """A sentence, the number of its turn, the ``label`` of who said it, and on which day, if that
    is to be shown."""

    turn: int
    label: str
    day: date | None
    clauses: tuple[str, ...]
    sentence: ScoredSentence


_MAX_CLAUSES = 40  # of one sentence; choosing among its beginnings takes the square of them
_SHORT_ANSWER = 3  # words: a sentence that says little without the one before it
_TRAILING_PUNCTUATION = " \t,;:，；：、،؛–—-"


def _batch_clauses(parts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The clauses of a sentence, those of an endless one (a long list) by doses."""
    for start in range(0, len(parts), _MAX_CLAUSES):
        yield parts[start : start + _MAX_CLAUSES]


def _understood_values(parts: Iterable[HistoryPart]) -> Iterator[str]:
    """What the bot has understood: values of slots, and entities that it remembered."""
    for part in parts:
        if isinstance(part, Exchange):
            for values in part.slots.values():
                yield from values
            for entity in part.memory:
                yield from (entity.text, entity.value_or_text)


def _pair_questions(said: Sequence[tuple[int, str]]) -> Mapping[int, tuple[int, ...]]:
    """Which sentences, each after the number of its turn, mean something only together: a
    question, and a short answer to it, by their indexes."""
    needs: dict[int, tuple[int, ...]] = {}
    for index in range(1, len(said)):
        (asker, question), (answerer, answer) = said[index - 1 : index + 1]
        if (
            asker != answerer
            and is_question(question)
            and not is_question(answer)
            and count_words(answer) <= _SHORT_ANSWER
        ):
            needs[index - 1] = (*needs.get(index - 1, ()), index)
            needs[index] = (index - 1,)
    return needs


def _format_lines(chosen: Sequence[tuple[_DialogSentence, int]]) -> Iterator[str]:
    """A line for each turn, with the labels that :class:`Sentence` counts."""
    line: list[str] = []
    before: _DialogSentence | None = None
    for said, count in chosen:
        text = _join_clauses(said.clauses, count)
        if before is not None and before.turn == said.turn:
            line.append(text)
        else:
            if before is not None:
                yield _mark_unanswered(line, answered=said.turn == before.turn + 1)
            new_day = said.day is not None and (before is None or before.day != said.day)
            line = [*([f"[{said.day}]"] if new_day else []), said.label, text]
        before = said
    yield " ".join(line)


def _mark_unanswered(line: Sequence[str], *, answered: bool) -> str:
    """A line, with a mark behind a question that the next line does not answer."""
    text = " ".join(line)
    return text if answered or not is_question(text) else f"{text}…"


def _join_clauses(parts: Sequence[str], count: int) -> str:
    text = normalize_whitespace("".join(parts[:count]))
    return text if count == len(parts) else text.rstrip(_TRAILING_PUNCTUATION + "…") + "…"


def _shorten_best(said: Sequence[_DialogSentence], budget: int) -> str:
    """The start of the sentence that tells the most, where no sentence is short enough."""
    best = max(said, key=lambda one: sum(sum(told.values()) for told in one.sentence.facts))
    start = take_first_words(
        normalize_whitespace("".join(best.clauses)), budget - best.sentence.label
    ).rstrip(_TRAILING_PUNCTUATION)
    return f"{best.label} {start}…" if start else ""
