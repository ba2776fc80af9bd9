"""The words that mark the roles of entities in examples: "from [Rome]{… "role": "departure"}"."""

from __future__ import annotations

from collections import Counter

from anaphora.models.rasa.examples import EntityKey
from anaphora.models.rasa.notes import AddNote, Place
from anaphora.models.rasa.project import RasaProject

__all__ = ["find_role_markers"]


def find_role_markers(project: RasaProject, add_note: AddNote) -> dict[EntityKey, frozenset[str]]:
    """Find the words that stand before an entity in one role, and before it in no other.

    A word counts if at least half of the examples of the role have it. Notes the roles, and the
    groups, that no word tells apart.
    """
    found: dict[str, dict[str, Counter[str]]] = {}
    places: dict[tuple[str, str, str], Place] = {}
    for examples in project.examples.values():
        for place, example in examples:
            for one in example.annotations:
                roles = found.setdefault(one.entity, {})
                roles.setdefault(one.role, Counter())[one.before] += 1
                for kind, name in (("role", one.role), ("group", one.group)):
                    if name:
                        places.setdefault((one.entity, kind, name), place)
    markers = {
        (entity, role): _markers_of(role, roles)
        for entity, roles in found.items()
        for role in roles
        if role
    }
    for (entity, kind, name), place in places.items():
        words = markers.get((entity, name), frozenset()) if kind == "role" else ()
        if words:
            listed = ", ".join(sorted(words))
            add_note("mapped", place, f"the role '{name}' of {entity}: after {listed}")
        else:
            add_note("changed", place, f"the {kind} '{name}' of {entity} is not told apart")
    return {key: words for key, words in markers.items() if words}


def _markers_of(role: str, roles: dict[str, Counter[str]]) -> frozenset[str]:
    words = roles[role]
    elsewhere = {word for other, counts in roles.items() if other != role for word in counts}
    return frozenset(
        word
        for word, count in words.items()
        if word and word not in elsewhere and 2 * count >= words.total()
    )
