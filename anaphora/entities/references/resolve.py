"""What limits, sorts and relations refer to: other entities of the sentence, by where they stand.

As in NLPCraft, words of the model's own and built-in entities can be referred to, those that refer
themselves cannot. How far off something may stand is counted in tokens that nothing covers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, product, takewhile
from typing import Any, TypeAlias

from msgspec.structs import replace

from anaphora.frozen import frozen
from anaphora.models.domain import Element
from anaphora.models.utterance import Entity

__all__ = ["referring", "with_references"]

_MOST = 4  # ways to understand one limit, sort or relation
_REACH = 3  # uncovered tokens between it and what it refers to ("10 of the most popular cities")
_LINK = 1  # uncovered token between things of one list ("price and size"), no more and no less
_FARTHEST = 24  # tokens in all
_BETWEEN = 4  # uncovered tokens between things that are compared ("… with that of the …")

_Place: TypeAlias = tuple[Entity, ...]
"""Entities of the same tokens: one of them is meant."""

_Keys: TypeAlias = dict[str, Any]
"""What an entity gets as metadata."""


def referring(elements: Mapping[str, Element]) -> dict[str, str]:
    """The elements among these that refer to others, each with the name of its recognizer:
    ``limit``, ``sort`` or ``relation``."""
    names = {
        id: element.recognition.name.removeprefix("nlpcraft:")
        for id, element in elements.items()
        if element.recognition is not None and element.recognition.kind == "built-in"
    }
    return {id: name for id, name in names.items() if name in _RESOLVERS}


def with_references(entities: Sequence[Entity], elements: Mapping[str, Element]) -> list[Entity]:
    """The entities of a sentence, those that refer to others with what they refer to in their
    metadata: ``elements`` tells which do, and of what (option ``of``).

    A limit and a relation get ``indexes``, the tokens of what they refer to, and ``note``, the id
    of its element (a relation between several elements: ``notes``, their ids); a sort gets
    ``subjindexes`` and ``subjnotes``, ``byindexes`` and ``bynotes``, those of the two that it has.
    Where several elements stand on the same tokens, there is one entity for each, at most four.
    One that refers to nothing stays as it is, without these keys.
    """
    kinds = referring(elements)
    if not any(entity.element in kinds for entity in entities):
        return list(entities)
    others = [entity for entity in entities if entity.element not in kinds]
    others.sort(key=_first)
    resolved: list[Entity] = []
    for entity in entities:
        kind = kinds.get(entity.element)
        if kind is None:
            resolved.append(entity)
            continue
        around = _Surroundings(entity, _near(entity, others), _allowed(elements[entity.element]))
        found = list(islice(_RESOLVERS[kind](entity, around), _MOST))
        resolved += [
            replace(entity, meta=frozen({**entity.meta, **keys})) for keys in found or [{}]
        ]
    return resolved


def _first(entity: Entity) -> int:
    return entity.tokens[0]


def _near(entity: Entity, others: Sequence[Entity]) -> Sequence[Entity]:
    """Those of ``others``, which come in the order of the sentence, that could be meant."""
    start = bisect_left(others, entity.tokens[0] - _FARTHEST, key=_first)
    end = bisect_right(others, entity.tokens[-1] + _FARTHEST, key=_first)
    return others[start:end]


def _allowed(element: Element) -> frozenset[str]:
    recognition = element.recognition
    return frozenset(recognition.options.get("of", ())) if recognition else frozenset()


class _Surroundings:
    """What one entity may refer to, by where it stands. Of entities that begin at the same token
    those that reach farthest count; if ``allowed`` names any groups or elements, only these."""

    def __init__(self, entity: Entity, others: Sequence[Entity], allowed: frozenset[str]) -> None:
        own = set(entity.tokens)
        self._covered = {token for one in others for token in one.tokens} | own
        free = [
            one
            for one in others
            if own.isdisjoint(one.tokens)
            and (not allowed or one.element in allowed or one.groups & allowed)
        ]
        free.sort(key=lambda one: (one.tokens[0], -one.tokens[-1], one.tokens))
        places: list[_Place] = []
        for tokens, group in groupby(free, key=lambda one: one.tokens):
            if not places or tokens[0] > places[-1][0].tokens[-1]:
                places.append(_by_element(group))
        first, last = entity.tokens[0], entity.tokens[-1]
        self.before = [place for place in reversed(places) if place[0].tokens[-1] < first]
        """The nearest one first, as in ``behind``."""
        self.behind = [place for place in places if place[0].tokens[0] > last]
        self._entity = entity

    def near(self, places: Sequence[_Place], farthest: int = _REACH) -> Sequence[_Place]:
        """The places, the nearest first, if that is near enough."""
        return places if places and self._gap(self._entity, places[0][0]) <= farthest else ()

    def list_of(self, places: Sequence[_Place]) -> list[_Place]:
        """The first of the places, and those that go on with it like a list."""
        return self._row(places, lambda gap: gap == _LINK)

    def row(self, places: Sequence[_Place]) -> list[_Place]:
        """The first of the places, and what follows it near enough to be compared with it."""
        return self._row(places, lambda gap: gap <= _BETWEEN)

    def _row(self, places: Sequence[_Place], goes_on: Callable[[int], bool]) -> list[_Place]:
        row: list[_Place] = []
        for place in places:
            if row and not goes_on(self._gap(row[-1][0], place[0])):
                break
            row.append(place)
        return row

    def _gap(self, one: Entity, other: Entity) -> int:
        """How many tokens that nothing covers stand between the two."""
        before, behind = sorted((one.tokens, other.tokens))
        return sum(token not in self._covered for token in range(before[-1] + 1, behind[0]))


def _by_element(entities: Iterable[Entity]) -> _Place:
    """One entity of each element."""
    return tuple({entity.element: entity for entity in reversed(list(entities))}.values())[::-1]


def _limit(entity: Entity, around: _Surroundings) -> Iterator[_Keys]:
    """What stands right behind it; right before it if it says so or if there is nothing behind."""
    sides = [around.near(around.behind), around.near(around.before)]
    if entity.meta.get("refers") == "before":
        sides.reverse()
    places = next(filter(None, sides), ())
    for one in places[0] if places else ():
        yield {"indexes": list(one.tokens), "note": one.element}


def _sort(entity: Entity, around: _Surroundings) -> Iterator[_Keys]:
    """By what: that which stands where the recognizer has seen a criterion. What: that which
    stands between the words and the criterion, else before the words."""
    start, end = entity.meta.get("by", (entity.start, entity.start))
    before = around.before[::-1]
    within = [one for one in (*before, *around.behind) if start <= one[0].start < end]
    by = around.list_of(within)
    # All behind the criterion belongs to it or to neither.
    middle = [one for one in around.behind if start < entity.end or one[0].end <= start]
    ahead = [one for one in around.before if one not in within]
    what = _of_a_kind(around.list_of(around.near(middle) or around.near(ahead)))
    for chosen in product(*what, *by):
        keys = _indexed("subj", chosen[: len(what)]) | _indexed("by", chosen[len(what) :])
        if keys:
            yield keys


def _of_a_kind(places: Sequence[_Place]) -> Sequence[_Place]:
    """The first place and those behind it, up to one that shares no group with it: "cities in
    France" are no list."""
    groups = {group for place in places[:1] for one in place for group in one.groups}
    return list(takewhile(lambda place: any(one.groups & groups for one in place), places))


