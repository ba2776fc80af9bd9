"""Functions on lists, maps and the length of things. None of them changes its arguments."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.functions.registry import function
from anaphora.grammar.values import (
    Kind,
    bounded,
    describe,
    equal,
    kind_of,
    plain,
    typed_key,
)
from anaphora.grammar.values import contains as is_in


@function("collections", "list")
def list_of(*items: object) -> Sequence[Any]:
    """A list of the arguments."""
    return tuple(items)


@function("collections")
def get(collection: Sequence[Any] | Mapping[Any, Any], key: object) -> Any:
    """The element of a list at a place (from 0), or of a map under a key (null if missing)."""
    if isinstance(collection, Mapping):
        found = (value for name, value in collection.items() if _same_key(name, key))
        return plain(collection.get(key) if type(key) is str else next(found, None))
    if kind_of(key) is not Kind.INTEGER:
        raise EvaluationError(f"'get' needs an integer as the place, not {describe(key)}")
    place = int(key)  # type: ignore[call-overload]  # the kind says int
    if not 0 <= place < len(collection):
        raise EvaluationError(f"'get' finds no place {place} in {describe(collection)}")
    return collection[place]


@function("collections")
def has(items: Sequence[Any], value: object) -> bool:
    """Whether the list holds the value; 1 is neither 1.0 nor true."""
    return is_in(items, value)


@function("collections")
def has_any(items: Sequence[Any], values: Sequence[Any]) -> bool:
    """Whether the list holds at least one of the values."""
    keys = {typed_key(item) for item in items}
    return any(typed_key(value) in keys for value in values)


@function("collections")
def has_all(items: Sequence[Any], values: Sequence[Any]) -> bool:
    """Whether the list holds every one of the values."""
    keys = {typed_key(item) for item in items}
    return all(typed_key(value) in keys for value in values)


@function("collections")
def first(items: Sequence[Any]) -> Any:
    """The first element, or null."""
    return items[0] if items else None


@function("collections")
def last(items: Sequence[Any]) -> Any:
    """The last element, or null."""
    return items[-1] if items else None


@function("collections", "length", "size", "count")
def length(collection: str | Sequence[Any] | Mapping[Any, Any]) -> int:
    """How many characters, elements or keys there are."""
    return len(collection)


@function("collections")
def is_empty(collection: str | Sequence[Any] | Mapping[Any, Any]) -> bool:
    """Whether there is nothing in it."""
    return not len(collection)


@function("collections")
def non_empty(collection: str | Sequence[Any] | Mapping[Any, Any]) -> bool:
    """Whether there is anything in it."""
    return len(collection) > 0


@function("collections")
def keys(mapping: Mapping[Any, Any]) -> Sequence[Any]:
    """The keys of a map."""
    return tuple(bounded(list(mapping)))


@function("collections")
def values(mapping: Mapping[Any, Any]) -> Sequence[Any]:
    """The values of a map, in the order of its keys."""
    return tuple(bounded([plain(value) for value in mapping.values()]))


@function("collections")
def concat(items: Sequence[Any], more: Sequence[Any]) -> Sequence[Any]:
    """The elements of the one list, then those of the other."""
    return tuple(bounded((*items, *more)))


@function("collections")
def reverse(items: Sequence[Any]) -> Sequence[Any]:
    """The elements from the last to the first."""
    return tuple(reversed(items))


@function("collections")
def sort(items: Sequence[Any]) -> Sequence[Any]:
    """The elements from the smallest to the largest: all of them numbers or all texts."""
    kinds = {kind_of(item) for item in items}
    if kinds <= {Kind.INTEGER, Kind.NUMBER} or kinds == {Kind.TEXT}:
        return tuple(sorted(items))
    shown = " and ".join(kind.value for kind in Kind if kind in kinds)
    raise EvaluationError(f"'sort' needs numbers or texts, and the list holds {shown}")


@function("collections")
def distinct(items: Sequence[Any]) -> Sequence[Any]:
    """The elements without those that came before."""
    found: dict[Hashable, Any] = {}
    for item in items:
        found.setdefault(typed_key(item), item)
    return tuple(found.values())


def _same_key(name: object, key: object) -> bool:
    return kind_of(name) is kind_of(key) and equal(name, key)
