"""Combine two amounts that are parts of one: 500 and euros, 5 km and 7."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.completion import find_completion
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["combine_amounts", "create_combiner"]

_ANY_NUMBER = "2 "  # what stands before a unit, to find it
_UNIT_KEYS = ("unit", "unittype", "currency")
_COUNTING_KINDS = ("cardinal", "fraction", None)  # amounts of money have no kind


def create_combiner(
    name: str, language: str, options: Mapping[str, Any], *, is_full: bool
) -> _AmountCombiner:
    """Create the combiner of numbers or of money."""
    return _AmountCombiner(name, options)


class _AmountCombiner:
    completes = True

    def __init__(self, name: str, options: Mapping[str, Any]) -> None:
        self._name = name
        self._options = options

    def may_combine(self, new: Entity) -> bool:
        return True

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        return combine_amounts(old, new) if old.element == new.element else None

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        found = find_completion(
            self._name, language, self._options, before=_ANY_NUMBER, text=text, at=at
        )
        return found and _complete_amount(old, found)


def combine_amounts(old: Entity, new: Entity) -> Entity | None:
    """Give a number without a unit the unit of an old amount; None for other entities."""
    unit, own = _get_unit(old.meta), _get_unit(new.meta)
    if not unit or (own and new.meta.get("assumed") != "currency"):
        return None
    combined = _with_unit(new.value, new.meta, unit)
    return combined and replace(new, value=combined[0], meta=combined[1])


def _complete_amount(old: Entity, found: Mention) -> Mention | None:
    """Give an old amount the unit of a mention; None if either has none."""
    unit = _get_unit(found.meta)
    combined = _with_unit(old.value, old.meta, unit) if unit else None
    return combined and replace(found, value=combined[0], meta=combined[1])


def _with_unit(
    value: str | None, meta: Mapping[str, Any], unit: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]] | None:
    """The value and the metadata of an amount with another unit; None for what is no amount."""
    if value is None or meta.get("kind") not in _COUNTING_KINDS:
        return None
    if own := _get_unit(meta):
        value = value.removesuffix(f" {_get_name(own)}")
    number = {key: one for key, one in meta.items() if key not in (*_UNIT_KEYS, "assumed")}
    return f"{value} {_get_name(unit)}", {**number, **unit}


def _get_unit(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: meta[key] for key in _UNIT_KEYS if key in meta}


def _get_name(unit: Mapping[str, Any]) -> str:
    name: str = unit.get("currency") or unit["unit"]
    return name
