"""Resolve a time expression: the value and the metadata of a date."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.operations import resolve
from anaphora.entities.builtin.dates.operations.expression_analysis import (
    assumed_unit,
    find_zone,
    has_weekday_conflict,
)
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.builtin.dates.resolution.formatting import build_metadata, format_value
from anaphora.frozen import FrozenList

__all__ = ["ResolvedDate", "parse_expression", "resolve_date", "to_plain"]

ResolvedDate: TypeAlias = tuple[str, Mapping[str, Any]]
"""The value of a date and its metadata."""


def resolve_date(expression: TimeExpression, moment: Moment) -> ResolvedDate | None:
    """Resolve an expression at a moment; None if there is no such date."""
    interval = resolve(expression, moment)
    if interval is None:
        return None
    try:
        meta = build_metadata(interval)
        if (unit := assumed_unit(expression)) is not None:
            meta["assumed"] = unit
        if has_weekday_conflict(expression, moment):
            meta["conflict"] = "weekday"
        if expression[0] == "daily":
            meta["hours"] = f"{interval.start:%H:%M}/{interval.end:%H:%M}"
        if (zone := find_zone(expression)) is not None:
            meta["zone"] = zone
        meta["expression"] = to_plain(expression)  # immutable: it is shared
        return format_value(interval, moment), meta
    except OverflowError:  # at the ends of the calendar some local times do not exist
        return None


def parse_expression(data: Any) -> TimeExpression | None:
    """The time expression in the metadata of a date; None for anything else."""
    return _from_json(data) if isinstance(data, list | tuple) and data else None


def to_plain(value: Any) -> Any:
    """A time expression, or a part of one, as immutable lists; `parse_expression` reads them."""
    if isinstance(value, tuple):
        return FrozenList([to_plain(one) for one in value])
    return float(value) if isinstance(value, Fraction) else value


def _from_json(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple([_from_json(one) for one in value])
    return Fraction(str(value)) if isinstance(value, float) else value
