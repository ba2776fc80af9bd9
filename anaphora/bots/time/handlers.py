"""The handlers of the model ``time``: the time here, the time there, and how far they differ.

``data["when"]`` holds the moment of "when it is 5pm here" for the place that is asked about next.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from anaphora.bots.date_text import format_clock, format_day
from anaphora.bots.place_names import city_name, local_name
from anaphora.bots.texts import load_texts
from anaphora.bots.time.clauses import resolve_places
from anaphora.bots.time.country_zones import country_time_zones

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.intents.match import Match

__all__ = ["difference", "here", "there", "when"]

_CLOCKS = frozenset({"minute", "hour"})


def here(data: dict[str, Any], at: datetime, language: str) -> str:
    """The local time of the one who asks."""
    data.pop("when", None)
    day = format_day(at.date(), language, at.date())
    return _format_answer("here", language, clock=format_clock(at), day=day)


def there(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """The time in a place: now, or "and in Sydney?", at the time that was spoken of before."""
    (city,) = match.slots["city"].entities
    if match.slots["topic"].source == "sentence":
        data.pop("when", None)
    if asked := data.get("when"):
        base = asked["zone"] and (ZoneInfo(asked["zone"]), asked["place"])
        return _answer_at_time(city, datetime.fromisoformat(asked["time"]), base, at, language)
    zone = _zone(city)
    if zone is None:
        return _unknown_place(city, language)
    time = at.astimezone(zone)
    offset = _offset_difference(time, at)
    place, elsewhere = local_name(city, language), ""
    if others := _earliest_and_latest(city, at):
        capital = city_name(city.meta["capital"], city.meta, language) or city.meta["capital"]
        place = f"{place} ({capital})"
        least, most = (_format_time(one, time, language) for one in others)
        elsewhere = _format_answer("elsewhere", language, least=least, most=most)
    said = _format_answer(
        "there",
        language,
        place=place,
        clock=format_clock(time),
        day=format_day(time.date(), language, at.date()),
        difference=_format_offset(offset, language) or load_texts("time", language)["same"],
    )
    return said + elsewhere


def when(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """The time in a place at some time of the one who asks, or of another place; the time here
    at some time of a place. A day without a time of the day changes nothing."""
    asked = match.slots["date"].entities[0].meta
    if asked.get("grain") not in _CLOCKS or "start" not in asked:
        data.pop("when", None)
        return there(match, data, at, language)
    clock = datetime.fromisoformat(asked["start"]).replace(tzinfo=None)
    city, base = resolve_places(match)
    zone = _zone(base) if base else at.tzinfo
    if base and zone is None:
        return _unknown_place(base, language)
    # An hour that the clocks skip is the one behind it.
    time = clock.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    place = local_name(base, language) if base else ""
    data["when"] = {
        "time": time.astimezone(UTC).isoformat(),
        "zone": base.meta["timezone"] if base else "",
        "place": place,
    }
    if city is None:
        local = time.astimezone(at.tzinfo)
        return _format_answer(
            "back",
            language,
            clock=format_clock(local),
            day=format_day(local.date(), language, at.date()),
            other=_format_time(time, local, language),
            base=place,
        )
    return _answer_at_time(city, time, (zone, place) if base else None, at, language)


def difference(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """By how much the time in a place is ahead of or behind that of another, or of the one who
    asks."""
    data.pop("when", None)
    (city,), other = match.slots["city"].entities, match.slots.get("other")
    places = [city, *(other.entities if other else ())]
    zones = [_zone(place) for place in places]
    for place, zone in zip(places, zones, strict=True):
        if zone is None:
            return _unknown_place(place, language)
    base = at.astimezone(zones[0]) if other else at
    offset = _offset_difference(at.astimezone(zones[-1]), base)
    return _format_answer(
        "ahead" if offset > timedelta() else "behind" if offset else "equal",
        language,
        place=local_name(places[-1], language),
        base=local_name(city, language) if other else load_texts("time", language)["you"],
        difference=_format_hours(abs(offset), language),
    )


def _answer_at_time(
    city: Entity,
    time: datetime,
    base: tuple[tzinfo | None, str] | None,
    at: datetime,
    language: str,
) -> str:
    """The time in a place when it is that time in another, or with the one who asks."""
    zone = _zone(city)
    if zone is None:
        return _unknown_place(city, language)
    local = time.astimezone(zone)
    other, place = base or (at.tzinfo, "")
    return _format_answer(
        "between" if base else "when",
        language,
        place=local_name(city, language),
        clock=format_clock(local),
        day=format_day(local.date(), language, at.date()),
        other=_format_time(time.astimezone(other), local, language),
        base=place,
    )


def _format_time(time: datetime, beside: datetime, language: str) -> str:
    """A clock; with its day where that is another than the one beside it."""
    if time.date() == beside.date():
        return format_clock(time)
    day = format_day(time.date(), language, beside.date())
    return _format_answer("moment", language, clock=format_clock(time), day=day)


def _earliest_and_latest(city: Entity, at: datetime) -> tuple[datetime, datetime] | None:
    """The earliest and the latest time in a country that has more than one."""
    if city.meta.get("kind") != "country" or "capital" not in city.meta:
        return None
    times = sorted(
        (at.astimezone(zone) for zone in country_time_zones(str(city.meta["id"]))),
        key=lambda time: time.utcoffset() or timedelta(),
    )
    return (times[0], times[-1]) if times and _offset_difference(times[-1], times[0]) else None


def _zone(city: Entity) -> ZoneInfo | None:
    try:
        return ZoneInfo(city.meta["timezone"])
    except (KeyError, ValueError, OSError, ZoneInfoNotFoundError):
        return None


def _offset_difference(there: datetime, here: datetime) -> timedelta:
    return (there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())


def _format_offset(offset: timedelta, language: str) -> str:
    """ "+8 h", "−3:30 h"; "" for none."""
    sign = "+" if offset > timedelta() else "−"
    return f"{sign}{_format_hours(abs(offset), language)}" if offset else ""


def _format_hours(length: timedelta, language: str) -> str:
    hours, minutes = divmod(length // timedelta(minutes=1), 60)
    number = f"{hours}:{minutes:02}" if minutes else str(hours)
    return _format_answer("hours", language, number=number)


def _unknown_place(city: Entity, language: str) -> str:
    return _format_answer("unknown", language, place=local_name(city, language))


def _format_answer(key: str, language: str, **values: str) -> str:
    return str(load_texts("time", language)[key].format(**values))
