"""The handlers of the model ``time``: the time here, the time there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from anaphora.bots.days import shown_clock, shown_day
from anaphora.bots.named import name_of
from anaphora.bots.texts import said_in

if TYPE_CHECKING:
    from anaphora.intents.match import Match

__all__ = ["here", "there"]

_CLOCKS = frozenset({"minute", "hour"})


def here(at: datetime, language: str) -> str:
    """The local time of the one who asks."""
    words = said_in("time", language)
    day = shown_day(at.date(), language, at.date())
    return str(words["here"].format(clock=shown_clock(at), day=day))


def there(match: Match, at: datetime, language: str) -> str:
    """The time in a place, now or at a time of the one who asks."""
    words = said_in("time", language)
    city, date = match.slots["city"].entities[0], match.slots.get("date")
    name, zone = name_of(city, language), _zone(city.meta)
    if zone is None:
        return str(words["unknown"].format(place=name))
    asked = date.entities[0].meta if date else {}
    if asked.get("grain") in _CLOCKS and "start" in asked:
        at = datetime.fromisoformat(asked["start"])
        form, more = "when", {"here": shown_clock(at)}
    else:
        form, more = "there", {}
    time = at.astimezone(zone)
    more["difference"] = _difference(time, at) or words["same"]
    day = shown_day(time.date(), language, at.date())
    return str(words[form].format(place=name, clock=shown_clock(time), day=day, **more))


def _zone(facts: Mapping[str, Any]) -> ZoneInfo | None:
    try:
        return ZoneInfo(facts["timezone"])
    except (KeyError, ValueError, ZoneInfoNotFoundError):
        return None


def _difference(there: datetime, here: datetime) -> str:
    """ "+8 h", "−3:30 h"; "" for none."""
    offset = (there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())
    if not offset:
        return ""
    hours, minutes = divmod(abs(offset) // timedelta(minutes=1), 60)
    sign = "+" if offset > timedelta() else "−"
    return f"{sign}{hours}:{minutes:02} h" if minutes else f"{sign}{hours} h"
