"""The handlers of the model ``time``: the time here, the time there, and how far they differ.

``data["when"]`` holds the moment of "when it is 5pm here" for the place that is asked about next.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from anaphora.bots.clauses import clause_of
from anaphora.bots.days import shown_clock, shown_day
from anaphora.bots.named import city_name, name_of
from anaphora.bots.texts import said_in
from anaphora.bots.zones import zones_of

if TYPE_CHECKING:
    from anaphora.intents.match import Match
    from anaphora.models.utterance import Entity

__all__ = ["difference", "here", "there", "when"]

_CLOCKS = frozenset({"minute", "hour"})


def here(data: dict[str, Any], at: datetime, language: str) -> str:
    """The local time of the one who asks."""
    data.pop("when", None)
    day = shown_day(at.date(), language, at.date())
    return _said("here", language, clock=shown_clock(at), day=day)


def there(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """The time in a place: now, or "and in Sydney?", at the time that was spoken of before."""
    (city,) = match.slots["city"].entities
    if match.slots["topic"].source == "sentence":
        data.pop("when", None)
    if asked := data.get("when"):
        base = asked["zone"] and (ZoneInfo(asked["zone"]), asked["place"])
        return _at_time(city, datetime.fromisoformat(asked["time"]), base, at, language)
    zone = _zone(city)
    if zone is None:
        return _unknown(city, language)
    time = at.astimezone(zone)
    offset = _offset(time, at)
    place, elsewhere = name_of(city, language), ""
    if others := _elsewhere(city, at):
        capital = city_name(city.meta["capital"], city.meta, language) or city.meta["capital"]
        place = f"{place} ({capital})"
        least, most = (_moment(one, time, language) for one in others)
        elsewhere = _said("elsewhere", language, least=least, most=most)
    said = _said(
        "there",
        language,
        place=place,
        clock=shown_clock(time),
        day=shown_day(time.date(), language, at.date()),
        difference=_signed(offset, language) or said_in("time", language)["same"],
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
    city, base = clause_of(match)
    zone = _zone(base) if base else at.tzinfo
    if base and zone is None:
        return _unknown(base, language)
    # An hour that the clocks skip is the one behind it.
    time = clock.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    place = name_of(base, language) if base else ""
    data["when"] = {
        "time": time.astimezone(UTC).isoformat(),
        "zone": base.meta["timezone"] if base else "",
        "place": place,
    }
    if city is None:
        local = time.astimezone(at.tzinfo)
        return _said(
            "back",
            language,
            clock=shown_clock(local),
            day=shown_day(local.date(), language, at.date()),
            other=_moment(time, local, language),
            base=place,
        )
    return _at_time(city, time, (zone, place) if base else None, at, language)


def difference(match: Match, data: dict[str, Any], at: datetime, language: str) -> str:
    """By how much the time in a place is ahead of or behind that of another, or of the one who
    asks."""
    data.pop("when", None)
    (city,), other = match.slots["city"].entities, match.slots.get("other")
    places = [city, *(other.entities if other else ())]
    zones = [_zone(place) for place in places]
    for place, zone in zip(places, zones, strict=True):
        if zone is None:
            return _unknown(place, language)
    base = at.astimezone(zones[0]) if other else at
    offset = _offset(at.astimezone(zones[-1]), base)
    return _said(
        "ahead" if offset > timedelta() else "behind" if offset else "equal",
        language,
        place=name_of(places[-1], language),
        base=name_of(city, language) if other else said_in("time", language)["you"],
        difference=_hours(abs(offset), language),
    )


def _at_time(
    city: Entity,
    time: datetime,
    base: tuple[tzinfo | None, str] | None,
    at: datetime,
    language: str,
) -> str:
    """The time in a place when it is that time in another, or with the one who asks."""
    zone = _zone(city)
    if zone is None:
        return _unknown(city, language)
    local = time.astimezone(zone)
    other, place = base or (at.tzinfo, "")
    return _said(
        "between" if base else "when",
        language,
        place=name_of(city, language),
        clock=shown_clock(local),
        day=shown_day(local.date(), language, at.date()),
        other=_moment(time.astimezone(other), local, language),
        base=place,
    )


def _moment(time: datetime, beside: datetime, language: str) -> str:
    """A clock; with its day where that is another than the one beside it."""
    if time.date() == beside.date():
        return shown_clock(time)
    day = shown_day(time.date(), language, beside.date())
    return _said("moment", language, clock=shown_clock(time), day=day)


def _elsewhere(city: Entity, at: datetime) -> tuple[datetime, datetime] | None:
    """The earliest and the latest time in a country that has more than one."""
    if city.meta.get("kind") != "country" or "capital" not in city.meta:
        return None
    times = sorted(
        (at.astimezone(zone) for zone in zones_of(str(city.meta["id"]))),
        key=lambda time: time.utcoffset() or timedelta(),
    )
    return (times[0], times[-1]) if times and _offset(times[-1], times[0]) else None


def _zone(city: Entity) -> ZoneInfo | None:
    try:
        return ZoneInfo(city.meta["timezone"])
    except (KeyError, ValueError, OSError, ZoneInfoNotFoundError):
        return None


def _offset(there: datetime, here: datetime) -> timedelta:
    return (there.utcoffset() or timedelta()) - (here.utcoffset() or timedelta())


def _signed(offset: timedelta, language: str) -> str:
    """ "+8 h", "−3:30 h"; "" for none."""
    sign = "+" if offset > timedelta() else "−"
    return f"{sign}{_hours(abs(offset), language)}" if offset else ""


def _hours(length: timedelta, language: str) -> str:
    hours, minutes = divmod(length // timedelta(minutes=1), 60)
    number = f"{hours}:{minutes:02}" if minutes else str(hours)
    return _said("hours", language, number=number)


def _unknown(city: Entity, language: str) -> str:
    return _said("unknown", language, place=name_of(city, language))


def _said(key: str, language: str, **values: str) -> str:
    return str(said_in("time", language)[key].format(**values))
