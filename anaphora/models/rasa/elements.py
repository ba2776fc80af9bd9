"""The words of intents and the values of entities, from the training data of a Rasa project."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from anaphora.models.nlpcraft.notes import NoteKind
from anaphora.models.rasa.examples import EntityKey
from anaphora.models.rasa.language_words import LanguageWords
from anaphora.models.rasa.notes import AddNote
from anaphora.models.rasa.phrases import PhraseBuilder
from anaphora.models.rasa.project import RasaProject

__all__ = [
    "BUILT_IN",
    "EntityValues",
    "Triggers",
    "collect_values",
    "find_triggers",
]

BUILT_IN = {
    "amount-of-money": "money",
    "boolean": "boolean",
    "distance": "number",
    "duration": "duration",
    "email": "email",
    "number": "number",
    "phone-number": "phone",
    "temperature": "number",
    "time": "date",
    "url": "url",
    "GPE": "place",
    "LOC": "place",
}
"""The entities of Duckling and spaCy that Anaphora has, too."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Triggers:
    """What stands for an intent: the ``texts`` of its examples without their entities, and the
    synonyms for their ``phrases``. ``has_bare`` tells whether an example has no such text,
    ``is_sparse`` whether an entity stands within one. ``entities`` are those of its examples,
    ``repeated`` those that an example has twice."""

    texts: tuple[str, ...]
    phrases: tuple[str, ...]
    is_sparse: bool
    has_bare: bool
    entities: tuple[EntityKey, ...]
    repeated: frozenset[EntityKey]


@dataclass(slots=True)
class EntityValues:
    """The values of each entity with their texts, the patterns, and the built-in entities."""

    values: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    patterns: dict[str, list[str]] = field(default_factory=dict)
    built_in: set[str] = field(default_factory=set)


def find_triggers(
    project: RasaProject, words: LanguageWords, add_note: AddNote
) -> dict[str, Triggers]:
    """Find the texts that stand for each intent.

    What is left of an example without its entities is left out if another intent has it, too, or
    if it is a single word that other intents use: "in [Rome](city)" says nothing about its intent.
    """
    owners: dict[str, set[str]] = {}
    intents_of_word: Counter[str] = Counter()
    for intent, examples in project.examples.items():
        used: set[str] = set()
        for _, example in examples:
            owners.setdefault(example.words.casefold(), set()).add(intent)
            used.update(_WORD.findall(example.words.casefold()))
        intents_of_word.update(used)
    builder = PhraseBuilder(
        {intent: [one for _, one in listed] for intent, listed in project.examples.items()}, words
    )
    return {
        intent: _triggers_of(project, intent, builder, owners, intents_of_word, add_note)
        for intent in project.examples
    }


def _triggers_of(
    project: RasaProject,
    intent: str,
    builder: PhraseBuilder,
    owners: dict[str, set[str]],
    intents_of_word: Counter[str],
    add_note: AddNote,
) -> Triggers:
    texts: dict[str, str] = {}
    phrases: dict[str, None] = {}
    is_sparse = has_bare = False
    entities: dict[EntityKey, None] = {}
    repeated: set[EntityKey] = set()
    for place, example in project.examples[intent]:
        key = example.words.casefold()
        words = _WORD.findall(key)
        is_shared = len(owners[key]) > 1
        is_common = example.annotations and len(words) == 1 and intents_of_word[words[0]] > 1
        counts = Counter(one.key for one in example.annotations)
        entities.update(dict.fromkeys(counts))
        repeated.update(entity for entity, count in counts.items() if count > 1)
        if words and not is_shared and not is_common:
            texts.setdefault(key, example.words)
            phrases.setdefault(builder.build(intent, example))
            is_sparse = is_sparse or example.is_split
            continue
        has_bare = has_bare or bool(example.annotations)
        if is_shared and words:
            others = ", ".join(sorted(owners[key] - {intent}))
            add_note(
                "changed", place, f"intent {intent}: '{example.words}' also stands for {others}"
            )
    return Triggers(
        tuple(texts.values()),
        tuple(phrases),
        is_sparse,
        has_bare,
        tuple(entities),
        frozenset(repeated),
    )


