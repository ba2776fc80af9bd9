"""The combiner of durations: "two" after "three nights" is two nights."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.completion import find_completion
from anaphora.entities.builtin.dates.duration_recognizer import describe_duration
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["create_combiner"]

_PLAIN_NUMBERS: Mapping[str, Any] = MappingProxyType({})  # options
_COUNTING_KINDS = ("cardinal", "fraction")


def create_combiner(
    name: str, language: str, options: Mapping[str, Any], *, is_full: bool
) -> _DurationCombiner:
    """Create the combiner of durations."""
    return _DurationCombiner()


class _DurationCombiner:
    """Gives a bare number the unit of an old duration; a new duration replaces an old one."""

    completes = True

    def may_combine(self, new: Entity) -> bool:
        return False

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        return None

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        unit = old.meta.get("unit")
        if unit is None or "amount" not in old.meta:
            return None
        found = find_completion("number", language, _PLAIN_NUMBERS, text, at)
        if found is None or found.meta.get("kind") not in _COUNTING_KINDS or "unit" in found.meta:
            return None
        number = found.meta.get("value")
        if not isinstance(number, int | float) or number <= 0:
            return None
        value, meta = describe_duration(((Fraction(str(number)), unit),))
        return replace(found, value=value, meta=meta)
