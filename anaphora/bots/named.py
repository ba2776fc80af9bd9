"""What places are called in the language of the question."""

from __future__ import annotations

from anaphora.bots.climate import stations
from anaphora.entities.languages import base
from anaphora.models.utterance import Entity

__all__ = ["name_of"]


def name_of(entity: Entity, language: str) -> str:
    """What the place is called in ``language``, as far as that is known; else in English. One
    that is not the first of its name comes with its region or its country.

    What was said is its name where the gazetteer has it so ("Wien"), and an inflected form
    («в Химках») where it has not.
    """
    code, facts = base(language), entity.meta
    if code == "ru":
        for station in stations():
            if station.name == entity.said and station.country == facts.get("country"):
                return station.name_ru
    from anaphora.entities.places.gazetteer import Gazetteer

    gazetteer = Gazetteer.load()
    if code != "en" and entity.text[:1].isupper():
        known = gazetteer.find(entity.text, code)
        if any(place.id == facts.get("id") for place in known):
            return entity.text
    first = next(iter(gazetteer.find(entity.said)), None)
    part_of = facts.get("region") or facts.get("country_name")
    if first is None or first.id == facts.get("id") or not part_of:
        return entity.said
    return f"{entity.said}, {part_of}"
