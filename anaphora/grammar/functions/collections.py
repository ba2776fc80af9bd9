"""Functions on lists and maps, and lengths. None of them changes its arguments."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from json import JSONDecoder
from typing import Any

from anaphora.errors import EvaluationError
from anaphora.grammar.functions.registry import function
from anaphora.grammar.values import (
    MAX_INT64,
    MIN_INT64,
    Kind,
    check_length,
    describe_value,
    is_equal,
    kind_of,
    sort_key,
    to_language_value,
    typed_keys,
)
from anaphora.grammar.values import contains as is_in


@function("collections", "list", examples=("size(list(1, 'a')) == 2",))
def list_of(*items: object) -> Sequence[Any]:
    """A list of the arguments."""
    return tuple(items)


@function(
    "collections", examples=("get(list('a', 'b'), 1) == 'b'", "get(json('{\"k\": 1}'), 'k') == 1")
)
def get(collection: Sequence[Any] | Mapping[Any, Any], key: object) -> Any:
    """The element of a list at an index (from 0), or the value of a key in a map, or null."""
    if isinstance(collection, Mapping):
        found = (value for name, value in collection.items() if _same_key(name, key))
        return to_language_value(collection.get(key) if type(key) is str else next(found, None))
    if kind_of(key) is not Kind.INTEGER:
        raise EvaluationError(f"'get' needs an integer as the index, not {describe_value(key)}")
    place = int(key)  # type: ignore[call-overload]  # the kind says int
    if not 0 <= place < len(collection):
        raise EvaluationError(f"'get' finds no index {place} in {describe_value(collection)}")
    return to_language_value(collection[place])


@function("collections", examples=("has(list(1, 2), 2)",))
def has(items: Sequence[Any], value: object) -> bool:
    """Whether the list contains the value; 1 is neither 1.0 nor true."""
    return is_in(items, value)


@function("collections", examples=("has_any(list(1, 2), list(2, 3))",))
def has_any(items: Sequence[Any], values: Sequence[Any]) -> bool:
    """Whether the list contains at least one of the values."""
    keys = set(typed_keys(items))
    return any(key in keys for key in typed_keys(values))


@function("collections", examples=("has_all(list(1, 2, 3), list(3, 1))",))
def has_all(items: Sequence[Any], values: Sequence[Any]) -> bool:
    """Whether the list contains all of the values."""
    keys = set(typed_keys(items))
    return all(key in keys for key in typed_keys(values))


@function("collections", examples=("get(json('{\"k\": 1}'), 'k') == 1",))
def json(text: str) -> Mapping[Any, Any]:
    """Parse a JSON text that contains a map."""
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise EvaluationError("'json' reads no text that is nested so deeply") from None
    except ValueError as error:
        raise EvaluationError(f"'json' cannot read {describe_value(text)}: {error}") from None
    if not isinstance(value, dict):
        raise EvaluationError(f"'json' needs a text that spells a map, not {describe_value(value)}")
    return value


@function("collections", examples=("first(list(1, 2)) == 1",))
def first(items: Sequence[Any]) -> Any:
    """The first element, or null."""
    return to_language_value(items[0]) if items else None


@function("collections", examples=("last(list(1, 2)) == 2",))
def last(items: Sequence[Any]) -> Any:
    """The last element, or null."""
    return to_language_value(items[-1]) if items else None


@function("collections", "length", "size", "count", examples=("size('tokyo') == 5",))
def length(collection: str | Sequence[Any] | Mapping[Any, Any]) -> int:
    """The number of characters, elements or keys."""
    return len(collection)


@function("collections", examples=("is_empty('')",))
def is_empty(collection: str | Sequence[Any] | Mapping[Any, Any]) -> bool:
    """Whether it is empty."""
    return not len(collection)


@function("collections", examples=("non_empty(ent_groups)",))
def non_empty(collection: str | Sequence[Any] | Mapping[Any, Any]) -> bool:
    """Whether it is not empty."""
    return len(collection) > 0


@function("collections", examples=("keys(json('{\"k\": 1}')) == list('k')",))
def keys(mapping: Mapping[Any, Any]) -> Sequence[Any]:
    """The keys of a map."""
    return tuple(check_length(list(mapping)))


@function("collections", examples=("values(json('{\"k\": 1}')) == list(1)",))
def values(mapping: Mapping[Any, Any]) -> Sequence[Any]:
    """The values of a map, in the order of its keys."""
    return tuple(check_length([to_language_value(value) for value in mapping.values()]))


@function("collections", examples=("concat(list(1), list(2)) == list(1, 2)",))
def concat(items: Sequence[Any], more: Sequence[Any]) -> Sequence[Any]:
    """The elements of the first list, then those of the second."""
    return tuple(check_length((*items, *more)))


@function("collections", examples=("first(reverse(list(1, 2))) == 2",))
def reverse(items: Sequence[Any]) -> Sequence[Any]:
    """The elements in reverse order."""
    return tuple(reversed(items))


@function("collections", examples=("first(sort(list(2, 1))) == 1",))
def sort(items: Sequence[Any]) -> Sequence[Any]:
    """The elements in ascending order: all numbers, all texts or all booleans. NaN comes last."""
    kinds = {kind_of(item) for item in items}
    if kinds <= {Kind.INTEGER, Kind.NUMBER} or kinds in ({Kind.TEXT}, {Kind.BOOLEAN}):
        return tuple(sorted(items, key=sort_key))
    shown = " and ".join(kind.value for kind in Kind if kind in kinds)
    raise EvaluationError(f"'sort' needs numbers, texts or booleans, but the list contains {shown}")


@function("collections", examples=("size(distinct(list(1, 2, 1))) == 2",))
def distinct(items: Sequence[Any]) -> Sequence[Any]:
    """The elements without duplicates, in the order of their first occurrence."""
    found: dict[Hashable, Any] = {}
    for key, item in zip(typed_keys(items), items, strict=True):
        found.setdefault(key, item)
    return tuple(found.values())


def _parse_integer(digits: str) -> int | float:
    """An integer if it fits 64 bits, else a float."""
    whole = int(digits) if len(digits) <= len(str(MAX_INT64)) + 1 else MAX_INT64 + 1
    return whole if MIN_INT64 <= whole <= MAX_INT64 else float(digits)


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = JSONDecoder(parse_int=_parse_integer, parse_constant=_reject_constant)


def _same_key(name: object, key: object) -> bool:
    return kind_of(name) is kind_of(key) and is_equal(name, key)
