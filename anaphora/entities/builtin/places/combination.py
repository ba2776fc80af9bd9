"""Combine a city with the region or the country that tells which one is meant: Springfield and
Illinois."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.completion import find_completion
from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer
from anaphora.entities.builtin.places.place import Place
from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["create_combiner"]

# A city that many times smaller than another one of its name is not meant by the name.
_MAX_POPULATION_RATIO = 10
_CONTAINERS = frozenset(("region", "country"))


def create_combiner(
    name: str, language: str, options: Mapping[str, Any], *, is_full: bool
) -> _PlaceCombiner:
    """Create the combiner of places, which uses the gazetteer that their recognizer loads."""
    return _PlaceCombiner(options)


class _PlaceCombiner:
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        # Elsewhere a region or a country is an entity of its own.
        self.completes = _CONTAINERS.isdisjoint(options["kinds"])
        self._find_inside = lru_cache(maxsize=1024)(self._find_namesake)

    def may_combine(self, new: Entity) -> bool:
        return True

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        """The city that both mean; None if the container has no city of the name, if the city lies
        in it anyway, and if another city of the name is much larger."""
        if old.element != new.element:
            return None
        kinds = old.meta.get("kind"), new.meta.get("kind")
        if kinds[0] == "city" and kinds[1] in _CONTAINERS:
            city, container = old, new
        elif kinds[1] == "city" and kinds[0] in _CONTAINERS:
            city, container = new, old
        else:
            return None
        found = self._find_inside(city.meta.get("id"), container.meta.get("id"))
        if found is None:
            return None
        text = f"{city.text}, {container.text}"
        return replace(new, text=text, value=found.name, meta=found.meta())

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        """The old city in the container that the text names."""
        if old.meta.get("kind") != "city":
            return None
        before = f"{old.value}, "
        return find_completion("place", language, self._options, before=before, text=text, at=at)

    def _find_namesake(self, city_id: Any, container_id: Any) -> Place | None:
        """The city in the container with the name of a city elsewhere."""
        gazetteer = Gazetteer.load(self._options["population"])
        city, container = (
            gazetteer.by_id(id) if isinstance(id, str) else None for id in (city_id, container_id)
        )
        if city is None or container is None or city.lies_in(container):
            return None
        namesakes = [one for one in gazetteer.find(city.name) if one.name == city.name]
        inside = next((one for one in namesakes if one.lies_in(container)), None)
        largest = max((one.population for one in namesakes if one.kind == "city"), default=0)
        if inside is None or inside.population * _MAX_POPULATION_RATIO < largest:
            return None
        return inside
