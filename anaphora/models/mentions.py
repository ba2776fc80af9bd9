"""Whether the model has what its predicates speak of: elements, groups, ancestors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from anaphora.grammar.intent import Key
from anaphora.models.domain import Element
from anaphora.models.draft import Draft
from anaphora.models.hints import did_you_mean

__all__ = ["KnownNames", "is_built_in", "known_names", "unknown"]

_BUILT_IN = ("nlpcraft:", "google:", "opennlp:", "spacy:", "stanford:")

KnownNames: TypeAlias = Mapping[str, AbstractSet[str]]
"""The names by the kind of a key; a kind of which not all is known is left out."""


def known_names(draft: Draft, elements: Iterable[Element]) -> KnownNames:
    """What a predicate of this file can speak of."""
    written = draft.file.elements
    if not written and draft.is_spoilt("elements"):
        return {}
    names = draft.element_names
    known: dict[str, AbstractSet[str]] = {"element": names, "ancestor": names}
    if not any(draft.is_spoilt("elements", at, "groups") for at in range(len(written))):
        known["group"] = {group for element in elements for group in element.groups}
    return known


def unknown(key: Key, known: KnownNames) -> tuple[str, str] | None:
    """What a message calls the key, and a hint, if the model has nothing of that name."""
    kind, name = key
    names = known.get(kind)
    if names is None or name in names or is_built_in(name):
        return None
    what = "group" if kind == "group" else "element"
    hint = did_you_mean(name, sorted(names), what=f"the {what}s are")
    return f"the unknown {what} '{name}'", hint


def is_built_in(name: str) -> bool:
    """Whether the name is that of an entity which other pipelines of spaCy or NLPCraft find."""
    return name.startswith(_BUILT_IN)
