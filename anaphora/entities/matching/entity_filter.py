"""Which of the entities that were found in a text stay, and in which order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from operator import attrgetter

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.references.resolution import (
    find_referring_elements,
    resolve_references,
)
from anaphora.entities.matching.longest_match import keep_longest_spans, keep_longest_token_sets
from anaphora.models.domain import Element

__all__ = ["EntityFilter"]

_TOKENS = attrgetter("tokens")


class EntityFilter:
    """Settles what was found of these ``elements`` of a model, which come in its order."""

    def __init__(self, elements: Iterable[Element]) -> None:
        listed = list(elements)
        self._order = {element.id: place for place, element in enumerate(listed)}
        self._elements = {one.id: one for one in listed if not one.abstract}
        self._recognized = {id: one for id, one in self._elements.items() if one.recognition}
        self._refers = bool(find_referring_elements(self._recognized))

    def apply(self, found: list[Entity]) -> tuple[Entity, ...]:
        """The entities in their order, each once, and of one kind only those that do not lie in
        a longer one."""
        if len(found) < 2:
            return tuple(found)
        if self._refers:
            found = resolve_references(found, self._elements)
        found.sort(key=self.sort_key)
        if len({entity.tokens for entity in found}) < len(found):
            found = _deduplicate(found)
            if self._recognized:
                found = _drop_redundant(found)
        if all(map(_is_whole, found)):
            return tuple(
                keep_longest_spans(found, map(_token_range, found), map(self._kind, found))
            )
        return tuple(keep_longest_token_sets(found, tokens=_TOKENS, kind=self._kind))

    def sort_key(self, entity: Entity) -> tuple[int, int, int]:
        """By what entities are ordered: where they begin, the longer ones first."""
        return entity.tokens[0], -len(entity.tokens), self._order[entity.element]

    def _kind(self, entity: Entity) -> str | None:
        """Among what only the longest counts."""
        return entity.element if self._elements[entity.element].greedy else None

    def keep_outermost_resets(
        self, resets: Sequence[tuple[int, ...]], entities: tuple[Entity, ...]
    ) -> tuple[tuple[int, ...], ...]:
        """The reset phrases that do not lie strictly inside a longer entity."""
        both = [
            *((tokens, True) for tokens in resets),
            *((entity.tokens, False) for entity in entities),
        ]
        kept = keep_longest_token_sets(both, tokens=lambda one: one[0], kind=lambda _: "")
        return tuple(tokens for tokens, is_reset in kept if is_reset)


def _deduplicate(entities: list[Entity]) -> list[Entity]:
    """One of each element and value at one place and of the same parts, an exact one where
    there is one."""
    best: dict[Hashable, Entity] = {}
    for entity in entities:
        if not entity.own:
            best[id(entity)] = entity
            continue
        key = (entity.element, entity.value, entity.tokens, entity.parts and _identity(entity))
        if key not in best or (entity.exact and not best[key].exact):
            best[key] = entity
    return list(best.values())


def _drop_redundant(entities: list[Entity]) -> list[Entity]:
    """Without what both the phrases of an element and its recognizer say of the same words.

    A value that the model gives to just these words counts; otherwise what was recognized does,
    which knows more.
    """
    found: dict[tuple[str, tuple[int, ...]], set[str | None]] = {}
    for entity in entities:
        if not entity.own:
            found.setdefault((entity.element, entity.tokens), set()).add(entity.value)
    said = set()
    kept = []
    for entity in entities:
        place = (entity.element, entity.tokens)
        if entity.own and place in found and entity.exact and not entity.parts:
            if entity.value is None or entity.value in found[place]:
                continue
            said.add(place)
        kept.append(entity)
    return [one for one in kept if one.own or (one.element, one.tokens) not in said]


def _identity(entity: Entity) -> Hashable:
    """What tells entities of the same words apart; of two that were recognized, which it is."""
    parts = tuple(map(_identity, entity.parts))
    which = 0 if entity.own else id(entity.meta)
    return entity.element, entity.value, entity.tokens, entity.aliases, which, parts


def _token_range(entity: Entity) -> tuple[int, int]:
    return entity.tokens[0], entity.tokens[-1] + 1


def _is_whole(entity: Entity) -> bool:
    return entity.tokens[-1] - entity.tokens[0] + 1 == len(entity.tokens)
