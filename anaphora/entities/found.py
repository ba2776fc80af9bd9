"""The entities of one text that others may be composed of."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from anaphora.errors import EvaluationError
from anaphora.grammar.context import Context, Surroundings
from anaphora.grammar.parts import Part
from anaphora.models.utterance import Entity

__all__ = ["Failure", "Found"]

# In one text (some 0.5 s each); what is left then goes unfound.
_MOST_TRIED = 50_000  # entities for parts
_MOST_MADE = 10_000  # entities that are parts, and parts of those

Failure = tuple[Part, Entity, str]
"""A part whose predicate could not be evaluated, for which entity, and why."""


class Found:
    """Entities by where they start among the words, each with a number.

    A predicate is asked once about an entity. ``failure`` is the first that could not be
    evaluated since it was set to None; it counts as not true.
    """

    def __init__(self, surroundings: Surroundings) -> None:
        self.failure: Failure | None = None
        self._surroundings = surroundings
        self._entities: list[Entity] = []
        self._sizes: list[int] = []  # of each with all that it is composed of
        self._tries = _MOST_TRIED
        self._makes = _MOST_MADE
        self._by_start: dict[int, list[tuple[int, int]]] = {}
        self._fits: dict[tuple[str, int], bool] = {}

    @property
    def is_spent(self) -> bool:
        """Whether so many entities were made of others that no more may be."""
        return self._makes <= 0

    def add(
        self, start: int, end: int, entity: Entity, made_of: Sequence[tuple[str, int]] = ()
    ) -> None:
        """Puts in an entity that stands in the words from ``start`` up to ``end``, with the
        names and numbers of its parts."""
        self._by_start.setdefault(start, []).append((end, len(self._entities)))
        self._entities.append(entity)
        self._sizes.append(1 + self._size(made_of))

    def at(self, part: Part, start: int) -> list[tuple[int, int]]:
        """The end and the number of each entity from ``start`` on that fits."""
        here = self._by_start.get(start)
        if here is None or self._tries <= 0:
            return []
        self._tries -= len(here)
        return [one for one in here if self._is_fit(part, one[1])]

    def everywhere(self, part: Part) -> list[tuple[int, int, tuple[int, ...]]]:
        """The start, the end and the numbers of the longest entities at each start that fit."""
        found = []
        for start in sorted(self._by_start):
            if here := self.at(part, start):
                longest = max(end for end, _ in here)
                numbers = tuple([number for end, number in here if end == longest])
                found.append((start, longest, numbers))
        return found

    def parts(self, chosen: Sequence[tuple[str, int]]) -> tuple[Entity, ...]:
        """The entities of those numbers, under those names."""
        self._makes -= self._size(chosen)
        return tuple(
            replace(self._entities[number], aliases=(alias,)) if alias else self._entities[number]
            for alias, number in chosen
        )

    def _size(self, chosen: Sequence[tuple[str, int]]) -> int:
        return sum([self._sizes[number] for _, number in chosen])

    def _is_fit(self, part: Part, number: int) -> bool:
        key = part.text, number
        fits = self._fits.get(key)
        if fits is None:
            entity = self._entities[number]
            try:
                fits = part.predicate.test(Context(entity, self._surroundings))
            except EvaluationError as error:
                fits = False
                self.failure = self.failure or (part, entity, str(error))
            self._fits[key] = fits
        return fits
