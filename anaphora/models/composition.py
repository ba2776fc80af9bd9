"""The recognition order of elements that are composed of other elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from anaphora.errors import ModelError, Problem
from anaphora.grammar.idl.intent import EntitySelector
from anaphora.grammar.synonyms.entity_part import EntityPart
from anaphora.models.domain import Element
from anaphora.models.element_values import Phrase, find_complex_values

__all__ = [
    "CompositionCycleError",
    "composition_levels",
    "find_part_names",
    "find_parts",
    "iter_phrases",
    "iter_selectors",
]


class CompositionCycleError(ModelError):
    """A cycle of elements that are composed of each other.

    ``cycle`` has their ids: each element may contain the next one as a part, and the last one
    the first.
    """

    def __init__(self, cycle: tuple[str, ...]) -> None:
        self.cycle = cycle
        names = " → ".join((*cycle, cycle[0]))
        message = (
            f"the element '{cycle[0]}' is composed of itself"
            if len(cycle) == 1
            else f"the elements are composed of each other in a cycle: {names}"
        )
        hint = "a part must be an element that is recognized earlier"
        super().__init__(Problem(message, hint=hint))


def composition_levels(elements: Sequence[Element]) -> tuple[tuple[Element, ...], ...]:
    """Sort elements into levels, each in model order: the parts of an element lie in earlier
    levels.

    The first level (possibly empty) has the elements without parts. An element with a part whose
    requirements are unknown gets a level of its own, after all others that do not need it. A
    part that requires a group or an ancestor may be any element that has it, except the element
    itself. Raises :class:`CompositionCycleError` if there is no such order.
    """
    composed = {element.id: parts for element in elements if (parts := find_parts(element))}
    needs, wants = _find_dependencies(composed, elements)
    blind = {
        id
        for id, parts in composed.items()
        if any(part.predicate.requires is None for part in parts)
    }
    levels = [tuple(element for element in elements if element.id not in composed)]
    waiting = {element.id: element for element in elements if element.id in composed}
    while waiting:
        ready = [one for id, one in waiting.items() if waiting.keys().isdisjoint(needs[id])]
        # Those whose predicates ask what stands beside a part come after it, if that is possible.
        ready = [one for one in ready if waiting.keys().isdisjoint(wants[one.id])] or ready
        if not ready:
            raise CompositionCycleError(
                _find_cycle({id: needs[id] & waiting.keys() for id in waiting})
            )
        level = tuple(one for one in ready if one.id not in blind) or tuple(ready[:1])
        levels.append(level)
        for element in level:
            del waiting[element.id]
    return tuple(levels)


def find_parts(element: Element) -> frozenset[EntityPart]:
    """The entity parts in the synonyms of the element and of its values."""
    return frozenset(
        chunk
        for phrase in iter_phrases(element)
        for chunk in phrase
        if isinstance(chunk, EntityPart)
    )


def find_part_names(element: Element) -> frozenset[str] | None:
    """The names of the parts of the element: their aliases and their elements. None if not all
    are known."""
    names: set[str] = set()
    for part in find_parts(element):
        elements = part.predicate.elements
        if elements is None:
            return None
        names.update(elements, (part.alias,) if part.alias else ())
    return frozenset(names)


def iter_phrases(element: Element) -> Iterator[Phrase]:
    """The phrases of the element and of its values, in all languages."""
    values = find_complex_values(element.values)
    for by_language in (element.phrases, *(value.phrases for value in values)):
        for phrases in by_language.values():
            yield from phrases


def _find_dependencies(
    composed: Mapping[str, frozenset[EntityPart]], elements: Sequence[Element]
) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
    """For each composed element the ids of the elements that its parts may be, and of those that
    may stand beside its parts."""
    having: dict[EntitySelector, set[str]] = {}
    for element in elements if composed else ():
        for key in iter_selectors(element):
            having.setdefault(key, set()).add(element.id)
    needs, wants = {}, {}
    for id, parts in composed.items():
        keys = {key for part in parts for key in part.predicate.requires or ()}
        found = {one for key in keys for one in having.get(key, ())}
        needs[id] = frozenset(found if ("element", id) in keys else found - {id})
        beside = {key for part in parts for key in part.predicate.neighbours}
        wants[id] = frozenset(one for key in beside for one in having.get(key, ())) - {id}
    return needs, wants


def iter_selectors(element: Element) -> Iterator[EntitySelector]:
    """The selectors that the element satisfies: its id, its groups and its ancestors."""
    yield "element", element.id
    yield from (("group", group) for group in element.groups)
    yield from (("ancestor", ancestor) for ancestor in element.ancestors)


def _find_cycle(needs: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """A cycle among elements each of which needs another one."""
    path: list[str] = []
    at = next(iter(needs))
    while at not in path:
        path.append(at)
        at = next(id for id in needs if id in needs[at])
    return tuple(path[path.index(at) :])
