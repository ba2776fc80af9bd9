"""Filter and order the entities of a text: duplicates, references, the longest of each kind."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from operator import attrgetter

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.references.resolution import (
    find_referring_elements,
    resolve_references,
)
from anaphora.entities.matching.longest_match import keep_longest_spans, keep_longest_token_sets
from anaphora.entities.variants.contiguous import is_contiguous
from anaphora.models.domain import Element

__all__ = ["EntityFilter"]

_TOKENS = attrgetter("tokens")
_OF_TIME = "datetime"  # the type of the units of time


class EntityFilter:
    """Filters entities of these ``elements``, given in the order of the model."""

    def __init__(self, elements: Iterable[Element]) -> None:
        listed = sorted(elements, key=_generality)
        self._order = {element.id: position for position, element in enumerate(listed)}
        self._elements = {one.id: one for one in listed if not one.abstract}
        self._recognized = {id: one for id, one in self._elements.items() if one.recognition}
        self._refers = bool(find_referring_elements(self._recognized))
        built_in = {id: _builtin_name(one) for id, one in self._recognized.items()}
        self._numbers = {id for id, name in built_in.items() if name == "number"}
        self._times = {id for id, name in built_in.items() if name in ("date", "duration")}

    def apply(self, found: list[Entity]) -> tuple[Entity, ...]:
        """Return the entities sorted and without duplicates; of each greedy element without those
        inside a longer one."""
        if len(found) < 2:
            return tuple(found)
        if self._refers:
            found = resolve_references(found, self._elements)
        if self._numbers and self._times:
            found = self._drop_amounts_of_time(found)
        found.sort(key=self.sort_key)
        if len({entity.tokens for entity in found}) < len(found):
            found = _deduplicate(found)
            if self._recognized:
                found = _drop_redundant(found)
        if all(map(is_contiguous, found)):
            spans = [(entity.tokens[0], entity.tokens[-1] + 1) for entity in found]
            return tuple(keep_longest_spans(found, spans, map(self._kind, found)))
        return tuple(keep_longest_token_sets(found, tokens=_TOKENS, kind=self._kind))

    def _drop_amounts_of_time(self, found: list[Entity]) -> list[Entity]:
        """Drop the numbers of hours or days, and the ordinals from one to another, that are a date
        or a duration, maybe with a word before it: "for two hours", French *de 9h à 11h*,
        Portuguese *de segunda a sexta*."""
        times = {one.tokens for one in found if one.element in self._times}
        return [
            one
            for one in found
            if not (
                one.element in self._numbers
                and (
                    (one.meta.get("unittype") == _OF_TIME and not times.isdisjoint(_ends(one)))
                    or (_is_ordinal_range(one) and any(map({*one.tokens[1:]}.issubset, times)))
                )
            )
        ]

    def sort_key(self, entity: Entity) -> tuple[int, int, int]:
        """Sort key: start, longer first, recurrences first and numbers last, order of the model."""
        return entity.tokens[0], -len(entity.tokens), self._order[entity.element]

    def _kind(self, entity: Entity) -> str | None:
        """Return the key of the entities among which only the longest count; None if all count."""
        return entity.element if self._elements[entity.element].greedy else None

    def keep_outermost_resets(
        self, resets: Sequence[tuple[int, ...]], entities: tuple[Entity, ...]
    ) -> tuple[tuple[int, ...], ...]:
        """Keep the reset phrases that are not strictly inside a longer entity."""
        both = [(tokens, True) for tokens in resets]
        both += [(entity.tokens, False) for entity in entities]
        kept = keep_longest_token_sets(both, tokens=lambda one: one[0], kind=lambda _: "")
        return tuple(tokens for tokens, is_reset in kept if is_reset)


def _ends(number: Entity) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The tokens of a number, and those without the first."""
    return number.tokens, number.tokens[1:]


def _is_ordinal_range(number: Entity) -> bool:
    return number.meta.get("kind") == "ordinal" and "from" in number.meta


def _generality(element: Element) -> int:
    """How much an element may be: "on Mondays" is rather a recurrence than a date, "two hours" are
    rather a duration than a number."""
    return {"recurrence": -1, "number": 1}.get(_builtin_name(element), 0)


def _builtin_name(element: Element) -> str:
    """The name of the built-in entity that an element is; '' for another one."""
    recognition = element.recognition
    return recognition.name if recognition is not None and recognition.kind == "built-in" else ""


def _deduplicate(entities: list[Entity]) -> list[Entity]:
    """Keep one entity for each element, value, set of tokens and parts, preferably an exact one."""
    best: dict[Hashable, Entity] = {}
    for entity in entities:
        if not entity.is_from_phrase:
            best[id(entity)] = entity
            continue
        key = (entity.element, entity.value, entity.tokens, entity.parts and _identity(entity))
        if key not in best or (entity.exact and not best[key].exact):
            best[key] = entity
    return list(best.values())


def _drop_redundant(entities: list[Entity]) -> list[Entity]:
    """Drop duplicates of the phrases of an element and its recognizer on the same words.

    A value that the model defines for just these words takes precedence; otherwise the recognized
    entity, which has more metadata.
    """
    found: dict[tuple[str, tuple[int, ...]], set[str | None]] = {}
    for entity in entities:
        if not entity.is_from_phrase:
            found.setdefault((entity.element, entity.tokens), set()).add(entity.value)
    defined_by_value = set()
    kept = []
    for entity in entities:
        key = (entity.element, entity.tokens)
        if entity.is_from_phrase and key in found and entity.exact and not entity.parts:
            if entity.value is None or entity.value in found[key]:
                continue
            defined_by_value.add(key)
        kept.append(entity)
    return [
        one
        for one in kept
        if one.is_from_phrase or (one.element, one.tokens) not in defined_by_value
    ]


def _identity(entity: Entity) -> Hashable:
    """Return the key that distinguishes entities of the same words, and recognized ones from each
    other."""
    parts = tuple(map(_identity, entity.parts))
    which = 0 if entity.is_from_phrase else id(entity.meta)
    return entity.element, entity.value, entity.tokens, entity.aliases, which, parts
