"""The handlers of the model ``time``: local times and differences between them.

``data["when"]`` keeps the time of "when it is 5pm here" for questions about further places.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from anaphora.bots.date_text import format_clock, format_day
from anaphora.bots.place_names import city_name, local_name
from anaphora.bots.tables import load_texts
from anaphora.bots.time.clauses import resolve_places
from anaphora.bots.time.country_zones import country_time_zones, find_time_zone

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.intents.match import Match

__all__ = ["difference", "here", "there", "when"]

_CLOCKS = frozenset({"minute", "hour"})


def here(data: dict[str, Any], at: datetime, language: str) -> str:
    """Answer with the user's local time."""
    data.pop("when", None)
    day = format_day(at.date(), language, at.date())
    return _format_answer("here", language, clock=format_clock(at), day=day)


def there(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """Answer with the time in a place: now or, after a question with a time, at that time ("and in
    Sydney?")."""
    (city,) = match.slots["city"].entities
    if match.slots["topic"].source == "sentence":
        data.pop("when", None)
    if asked := data.get("when"):
        base = asked["zone"] and (ZoneInfo(asked["zone"]), asked["place"])
        return _answer_at_time(city, datetime.fromisoformat(asked["time"]), base, at, language)
    zone = _time_zone(city)
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
    answer = _format_answer(
        "there",
        language,
        place=place,
        clock=format_clock(time),
        day=format_day(time.date(), language, at.date()),
        difference=_format_offset(offset, language) or load_texts("time", language)["same"],
    )
    return answer + elsewhere


def when(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """Convert a given time between the user and a place, or between two places. A date without a
    time of day is ignored."""
    asked = match.slots["date"].entities[0].meta
    if asked.get("grain") not in _CLOCKS or "start" not in asked:
        data.pop("when", None)
        return there(match, data, at, language)
    clock = datetime.fromisoformat(asked["start"]).replace(tzinfo=None)
    city, base = resolve_places(match)
    zone = _time_zone(base) if base else at.tzinfo
    if base and zone is None:
        return _unknown_place(base, language)
    # A time that daylight saving skips becomes the one after the gap.
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
    """Answer with the time difference between two places, or between a place and the user."""
    data.pop("when", None)
    (city,), other = match.slots["city"].entities, match.slots.get("other")
    places = [city, *(other.entities if other else ())]
    zones = [_time_zone(place) for place in places]
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
    """Answer with the local time of ``city`` at ``time``, which is given for another place or for
    the user."""
    zone = _time_zone(city)
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
    """The time of day; with the day if it differs from that of ``beside``."""
    if time.date() == beside.date():
        return format_clock(time)
    day = format_day(time.date(), language, beside.date())
    return _format_answer("moment", language, clock=format_clock(time), day=day)


def _earliest_and_latest(city: Entity, at: datetime) -> tuple[datetime, datetime] | None:
    """The earliest and the latest local time in a country with several time zones, else None."""
    if city.meta.get("kind") != "country" or "capital" not in city.meta:
        return None
    times = sorted(
        (at.astimezone(zone) for zone in country_time_zones(str(city.meta["id"]))),
        key=lambda time: time.utcoffset() or timedelta(),
    )
    return (times[0], times[-1]) if times and _offset_difference(times[-1], times[0]) else None


def _time_zone(city: Entity) -> ZoneInfo | None:
    return find_time_zone(city.meta.get("timezone"))


def _offset_difference(there: datetime, here: datetime) -> timedelta:
    return (there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())


def _format_offset(offset: timedelta, language: str) -> str:
    """ "+8 h", "−3:30 h"; '' for no difference."""
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
