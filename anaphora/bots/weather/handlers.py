"""The handlers of the model ``weather``: a forecast if a service is configured, else the climate
normal of the nearest station."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from itertools import product
from typing import TYPE_CHECKING

from anaphora.bots.climate.stations import ClimateNormal, climate_normal, nearest_station
from anaphora.bots.date_text import date_range, format_days
from anaphora.bots.place_names import local_name, station_name
from anaphora.bots.tables import load_texts
from anaphora.bots.weather.forecast import Forecast, fetch_forecast

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.intents.match import Match

__all__ = ["rain", "temperature", "weather"]

_MAX_STATION_DISTANCE = 150.0  # km; beyond it the climate may differ
_SAME_PLACE_DISTANCE = 25.0  # km; a station within it is not mentioned
_MAX_ANSWERS = 4
_FREEZING, _COOL = -5.0, 4.0  # mean °C: snow below the first, rain above the second


def weather(match: Match, at: datetime, language: str, unit: str | None = None) -> str:
    """Answer with temperatures and rain."""
    return _format_answer("weather", match, at, language, unit)


def temperature(match: Match, at: datetime, language: str, unit: str | None = None) -> str:
    """Answer with temperatures only, in the requested unit."""
    return _format_answer("temperature", match, at, language, unit)


def rain(match: Match, at: datetime, language: str) -> str:
    """Answer with rain only."""
    return _format_answer("rain", match, at, language)


def _format_answer(
    what: str, match: Match, at: datetime, language: str, unit: str | None = None
) -> str:
    """A line for each place and date of the question."""
    today = at.date()
    days = [date_range(when.meta, today) for when in _named_entities(match, "date")] or [
        (today, today)
    ]
    asked = list(product(_named_entities(match, "city"), dict.fromkeys(days)))[:_MAX_ANSWERS]
    lines = (
        _format_line(what, city, first, last, today, language, unit or "celsius")
        for city, (first, last) in asked
    )
    return "\n".join(dict.fromkeys(lines))


def _named_entities(match: Match, slot: str) -> Iterator[Entity]:
    """The entities of the slot, and the others of its element in the sentence ("in Tokyo and
    Osaka", but not "not Tokyo")."""
    filled = match.slots.get(slot)
    if filled is None:
        return
    yield from filled.entities
    if filled.source == "sentence":
        used = match.entities
        for entity in match.filling.variant.entities:
            if entity.element == filled.element and entity not in used and not entity.negated:
                yield entity


def _format_line(
    what: str, city: Entity, first: date, last: date, today: date, language: str, unit: str
) -> str:
    words = load_texts("weather", language)
    where, facts = local_name(city, language), city.meta
    if facts.get("kind") == "continent" or not {"latitude", "longitude"} <= facts.keys():
        return str(words["large"].format(place=where))
    point = facts["latitude"], facts["longitude"]
    known: Forecast | ClimateNormal | None = fetch_forecast(
        *point, first, last, facts.get("timezone"), today=today
    )
    source = "forecast"
    if known is None:
        station, distance = nearest_station(*point)
        if distance > _MAX_STATION_DISTANCE:
            return str(words["unknown"].format(place=where, distance=round(_MAX_STATION_DISTANCE)))
        known, source = climate_normal(station, first, last), "climate"
        called = station_name(station, language)
        if distance > _SAME_PLACE_DISTANCE:
            where = words["station"].format(place=where, station=called, distance=round(distance))
        elif facts.get("kind") != "city":
            where = f"{where} ({called})"
    falls = _precipitation((known.high + known.low) / 2)
    return str(
        words[source][what].format(
            where=where,
            when=format_days(first, last, language, today),
            high=_format_degrees(known.high, unit, words["degrees"]),
            low=_format_degrees(known.low, unit, words["degrees"]),
            share=round(100 * known.rain),
            wet=words["wet"][falls],
            fall=words["fall"][falls],
        )
    )


def _precipitation(celsius: float) -> str:
    """The kind of precipitation at a mean temperature."""
    if celsius < _FREEZING:
        return "snow"
    return "mixed" if celsius < _COOL else "rain"


def _format_degrees(celsius: float, unit: str, written: dict[str, str]) -> str:
    value = celsius * 9 / 5 + 32 if unit == "fahrenheit" else celsius
    return written[unit].format(value=round(value)).replace("-", "−")
