"""The handlers of the model ``weather``: a forecast where a service is configured, else what is
usual there at that time of the year."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from itertools import product
from typing import TYPE_CHECKING

from anaphora.bots.climate import Normal, average, nearest
from anaphora.bots.days import days_of, shown_days
from anaphora.bots.forecast import Forecast, forecast
from anaphora.bots.named import name_of, station_name
from anaphora.bots.texts import said_in

if TYPE_CHECKING:
    from anaphora.intents.match import Match
    from anaphora.models.utterance import Entity

__all__ = ["rain", "temperature", "weather"]

_FAR = 150.0  # km; beyond that the climate is another one
_SAME = 25.0  # km; within that a station needs no mention
_MOST_ANSWERS = 4
_FREEZING, _COOL = -5.0, 4.0  # °C on average; it snows below, it may do so between


def weather(match: Match, at: datetime, language: str, unit: str | None = None) -> str:
    """Warmth and rain."""
    return _answer("weather", match, at, language, unit)


def temperature(match: Match, at: datetime, language: str, unit: str | None = None) -> str:
    """The warmth alone, in the unit that was asked for."""
    return _answer("temperature", match, at, language, unit)


def rain(match: Match, at: datetime, language: str) -> str:
    """The rain alone."""
    return _answer("rain", match, at, language)


def _answer(what: str, match: Match, at: datetime, language: str, unit: str | None = None) -> str:
    """A line for each place and each date that was named."""
    today = at.date()
    days = [days_of(when.meta, today) for when in _named(match, "date")] or [(today, today)]
    asked = list(product(_named(match, "city"), dict.fromkeys(days)))[:_MOST_ANSWERS]
    lines = (
        _line(what, city, first, last, today, language, unit or "celsius")
        for city, (first, last) in asked
    )
    return "\n".join(dict.fromkeys(lines))


def _named(match: Match, slot: str) -> Iterator[Entity]:
    """What fills the slot, and what else of its element the sentence has ("in Tokyo and Osaka")."""
    filled = match.slots.get(slot)
    if filled is None:
        return
    yield from filled.entities
    if filled.source == "sentence":
        used = match.entities
        for entity in match.filling.variant.entities:
            if entity.element == filled.element and entity not in used:
                yield entity


def _line(
    what: str, city: Entity, first: date, last: date, today: date, language: str, unit: str
) -> str:
    words = said_in("weather", language)
    where, facts = name_of(city, language), city.meta
    if facts.get("kind") == "continent" or not {"latitude", "longitude"} <= facts.keys():
        return str(words["large"].format(place=where))
    point = facts["latitude"], facts["longitude"]
    known: Forecast | Normal | None = forecast(
        *point, first, last, facts.get("timezone"), today=today
    )
    source = "forecast"
    if known is None:
        station, distance = nearest(*point)
        if distance > _FAR:
            return str(words["unknown"].format(place=where, distance=round(_FAR)))
        known, source = average(station, first, last), "climate"
        called = station_name(station, language)
        if distance > _SAME:
            where = words["station"].format(place=where, station=called, distance=round(distance))
        elif facts.get("kind") != "city":
            where = f"{where} ({called})"
    falls = _falls((known.high + known.low) / 2)
    return str(
        words[source][what].format(
            where=where,
            when=shown_days(first, last, language, today),
            high=_degrees(known.high, unit, words["degrees"]),
            low=_degrees(known.low, unit, words["degrees"]),
            share=round(100 * known.rain),
            wet=words["wet"][falls],
            fall=words["fall"][falls],
        )
    )


def _falls(celsius: float) -> str:
    """What falls when it is so warm on average."""
    if celsius < _FREEZING:
        return "snow"
    return "mixed" if celsius < _COOL else "rain"


def _degrees(celsius: float, unit: str, written: dict[str, str]) -> str:
    value = celsius * 9 / 5 + 32 if unit == "fahrenheit" else celsius
    return written[unit].format(value=round(value)).replace("-", "−")