def _indexed(prefix: str, entities: Sequence[Entity]) -> _Keys:
    if not entities:
        return {}
    entities = sorted(entities, key=lambda one: one.tokens)
    indexes = [token for one in entities for token in one.tokens]
    notes = list(dict.fromkeys(one.element for one in entities))
    return {f"{prefix}indexes": indexes, f"{prefix}notes": notes}


def _relation(entity: Entity, around: _Surroundings) -> Iterator[_Keys]:
    """What is connected: things of one element if there are such, else the two that are next."""
    before, behind = around.near(around.before), around.near(around.behind)
    match entity.meta.get("refers"):
        case "between":
            sides = around.row(before), around.row(behind)
            alike = _alike(sides[0], sides[1])
            next_ones = [*sides[0][:1], *sides[1][:1]]
        case "before":
            row = around.row(before)[::-1]
            alike, next_ones = _alike(row), row[-2:]
        case _:
            row = around.row(behind)
            alike, next_ones = _alike(row), row[:2]
    for related in alike or product(*next_ones):
        if keys := _related(related):
            yield keys


def _alike(*sides: Sequence[_Place]) -> list[tuple[Entity, ...]]:
    """Those of one element that differ in what they say, of the first such element, and of others
    on the same tokens: all of one side, or of two sides the next ones."""
    found: list[tuple[Entity, ...]] = []
    everywhere = [one for side in sides for place in side for one in place]
    for element in dict.fromkeys(one.element for one in everywhere):
        of_it = [
            [one for place in side for one in place if one.element == element] for side in sides
        ]
        if len(sides) > 1:
            of_it = [side[:1] for side in of_it]
        related = tuple(one for side in of_it for one in side)
        if len({one.said.casefold() for one in related}) < 2 or not all(of_it):
            continue
        tokens = [one.tokens for one in related]
        if not found or tokens == [one.tokens for one in found[0]]:
            found.append(related)
    return found


def _related(entities: Sequence[Entity]) -> _Keys:
    if not entities:
        return {}
    keys = _indexed("", entities)
    notes = keys["notes"]
    return {"indexes": keys["indexes"], "note": notes[0]} if len(notes) == 1 else keys


_RESOLVERS: Mapping[str, Callable[[Entity, _Surroundings], Iterator[_Keys]]] = {
    "limit": _limit,
    "sort": _sort,
    "relation": _relation,
}
