"""Extractive summarizer: the most informative sentences of a segment; no model, no network.

A summary is a shortened dialog: one line per remaining turn, after its speaker (see
:mod:`~anaphora.ltm.summarizers.turns`), with the day if the segment has several. "…" marks a cut
sentence, and a question whose answer is left out. Summaries of summaries have the same form.
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
    """Keeps the sentences that cover the most names, numbers, dates, slot values and rare words
    per word.

    ``user`` and ``bot`` are the names of the speakers. With ``dates`` "resolved", relative dates
    such as "yesterday" are annotated with the date. ``language`` applies to parts without one.
    Raises ValueError if the speakers' names are not distinct.
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
        """Return a summary of each segment, of at most ``max_words`` words and always shorter than
        the segment; empty if no word fits."""
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
        sentences = self._split_sentences(speaking, segment.parts)
        chosen = select_sentences([one.sentence for one in sentences], budget, costs=self._costs)
        if not chosen:
            return _shorten_best(sentences, budget)
        return "\n".join(
            _format_lines([(sentences[index], count) for index, count in chosen.items()])
        )

    def _split_sentences(
        self, turns: Sequence[Turn], parts: Sequence[HistoryPart]
    ) -> list[_DialogSentence]:
        """Split all turns into sentences, with their facts."""
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
        required = _pair_questions([(number, "".join(clauses)) for number, clauses in split])
        # A line without a day belongs to the first day of the summary, in UTC.
        days = {turn.day for turn in turns}
        dated = len(days) > 1 or not days <= {None, first_day(parts[0])}
        return [
            self._build_sentence(
                number, turns[number], clauses, facts, required.get(index, ()), dated=dated
            )
            for index, ((number, clauses), facts) in enumerate(zip(split, found, strict=True))
        ]

    def _build_sentence(
        self,
        number: int,
        turn: Turn,
        clauses: Sequence[str],
        facts: Sequence[Facts],
        required: tuple[int, ...],
        *,
        dated: bool,
    ) -> _DialogSentence:
        strong = any(worth > self._weights.noun for one in facts for worth in one.values())
        label = self._speakers.label(turn.speaker)
        day = turn.day if dated else None
        sentence = ScoredSentence(
            sizes=tuple(map(count_words, clauses)),
            facts=tuple(facts),
            turn=str(number),
            label=count_words(label),
            day=day,
            requires=required,
            min_words=0 if strong or required else _SHORT_ANSWER + 1,
        )
        return _DialogSentence(number, label, day, tuple(clauses), sentence)


@dataclass(frozen=True, slots=True)
class _DialogSentence:
    """A sentence, the number of its turn, the ``label`` of its speaker, and its day if that is
    shown."""

    turn: int
    label: str
    day: date | None
    clauses: tuple[str, ...]
    sentence: ScoredSentence


_MAX_CLAUSES = 40  # of one sentence; selection is quadratic in it
_SHORT_ANSWER = 3  # words; shorter sentences say little without the one before
_TRAILING_PUNCTUATION = " \t,;:，；：、،؛–—-"


def _batch_clauses(parts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split the clauses of an overlong sentence (a long list) into batches."""
    for start in range(0, len(parts), _MAX_CLAUSES):
        yield parts[start : start + _MAX_CLAUSES]


def _understood_values(parts: Iterable[HistoryPart]) -> Iterator[str]:
    """Yield the values that the bot understood: slot values and remembered entities."""
    for part in parts:
        if isinstance(part, Exchange):
            for values in part.slots.values():
                yield from values
            for entity in part.memory:
                yield from (entity.text, entity.value_or_text)


def _pair_questions(sentences: Sequence[tuple[int, str]]) -> Mapping[int, tuple[int, ...]]:
    """Map questions and short answers to each other, by index. ``sentences`` are given with the
    numbers of their turns."""
    needs: dict[int, tuple[int, ...]] = {}
    for index in range(1, len(sentences)):
        (asker, question), (answerer, answer) = sentences[index - 1 : index + 1]
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
    """Yield a line for each turn, with the labels that :class:`ScoredSentence` counts."""
    line: list[str] = []
    before: _DialogSentence | None = None
    for sentence, count in chosen:
        text = _join_clauses(sentence.clauses, count)
        if before is not None and before.turn == sentence.turn:
            line.append(text)
        else:
            if before is not None:
                yield _mark_unanswered(line, answered=sentence.turn == before.turn + 1)
            new_day = sentence.day is not None and (before is None or before.day != sentence.day)
            line = [*([f"[{sentence.day}]"] if new_day else []), sentence.label, text]
        before = sentence
    yield " ".join(line)


def _mark_unanswered(line: Sequence[str], *, answered: bool) -> str:
    """Join a line, with a mark after a question that the next line does not answer."""
    text = " ".join(line)
    return text if answered or not is_question(text) else f"{text}…"


def _join_clauses(parts: Sequence[str], count: int) -> str:
    text = normalize_whitespace("".join(parts[:count]))
    return text if count == len(parts) else text.rstrip(_TRAILING_PUNCTUATION + "…") + "…"


def _shorten_best(sentences: Sequence[_DialogSentence], budget: int) -> str:
    """Return the start of the most informative sentence, for use if no sentence fits."""
    best = max(sentences, key=lambda one: sum(sum(facts.values()) for facts in one.sentence.facts))
    start = take_first_words(
        normalize_whitespace("".join(best.clauses)), budget - best.sentence.label
    ).rstrip(_TRAILING_PUNCTUATION)
    return f"{best.label} {start}…" if start else ""
