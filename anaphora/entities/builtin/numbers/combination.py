"""Combine two amounts that are parts of one: 500 and euros, 5 km and 7; or one of which is added to
the other (50 more), and multiply one (twice as much)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.completion import find_completion
from anaphora.entities.builtin.numbers.number_recognizer import format_quantity, to_json_number
from anaphora.entities.builtin.numbers.quantities.amounts import Bound, Quantity
from anaphora.entities.builtin.numbers.units import Unit, load_units
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["combine_amounts", "create_combiner"]

_ANY_NUMBER = "2 "  # what stands before a unit, to find it
_UNIT_KEYS = ("unit", "unittype", "currency")
_COUNTING_KINDS = ("cardinal", "fraction", None)  # amounts of money have no kind
_NUMBER_KEYS = ("value", "amount", "from", "to")
_OF_TIME = "datetime"  # unit type
_BELOW_ZERO = "temperature"  # the type of units of which there may be less than none
_DEGREES = "°"  # of either scale


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

    def add(self, old: Entity, new: Entity, sign: int) -> Entity | None:
        return _add_amounts(old, new, sign)

    def multiply(self, old: Entity, factor: Fraction) -> Entity | None:
        return _change_amount(old, lambda number: number * factor)

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


def _add_amounts(old: Entity, new: Entity, sign: int) -> Entity | None:
    """Add a new amount to an old one, or take it away (``sign`` -1): a percentage of it, an amount
    without a unit or in a unit of the same kind. A range is shifted, and nothing gets less than
    none. None if they cannot be added."""
    delta = _measure_in_unit(old.meta, new.meta)
    if delta is None:
        return None
    if new.meta.get("kind") == "percent" != old.meta.get("kind"):
        changed = _change_amount(old, lambda number: number * (1 + sign * delta / 100))
    else:
        changed = _change_amount(old, lambda number: number + sign * delta)
    if changed is None:
        return None
    changed = combine_amounts(new, changed) or changed  # 19 and 2 degrees more
    return replace(new, value=changed.value, meta=changed.meta)


def _change_amount(old: Entity, change: Callable[[Fraction], Fraction]) -> Entity | None:
    """Change the number of an amount, or both of a range. It stays if it would get less than none;
    None for what is no amount."""
    numbers = {
        key: Fraction(str(value))
        for key in _NUMBER_KEYS
        if isinstance(value := old.meta.get(key), int | float)
    }
    if not numbers or old.meta.get("kind") == "ordinal":
        return None
    changed = {key: change(one) for key, one in numbers.items()}
    least, before = min(changed.values()), min(numbers.values())
    if least < 0 <= before and old.meta.get("unittype") != _BELOW_ZERO:
        changed = numbers
    meta = {**old.meta, **{key: to_json_number(one) for key, one in changed.items()}}
    return replace(old, value=format_quantity(_build_quantity(meta)), meta=meta)


def _measure_in_unit(old: Mapping[str, Any], new: Mapping[str, Any]) -> Fraction | None:
    """The number of a new amount in the unit of an old one; None if it has another one."""
    number = new.get("value", new.get("amount"))
    if not isinstance(number, int | float):
        return None
    delta, unit, own = Fraction(str(number)), _get_unit(old), _get_unit(new)
    if own and not unit and new.get("unittype") == _OF_TIME:
        return None  # an hour longer, but not six hours people
    if not own or not unit or own == unit or new.get("assumed") == "currency":
        return delta
    if old.get("unittype") == new.get("unittype") == _BELOW_ZERO:
        return delta if _DEGREES in (old["unit"], new["unit"]) else None
    sizes = load_units().sizes
    one, other = (sizes.get(found) if (found := _to_unit(of)) else None for of in (unit, own))
    if one is None or other is None or one[0] != other[0]:
        return None
    return delta * other[1] / one[1]


def _build_quantity(meta: Mapping[str, Any]) -> Quantity:
    """The quantity with this metadata."""
    number = meta.get("value", meta.get("amount"))
    low, high = (
        Bound(Fraction(str(meta[key])), bool(meta.get(f"{key}incl"))) if key in meta else None
        for key in ("from", "to")
    )
    return Quantity(
        0,
        0,
        meta.get("kind", "cardinal"),
        _to_unit(meta),
        None if number is None else Fraction(str(number)),
        low,
        high,
        meta.get("comparison"),
    )


def _to_unit(meta: Mapping[str, Any]) -> Unit | None:
    name = meta.get("currency") or meta.get("unit")
    return Unit(name, meta.get("unittype", "money")) if name else None


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
