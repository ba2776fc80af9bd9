"""Which place a time of the day belongs to: in "What time is it in Rome when it is 5pm in
Tokyo?", to Tokyo."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity
    from anaphora.intents.match import Match

__all__ = ["resolve_places"]

_MAX_DISTANCE = 2  # tokens from a time to its place: "5pm in Tokyo"


def resolve_places(match: Match) -> tuple[Entity | None, Entity | None]:
    """The place that is asked about, and the one whose time is told; None is where the user is.

    Uses the slots ``city``, ``other``, ``here``, ``date``, ``topic`` and ``when`` of the intent.
    """
    said = {
        name: slot.entities[0] for name, slot in match.slots.items() if slot.source == "sentence"
    }
    (city,) = match.slots["city"].entities
    other = said.get("other")
    if "city" not in said:
        return city, None
    date = said["date"]
    if other:
        belongs = _find_in_clause(said, (city, other)) or min(
            (city, other), key=lambda place: _token_distance(place, date)
        )
        return (other, city) if belongs is city else (city, other)
    if here := said.get("here"):
        return (
            (None, city)
            if _token_distance(city, date) < _token_distance(here, date)
            else (city, None)
        )
    if "when" in said:
        return (None, city) if _find_in_clause(said, (city,)) else (city, None)
    behind = city.start > date.end and _token_distance(city, date) <= _MAX_DISTANCE
    return (None, city) if behind else (city, None)


def _find_in_clause(said: dict[str, Entity], places: tuple[Entity, ...]) -> Entity | None:
    """The first of the places between "when" and what is asked, or the end."""
    if "when" not in said:
        return None
    begin, topic = said["when"].start, said.get("topic")
    end = topic.start if topic and topic.start > begin else float("inf")
    return next((place for place in places if begin < place.start < end), None)


def _token_distance(one: Entity, other: Entity) -> int:
    """The tokens from one to the other."""
    first, second = sorted((one.tokens, other.tokens))
    return second[0] - first[-1]
