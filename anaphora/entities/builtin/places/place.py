"""What is known of a place."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

__all__ = ["Place", "PlaceKind"]

PlaceKind = Literal["city", "region", "country", "continent"]


@dataclass(frozen=True, slots=True)
class Place:
    """A city, region, country or continent, by its English name.

    ``id`` is the code of a country (``DE``), of a region (``DE-BY``), or GeoNames' number of a city
    or of a continent. ``country`` and ``continent`` are codes, ``region`` is the name of the region
    where it is known, ``admin1`` GeoNames' code of it. ``capital`` is the name of a country's
    capital or of a region's seat: their time zone and coordinates stand for the whole.
    What is not known is None, a population 0.
    """

    kind: PlaceKind
    name: str
    id: str
    continent: str | None = None
    country: str | None = None
    country_name: str | None = None
    region: str | None = None
    admin1: str | None = None
    capital: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    population: int = 0
    timezone: str | None = None

    def meta(self) -> dict[str, str | float | int]:
        """What is known, as JSON-able data."""
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: value for key, value in known.items() if value is not None}

    def lies_in(self, other: Place) -> bool:
        """Whether it is a part of ``other``."""
        if other.kind == "country":
            return self.kind in ("city", "region") and self.country == other.id
        if other.kind == "region":
            same = self.country == other.country and self.admin1 is not None
            return self.kind == "city" and same and self.admin1 == other.admin1
        return (
            other.kind == "continent" and self.kind != "continent" and (self.continent == other.id)
        )
