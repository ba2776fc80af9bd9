"""Resolve what texts say at the local times of questions, and keep the results."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Generic, TypeVar

from anaphora.entities.builtin.dates.conventions import Conventions
from anaphora.entities.builtin.dates.intervals import Moment

__all__ = ["CachedResolver", "to_zoned"]

_M = TypeVar("_M")  # what a text says
_R = TypeVar("_R")  # what it means at a moment


def to_zoned(at: datetime) -> datetime:
    """The time of a question with its zone; one without a zone is in UTC."""
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


class CachedResolver(Generic[_M, _R]):
    """Resolves the meanings of texts by the ``conventions``; of all results the last ``size`` ones
    are kept."""

    def __init__(
        self,
        resolve: Callable[[_M, Moment], _R],
        *,
        conventions: Conventions,
        prefer_future: bool = True,
        size: int,
    ) -> None:
        self._resolve = resolve
        self._conventions = conventions
        self._prefer_future = prefer_future
        self._resolve_cached = lru_cache(maxsize=size)(self._resolve_at)

    def __call__(self, meaning: _M, at: datetime) -> _R:
        """The result for a time that has a zone."""
        assert at.tzinfo is not None
        # Zone and fold are parts of the key: times are equal across zones and folds.
        return self._resolve_cached(meaning, at, at.tzinfo, at.fold)

    def create_moment(self, at: datetime) -> Moment:
        """The moment of a question, with the conventions."""
        return Moment(at, self._prefer_future, self._conventions)

    def _resolve_at(self, meaning: _M, at: datetime, zone: tzinfo, fold: int) -> _R:
        return self._resolve(meaning, self.create_moment(at))
