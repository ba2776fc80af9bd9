"""The restaurants that the bot knows, and the search among them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from functools import cache
from typing import Any, TypeAlias, cast

from anaphora.bots.tables import load_table

__all__ = [
    "Criteria",
    "Restaurant",
    "bounds",
    "find_bound",
    "find_restaurants",
    "names",
    "restaurants",
]

_MIDNIGHT = time()
_THAN = "than "
_Key: TypeAlias = Callable[["Restaurant"], float]

# By the scales on which users compare ("something cheaper").
_SCALES: Mapping[str, _Key] = {
    "price": lambda one: one.price,
    "rating": lambda one: one.rating,
    "distance": lambda one: one.distance,
}


@dataclass(frozen=True, slots=True)
class Restaurant:
    """A restaurant: ``price`` in euros per person, ``distance`` from the town hall in km,
    ``closed`` the weekday without service."""

    name: str
    kitchen: str
    district: str
    price: int
    rating: float
    distance: float
    phone: str
    street: Mapping[str, str]
    opens: time
    closes: time
    closed: int | None

    def is_open(self, at: datetime, *, whole_day: bool = False) -> bool:
        """Whether guests can come at a time, or at any time of the day."""
        if at.weekday() == self.closed:
            return False
        clock = at.time()
        return whole_day or (
            self.opens <= clock and (self.closes == _MIDNIGHT or clock < self.closes)
        )


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a restaurant must be. Empty collections and None say nothing; ``excluded`` are kitchens
    and districts, ``comparison`` is relative to ``seen``: "price:less"."""

    kitchens: Collection[str] = ()
    districts: Collection[str] = ()
    excluded: Collection[str] = ()
    min_price: float | None = None
    max_price: float | None = None
    is_open: Callable[[Restaurant], bool] | None = None
    seen: Collection[str] = ()
    comparison: str = ""


@cache
def restaurants() -> Mapping[str, Restaurant]:
    """All restaurants by name."""
    found = map(_read, _load_rows())
    return {one.name: one for one in found}


def names(element: Any) -> Mapping[str, Sequence[str]]:
    """The names of the restaurants with how else users write them, for the model."""
    return {row["name"]: [*row.get("en", ()), *row["ru"]] for row in _load_rows()}


def bounds(element: Any) -> Mapping[str, Sequence[str]]:
    """The restaurants that others are compared with, for the model: "cheaper than Forno". A name
    alone says nothing of the kind."""
    return {
        f"{_THAN}{name}": [f"чем {text}" for text in (name, *texts)]
        for name, texts in names(element).items()
    }


def find_bound(value: str) -> str:
    """The name of the restaurant of such a value."""
    return value.removeprefix(_THAN)


def find_restaurants(criteria: Criteria) -> list[Restaurant]:
    """Find what fits and has not been seen: the best first, or first what a comparison asks for."""
    known = restaurants()
    fitting = (one for one in known.values() if _fits(one, criteria))
    found = [one for one in fitting if one.name not in criteria.seen]
    scale, _, direction = criteria.comparison.partition(":")
    key = _SCALES.get(scale)
    if key is None:
        return sorted(found, key=lambda one: -one.rating)
    sign = 1 if direction == "less" else -1
    limits = [sign * key(known[name]) for name in criteria.seen if name in known]
    if limits:
        found = [one for one in found if sign * key(one) < min(limits)]
    return sorted(found, key=lambda one: (sign * key(one), -one.rating))


def _load_rows() -> Sequence[Mapping[str, Any]]:
    return cast(Sequence[Mapping[str, Any]], load_table("restaurant/restaurants.yaml"))


def _fits(one: Restaurant, criteria: Criteria) -> bool:
    return (
        (not criteria.kitchens or one.kitchen in criteria.kitchens)
        and (not criteria.districts or one.district in criteria.districts)
        and not {one.kitchen, one.district} & {*criteria.excluded}
        and (criteria.min_price is None or one.price >= criteria.min_price)
        and (criteria.max_price is None or one.price <= criteria.max_price)
        and (criteria.is_open is None or criteria.is_open(one))
    )


def _read(row: Mapping[str, Any]) -> Restaurant:
    return Restaurant(
        row["name"],
        row["kitchen"],
        row["district"],
        row["price"],
        row["rating"],
        row["distance"],
        row["phone"],
        row["street"],
        time.fromisoformat(row["opens"]),
        time.fromisoformat(row["closes"]),
        row["closed"],
    )
