"""Link entities to the numbers that count them: "two pizzas", "3 x coffee", "coffee x3".

A number counts the thing behind it if nothing lies between them but what belongs to the thing: a
measure word ("two cups of"), a link such as "more", an entity of another element ("two large
pizzas") or one unknown word. It counts the thing before it by a word or sign for multiplication,
by a word for pieces, or by a classifier that touches it (コーヒー二杯).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.numbers.number_phrases import TIMES
from anaphora.entities.builtin.numbers.number_recognizer import NumberRecognizer
from anaphora.entities.builtin.numbers.phrase_lookup import iter_phrases
from anaphora.entities.languages import cached_table
from anaphora.entities.tokens.sentence import Sentence
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.models.domain import Element

__all__ = ["QuantityLinker", "count_of"]

_MAX_GAP = 5  # tokens between a number and what it counts
_MAX_MULTIPLIER = 32  # letters of "zweimal" and the like
_CONTAINERS = frozenset({"cup"})  # units of which one orders several: two cups of coffee
_COUNTING_KINDS = frozenset({"cardinal", "fraction"})


class _Number(NamedTuple):
    """A number at the tokens from ``start`` up to ``end``. A multiplier ("x3", "zweimal") counts
    without further words; numbers of other ``element`` s count only what names that element."""

    element: str
    start: int
    end: int
    value: float | int
    is_multiplier: bool = False


class _Gap(NamedTuple):
    """The words between a number and a thing that belong to neither: ``covered`` are the tokens
    that only serve to count, ``others`` is the number of the others."""

    covered: tuple[int, ...] = ()
    others: int = 0


class QuantityLinker:
    """Links entities of the counted ``elements`` to numbers, in one language.

    The words come from ``numbers.yaml`` of the language: ``links``, ``times`` and ``pieces``,
    ``counters`` (classifiers if they touch the number; else they are counted themselves), and the
    ``labels`` of numbers that are names.
    """

    def __init__(self, elements: Iterable[Element], language: str) -> None:
        self._counted_by = {element.id: element.counts for element in elements if element.counts}
        self._number_elements = frozenset(self._counted_by.values())
        table = cached_table(base_code(language), "numbers")
        normalize = create_normalizer(language)

        def words(key: str) -> frozenset[str]:
            return frozenset(normalize(word) for word, _ in iter_phrases(table, key))

        self._links = words("links")
        self._pieces = words("pieces")
        self._counters = words("counters")
        self._labels = words("labels")
        self._times = words("times") | TIMES | {"*"}
        self._find_numbers = NumberRecognizer(language).find_mentions

    def link(self, entities: Sequence[Entity], sentence: Sentence) -> list[Entity]:
        """Return a further entity for each one that a number counts: with its ``quantity``, and
        with the words of the number among its tokens. Its text and offsets remain those of the
        thing itself."""
        things = [one for one in entities if one.element in self._counted_by]
        numbers = [*self._iter_numbers(entities, sentence)] if things else []
        if not numbers:
            return []
        owners = defaultdict(list)
        for entity in entities:
            for token in entity.tokens:
                owners[token].append(entity)
        by_end, by_start = defaultdict(list), defaultdict(list)
        for number in numbers:
            by_end[number.end].append(number)
            by_start[number.start].append(number)
        linked = []
        for thing in things:
            first, end = thing.tokens[0], thing.tokens[-1] + 1
            for position in range(first, max(first - _MAX_GAP, 0) - 1, -1):
                for number in by_end.get(position, ()):
                    gap = self._read_gap_before(first, number, sentence, owners)
                    linked += self._quantify(thing, number, gap)
            for position in (end, end + 1):
                for number in by_start.get(position, ()):
                    gap = self._read_gap_behind(end, number, sentence)
                    linked += self._quantify(thing, number, gap)
        return linked

    def _iter_numbers(self, entities: Iterable[Entity], sentence: Sentence) -> Iterator[_Number]:
        covered: set[int] = set()
        for one in entities:
            if one.element in self._number_elements:
                covered.update(one.tokens)
                if (value := count_of(one)) is not None:
                    yield _Number(one.element, one.tokens[0], one.tokens[-1] + 1, value)
        for index, word in enumerate(sentence.words):
            if index not in covered and (value := self._read_multiplier(word.lower)) is not None:
                for element in self._number_elements:
                    yield _Number(element, index, index + 1, value, is_multiplier=True)

    def _read_multiplier(self, word: str) -> float | int | None:
        """The value of a number that is written together with a word for "times"."""
        if len(word) > _MAX_MULTIPLIER:
            return None
        for times in self._times:
            rest = word.removesuffix(times)
            if rest == word and word[len(times) :].isdecimal():
                rest = word.removeprefix(times)
            if rest and rest != word:
                mentions = self._find_numbers(rest)
                if len(mentions) == 1 and mentions[0].end - mentions[0].start == len(rest):
                    return _count_in(mentions[0].meta)
        return None

    def _read_gap_before(
        self,
        first: int,
        number: _Number,
        sentence: Sentence,
        owners: Mapping[int, Sequence[Entity]],
    ) -> _Gap | None:
        """Read the gap between a number and a thing that begins at the token ``first``; None if
        it separates them."""
        words = sentence.words
        if number.start and words[number.start - 1].lower in self._labels:
            return None
        gap = range(number.end, first)
        covered, unknown, others, is_linked = [], 0, 0, False
        for index in gap:
            word = words[index]
            # An entity that includes a part of the thing is another reading of it.
            between = [one for one in owners.get(index, ()) if one.tokens[-1] < first]
            if between:
                if not all(self._is_modifier(one, number) for one in between):
                    return None
                others += 1
            elif word.lower in self._links or word.lower in self._times:
                is_linked = True
                covered.append(index)
            elif self._is_unit_of(number, index, sentence):
                covered.append(index)
            elif not word.is_alphanumeric or word.lower in self._counters:
                return None
            elif not word.is_content_word:
                if not is_linked:  # two of THE, not: two, AND a
                    return None
                covered.append(index)
            elif index + 1 in gap and words[index + 1].lower in self._links:
                covered.append(index)  # two CUPS of
            else:
                unknown += 1
        return None if unknown > 1 else _Gap(tuple(covered), others + unknown)

    def _read_gap_behind(self, end: int, number: _Number, sentence: Sentence) -> _Gap | None:
        """Read the gap between a thing that ends before the token ``end`` and a number behind it;
        None if it separates them."""
        words, gap = sentence.words, tuple(range(end, number.start))
        if number.is_multiplier:
            return None if gap else _Gap()
        if gap and words[end].lower in self._times:
            return _Gap(gap)
        if gap and words[end].lower not in self._links:
            return None
        if self._is_unit_of(number, number.end, sentence):
            return _Gap((*gap, number.end))
        has_own_classifier = (
            number.end - number.start > 1 and words[number.end - 1].lower in self._counters
        )
        return _Gap(gap) if has_own_classifier else None

    def _is_unit_of(self, number: _Number, index: int, sentence: Sentence) -> bool:
        """Whether the token is the word for pieces or the classifier behind the number."""
        if index != number.end or index >= len(sentence.words):
            return False
        word, behind = sentence.words[index].lower, sentence.starts[index - 1]
        touches = sentence.starts[index] == behind + len(sentence.texts[index - 1])
        return word in self._pieces or (touches and word in self._counters)

    def _is_modifier(self, entity: Entity, number: _Number) -> bool:
        """Whether an entity behind the number may belong to what the number counts."""
        return (
            entity.is_from_phrase
            and entity.tokens[0] >= number.end
            and entity.element not in self._counted_by
            and entity.element not in self._number_elements
        )

    def _quantify(self, thing: Entity, number: _Number, gap: _Gap | None) -> list[Entity]:
        if gap is None or number.element != self._counted_by[thing.element]:
            return []
        own = {*thing.tokens, *range(number.start, number.end), *gap.covered}
        return [
            replace(
                thing,
                tokens=tuple(sorted(own)),
                gaps=thing.gaps + gap.others,
                quantity=number.value,
            )
        ]


def count_of(number: Entity) -> float | int | None:
    """The number of things that a recognized number counts; None if it counts nothing."""
    return None if number.is_from_phrase else _count_in(number.meta)


def _count_in(meta: Mapping[str, object]) -> float | int | None:
    """The number of things that a number with this metadata counts; None if it counts nothing."""
    value = meta.get("value")
    counts = (
        isinstance(value, int | float)
        and value >= 0
        and meta.get("kind") in _COUNTING_KINDS
        and meta.get("comparison") in (None, "about")
        and ("unit" not in meta or meta["unit"] in _CONTAINERS)
    )
    return value if counts and isinstance(value, int | float) else None
