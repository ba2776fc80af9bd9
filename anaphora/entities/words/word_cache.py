"""A cache of results for words that does not keep the words."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

__all__ = ["WordCache"]

_Result = TypeVar("_Result")
_MISSING: Any = object()


class WordCache(Generic[_Result]):
    """A function with at most ``max_size`` cached results; a full cache starts anew.

    Its keys are hashes of the arguments, so that no text of an erased user stays in memory.
    64-bit hash collisions are considered negligible.
    """

    def __init__(self, function: Callable[..., _Result], max_size: int) -> None:
        self._function = function
        self._max_size = max_size
        self._results: dict[int, _Result] = {}

    def __len__(self) -> int:
        return len(self._results)

    def __call__(self, *arguments: Hashable) -> _Result:
        key = hash(arguments)
        result: _Result = self._results.get(key, _MISSING)
        if result is _MISSING:
            result = self._function(*arguments)
            if len(self._results) >= self._max_size:
                self._results = {}
            self._results[key] = result
        return result
