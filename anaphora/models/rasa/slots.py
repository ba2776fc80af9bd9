"""What fills each slot of a Rasa project: entities, in a role or in any, and yes or no."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anaphora.models.nlpcraft.rules.model import make_id
from anaphora.models.rasa.elements import BUILT_IN, EntityValues
from anaphora.models.rasa.examples import EntityKey
from anaphora.models.rasa.notes import AddNote
from anaphora.models.rasa.project import Entry, RasaProject

__all__ = ["SlotFillers", "collect_fillers"]

_REASONS = {
    "from_text": "the whole text of the user, which no element takes: use a handler",
    "from_intent": "a value of an intent, which has no counterpart: use a handler",
    "from_trigger_intent": "a value of an intent, which has no counterpart: use a handler",
    "nothing": "which leaves it to code",
}
_BOOLEAN = "boolean"
_FILTERS = {"date": "datetime", "duration": "duration", "money": "money"}


@dataclass(frozen=True, slots=True)
class SlotFillers:
    """The entities that fill the slots, by slot, and the elements of the model for them."""

    keys: Mapping[str, tuple[EntityKey, ...]]
    values: EntityValues
    markers: Mapping[EntityKey, frozenset[str]]

    def elements_of(self, slot: str) -> list[str]:
        """The elements that fill a slot; none if only code fills it."""
        return [self.element_of(key) for key in self.keys.get(slot, ()) if self.is_known(key)]

    def is_known(self, key: EntityKey) -> bool:
        return key[0] in self.values.values or key[0] in self.values.built_in

    def element_of(self, key: EntityKey) -> str:
        """The element of an entity; one of its own in a role that words tell apart."""
        entity, role = key
        if entity == _BOOLEAN and role:
            return make_id(f"{role}_answer")
        if key in self.markers:
            return make_id(f"{entity}_{role}")
        return BUILT_IN[entity] if entity in self.values.built_in else make_id(entity)

    def own_booleans(self) -> list[str]:
        """The elements for a yes or a no to one slot each."""
        keys = dict.fromkeys(key for keys in self.keys.values() for key in keys)
        return [self.element_of(key) for key in keys if key[0] == _BOOLEAN and key[1]]

    def slot_of(self, key: EntityKey) -> str:
        """The slot that an entity fills; its role or itself if it fills none."""
        for slot, keys in self.keys.items():
            if key in keys:
                return slot
        return key[1] if key in self.markers else key[0]

    def variable_of(self, slot: str) -> str:
        """What a template says for a slot: its value for people, also in a role."""
        name = make_id(slot)
        keys = [key for key in self.keys.get(slot, ()) if self.is_known(key)]
        if not keys:
            return name
        entity, _ = keys[0]
        element = self.element_of((entity, ""))
        if keys[0] in self.markers:
            name = f"{name}.{element}"
        is_built_in = len(keys) == 1 and entity in self.values.built_in
        return f"{name} | {_FILTERS[element]}" if is_built_in and element in _FILTERS else name


def collect_fillers(
    project: RasaProject,
    values: EntityValues,
    markers: Mapping[EntityKey, frozenset[str]],
    add_note: AddNote,
) -> SlotFillers:
    """Collect what fills the slots; notes what no element can. Several slots for a yes or a no have
    an element each, as the answer to one takes nothing away from another."""
    keys = {name: _keys_of(project, name, slot, add_note) for name, slot in project.slots.items()}
    answered = [name for name, found in keys.items() if (_BOOLEAN, "") in found]
    for name in answered if len(answered) > 1 else ():
        keys[name] = tuple(
            (one, name) if one == _BOOLEAN else (one, role) for one, role in keys[name]
        )
    return SlotFillers(keys, values, markers)


def _keys_of(
    project: RasaProject, name: str, entry: Entry, add_note: AddNote
) -> tuple[EntityKey, ...]:
    settings = entry.data if isinstance(entry.data, dict) else {}
    mappings = project.mappings_of(name)
    keys = [
        (str(one.get("entity", name)), str(one.get("role") or ""))
        for one in mappings
        if one.get("type") == "from_entity"
    ]
    kinds = [str(one.get("type")) for one in mappings if one.get("type") != "from_entity"]
    if settings.get("type") == "bool" and "from_intent" in kinds:
        reason = "a yes or no (entity boolean), as the answer to its question"
        add_note("changed", entry.place, f"slot {name}: {reason}")
        keys.append((_BOOLEAN, ""))
        kinds = [kind for kind in kinds if kind != "from_intent"]
    if keys and any(one.get("conditions") for one in mappings):
        reason = "the bot fills the slot that it asks for, else the one that fits"
        add_note("changed", entry.place, f"slot {name}: its conditions are left out: {reason}")
    if kinds or not keys:
        also = "also " if keys else ""
        for kind in dict.fromkeys(kinds) or ("nothing",):
            reason = _REASONS.get(kind, "which is code")
            add_note("ignored", entry.place, f"slot {name}: {also}filled by {kind}, {reason}")
    return tuple(dict.fromkeys(keys))
