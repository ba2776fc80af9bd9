"""Resolve limits, sorts and relations to other entities of the sentence, by position.

As in NLPCraft, entities of the model and built-in ones can be targets, except those that refer to
others themselves. Distances are counted in tokens that no entity covers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, product, takewhile
from typing import Any, TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.frozen import EMPTY, freeze
from anaphora.models.domain import Element

__all__ = ["find_referring_elements", "resolve_references"]

_MAX_READINGS = 4  # of one limit, sort or relation
_MAX_GAP = 3  # uncovered tokens between an entity and its target ("10 of the most popular cities")
_LIST_GAPS = range(1, 2)  # uncovered tokens between things of one list ("price and size")
_MAX_DISTANCE = 24  # tokens, covered or not
_COMPARED_GAPS = range(5)  # uncovered tokens between compared things ("… with that of the …")

_EntityGroup: TypeAlias = tuple[Entity, ...]
"""Entities on the same tokens, of which one is meant."""

_ReferenceKeys: TypeAlias = dict[str, Any]
"""The metadata that an entity gets from its targets."""


def find_referring_elements(elements: Mapping[str, Element]) -> dict[str, str]:
    """The ids of the elements that refer to others, each with the name of its recognizer:
    ``limit``, ``sort`` or ``relation``."""
    names = {
        id: element.recognition.name.removeprefix("nlpcraft:")
        for id, element in elements.items()
        if element.recognition is not None and element.recognition.kind == "built-in"
    }
    return {id: name for id, name in names.items() if name in _RESOLVERS}


def resolve_references(entities: Sequence[Entity], elements: Mapping[str, Element]) -> list[Entity]:
    """The entities of a sentence, with the targets of limits, sorts and relations in their
    metadata. ``elements`` defines which entities refer to others, and to which (options ``of`` and
    ``except``).

    A limit and a relation get ``indexes``, the tokens of their targets, and ``note``, the id of the
    element (a relation between several elements: ``notes``, their ids). A sort gets
    ``subjindexes`` and ``subjnotes`` for its subjects, ``byindexes`` and ``bynotes`` for its
    criteria. If several elements are on the same tokens, there is one entity for each, at most
    four. An entity without targets is unchanged.
    """
    kinds = find_referring_elements(elements)
    if not any(entity.element in kinds for entity in entities):
        return list(entities)
    others = [entity for entity in entities if entity.element not in kinds]
    others.sort(key=_first_token)
    resolved: list[Entity] = []
    for entity in entities:
        kind = kinds.get(entity.element)
        if kind is None:
            resolved.append(entity)
            continue
        recognition = elements[entity.element].recognition
        options = recognition.options if recognition else EMPTY
        near = _entities_in_range(entity, others)
        around = _ReferenceContext(entity, near, _filter_targets(near, options))
        found = list(islice(_RESOLVERS[kind](entity, around), _MAX_READINGS))
        resolved += [
            replace(entity, meta=freeze({**entity.meta, **keys})) for keys in found or [{}]
        ]
    return resolved


def _first_token(entity: Entity) -> int:
    return entity.tokens[0]


def _entities_in_range(entity: Entity, others: Sequence[Entity]) -> Sequence[Entity]:
    """The ``others`` (in the order of the sentence) that are near enough to be targets."""
    start = bisect_left(others, entity.tokens[0] - _MAX_DISTANCE, key=_first_token)
    end = bisect_right(others, entity.tokens[-1] + _MAX_DISTANCE, key=_first_token)
    return others[start:end]


def _filter_targets(entities: Sequence[Entity], options: Mapping[str, Any]) -> Sequence[Entity]:
    """The entities that the options ``of`` (any, if empty) and ``except`` allow as targets."""
    allowed, excluded = frozenset(options.get("of", ())), frozenset(options.get("except", ()))
    return [
        one
        for one in entities
        if (not allowed or one.element in allowed or one.groups & allowed)
        and not (one.element in excluded or one.groups & excluded)
    ]


class _ReferenceContext:
    """The possible targets of one entity, by position. Of entities that start at the same token the
    longest count; ``targets`` are those of ``others`` that it may refer to."""

    def __init__(self, entity: Entity, others: Sequence[Entity], targets: Sequence[Entity]) -> None:
        own = set(entity.tokens)
        self._covered = {token for one in others for token in one.tokens} | own
        free = [one for one in targets if own.isdisjoint(one.tokens)]
        free.sort(key=lambda one: (one.tokens[0], -one.tokens[-1], one.tokens))
        places: list[_EntityGroup] = []
        for tokens, group in groupby(free, key=lambda one: one.tokens):
            if not places or tokens[0] > places[-1][0].tokens[-1]:
                places.append(_group_by_element(group))
        first, last = entity.tokens[0], entity.tokens[-1]
        self.preceding = [place for place in reversed(places) if place[0].tokens[-1] < first]
        """The targets before the entity, the nearest first."""
        self.following = [place for place in places if place[0].tokens[0] > last]
        """The targets behind the entity, the nearest first."""
        self._entity = entity

    def within_reach(self, places: Sequence[_EntityGroup]) -> Sequence[_EntityGroup]:
        """The places (nearest first), if the nearest one is near enough; otherwise none."""
        return places if places and self._gap(self._entity, places[0][0]) <= _MAX_GAP else ()

    def take_row(self, places: Sequence[_EntityGroup], gaps: range) -> list[_EntityGroup]:
        """The first of the places, and those that follow it with one of these ``gaps`` between
        them."""
        row: list[_EntityGroup] = []
        for place in places:
            if row and self._gap(row[-1][0], place[0]) not in gaps:
                break
            row.append(place)
        return row

    def _gap(self, one: Entity, other: Entity) -> int:
        """The number of uncovered tokens between two entities."""
        before, behind = sorted((one.tokens, other.tokens))
        return sum(token not in self._covered for token in range(before[-1] + 1, behind[0]))


def _group_by_element(entities: Iterable[Entity]) -> _EntityGroup:
    """The first entity of each element."""
    return tuple({entity.element: entity for entity in reversed(list(entities))}.values())[::-1]


def _resolve_limit(entity: Entity, around: _ReferenceContext) -> Iterator[_ReferenceKeys]:
    """The target right behind the limit; the one right before it, if the phrase asks for that or
    nothing is behind."""
    sides = [around.within_reach(around.following), around.within_reach(around.preceding)]
    if entity.meta.get("refers") == "before":
        sides.reverse()
    places = next(filter(None, sides), ())
    for one in places[0] if places else ():
        yield {"indexes": list(one.tokens), "note": one.element}


def _resolve_sort(entity: Entity, around: _ReferenceContext) -> Iterator[_ReferenceKeys]:
    """The criteria are between the offsets of the recognizer; the subjects are between the phrase
    and the criteria, or else before the phrase."""
    start, end = entity.meta.get("by", (entity.start, entity.start))
    before = around.preceding[::-1]
    within = [one for one in (*before, *around.following) if start <= one[0].start < end]
    by = around.take_row(within, _LIST_GAPS)
    # Entities behind the criterion are no subjects.
    middle = [one for one in around.following if start < entity.end or one[0].end <= start]
    ahead = [one for one in around.preceding if one not in within]
    what = _sharing_groups(
        around.take_row(around.within_reach(middle) or around.within_reach(ahead), _LIST_GAPS)
    )
    for chosen in product(*what, *by):
        keys = _build_keys("subj", chosen[: len(what)]) | _build_keys("by", chosen[len(what) :])
        if keys:
            yield keys


def _sharing_groups(places: Sequence[_EntityGroup]) -> Sequence[_EntityGroup]:
    """The first place and the following ones that share a group with it: "cities in France" is no
    list."""
    groups = {group for place in places[:1] for one in place for group in one.groups}
    return list(takewhile(lambda place: any(one.groups & groups for one in place), places))


def _build_keys(prefix: str, entities: Sequence[Entity]) -> _ReferenceKeys:
    if not entities:
        return {}
    entities = sorted(entities, key=lambda one: one.tokens)
    indexes = [token for one in entities for token in one.tokens]
    notes = list(dict.fromkeys(one.element for one in entities))
    return {f"{prefix}indexes": indexes, f"{prefix}notes": notes}


def _resolve_relation(entity: Entity, around: _ReferenceContext) -> Iterator[_ReferenceKeys]:
    """The related things: those of one element, if there are any, otherwise the nearest two."""
    before, behind = around.within_reach(around.preceding), around.within_reach(around.following)
    match entity.meta.get("refers"):
        case "between":
            sides = around.take_row(before, _COMPARED_GAPS), around.take_row(behind, _COMPARED_GAPS)
            alike = _find_comparable(sides[0], sides[1])
            next_ones = [*sides[0][:1], *sides[1][:1]]
        case "before":
            row = around.take_row(before, _COMPARED_GAPS)[::-1]
            alike, next_ones = _find_comparable(row), row[-2:]
        case _:
            row = around.take_row(behind, _COMPARED_GAPS)
            alike, next_ones = _find_comparable(row), row[:2]
    for related in alike or product(*next_ones):
        if keys := _build_relation_keys(related):
            yield keys


def _find_comparable(*sides: Sequence[_EntityGroup]) -> list[tuple[Entity, ...]]:
    """The things of one element with different values, for the first such element and for others on
    the same tokens: all of a single side, or the nearest one of each of two sides."""
    found: list[tuple[Entity, ...]] = []
    everywhere = [one for side in sides for place in side for one in place]
    for element in dict.fromkeys(one.element for one in everywhere):
        of_it = [
            [one for place in side for one in place if one.element == element] for side in sides
        ]
        if len(sides) > 1:
            of_it = [side[:1] for side in of_it]
        related = tuple(one for side in of_it for one in side)
        if len({one.value_or_text.casefold() for one in related}) < 2 or not all(of_it):
            continue
        tokens = [one.tokens for one in related]
        if not found or tokens == [one.tokens for one in found[0]]:
            found.append(related)
    return found


def _build_relation_keys(entities: Sequence[Entity]) -> _ReferenceKeys:
    keys = _build_keys("", entities)
    notes = keys.get("notes", ())
    return {"indexes": keys["indexes"], "note": notes[0]} if len(notes) == 1 else keys


_RESOLVERS: Mapping[str, Callable[[Entity, _ReferenceContext], Iterator[_ReferenceKeys]]] = {
    "limit": _resolve_limit,
    "sort": _resolve_sort,
    "relation": _resolve_relation,
}
