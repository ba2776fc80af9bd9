"""The entities of one text that others may be composed of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anaphora.errors import EvaluationError
from anaphora.grammar.context import Context, Surroundings
from anaphora.grammar.parts import Part
from anaphora.models.utterance import Entity

__all__ = ["Failure", "Found"]

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
        self._by_start: dict[int, list[tuple[int, int]]] = {}
        self._fits: dict[tuple[str, int], bool] = {}

    def add(self, start: int, end: int, entity: Entity) -> None:
        """Puts in an entity that takes the words from ``start`` up to ``end``."""
        self._by_start.setdefault(start, []).append((end, len(self._entities)))
        self._entities.append(entity)

    def at(self, part: Part, start: int) -> list[tuple[int, int]]:
        """The end and the number of each entity from ``start`` on that fits."""
        return [one for one in self._by_start.get(start, ()) if self._is_fit(part, one[1])]

    def everywhere(self, part: Part) -> list[tuple[int, int, int]]:
        """The start, the end and the number of the longest entity at each start that fits."""
        found = []
        for start in sorted(self._by_start):
            if here := self.at(part, start):
                end, number = max(here, key=lambda one: (one[0], -one[1]))
                found.append((start, end, number))
        return found

    def parts(self, chosen: Sequence[tuple[str, int]]) -> tuple[Entity, ...]:
        """The entities of those numbers, under those names."""
        return tuple(
            replace(self._entities[number], aliases=(alias,)) if alias else self._entities[number]
            for alias, number in chosen
        )

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
