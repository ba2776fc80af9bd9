"""Find the place that a time of day belongs to: in "What time is it in Rome when it is 5pm in
Tokyo?", Tokyo."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.intents.match import Match

__all__ = ["resolve_places"]

_MAX_DISTANCE = 2  # tokens between a time and its place: "5pm in Tokyo"


def resolve_places(match: Match) -> tuple[Entity | None, Entity | None]:
    """The place that is asked about, and the place whose time is given; None is the user's.

    Uses the slots ``city``, ``other``, ``here``, ``date``, ``topic`` and ``when`` of the intent.
    """
    named = {
        name: slot.entities[0] for name, slot in match.slots.items() if slot.source == "sentence"
    }
    (city,) = match.slots["city"].entities
    other = named.get("other")
    if "city" not in named:
        return city, None
    date = named["date"]
    if other:
        owner = _find_in_clause(named, (city, other)) or min(
            (city, other), key=lambda place: _token_distance(place, date)
        )
        return (other, city) if owner is city else (city, other)
    if here := named.get("here"):
        is_nearer = _token_distance(city, date) < _token_distance(here, date)
        return (None, city) if is_nearer else (city, None)
    if "when" in named:
        return (None, city) if _find_in_clause(named, (city,)) else (city, None)
    follows = city.start > date.end and _token_distance(city, date) <= _MAX_DISTANCE
    return (None, city) if follows else (city, None)


def _find_in_clause(named: dict[str, Entity], places: tuple[Entity, ...]) -> Entity | None:
    """The first of the places after "when" and before the question, if that follows."""
    if "when" not in named:
        return None
    begin, topic = named["when"].start, named.get("topic")
    end = topic.start if topic and topic.start > begin else float("inf")
    return next((place for place in places if begin < place.start < end), None)


def _token_distance(one: Entity, other: Entity) -> int:
    """The distance between two entities in tokens."""
    first, second = sorted((one.tokens, other.tokens))
    return second[0] - first[-1]
