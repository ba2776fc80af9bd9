"""Data that many share and nobody may change: dictionaries and lists that refuse to."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from types import MappingProxyType
from typing import Any, NoReturn

__all__ = ["EMPTY", "FrozenDict", "FrozenList", "freeze"]


def _raise_immutable(self: object, *arguments: object, **named: object) -> NoReturn:
    copied = "dict(…)" if isinstance(self, dict) else "list(…)"
    raise TypeError(
        "this is data of the model, of the question or of the memory, which others see as well, "
        f"and cannot be changed: change a copy of it, made by {copied} or, with all that is in "
        "it, by copy.deepcopy(…)"
    )


class FrozenDict(dict[Any, Any]):
    """A dictionary that cannot be changed. It equals a plain one, is JSON as one, and copies of
    it are plain."""

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
    """A list that cannot be changed, as :class:`FrozenDict` cannot."""

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
    """``value`` in which no dictionary, list or set can be changed, at any depth: a copy, unless
    it is frozen already. Other objects are as they were."""
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

# What is frozen already is among them, for what it holds is frozen, too.
_IMMUTABLE_TYPES = frozenset((str, int, float, bool, type(None), FrozenDict, FrozenList))
