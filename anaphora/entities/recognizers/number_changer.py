"""Change the numbers that a model recognizes itself: two guests more, twice as many."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from msgspec.structs import replace

from anaphora.core.utterance import Entity

__all__ = ["NumberChanger"]

_KEY = "value"  # of the metadata


class NumberChanger:
    """Changes entities whose metadata have a number as ``value``. Whole numbers stay whole, and
    nothing gets less than none: what would, stays as it is."""

    def add(self, old: Entity, new: Entity, sign: int) -> Entity | None:
        delta = _get_number(new)
        if delta is None:
            return None
        changed = _change(old, lambda number: number + sign * delta)
        return changed and replace(new, value=changed.value, meta=changed.meta)

    def multiply(self, old: Entity, factor: Fraction) -> Entity | None:
        return _change(old, lambda number: number * factor)


def _change(old: Entity, change: Callable[[Fraction], Fraction]) -> Entity | None:
    """Change the number of an entity; None if it has none."""
    number = _get_number(old)
    if number is None:
        return None
    changed = change(number)
    is_whole = isinstance(old.meta[_KEY], int)
    if changed < 0 <= number or (is_whole and changed.denominator > 1):
        changed = number
    value = int(changed) if is_whole else float(changed)
    text = str(int(changed) if changed.denominator == 1 else value)
    return replace(old, value=text, meta={**old.meta, _KEY: value})


def _get_number(entity: Entity) -> Fraction | None:
    value = entity.meta.get(_KEY)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return Fraction(str(value))
