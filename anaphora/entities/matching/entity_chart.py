"""Chart of the entities found so far in a text, from which composed entities are built."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError
from anaphora.grammar.context import EntityContext, QuestionContext
from anaphora.grammar.synonyms.entity_part import EntityPart

__all__ = ["EntityChart", "PredicateFailure"]

# Limits for one text (some 0.5 s each); further entities are not found.
_MAX_TESTS = 50_000  # tests of an entity for a part
_MAX_PARTS = 10_000  # entities that are parts, and parts of those

PredicateFailure = tuple[EntityPart, Entity, str]
"""A part whose predicate failed, the entity, and the reason."""


class EntityChart:
    """Entities by their start among the words, each with a number.

    A predicate is evaluated once for an entity, unless it asks what stands beside it. ``failure``
    is the first evaluation that failed, and may be reset to None; a failed predicate counts as
    false.
    """

    def __init__(self, context: QuestionContext) -> None:
        self.failure: PredicateFailure | None = None
        self._context = context
        self._entities: list[Entity] = []
        self._spans: list[tuple[int, int]] = []
        self._sizes: list[int] = []  # number of entities in each, itself included
        self._tests_left = _MAX_TESTS
        self._parts_left = _MAX_PARTS
        self._by_start: dict[int, list[tuple[int, int]]] = {}
        self._test_results: dict[tuple[str, int, int], bool] = {}

    @property
    def is_spent(self) -> bool:
        """Whether the limit of composed entities in one text is reached."""
        return self._parts_left <= 0

    def add(
        self, start: int, end: int, entity: Entity, made_of: Sequence[tuple[str, int]] = ()
    ) -> None:
        """Add an entity in the words from ``start`` up to ``end``, with the aliases and numbers of
        its parts."""
        self._by_start.setdefault(start, []).append((end, len(self._entities)))
        self._entities.append(entity)
        self._spans.append((start, end))
        self._sizes.append(1 + self._size(made_of))

    def matches_at(self, part: EntityPart, start: int) -> list[tuple[int, int]]:
        """Return the end and the number of each entity from ``start`` on that satisfies a part."""
        here = self._by_start.get(start)
        if here is None or self._tests_left <= 0:
            return []
        self._tests_left -= len(here)
        return [one for one in here if self._satisfies(part, one[1])]

    def longest_matches(self, part: EntityPart) -> list[tuple[int, int, tuple[int, ...]]]:
        """Return the start, the end and the numbers of the longest entities at each start that
        satisfy a part."""
        found = []
        for start in sorted(self._by_start):
            if here := self.matches_at(part, start):
                longest = max(end for end, _ in here)
                numbers = tuple([number for end, number in here if end == longest])
                found.append((start, longest, numbers))
        return found

    def create_parts(self, chosen: Sequence[tuple[str, int]]) -> tuple[Entity, ...]:
        """Return the entities with those numbers, under their aliases."""
        self._parts_left -= self._size(chosen)
        return tuple(
            replace(self._entities[number], aliases=(alias,)) if alias else self._entities[number]
            for alias, number in chosen
        )

    def _size(self, chosen: Sequence[tuple[str, int]]) -> int:
        return sum([self._sizes[number] for _, number in chosen])

    def _satisfies(self, part: EntityPart, number: int) -> bool:
        known = len(self._entities) if part.predicate.reads_position else 0
        key = part.text, number, known
        fits = self._test_results.get(key)
        if fits is None:
            entity, context = self._entities[number], self._context
            if known:
                self._tests_left -= known
                context = context.with_entities(self._entities_beside(number))
            try:
                fits = part.predicate.test(EntityContext(entity, context))
            except EvaluationError as error:
                fits = False
                self.failure = self.failure or (part, entity, str(error))
            self._test_results[key] = fits
        return fits

    def _entities_beside(self, number: int) -> Sequence[Entity]:
        """The entity with that number and all that do not overlap it, in the order of the text."""
        start, end = self._spans[number]
        spans = sorted([(span, at) for at, span in enumerate(self._spans)])
        before = [self._entities[at] for span, at in spans if span[1] <= start]
        after = [self._entities[at] for span, at in spans if span[0] >= end]
        return (*before, self._entities[number], *after)
