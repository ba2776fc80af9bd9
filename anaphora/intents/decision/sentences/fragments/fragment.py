"""Read what a fragment says: its values, without what it negates, and its other words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import takewhile

from msgspec.structs import replace

from anaphora.core.utterance import Entity, LazyTokens, Token, Utterance, Variant
from anaphora.entities.cues.cue_words import load_cue_words
from anaphora.entities.sentences.reader import ANY_WORDS
from anaphora.entities.words.function_words import load_qualifiers
from anaphora.intents.decision.sentences.fragments.name_words import (
    MIN_STEM,
    is_form_of,
    is_in_name,
    load_stemmer,
)
from anaphora.intents.decision.sentences.fragments.values import find_units
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    NUMBER,
    PLACES,
    STATE,
    TARGETS,
)
from anaphora.intents.solver import ParsedQuestion

__all__ = [
    "NO_VALUES",
    "denies_noun",
    "find_ambiguous",
    "find_by_part_of_name",
    "find_commanded",
    "find_linking_words",
    "find_other_words",
    "find_states",
    "is_about_more",
    "negates_next",
    "says_only",
    "sets_named",
    "without_corrected",
    "without_function_words",
    "without_linking_words",
    "without_negated",
]

NO_VALUES = frozenset((*TARGETS, *PLACES, STATE))
"""The slots that are no values of a command."""


_UNIT = re.compile(r"[^\W\d_]+|[%°]")
_MARKS = " .!?。！？"  # at the end of a sentence
_CLAUSE_END = re.compile("[,;.:!،؛，、。]")


def find_other_words(
    model: SentenceIntents,
    utterance: Utterance,
    variant: Variant,
    fillers: frozenset[str] = frozenset(),
) -> list[str]:
    """The words of an utterance that are neither in the variant nor ``fillers`` nor those of any
    follow-up."""
    fillers |= model.fillers
    known = {
        index
        for entity in variant.entities
        if entity.exact or entity.element != STATE  # a verb: "CLOSE the blinds", not "closed"
        for index in entity.tokens
    }
    known.update(_find_rejections(model, utterance), utterance.qualifiers)
    return [
        word
        for index in utterance.content_words
        if index not in known
        and (word := utterance.tokens[index].lower) not in fillers
        and not (len(word) == 1 and word.isascii())  # of a contraction: the Catalan "al"
    ]


def is_about_more(
    model: SentenceIntents, utterance: Utterance, variant: Variant, others: Sequence[str]
) -> bool:
    """Whether an utterance with ``others`` besides the variant is about something else as well: one
    word may be any beside a value for what a pronoun stands for ("DIM them to 20 percent"), else
    one of the sentences. Any other may name what the home lacks: "the OVEN to 80"."""
    if len(others) > 1 or not any(entity.tokens for entity in variant.entities):
        return True
    if not model.fillers:
        return False
    if any(one.element not in NO_VALUES for one in variant.entities):
        refers = _refers(model, utterance, others)
        names = any(one.element in TARGETS for one in variant.entities)
        if not names and any(is_in_name(model, one) for one in others):
            return True  # the other one of two
        return not (refers or names or all(map(model.find_intents_by_parts, others)))
    return any(not model.find_intents(one) for one in others)


def _refers(model: SentenceIntents, utterance: Utterance, others: Collection[str]) -> bool:
    """Whether a pronoun stands for a thing; before one of the ``others`` it is rather an article:
    the French "le chauffage"."""
    following = {one.index - 1 for one in utterance.tokens if one.lower in others}
    return any(one.references for one in utterance.sentences) or any(
        one.lower in model.pronouns and one.index not in following for one in utterance.tokens
    )


def find_commanded(model: SentenceIntents, utterance: Utterance) -> frozenset[str]:
    """The intents of the commands that an utterance says with a verb, though something is left to
    the context: it goes on with no other. Empty if it says none, or a value, which any intent may
    set."""
    if any(one.element == NUMBER for one in utterance.entities):
        return frozenset()
    return frozenset(
        one.intent
        for one in utterance.sentences
        if one.intent in model.combinations
        and not (one.names_only or one.value_only or one.elliptical or one.quantity)
        and not any(ANY_WORDS in two.marks for two in one.entities)
        and all(two.element in NO_VALUES for two in one.entities)
    )


def find_states(model: SentenceIntents, utterance: Utterance) -> list[frozenset[str]]:
    """The states that words of an utterance set, by word: "the lamp ON please", "UNLOCK the
    kitchen". Before a place or a number a word behind one that links it to what was said is a
    preposition: "and ON the ground floor"."""
    meant = {
        index
        for one in utterance.entities
        if one.exact and one.element in (*TARGETS, *PLACES)
        for index in one.tokens
    }
    states: dict[int, set[str]] = defaultdict(set)
    for one in utterance.entities:
        if one.element == STATE and meant.isdisjoint(one.tokens):
            states[one.start].add(one.value_or_text)
    words = model.openings | model.joiners | model.fillers | model.additions
    before = takewhile(lambda one: one.lower in words or one.start in states, utterance.tokens)
    first = {one.start: one.index for one in before if one.index and not one.is_content_word}
    behind = {min(one.tokens) for one in utterance.entities if one.element in (*PLACES, NUMBER)}
    return [
        frozenset(values)
        for start, values in states.items()
        if start not in first or behind.isdisjoint((first[start] + 1, first[start] + 2))
    ]


def _find_rejections(model: SentenceIntents, utterance: Utterance) -> list[int]:
    """The indexes of the tokens that reject what is before them, as in Japanese and Korean."""
    if model.rejections is None:
        return []
    spans = [found.span() for found in model.rejections.finditer(utterance.text)]
    return [
        token.index
        for token in utterance.tokens
        if any(token.start < end and token.end > start for start, end in spans)
    ]


def find_linking_words(model: SentenceIntents, utterance: Utterance) -> frozenset[int]:
    """The indexes of the words at the start that only link an utterance to what was said: "oh no,
    the bedroom"."""
    words = model.openings | model.fillers
    tokens = (one for one in utterance.tokens if any(map(str.isalnum, one.text)))
    links = takewhile(
        lambda one: one.lower in words and not _negates(model, utterance, one), tokens
    )
    return frozenset(one.index for one in links)


