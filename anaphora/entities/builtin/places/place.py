"""The data of a place."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

__all__ = ["Place", "PlaceKind"]

PlaceKind = Literal["city", "region", "country", "continent"]


@dataclass(frozen=True, slots=True)
class Place:
    """A city, region, country or continent, with its English name.

    ``id`` is the code of a country (``DE``) or of a region (``DE-BY``), or the GeoNames number of a
    city or a continent. ``country`` and ``continent`` are codes, ``region`` is the name of the
    region, ``admin1`` its GeoNames code. ``capital`` is the capital of a country or the seat of a
    region, whose time zone and coordinates are those of the whole. Unknown values are None, an
    unknown population is 0.
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
        """The known fields, as data for JSON."""
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: value for key, value in known.items() if value is not None}

    def lies_in(self, other: Place) -> bool:
        """Whether the place is part of ``other``."""
        if other.kind == "country":
            return self.kind in ("city", "region") and self.country == other.id
        if other.kind == "region":
            same = self.country == other.country and self.admin1 is not None
            return self.kind == "city" and same and self.admin1 == other.admin1
        return (
            other.kind == "continent" and self.kind != "continent" and (self.continent == other.id)
        )
