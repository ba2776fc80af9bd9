"""The combiner of durations: "two" after "three nights" is two nights, "half an hour longer" after
"an hour" is an hour and a half, and "twice as long" is two hours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.atoms import get_atoms
from anaphora.entities.builtin.completion import find_completion
from anaphora.entities.builtin.dates.combining.durations import read_duration
from anaphora.entities.builtin.dates.duration_recognizer import describe_duration
from anaphora.entities.builtin.dates.grammar.date_grammar import load_grammar
from anaphora.entities.builtin.dates.operations.durations import Duration, DurationUnit
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["create_combiner"]

_PLAIN_NUMBERS: Mapping[str, Any] = MappingProxyType({})  # options
_COUNTING_KINDS = ("cardinal", "fraction")
_ABOUT = "~"
_UNITS: Sequence[DurationUnit] = ("year", "month", "week", "day", "hour", "minute", "second")
# The units that have a length of their own, with the number of the finer ones in each.
_SIZES: Mapping[DurationUnit, int] = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
_HOUR, _SIXTY = 1, 60  # the index of hours; what minutes and seconds are of the coarser unit


def create_combiner(
    name: str, language: str, options: Mapping[str, Any], *, is_full: bool
) -> _DurationCombiner:
    """Create the combiner of durations."""
    return _DurationCombiner()


class _DurationCombiner:
    """Gives a bare number the unit of an old duration, and adds to it or takes from it what is said
    to be longer or shorter; otherwise a new duration replaces an old one."""

    completes = True

    def may_combine(self, new: Entity) -> bool:
        return False

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        return None

    def add(self, old: Entity, new: Entity, sign: int) -> Entity | None:
        before, added = _read_value(old), read_duration(new.value)
        if not before or not added:
            return None
        # Nothing is shorter than no time.
        changed = _change(old, before, _add(before, added, sign) or before)
        return replace(new, value=changed.value, meta=changed.meta)

    def multiply(self, old: Entity, factor: Fraction) -> Entity | None:
        before = _read_value(old)
        duration = _add(tuple([(number * factor, unit) for number, unit in before]), (), 1)
        return _change(old, before, duration) if before else None

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
        words = {atom.text for atom in get_atoms(text[: found.end], language)}
        if not words.isdisjoint(load_grammar(language).collectives):
            return None  # нас двое
        if number < 1 and found.meta["kind"] == "fraction":  # no, half: of that
            part = self.multiply(old, Fraction(str(number)))
            return None if part is None else replace(found, value=part.value, meta=part.meta)
        value, meta = describe_duration(((Fraction(str(number)), unit),))
        return replace(found, value=value, meta=meta)


def _read_value(entity: Entity) -> Duration:
    """The single duration that an entity says, be it exact or not; empty if it is none."""
    return read_duration((entity.value or "").removeprefix(_ABOUT))


def _change(old: Entity, before: Duration, duration: Duration) -> Entity:
    """The old entity with another duration. Days keep their name (nights)."""
    if len(duration) == len(before) == 1 and duration[0][1] == before[0][1]:
        duration = ((duration[0][0], old.meta.get("unit") or before[0][1]),)
    duration = _as_said(duration)
    is_about = (old.value or "").startswith(_ABOUT)
    value, meta = describe_duration(duration, "about" if is_about else "plain")
    return replace(old, value=value, meta=meta)


def _as_said(duration: Duration) -> Duration:
    """A duration in a single unit in the one in which people say it: half an hour is 30 minutes,
    and 60 minutes are an hour."""
    units = tuple(_SIZES)
    if len(duration) != 1 or duration[0][1] not in units:
        return duration
    ((number, unit),) = duration
    at = units.index(unit)
    while number.denominator > 1 and at + 1 < len(units):
        number *= _SIZES[units[at]] // _SIZES[units[at + 1]]
        at += 1
    while at > _HOUR and number and number % _SIXTY == 0:
        number, at = number / _SIXTY, at - 1
    return ((number, units[at]),)


def _add(one: Duration, other: Duration, sign: int) -> Duration:
    """The sum or the difference, in the units of both; empty if nothing would be left."""
    amounts: dict[DurationUnit, Fraction] = {}
    for parts, factor in ((one, 1), (other, sign)):
        for number, unit in parts:
            amounts[unit] = amounts.get(unit, Fraction()) + factor * number
    if len(_SIZES.keys() & amounts.keys()) > 1:
        amounts = _carry(amounts)
    if any(number < 0 for number in amounts.values()):
        return ()
    return tuple([(amounts[unit], unit) for unit in _UNITS if amounts.get(unit)])


def _carry(amounts: Mapping[DurationUnit, Fraction]) -> dict[DurationUnit, Fraction]:
    """The amounts with what finer units have too much of, or lack, in the coarser ones."""
    left = {unit: number for unit, number in amounts.items() if unit not in _SIZES}
    rest = sum((amounts[unit] * _SIZES[unit] for unit in _SIZES if unit in amounts), Fraction())
    used = [unit for unit in _SIZES if unit in amounts]
    for unit in used:
        whole = rest / _SIZES[unit]
        if unit != used[-1]:
            whole = Fraction(int(whole))
        left[unit] = whole
        rest -= whole * _SIZES[unit]
    return left