def _negates(model: SentenceIntents, utterance: Utterance, token: Token) -> bool:
    """Whether a word for no negates what follows it, in a language in which it may: there is no
    comma between them."""
    if not model.denials_negate or token.index not in utterance.qualifiers:
        return False
    following = utterance.text[token.end :].strip(_MARKS)
    return bool(following) and not _CLAUSE_END.match(following)


def find_ambiguous(utterance: Utterance) -> list[Entity]:
    """The values whose words are those of another slot as well: "on"."""
    slots: dict[tuple[int, int], set[str]] = defaultdict(set)
    for entity in utterance.entities:
        slots[entity.start, entity.end].add(entity.element)
    return [one for one in utterance.entities if len(slots[one.start, one.end]) > 1]


def without_linking_words(
    model: SentenceIntents, utterance: Utterance, variant: Variant
) -> Variant:
    """The variant without entities that are misspelt, but words of follow-ups: the German "warte"
    (wait) is no "Garten"."""
    words = model.openings | model.fillers | model.additions
    kept = tuple(
        one
        for one in variant.entities
        if one.exact or not all(utterance.tokens[index].lower in words for index in one.tokens)
    )
    return variant if kept == variant.entities else Variant(kept)


def without_function_words(utterance: Utterance, variant: Variant) -> Variant:
    """The variant without values that may be mere function words: "ON the ground floor"."""
    kept = tuple(
        one
        for one in variant.entities
        if one.element in (*TARGETS, *PLACES)
        or any(utterance.tokens[index].is_content_word for index in one.tokens)
    )
    return variant if kept == variant.entities else Variant(kept)


