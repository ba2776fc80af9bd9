"""The handlers of the model ``weather``: a forecast where a service is configured, else what is
usual there at that time of the year."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from anaphora.bots.climate import average, nearest
from anaphora.bots.days import days_of, shown_days
from anaphora.bots.forecast import forecast
from anaphora.bots.named import name_of
from anaphora.bots.texts import said_in
from anaphora.entities.languages import base

if TYPE_CHECKING:
    from anaphora.intents.match import Match

__all__ = ["rain", "temperature", "weather"]

_FAR = 150.0  # km; beyond that the climate is another one
_SAME = 25.0  # km; within that a station needs no mention


def weather(match: Match, at: datetime, language: str) -> str:
    """Warmth and rain."""
    return _answer("weather", match, at, language)


def temperature(match: Match, at: datetime, language: str, unit: str | None = None) -> str:
    """The warmth alone, in the unit that was asked for."""
    return _answer("temperature", match, at, language, unit or "celsius")


def rain(match: Match, at: datetime, language: str) -> str:
    """The rain alone."""
    return _answer("rain", match, at, language)


def _answer(what: str, match: Match, at: datetime, language: str, unit: str = "celsius") -> str:
    words = said_in("weather", language)
    city, when = match.slots["city"].entities[0], match.slots.get("date")
    name, facts = name_of(city, language), city.meta
    if facts.get("kind") == "continent" or not {"latitude", "longitude"} <= facts.keys():
        return str(words["large"].format(place=name))
    today = at.date()
    first, last = days_of(when.entities[0].meta if when else None, today)
    point = facts["latitude"], facts["longitude"]
    expected = forecast(*point, first, last, facts.get("timezone"))
    where, source = name, "forecast"
    known: tuple[float, float, float]
    if expected:
        known = expected.high, expected.low, expected.rain
    else:
        station, distance = nearest(*point)
        if distance > _FAR:
            return str(words["unknown"].format(place=name, distance=round(_FAR)))
        normal = average(station, first, last)
        known = normal.high, normal.low, normal.rain
        source = "climate"
        called = station.name_ru if base(language) == "ru" else station.name
        if distance > _SAME:
            where = words["station"].format(place=name, station=called, distance=round(distance))
        elif facts.get("kind") != "city":
            where = f"{name} ({called})"
    high, low, share = known
    return str(
        words[source][what].format(
            where=where,
            when=shown_days(first, last, language, today),
            high=_degrees(high, unit, words["degrees"]),
            low=_degrees(low, unit, words["degrees"]),
            share=round(100 * share),
        )
    )


def _degrees(celsius: float, unit: str, written: dict[str, str]) -> str:
    value = celsius * 9 / 5 + 32 if unit == "fahrenheit" else celsius
    return written[unit].format(value=round(value)).replace("-", "−")
