"""Check that the elements, groups and ancestors named in predicates exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from anaphora.core.name_hints import did_you_mean
from anaphora.grammar.idl.intent import EntitySelector
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.domain import Element
from anaphora.models.schema.builtin_entities import is_builtin_name

__all__ = [
    "KnownNames",
    "collect_known_names",
    "describe_unknown",
    "enable_hint",
    "is_external_name",
    "missing_recognizer_hint",
]

_FREE_WORD = "nlpcraft:nlp"
_EXTERNAL_PREFIXES = ("nlpcraft:", "google:", "opennlp:", "spacy:", "stanford:")

KnownNames: TypeAlias = Mapping[str, AbstractSet[str]]
"""The known names by kind of selector, without the kinds whose names are incomplete."""


def collect_known_names(draft: ModelDraft, elements: Iterable[Element]) -> KnownNames:
    """The names that the predicates of this file can refer to."""
    written = draft.file.elements
    if not written and draft.is_removed("elements"):
        return {}
    names = draft.element_ids
    if draft.file.free_words:
        names = names | {_FREE_WORD}
    known: dict[str, AbstractSet[str]] = {"element": names, "ancestor": names}
    if not any(draft.is_removed("elements", at, "groups") for at in range(len(written))):
        known["group"] = {group for element in elements for group in element.groups}
    return known


def describe_unknown(key: EntitySelector, known: KnownNames) -> tuple[str, str] | None:
    """A description of an unknown selector for messages, and a hint; None for a known one."""
    kind, name = key
    names = known.get(kind)
    if names is None or name in names or is_external_name(name):
        return None
    what = "group" if kind == "group" else "element"
    hint = enable_hint(name) or did_you_mean(name, sorted(names), label=f"the {what}s are")
    return f"the unknown {what} '{name}'", hint


def missing_recognizer_hint(key: EntitySelector, known: KnownNames) -> str:
    """A hint for the name of an entity that only other programs recognize; '' for any other."""
    kind, name = key
    if not is_external_name(name) or name in known.get(kind, ()):
        return ""
    alike = {one.casefold(): one for one in known.get(kind, ())}
    if other := alike.get(name.casefold()):
        return f"did you mean '{other}'?"
    return enable_hint(name) or "no recognizer finds it; declare an element of this id with one"


def is_external_name(name: str) -> bool:
    """Whether the name belongs to an entity of spaCy or NLPCraft."""
    return name.startswith(_EXTERNAL_PREFIXES)


def enable_hint(name: str) -> str:
    """A hint for the name of an entity that can be switched on; '' for any other."""
    if not is_builtin_name(name):
        return ""
    written = f"'{name}'" if ":" in name else name
    return f"switch it on: entities: [{written}]"
