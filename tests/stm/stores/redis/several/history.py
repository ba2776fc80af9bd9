"""Questions that append their number to a conversation, and a checker of what became of them.

If every answered question is in its conversation once, and saw exactly those before it, and none
that began after another had been answered comes before that one, then each question had its effect
once, in an order that its conversation respects.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anaphora.stm.conversation import ConversationKey

__all__ = ["Question", "violations"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question from ``begin`` to ``end``, by one clock. ``saw`` are the numbers that it found in
    its conversation; None if it was refused, before it could look or later."""

    number: int
    key: ConversationKey
    begin: float
    end: float
    saw: Sequence[int] | None

    @property
    def is_answered(self) -> bool:
        return self.saw is not None


def violations(
    questions: Iterable[Question], kept: Mapping[ConversationKey, Sequence[int]]
) -> list[str]:
    """What is wrong with the conversations that are ``kept`` after all questions. One that was
    refused may have had its effect, once, or none."""
    of_keys: defaultdict[ConversationKey, list[Question]] = defaultdict(list)
    for question in questions:
        of_keys[question.key].append(question)
    return [
        f"{key.user}: {text}"
        for key in of_keys.keys() | kept.keys()
        for text in _violations_of(of_keys[key], kept.get(key, ()))
    ]


def _violations_of(questions: Sequence[Question], kept: Sequence[int]) -> Iterator[str]:
    places = {number: place for place, number in enumerate(kept)}
    known = {question.number for question in questions}
    yield from (f"{number} is there {n} times" for number, n in Counter(kept).items() if n > 1)
    yield from (f"{number} was never asked" for number in kept if number not in known)
    for question in questions:
        if question.saw is None:
            continue
        if question.number not in places:
            yield f"{question.number} was answered and is lost"
        elif list(question.saw) != list(kept[: places[question.number]]):
            yield f"{question.number} did not see what came before it"
    yield from _out_of_order([q for q in questions if q.number in places], places)


def _out_of_order(questions: Sequence[Question], places: Mapping[int, int]) -> Iterator[str]:
    latest_begin, latest = float("-inf"), None
    for question in sorted(questions, key=lambda question: places[question.number]):
        if question.is_answered and question.end < latest_begin:
            yield f"{question.number} comes after {latest}, which was asked after its answer"
        if question.begin > latest_begin:
            latest_begin, latest = question.begin, question.number
