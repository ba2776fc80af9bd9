"""The devices of a kind: of a domain, of a class, or with a word in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from anaphora.core.utterance import SentenceReading
from anaphora.intents.decision.sentences.fragments.name_words import has_word, is_form_of
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import find_devices, property_of

__all__ = ["find_alike", "find_kind", "kind_of"]

_DOMAIN, _CLASS = "domain", "device_class"
_CLASSED = frozenset(("cover",))  # domains of things that differ by their class


def find_kind(
    model: SentenceIntents,
    reading: SentenceReading,
    said: Mapping[str, str],
    accepted: Collection[str] | None,
) -> list[str]:
    """The devices of the kind and in the place that a reading names. They are those with its word
    in their names, if it has none for a domain; so are those of a class, if the home does not say
    of which class they are: "all the BLINDS"."""
    if reading.kind:
        found = find_devices(model, said, accepted)
        return [one for one in found if has_word(model, one, reading.kind)]
    words = [one.text for one in reading.entities if one.element == _CLASS and one.end]
    unclassed = find_devices(model, {**said, _CLASS: ""})
    return [
        *find_devices(model, said),
        *(one for one in unclassed if any(has_word(model, one, word) for word in words)),
    ]


def find_alike(
    model: SentenceIntents, name: str, accepted: Collection[str] | None = None
) -> list[str]:
    """The devices of the kind of one. If the home does not say of which class a cover is, those
    with a word in common are: blinds are no doors."""
    kind = kind_of(model, name)
    found = find_devices(model, kind, accepted)
    if kind.get(_DOMAIN) not in _CLASSED or _CLASS in kind:
        return found
    words = name.lower().split()
    alike = [
        one
        for one in found
        if any(is_form_of(word, part) for word in words for part in one.lower().split())
    ]
    return alike if len(alike) > 1 else found


def kind_of(model: SentenceIntents, name: str) -> dict[str, str]:
    """The domain and the class of a device, as far as they are known."""
    kind = {slot: property_of(model, name, slot) for slot in (_DOMAIN, _CLASS)}
    return {slot: value for slot, value in kind.items() if value}
