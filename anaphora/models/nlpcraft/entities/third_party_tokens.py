"""Entities of other programs that NLPCraft's server calls, and what finds such things here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["PROVIDERS", "Substitute", "find_substitute"]

PROVIDERS = ("google:", "opennlp:", "spacy:", "stanford:")


class Substitute(NamedTuple):
    """A recognizer with its options, as a model file names them; ``hint`` is for the report."""

    recognizer: str
    options: Mapping[str, object]
    hint: str


def find_substitute(token: str) -> Substitute | None:
    """What finds the entities of another program (``google:location``); None if nothing does, and
    for anything but the name of such an entity.

    Persons, organizations and all other entities of spaCy need a pipeline of spaCy; without one
    they are not found.
    """
    provider, _, label = token.partition(":")
    if f"{provider}:" not in PROVIDERS or not label:
        return None
    kind = label.casefold()
    if kind in _SPACY_LABELS:
        return _from_spacy(_SPACY_LABELS[kind])
    if kind in _BUILTIN_ENTITIES and (provider != "spacy" or kind == "gpe"):
        recognizer, options = _BUILTIN_ENTITIES[kind]
        named = ", ".join((recognizer, *map(str, options.get("kinds", ()))))
        hint = f"the built-in entity {named} finds them, without the metadata of {provider}"
        if provider == "spacy":
            hint += "; with a pipeline of spaCy write recognizer: spacy:GPE"
        return Substitute(recognizer, options, hint)
    return _from_spacy(label) if provider == "spacy" else None


def _from_spacy(label: str) -> Substitute:
    hint = "only a pipeline of spaCy finds them: name one (pipeline: en_core_web_sm)"
    return Substitute(f"spacy:{label}", {"optional": True}, hint)


_SPACY_LABELS = {"person": "PERSON", "organization": "ORG", "org": "ORG"}
_BUILTIN_ENTITIES: Mapping[str, tuple[str, Mapping[str, tuple[str, ...]]]] = {
    "location": ("place", {}),
    "gpe": ("place", {}),
    "city": ("place", {"kinds": ("city",)}),
    "state_or_province": ("place", {"kinds": ("region",)}),
    "country": ("place", {"kinds": ("country",)}),
    "phone_number": ("phone", {}),
    "date": ("date", {}),
    "time": ("date", {}),
    "duration": ("duration", {}),
    "money": ("money", {}),
    "price": ("money", {}),
    "number": ("number", {}),
    "percent": ("number", {}),
    "percentage": ("number", {}),
    "email": ("email", {}),
    "url": ("url", {}),
}
