"""In which order the elements of a model are found, where some are composed of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anaphora.errors import ModelError, Problem
from anaphora.grammar.idl.intent import EntitySelector
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import Element
from anaphora.models.element_values import Phrase, find_complex_values

__all__ = ["CompositionCycleError", "composition_levels", "find_part_names", "find_parts"]


class CompositionCycleError(ModelError):
    """Elements that would have to be found before themselves.

    ``circle`` holds their ids: each has a part that may be the next one, and the last one a part
    that may be the first.
    """

    def __init__(self, cycle: tuple[str, ...]) -> None:
        self.cycle = cycle
        names = " → ".join((*cycle, cycle[0]))
        message = (
            f"the element '{cycle[0]}' is composed of itself"
            if len(cycle) == 1
            else f"the elements are composed of each other in a circle: {names}"
        )
        hint = "a part must be an element that is found before"
        super().__init__(Problem(message, hint=hint))


def composition_levels(elements: Sequence[Element]) -> tuple[tuple[Element, ...], ...]:
    """The elements in layers, each in the order of the model: what the parts of an element may
    be stands in earlier layers.

    The first layer (which may be empty) has the elements without parts. An element with a part
    of which nothing is known before it is tried has a layer of its own, after all others that do
    not need it. A group or an ancestor that a part asks for stands for every element that has
    it, but for the element itself. Raises :class:`CompositionCycleError` where there is no such
    order.
    """
    composed = {element.id: parts for element in elements if (parts := find_parts(element))}
    needs = _find_dependencies(composed, elements)
    blind = {
        id
        for id, parts in composed.items()
        if any(part.predicate.requires is None for part in parts)
    }
    layers = [tuple(element for element in elements if element.id not in composed)]
    waiting = {element.id: element for element in elements if element.id in composed}
    while waiting:
        ready = [one for id, one in waiting.items() if waiting.keys().isdisjoint(needs[id])]
        if not ready:
            raise CompositionCycleError(
                _find_cycle({id: needs[id] & waiting.keys() for id in waiting})
            )
        layer = tuple(one for one in ready if one.id not in blind) or tuple(ready[:1])
        layers.append(layer)
        for element in layer:
            del waiting[element.id]
    return tuple(layers)


def find_parts(element: Element) -> frozenset[EntityPart]:
    """The parts in the synonyms of the element and of its values."""
    return frozenset(
        chunk
        for phrase in _iter_phrases(element)
        for chunk in phrase
        if isinstance(chunk, EntityPart)
    )


def find_part_names(element: Element) -> frozenset[str] | None:
    """The names under which the parts of the element can be asked for: those in its synonyms, and
    the elements of its parts. None if not all are known."""
    names: set[str] = set()
    for part in find_parts(element):
        elements = part.predicate.elements
        if elements is None:
            return None
        names.update(elements, (part.alias,) if part.alias else ())
    return frozenset(names)


def _iter_phrases(element: Element) -> Iterator[Phrase]:
    odd = find_complex_values(element.values)
    for said in (element.phrases, *(value.phrases for value in odd)):
        for phrases in said.values():
            yield from phrases


def _find_dependencies(
    composed: Mapping[str, frozenset[EntityPart]], elements: Sequence[Element]
) -> dict[str, frozenset[str]]:
    """For each composed element the ids of those that its parts may be."""
    having: dict[EntitySelector, set[str]] = {}
    for element in elements if composed else ():
        for key in _selectors_of(element):
            having.setdefault(key, set()).add(element.id)
    needs = {}
    for id, parts in composed.items():
        keys = {key for part in parts for key in part.predicate.requires or ()}
        found = {one for key in keys for one in having.get(key, ())}
        needs[id] = frozenset(found if ("element", id) in keys else found - {id})
    return needs


def _selectors_of(element: Element) -> Iterator[EntitySelector]:
    yield "element", element.id
    yield from (("group", group) for group in element.groups)
    yield from (("ancestor", ancestor) for ancestor in element.ancestors)


def _find_cycle(needs: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """A circle among elements each of which needs another one of them."""
    path: list[str] = []
    at = next(iter(needs))
    while at not in path:
        path.append(at)
        at = next(id for id in needs if id in needs[at])
    return tuple(path[path.index(at) :])
