"""Immutable dictionaries and lists, for data that several owners share."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from types import MappingProxyType
from typing import Any, NoReturn

__all__ = ["EMPTY", "FrozenDict", "FrozenList", "freeze"]


def _raise_immutable(self: object, *arguments: object, **named: object) -> NoReturn:
    copied = "dict(…)" if isinstance(self, dict) else "list(…)"
    raise TypeError(
        "this data belongs to the model, the question or the memory, is shared and cannot be "
        f"changed: change a copy, made by {copied} or, with everything in it, by copy.deepcopy(…)"
    )


class FrozenDict(dict[Any, Any]):
    """An immutable dictionary. It equals a plain one, serializes to JSON as one, and its copies
    are plain."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = (
        _raise_immutable
    )

    def __copy__(self) -> dict[Any, Any]:
        return dict(self)

    def __deepcopy__(self, known: dict[int, Any]) -> dict[Any, Any]:
        return {key: deepcopy(value, known) for key, value in self.items()}

    def __reduce__(self) -> tuple[Callable[[Any], Any], tuple[dict[Any, Any]]]:
        return freeze, (dict(self),)


class FrozenList(list[Any]):
    """An immutable list; see :class:`FrozenDict`."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _raise_immutable
    append = clear = extend = insert = pop = remove = reverse = sort = _raise_immutable

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, known: dict[int, Any]) -> list[Any]:
        return [deepcopy(value, known) for value in self]

    def __reduce__(self) -> tuple[Callable[[Any], Any], tuple[list[Any]]]:
        return freeze, (list(self),)


def freeze(value: Any) -> Any:
    """Return a copy of ``value`` with immutable dictionaries, lists and sets at any depth, or
    ``value`` itself if it is frozen already. Other objects are not copied."""
    kind = type(value)
    if kind in _IMMUTABLE_TYPES:
        return value
    if isinstance(value, dict | MappingProxyType):
        return FrozenDict([(key, freeze(one)) for key, one in value.items()])
    if isinstance(value, list):
        return FrozenList(map(freeze, value))
    if isinstance(value, set):
        return frozenset(value)
    return tuple(map(freeze, value)) if kind is tuple else value


EMPTY = FrozenDict()

# Frozen containers are among them, because their content is frozen, too.
_IMMUTABLE_TYPES = frozenset((str, int, float, bool, type(None), FrozenDict, FrozenList))