def without_negated(
    model: SentenceIntents, utterance: Utterance, variant: Variant
) -> Variant | None:
    """The variant without what is negated: "not the kitchen, the bedroom". None if nothing is left
    of it. A "no" at the start is an answer, unless two values of a slot follow it. A negation holds
    until its clause ends: "not there, in the kitchen"."""
    text, tokens = utterance.text, utterance.tokens
    links = find_linking_words(model, utterance)
    rejections = _find_rejections(model, utterance)
    rejected = [tokens[index].start for index in rejections]
    negated = [
        one
        for one in variant.entities
        if any(one.end <= start and not text[one.end : start].strip() for start in rejected)
    ]
    slots = [one.element for one in variant.entities]
    states = {(one.start, one.end) for one in utterance.entities if one.element == STATE}
    for index in utterance.qualifiers:
        if index in rejections or tokens[index].lower in model.fillers | model.restrictions:
            continue
        if index in links and len(set(slots)) == len(slots):
            continue  # an answer
        after = tokens[index].end
        following = [
            one
            for one in sorted(variant.entities, key=lambda one: one.start)
            if one.start >= after and not _CLAUSE_END.search(text, after, one.start)
        ]
        if following and (following[0].start, following[0].end) in states:
            if len(following) == 1:
                return None  # "don't turn the fan ON"
            negated.append(following[1])  # "not ON the ground floor"
        negated += following[:1]
        if index not in links and not text[after:].strip(_MARKS):
            negated += [  # "das Radio NICHT"
                one
                for one in sorted(variant.entities, key=lambda one: -one.end)
                if one.end <= tokens[index].start
                and not _CLAUSE_END.search(text, one.end, tokens[index].start)
            ][:1]
    kept = tuple(one for one in variant.entities if one not in negated)
    return Variant(kept) if kept else None


def without_corrected(model: SentenceIntents, question: ParsedQuestion) -> ParsedQuestion | None:
    """The question without the value that it corrects itself: "and the tv no the lamp". The same
    object if it corrects none; None if it is unclear which one."""
    utterance = question.utterance
    for start, stop, may_negate_noun in model.corrections.find(utterance.text):
        before = [one for one in utterance.entities if one.end <= start]
        kinds = {_kind_of(one) for one in utterance.entities if one.start >= stop}
        if may_negate_noun or not before or not kinds:
            continue
        corrected = [one for one in before if _kind_of(one) in kinds]
        alike = [[one for one in corrected if _kind_of(one) == kind] for kind in kinds]
        spans = [
            (max(two.start for two in one), min(two.end for two in one)) for one in alike if one
        ]
        if not spans or any(last >= end for last, end in spans):
            return None  # one of two lamps
        return _without(question, corrected, start, stop)
    return question


def _without(
    question: ParsedQuestion, corrected: Sequence[Entity], start: int, stop: int
) -> ParsedQuestion | None:
    """The question without what it corrects by words from ``start`` to ``stop``; None if no variant
    has what replaces it."""
    utterance = question.utterance
    spans = [(start, stop), *((one.start, one.end) for one in corrected)]
    dropped = {at for span in spans for at in range(*span)}
    text = "".join(" " if at in dropped else one for at, one in enumerate(utterance.text))
    tokens = utterance.tokens
    replaced = {_kind_of(one): one for one in corrected}

    def correct(entities: Iterable[Entity]) -> tuple[Entity, ...]:
        kept = (one for one in entities if one not in corrected)
        return tuple(_with_unit(one, replaced.get(one.element)) for one in kept)

    utterance = replace(
        utterance,
        text=text,
        tokens=tokens.with_text(text) if isinstance(tokens, LazyTokens) else tokens,
        entities=correct(utterance.entities),
        understood=utterance.understood | {one.index for one in tokens if one.start in dropped},
    )
    variants = tuple(
        Variant(correct(one.entities))
        for one in question.variants
        if replaced.keys() <= {_kind_of(two) for two in one.entities if two.start >= stop}
    )
    return replace(question, utterance=utterance, variants=variants) if variants else None


def _with_unit(entity: Entity, corrected: Entity | None) -> Entity:
    """A number with the unit of the one that it corrects, if it has none: "20 percent, no, 30"."""
    if corrected is None or entity.element != NUMBER or len(entity.meta) > len(corrected.meta):
        return entity
    if "unit" in entity.meta or _UNIT.search(entity.text):
        return entity
    meta = {**corrected.meta, "value": entity.meta.get("value")}
    return replace(entity, text=corrected.text, meta=meta)


def _kind_of(entity: Entity) -> str:
    """What an entity says of a command: its object, the place, or which value."""
    slot = entity.element
    return NAME if slot in TARGETS else PLACES[0] if slot in PLACES else slot


