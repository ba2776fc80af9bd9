"""Data that many share and nobody may change: dictionaries and lists that refuse to."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from types import MappingProxyType
from typing import Any, NoReturn

__all__ = ["EMPTY", "FrozenDict", "FrozenList", "frozen"]


def _refuse(self: object, *arguments: object, **named: object) -> NoReturn:
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

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> dict[Any, Any]:
        return dict(self)

    def __deepcopy__(self, known: dict[int, Any]) -> dict[Any, Any]:
        return {key: deepcopy(value, known) for key, value in self.items()}

    def __reduce__(self) -> tuple[Callable[[Any], Any], tuple[dict[Any, Any]]]:
        return frozen, (dict(self),)


class FrozenList(list[Any]):
    """A list that cannot be changed, as :class:`FrozenDict` cannot."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, known: dict[int, Any]) -> list[Any]:
        return [deepcopy(value, known) for value in self]

    def __reduce__(self) -> tuple[Callable[[Any], Any], tuple[list[Any]]]:
        return frozen, (list(self),)


def frozen(value: Any) -> Any:
    """``value`` in which no dictionary, list or set can be changed, at any depth: a copy, unless
    it is frozen already. Other objects are as they were."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if isinstance(value, dict | MappingProxyType):
        return FrozenDict([(key, frozen(one)) for key, one in value.items()])
    if isinstance(value, list):
        return FrozenList(map(frozen, value))
    if isinstance(value, set):
        return frozenset(value)
    return tuple(map(frozen, value)) if kind is tuple else value


EMPTY = FrozenDict()

# What is frozen already is among them, for what it holds is frozen, too.
_ATOMS = frozenset((str, int, float, bool, type(None), FrozenDict, FrozenList))