def collect_values(project: RasaProject, add_note: AddNote) -> EntityValues:
    """Collect the values of the entities from examples, lookup tables, synonyms and patterns."""
    found = EntityValues()
    entities = {name: entry.place for name, entry in project.entities.items()}
    for examples in project.examples.values():
        for place, example in examples:
            for one in example.annotations:
                entities.setdefault(one.entity, place)
                if one.entity in BUILT_IN and not _has_values(project, one.entity):
                    continue
                texts = found.values.setdefault(one.entity, {}).setdefault(one.value, [])
                if one.text.casefold() not in (one.value.casefold(), *map(str.casefold, texts)):
                    texts.append(one.text)
    for name, entry in project.lookups.items():
        values = found.values.setdefault(name, {})
        known = {text.casefold() for value, texts in values.items() for text in (value, *texts)}
        for text in entry.data:
            if text.casefold() not in known:
                values[text] = []
        add_note("mapped", entry.place, f"lookup {name}: values of the element {name}")
    _add_categories(project, found)
    _add_synonyms(project, found, add_note)
    _add_patterns(project, found, add_note)
    for name, place in entities.items():
        if name in found.values:
            if not _has_values(project, name):
                reason = "only the values of its examples are known; add others, or a recognizer"
                add_note("changed", place, f"entity {name}: {reason}")
            continue
        if name in BUILT_IN:
            found.built_in.add(name)
            add_note("mapped", place, f"entity {name}: the built-in entity {BUILT_IN[name]}")
        else:
            add_note("ignored", place, f"entity {name} has no examples, lookup table or regex")
    if any(
        "boolean" in str(slot.data) or "bool" in str(slot.data) for slot in project.slots.values()
    ):
        found.built_in.add("boolean")
    return found


def _has_values(project: RasaProject, entity: str) -> bool:
    """Whether the project lists what an entity may be, apart from its examples."""
    listed = {one for slot in project.slots for one in _categories_of(project, slot)}
    return entity in project.lookups or entity in project.regexes or entity in listed


def _categories_of(project: RasaProject, slot: str) -> dict[str, list[str]]:
    """The values of a categorical slot, by each entity that fills it."""
    data = project.slots[slot].data
    settings = data if isinstance(data, dict) else {}
    if settings.get("type") != "categorical":
        return {}
    values = [value for value in settings.get("values") or [] if isinstance(value, str)]
    return {
        str(mapping.get("entity", "")): values
        for mapping in project.mappings_of(slot)
        if mapping.get("type") == "from_entity"
    }


def _add_categories(project: RasaProject, found: EntityValues) -> None:
    """Add the values of categorical slots to the entities that fill them."""
    for slot in project.slots:
        for entity, categories in _categories_of(project, slot).items():
            values = found.values.setdefault(entity, {})
            known = {text.casefold() for value, texts in values.items() for text in (value, *texts)}
            values.update({one: [] for one in categories if one.casefold() not in known})


def _add_synonyms(project: RasaProject, found: EntityValues, add_note: AddNote) -> None:
    for value, entry in project.synonyms.items():
        texts = {text.casefold(): text for text in entry.data}
        is_used = False
        for values in found.values.values():
            known = {one.casefold() for one in values} & {value.casefold(), *texts}
            if not known:
                continue
            is_used = True
            merged = values.setdefault(value, [])
            for other in [one for one in values if one.casefold() in known and one != value]:
                merged += [other, *values.pop(other)]
            merged += texts.values()
            values[value] = list(dict.fromkeys(one for one in merged if one != value))
        kind: NoteKind = "mapped" if is_used else "ignored"
        what = "a value with its synonyms" if is_used else "no entity has this value"
        add_note(kind, entry.place, f"synonym {value}: {what}")


def _add_patterns(project: RasaProject, found: EntityValues, add_note: AddNote) -> None:
    """Make patterns of the regexes that are named after an entity and match single words."""
    for name, entry in project.regexes.items():
        if name not in project.entities and name not in found.values:
            add_note("ignored", entry.place, f"regex {name}: a feature of no entity")
            continue
        for text in entry.data:
            pattern = text.strip().removeprefix("^").removesuffix("$")
            pattern = pattern.removeprefix(r"\b").removesuffix(r"\b")
            if not _is_translatable(pattern):
                reason = "only patterns of single words, without look-around, can be translated"
                add_note("ignored", entry.place, f"regex {name}: {text}: {reason}")
                continue
            found.values.setdefault(name, {})
            found.patterns.setdefault(name, []).append(f"//{pattern}//")
            add_note("mapped", entry.place, f"regex {name}: a pattern of the element {name}")


def _is_translatable(pattern: str) -> bool:
    if not pattern or "//" in pattern or "(?" in pattern.replace("(?:", "") or "\\s" in pattern:
        return False
    if " " in pattern:
        return False
    try:
        return re.compile(pattern).match("") is None
    except re.error:
        return False
