"""Recurrence patterns as plain data, in the metadata of a recurrence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from anaphora.entities.builtin.dates.operations.recurrence_patterns import RecurrencePattern
from anaphora.entities.builtin.dates.resolution.date_resolution import parse_expression, to_plain
from anaphora.frozen import FrozenDict

__all__ = ["describe_pattern", "parse_pattern"]

_FIELDS = frozenset([one.name for one in fields(RecurrencePattern)])


def describe_pattern(pattern: RecurrencePattern) -> Mapping[str, Any]:
    """The fields of a pattern that say something, by name."""
    empty = RecurrencePattern(pattern.unit)
    said = {name: getattr(pattern, name) for name in sorted(_FIELDS)}
    return FrozenDict(
        {
            name: to_plain(value)
            for name, value in said.items()
            if name == "unit" or value != getattr(empty, name)
        }
    )


def parse_pattern(data: Any) -> RecurrencePattern | None:
    """The pattern in the metadata of a recurrence; None for anything else."""
    if not isinstance(data, Mapping) or "unit" not in data or not _FIELDS.issuperset(data):
        return None
    said: dict[str, Any] = {
        name: (parse_expression(value) or ()) if isinstance(value, list | tuple) else value
        for name, value in data.items()
    }
    return RecurrencePattern(**said)
