"""Resolve a time expression with its other readings: at 5 in the morning, or in the afternoon."""

from __future__ import annotations

from datetime import datetime

from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.operations.alternatives import (
    find_alternatives,
    leave_half_open,
)
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.builtin.dates.resolution.date_resolution import ResolvedDate, resolve_date
from anaphora.frozen import FrozenDict, FrozenList

__all__ = ["resolve_with_alternatives"]

_LIMITS = ("start", "end")


def resolve_with_alternatives(
    expression: TimeExpression, moment: Moment, *, is_numeric: bool = False
) -> ResolvedDate | None:
    """Resolve an expression, which ``is_numeric`` if its day and month stand in digits, by the
    reading within the usual hours; the other readings are its ``alternatives``. None if there is
    no such date."""
    hours = moment.conventions.hours
    if hours is not None:
        expression = leave_half_open(expression)
    resolved = resolve_date(expression, moment)
    if resolved is None:
        return None
    others = (
        resolve_date(one, moment) for one in find_alternatives(expression, is_numeric=is_numeric)
    )
    readings = [resolved, *[one for one in others if one is not None and one[0] != resolved[0]]]
    if hours is not None and len(readings) > 1:
        readings.sort(key=lambda one: _is_unusual(one, hours))
    (value, meta), *rest = readings
    if not rest:
        return value, meta
    listed = [
        FrozenDict({"value": other, **{key: about[key] for key in _LIMITS if key in about}})
        for other, about in rest
    ]
    return value, {**meta, "alternatives": FrozenList(listed)}


def _is_unusual(date: ResolvedDate, hours: tuple[int, int]) -> bool:
    """Whether a time is outside of the usual hours."""
    first, last = hours
    meta = date[1]
    at = datetime.fromisoformat(meta["start"] if "start" in meta else meta["end"])
    return not first <= at.hour < last
