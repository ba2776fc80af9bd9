"""Read an utterance by the sentences of a model: matches become readings with entities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from anaphora.core.utterance import Entity, SentenceReading, Utterance
from anaphora.entities.sentences.corrections import CorrectionFinder, read_corrected
from anaphora.entities.sentences.dialog_sentences import (
    DIALOG_INTENTS,
    build_dialog_blocks,
    reference_words,
    with_references,
)
from anaphora.entities.sentences.entity_forms import (
    find_named,
    find_rest_words,
    restore_names,
    says_action,
    says_more,
    without_excluded,
    without_places,
)
from anaphora.entities.sentences.input_text import InputText
from anaphora.entities.sentences.matcher import SentenceMatch, SentenceMatcher, SlotValue
from anaphora.entities.sentences.number_senses import NumberSenses
from anaphora.entities.sentences.repairs import ALL, EVERYTHING, Repairs
from anaphora.frozen import EMPTY
from anaphora.grammar.sentences.normalization import fold_case
from anaphora.models.domain import Model
from anaphora.models.hassil.collection import REFERENCE, TextList
from anaphora.models.hassil.elements import LESS, MORE
from anaphora.models.hassil.inverse_intents import TIMER_INTENTS
from anaphora.models.hassil.summary import HomeSentences
from anaphora.storage.cache import Cache
from anaphora.storage.forks import LazyProperty

__all__ = ["ANY_WORDS", "TIMER", "WITHOUT_SPACES", "SentenceReader"]

_MAX_READINGS = 20
WITHOUT_SPACES = frozenset(("ja", "zh"))
"""Languages that write no spaces between words."""

_WORDS = re.compile(r"[^\W\d_]+")

TIMER = "timer"
"""What a sentence without its object may be about, though no slot names it."""

ANY_WORDS = "any words"
"""The mark of an entity that may be any words."""

_WILDCARD_MARKS = frozenset((ANY_WORDS,))

_NAME = "name"
_KINDS = frozenset(("domain", "device_class"))
_PLACES = frozenset(("area", "floor"))
_REFERENCE_CUES = {_NAME: "thing", "area": "place"}


class SentenceReader:
    """Reads utterances by the ``sentences`` of a model.

    In languages with a table of cues, the words that refer to a thing ("it", "them") or a place
    ("there") may stand where a sentence names a device or an area. A ``cache`` keeps the compiled
    sentences.
    """

    def __init__(
        self, model: Model, sentences: HomeSentences, *, cache: Cache | None = None
    ) -> None:
        self._language = model.languages[0]
        self._groups = {element.id: element.groups for element in model.elements}
        lists = dict(sentences.lists)
        pronouns: tuple[str, ...] = ()
        for slot, cue in _REFERENCE_CUES.items():
            words = reference_words(self._language, cue)
            if slot == _NAME:
                pronouns = words
            listed = lists.get(slot)
            if words and isinstance(listed, TextList):
                lists[slot] = with_references(listed, words)
        collection = sentences.collection
        self._skip_words = [fold_case(one) for one in collection.skip_words]
        blocks = (*collection.blocks, *build_dialog_blocks(self._language))
        self._matcher = SentenceMatcher(
            msgspec.structs.replace(collection, blocks=blocks),
            lists,
            sentences.parts(cache),
            NumberSenses(self._language, sentences.summary.units).accepts,
        )
        self._ignores_spaces = collection.ignores_spaces or self._language in WITHOUT_SPACES
        self._pronouns = pronouns
        self._here = frozenset(reference_words(self._language, "place"))
        self._combinations = sentences.summary.combinations
        self._words = sentences.summary.words
        self._named = frozenset(
            one.intent
            for one in self._combinations
            if _NAME in one.slots and "domain" in one.requires
        )

    @LazyProperty  # most utterances need no repair
    def _repairs(self) -> Repairs:
        words = self._matcher.words.union(" ".join(self._skip_words).split())
        return Repairs(self._language, words, self._pronouns, ignores_spaces=self._ignores_spaces)

    @LazyProperty
    def _corrections(self) -> CorrectionFinder:
        return CorrectionFinder(self._language)

    def read(self, text: str, context: Mapping[str, Any] = EMPTY) -> tuple[SentenceReading, ...]:
        """The readings of an utterance, best first; empty if it is no whole sentence.

        ``context`` has what is known besides the words: the ``area`` that they come from.
        """
        normalized = self._matcher.normalize(text)
        readings = self._match(normalized, text, context)
        whole = (one for one in readings if one.intent not in DIALOG_INTENTS)
        known = [one for one in whole if not (one.references or one.missing)]
        if known:
            is_open = all(map(_has_open_words, known))
            if is_open and (first := self._read_first(text, context, at_end=True)):
                return first
            if not (is_open and all(one.leaves_place for one in known)):
                may_lack_object = any(one.intent in self._named and one.is_bare for one in known)
                elliptical = self._complete(normalized, text, context) if may_lack_object else ()
                return (*self._mark_names(readings), *elliptical)
        if all(_has_open_words(one) and (one.missing or one.leaves_place) for one in readings):
            repaired = self._repair(text, lambda form: self._match(form, text, context))
            readings = (*(self._mark_names(repaired) if repaired else ()), *readings)
        readings = (*readings, *self._complete(normalized, text, context))
        if not readings:
            readings = self._repair(text, lambda form: self._complete_all(form, text, context))
        readings = readings or self._read_lost(normalized, text, context)
        readings = readings or self._read_here(normalized, text, context)
        readings = readings or self._read_corrected(normalized, text, context)
        return readings or self._read_first(text, context)

    def read_entities(self, utterance: Utterance) -> tuple[SentenceReading, ...]:
        """The readings of an utterance that is no whole sentence as it is, but one with the names
        as the home has them ("das linke Rollo"), or without the place, if the sentences of its
        intent may have that ("lights on upstairs")."""
        named, text = find_named(utterance), utterance.text
        written = self._matcher.normalize(text)
        if remaining := self._read_remaining(written, utterance):
            return remaining
        if not named:
            return ()
        form = restore_names(written, named)
        if form is not written:
            found = [one for one in self._match_known(form, text, EMPTY) if not one.needs_memory]
            if found:
                return self._mark_names(tuple(found))
            if corrected := self._read_corrected(form, text, EMPTY):
                return corrected
        if self._ignores_spaces:
            return ()
        for quantity, one in (("", form), self._repairs.remove_quantity(form) or ("", None)):
            for bare, place, left_out in without_places(one, utterance, named) if one else ():
                if quantity == EVERYTHING:
                    is_said = says_more(bare, utterance, place)
                    found = self._read_everything(bare, text, place) if is_said else []
                else:
                    readings = self._match_known(bare, text, EMPTY)
                    placed = (self._add_place(reading, place) for reading in readings)
                    found = [reading for reading in placed if reading is not None]
                if quantity == ALL and not found:
                    found = self._add_quantity(self._read_kind(bare, text), place)
                # "but the kitchen" names no place, for no sentence of the intent has "but"
                known = [one for one in found if left_out <= self._words[one.intent]]
                if known:
                    return tuple(known)
        return ()

    def _read_remaining(self, form: InputText, utterance: Utterance) -> tuple[SentenceReading, ...]:
        """The readings of an utterance about all things but some."""
        bare = without_excluded(form, utterance)
        if bare is None or self._ignores_spaces:
            return ()
        whole, excluded = bare
        known = [one for one in self._match_known(whole, utterance.text, EMPTY) if _is_kind(one)]
        return tuple(
            msgspec.structs.replace(one, excluded=tuple(excluded), quantity=one.quantity or ALL)
            for one in (*known, *self._complete(whole, utterance.text, EMPTY))
            if one.quantity in (ALL, EVERYTHING) or not (one.elliptical or one.needs_memory)
        )

    def _complete_all(
        self, form: InputText, text: str, context: Mapping[str, Any]
    ) -> tuple[SentenceReading, ...]:
        """The readings of a form of a text about all things; empty if it is about none."""
        return self._complete(form, text, context) if self._repairs.remove_quantity(form) else ()

    def _read_lost(
        self, form: InputText, text: str, context: Mapping[str, Any]
    ) -> tuple[SentenceReading, ...]:
        """The readings of a sentence that lacks the word before a number."""
        tried = self._repairs.insert_lost(form)
        found = (self._match_known(one, text, context) for one in tried)
        return tuple(next(filter(None, found), ()))

    def _read_here(
        self, form: InputText, text: str, context: Mapping[str, Any]
    ) -> tuple[SentenceReading, ...]:
        """The readings about the room of the speaker of a text with a word for it at its end, which
        no sentence has there."""
        bare = self._repairs.remove_here(form)
        if bare is form:
            return ()
        return tuple(one for one in self._match(bare, text, context) if one.leaves_place)

    def _read_everything(self, bare: InputText, text: str, place: Entity) -> list[SentenceReading]:
        """The readings of a sentence without its object, which is everything in a place."""
        return [
            msgspec.structs.replace(one, entities=(*one.entities, place), quantity=EVERYTHING)
            for one in self._complete_form(bare, text)
            if not one.missing
        ]

    @staticmethod
    def _add_quantity(readings: Iterable[SentenceReading], place: Entity) -> list[SentenceReading]:
        """The readings about all things of a kind in a place."""
        return [
            msgspec.structs.replace(one, entities=(*one.entities, place), quantity=ALL)
            for one in readings
        ]

    def _add_place(self, reading: SentenceReading, place: Entity) -> SentenceReading | None:
        """The reading of a sentence with a place that was left out. If no sentence of its intent
        has such slots, it is about all things of its kind there; None if it is about none."""
        if reading.references or any(one.element == _NAME for one in reading.entities):
            return None
        entities = (*reading.entities, place)
        slots = {one.element: one.value_or_text for one in entities}
        for one in self._combinations:
            if (
                one.intent == reading.intent
                and one.required <= slots.keys() <= one.slots
                and all(slots.get(slot) == str(value) for slot, value in one.fixed.items())
            ):
                return msgspec.structs.replace(
                    reading, entities=entities, missing=(), response=one.response, template=None
                )
        if not _is_kind(reading) or not _PLACES.issuperset(reading.missing):
            return None
        return msgspec.structs.replace(reading, entities=entities, missing=(), quantity=ALL)

    def _read_first(
        self, text: str, context: Mapping[str, Any], *, at_end: bool = False
    ) -> tuple[SentenceReading, ...]:
        """The readings of an utterance about several things by the first of them, if it is a
        sentence about the others as well: "turn off the fan, the lamp and the radio". With
        ``at_end`` nothing may follow the others."""
        form = self._matcher.remove_skip_words(self._matcher.normalize(text))
        for first, others in self._repairs.split(form, text, at_end=at_end):
            readings = [one for one in self._match_known(first, text, context) if not one.missing]
            is_named = bool(readings) and self._is_name(readings[0])
            for other, rest in others if readings else ():
                if is_named and not self._is_name_only(other, text, context):
                    continue  # the lamp and the radio OFF
                following = self._read_each(other, text, context, readings[0].intent)
                if following:
                    words = find_rest_words(rest, text, following, is_whole=other.text == rest.text)
                    return tuple(
                        msgspec.structs.replace(one, rest=words, following=following)
                        for one in self._mark_names(tuple(readings))
                    )
        return ()

    def _read_corrected(
        self, form: InputText, text: str, context: Mapping[str, Any]
    ) -> tuple[SentenceReading, ...]:
        """The readings of a form of a text that corrects itself, else of its repaired form."""

        def match(form: InputText) -> list[SentenceReading]:
            known = self._match_known(form, text, context)
            return [] if known and self._is_name(known[0]) else known

        if self._ignores_spaces:
            return ()
        spans = list(self._corrections.find(text))
        found = read_corrected(form, spans, match) if spans else ()
        if found or not spans:
            return tuple(found)
        return self._repair(text, lambda form: read_corrected(form, spans, match))

    def _is_name_only(self, form: InputText, text: str, context: Mapping[str, Any]) -> bool:
        """Whether a form of a text is names alone, of one thing or several."""
        known = self._match_known(form, text, context)
        if known:
            return self._is_name(known[0])
        return any(
            self._is_name_only(other, text, context)
            for first, others in self._repairs.split(form, text)
            if (found := self._match_known(first, text, context)) and self._is_name(found[0])
            for other, _ in others
        )

    def _read_each(
        self, form: InputText, text: str, context: Mapping[str, Any], intent: str
    ) -> tuple[SentenceReading, ...]:
        """The readings of a form of a text as a sentence about one thing or several, those of an
        ``intent`` rather than others; empty if it is none."""
        known = self._match_known(form, text, context)
        if known:
            return (next((one for one in known if one.intent == intent), known[0]),)
        for first, others in self._repairs.split(form, text):
            readings = self._match_known(first, text, context)
            for other, rest in others if readings else ():
                following = self._read_each(other, text, context, intent)
                if following:
                    words = find_rest_words(rest, text, following, is_whole=other.text == rest.text)
                    one = msgspec.structs.replace(
                        next((one for one in readings if one.intent == intent), readings[0]),
                        rest=words,
                    )
                    return (one, *following)
        return ()

    def _match_known(
        self, form: InputText, text: str, context: Mapping[str, Any]
    ) -> list[SentenceReading]:
        """The readings of a form of a text without any words that are no command about the last."""
        readings = self._match(form, text, context)
        return [
            one for one in readings if not (_has_open_words(one) or one.intent in DIALOG_INTENTS)
        ]

    def _complete(
        self, normalized: InputText, text: str, context: Mapping[str, Any]
    ) -> tuple[SentenceReading, ...]:
        """The readings of an utterance without its object, which was said before: "turn off". They
        are those of the utterance with a pronoun in some place of it, or with the word for a timer
        in such a place or for a pronoun."""
        found = self._complete_form(normalized, text)
        quantified = None if found else self._repairs.remove_quantity(normalized)
        if quantified is not None:
            quantity, bare = quantified
            is_placed = not self._here.isdisjoint(_WORDS.findall(bare.text))
            known = self._match_known(bare, text, context if is_placed else EMPTY)
            whole = [one for one in known if _is_kind(one) and not one.needs_memory]
            if whole and quantity == ALL:
                return tuple(whole)
            if is_placed:
                return ()  # everything *here* is not everything
            found = [
                msgspec.structs.replace(one, missing=())
                for one in known
                if _is_kind(one) and not one.references and _PLACES.issuperset(one.missing)
            ]
            if not found:
                matches = (
                    one
                    for form in self._repairs.with_and_without_again(bare)
                    for one in self._matcher.match_input(form, text)
                )
                elliptical = (self._to_elliptical(one, "") for one in matches)
                found = [one for one in elliptical if one is not None]
                found += self._complete_form(bare, text)
            found = found or self._read_kind(bare, text)
            found = [
                msgspec.structs.replace(one, quantity=quantity)
                for one in found
                if not self._matcher.accepts_value(one.template, _NAME)
            ]
        return tuple(found[:_MAX_READINGS])

    def _read_kind(self, form: InputText, text: str) -> list[SentenceReading]:
        """The readings of a form of a text about all things with a word in their names, if the
        sentences of its intent name one of them: "lock the doors"."""
        known = (
            (word, self._to_elliptical(one, ""))
            for word, replaced in self._repairs.replace_each(form)
            for one in self._matcher.match_input(replaced, text)
        )
        return [
            msgspec.structs.replace(one, kind=word, elliptical=False)
            for word, one in known
            if one is not None and one.references == {_NAME} and not one.missing
        ]

    def _complete_form(self, form: InputText, text: str) -> list[SentenceReading]:
        """The readings of a form of an utterance with its object, if it lacks one."""
        found = (
            self._to_elliptical(one, word)
            for word, forms in self._repairs.complete(form, text)
            for completed in forms
            for one in self._matcher.match_input(completed, text)
        )
        return [one for one in found if one is not None and self._says_action(one, form.text)]

    def _says_action(self, one: SentenceReading, text: str) -> bool:
        return not self._is_name(one) or says_action(self._words, one.intent, text)

    def _to_elliptical(self, match: SentenceMatch, word: str) -> SentenceReading | None:
        """The reading of a sentence whose object was added; None if it would be no object."""
        reading = self._to_reading(match)
        if reading.intent in DIALOG_INTENTS:
            return None
        references = reading.references
        if word == TIMER:
            if reading.intent not in TIMER_INTENTS or match.missing:
                return None
            references = frozenset((TIMER,))
        if not references or _has_open_words(reading):
            return None
        return msgspec.structs.replace(reading, references=references, elliptical=True)

    def _match(
        self, normalized: InputText, text: str, context: Mapping[str, Any]
    ) -> tuple[SentenceReading, ...]:
        matches = self._matcher.match_input(normalized, text, context)[:_MAX_READINGS]
        # A bare value is no sentence that leaves the rest to the context, but a follow-up.
        readings = [self._to_reading(one) for one in matches if one.weight or not one.missing]
        readings.sort(key=_needs_memory)
        return tuple(readings)

    def _repair(
        self, text: str, read: Callable[[InputText], Sequence[SentenceReading]]
    ) -> tuple[SentenceReading, ...]:
        """The readings of the nearest form of an utterance that is a sentence without any words;
        none if another form that is as near is another one: the "mail" door is main or maid."""
        normalized = self._matcher.normalize(text)
        denies = self._repairs.denies(normalized, text)
        is_word = len(_WORDS.findall(text)) <= 2  # after "and"
        for forms in self._repairs.rewrite(normalized, text):
            found = []
            for form in forms:
                known = tuple(one for one in read(form) if not _has_open_words(one))
                is_step = is_word and any(one.intent in (MORE, LESS) for one in known[:1])
                if known and not is_step and not (denies and self._is_name(known[0])):
                    found.append(known)
            if len({_meaning(known[0]) for known in found}) > 1:
                return ()
            if found:
                return found[0]
        return ()

    def _is_name(self, reading: SentenceReading) -> bool:
        """Whether a reading says no more than the name of a thing."""
        template = reading.template
        return template is not None and self._matcher.accepts_value(template, _NAME)

    def _mark_names(self, readings: tuple[SentenceReading, ...]) -> tuple[SentenceReading, ...]:
        """Mark the readings if the first of them says nothing of a thing but its name."""
        said = [one for one in readings[0].entities if one.end]
        template = readings[0].template
        if [one.element for one in said] != [_NAME]:
            return readings
        if template is None or not self._matcher.accepts_value(template, _NAME):
            return readings
        if not any(one.template is template for one in self._matcher.match(said[0].text)):
            return readings
        return tuple(msgspec.structs.replace(one, names_only=True) for one in readings)

    def _to_reading(self, match: SentenceMatch) -> SentenceReading:
        block = match.block
        references = frozenset(
            name for name, slot in match.slots.items() if slot.value is REFERENCE
        )
        return SentenceReading(
            intent=match.intent,
            entities=tuple(self._entities(match)),
            references=references,
            missing=match.missing,
            accepts={key: rule.values for key, rule in block.requires.items()},
            response=block.response,
            template=match.template,
            value_only=not match.weight and _is_value(match),
        )

    def _entities(self, match: SentenceMatch) -> Iterator[Entity]:
        for slot in match.slots.values():
            if slot.value is not REFERENCE:
                yield build_entity(slot, self._groups.get(slot.name, frozenset((slot.name,))))


def _is_value(match: SentenceMatch) -> bool:
    """Whether what is said for a sentence is a number and no more."""
    said = [one for one in match.slots.values() if one.text]
    return bool(said) and all(isinstance(one.value, int | float) for one in said)


def _needs_memory(reading: SentenceReading) -> tuple[bool, bool, bool, bool]:
    """The order of readings: those that need nothing, those about the last command, those that
    refer to what was said, those that leave slots to the context; of the latter, those with any
    words last."""
    needs = bool(reading.references or reading.missing)
    is_about_last = reading.intent in DIALOG_INTENTS
    open_words = needs and _has_open_words(reading)
    return needs, is_about_last, open_words, bool(reading.missing)


def _meaning(reading: SentenceReading) -> tuple[object, ...]:
    """What a reading says, to compare it with another one."""
    return reading.intent, frozenset((one.element, one.value) for one in reading.entities)


def _is_kind(reading: SentenceReading) -> bool:
    """Whether a reading is about all things of a kind: "the blinds in the bedroom"."""
    slots = {one.element for one in reading.entities}
    return _NAME not in slots and not slots.isdisjoint(_KINDS)


def _has_open_words(reading: SentenceReading) -> bool:
    return any(ANY_WORDS in entity.marks for entity in reading.entities)


def build_entity(slot: SlotValue, groups: frozenset[str]) -> Entity:
    """The entity of a slot. A value that is no text is also in its metadata, as it is."""
    meta: dict[str, Any] = dict(slot.metadata)
    if slot.context:
        meta["context"] = dict(slot.context)
    if not isinstance(slot.value, str):
        meta["value"] = slot.value
    return Entity(
        element=slot.name,
        groups=groups,
        text=slot.text or str(slot.value),
        start=slot.start,
        end=slot.end,
        value=str(slot.value),
        meta=meta or EMPTY,
        marks=_WILDCARD_MARKS if slot.is_wildcard else frozenset(),
    )