def negates_next(model: SentenceIntents, utterance: Utterance) -> bool:
    """Whether an utterance begins with a word for no that, without a comma behind it, negates a
    command: it is no answer."""
    first = utterance.tokens[0]
    negations = load_qualifiers(model.language, "negation")
    return (
        first.index in utterance.qualifiers
        and first.lower in negations
        and not _CLAUSE_END.match(utterance.text, first.end)
    )


def says_only(
    model: SentenceIntents,
    utterance: Utterance,
    pattern: re.Pattern[str] | None,
    entities: Sequence[Entity] = (),
) -> bool:
    """Whether an utterance says nothing but words of a ``pattern``, those of any follow-up, and
    ``entities``."""
    spans = [one.span() for one in pattern.finditer(utterance.text.lower())] if pattern else []
    spans += [(one.start, one.end) for one in entities]
    words = model.openings | model.additions | model.fillers | model.pronouns | model.courtesies
    return bool(spans) and all(
        (one.lower in words and not _negates(model, utterance, one))
        or any(one.start < end and one.end > start for start, end in spans)
        or (bool(entities) and one.index not in utterance.content_words)
        for one in utterance.tokens
        if any(map(str.isalnum, one.text))
    )


def sets_named(model: SentenceIntents, utterance: Utterance, variant: Variant) -> bool:
    """Whether an utterance sets a value of a thing though it has no verb, or one that says nothing:
    "the heating to 21". Right behind a player a number needs its unit: "radio 4" is a station."""
    named = [one for one in variant.entities if one.element == NAME]
    numbers = [one for one in variant.entities if one.element == NUMBER]
    if len(named) != 1 or len(numbers) != 1 or numbers[0].start < named[0].end:
        return False
    if any(one.element == STATE and one.end <= named[0].start for one in utterance.entities):
        return False  # "turn OFF the heating at 21"
    atoms, found = load_cue_words(model.language).read(utterance.text)
    small = {atoms[one.first].start for one in found if one.reading.kind == "small"}
    before = (one for one in utterance.tokens if one.start < named[0].start)
    words = model.openings | model.fillers | model.courtesies
    if not all(
        one.lower in words or one.start in small or model.is_verb(one.lower) for one in before
    ):
        return False
    if model.devices.get(named[0].value_or_text, {}).get("domain") != "media_player":
        return True
    has_unit = not find_units(model, utterance, numbers[0]).isdisjoint(_all_units(model))
    return has_unit or bool(utterance.text[named[0].end : numbers[0].start].strip())


def _all_units(model: SentenceIntents) -> frozenset[str]:
    return frozenset().union(*model.units.values())


def find_by_part_of_name(
    model: SentenceIntents, utterance: Utterance, names: Iterable[str]
) -> list[str]:
    """Those of some ``names`` that have all words of an utterance but those of any follow-up and
    those that negate or restrict others."""
    links = find_linking_words(model, utterance).union(utterance.qualifiers)
    tokens = [
        one
        for one in utterance.tokens
        if one.index not in links and one.lower not in model.fillers | model.restrictions
    ]
    needed = {one.lower for one in tokens if one.index in utterance.content_words}
    words = {one.lower for one in tokens if len(one.lower) >= MIN_STEM} | needed
    stem, found = load_stemmer(model.language), []
    stem_of = {word: stem([word])[0] for word in words}
    for name in names:
        parts = name.lower().split()
        stems = {*stem(parts)}
        shared = {
            word
            for word in words
            if stem_of[word] in stems or any(is_form_of(word, one) for one in parts)
        }
        if shared and shared >= needed:
            found.append(name)
    return found


def denies_noun(model: SentenceIntents, utterance: Utterance, first: Token) -> bool:
    """Whether a word that may negate a noun stands right before the ``first`` token: "no milk", but
    neither "no, milk" nor the German "nein Milch"."""
    before = [one for one in utterance.tokens if one.start < first.start]
    if not before or not before[-1].text.isalpha() or not first.is_content_word:
        return False  # "no the bread"
    atoms, found = load_cue_words(model.language).read(utterance.text)
    return any(
        match.reading.kind == "negate"
        and match.reading.side == "noun"
        and atoms[match.last - 1].end == before[-1].end
        for match in found
    )
