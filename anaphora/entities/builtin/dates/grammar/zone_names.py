"""The names of the cities that time zones are named after, by language.

They come from CLDR, and from the IANA database where CLDR has the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from zoneinfo import available_timezones

__all__ = ["load_zone_names"]

_REGIONS = (
    "Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific",
)  # fmt: skip


def load_zone_names(language: str) -> Mapping[str, str]:
    """The keys of time zones in the IANA database (``Asia/Tokyo``), by the name of their city in a
    language."""
    from babel import Locale, UnknownLocaleError  # takes 10 ms, and is not needed with a cache

    known = available_timezones()
    names = {
        key.rpartition("/")[2].replace("_", " "): key
        for key in sorted(known)
        if key.partition("/")[0] in _REGIONS
    }
    try:
        localized = Locale.parse(language).time_zones
    except (UnknownLocaleError, ValueError):
        return names
    for key in sorted(localized):
        city = localized[key].get("city")
        if city and key in known:
            names[city] = key
    return names
