"""Durations in short form and ISO 8601: ``5m``, ``1h30m``, ``PT5M``."""

from __future__ import annotations

import re
from datetime import timedelta

__all__ = ["format_duration", "parse_duration"]

_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,6})?)"
_SHORT_FORM = re.compile(
    rf"(?:{_NUMBER}\s*d\s*)?(?:{_NUMBER}\s*h\s*)?(?:{_NUMBER}\s*m\s*)?(?:{_NUMBER}\s*s)?",
    re.IGNORECASE,
)
_ISO_8601 = re.compile(
    rf"P(?:{_NUMBER}D)?(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?", re.IGNORECASE
)
_MAX_DURATION = timedelta(days=36_500)


def parse_duration(text: str) -> timedelta:
    """Parse a duration: ``90s``, ``5m``, ``1h30m``, ``2d``, ``PT5M``.

    Raises ``ValueError`` for any other text, for an empty one and for more than a century.
    """
    written = text.strip()
    found = _SHORT_FORM.fullmatch(written) or _ISO_8601.fullmatch(written)
    if found is None or not any(found.groups()):
        raise ValueError(f"'{text}' is not a duration such as 5m, 90s, 1h30m or PT5M")
    days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
    try:
        duration = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError:
        duration = timedelta.max
    if duration > _MAX_DURATION:
        raise ValueError(f"'{text}' is more than a hundred years")
    return duration


def format_duration(duration: timedelta) -> str:
    """The shortest text that :func:`parse_duration` converts back to ``duration``: ``1h30m``."""
    minutes, seconds = divmod(duration.total_seconds(), 60)
    hours, minutes = divmod(int(minutes), 60)
    days, hours = divmod(hours, 24)
    rest = f"{seconds:.6f}".rstrip("0").rstrip(".")
    parts = ((str(days), "d"), (str(hours), "h"), (str(minutes), "m"), (rest, "s"))
    return "".join(number + unit for number, unit in parts if number != "0") or "0s"
