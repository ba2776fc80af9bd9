"""Translate a Rasa project to the data of a model file, with notes about every declaration."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from anaphora.models.nlpcraft.notes import NoteKind
from anaphora.models.nlpcraft.rules.model import make_id
from anaphora.models.rasa.answers import YES_AND_NO, Answers, collect_answers
from anaphora.models.rasa.elements import (
    BUILT_IN,
    Triggers,
    collect_values,
    find_triggers,
)
from anaphora.models.rasa.examples import EntityKey, without_articles, without_role_markers
from anaphora.models.rasa.language_words import LanguageWords, plain_fallback
from anaphora.models.rasa.notes import Place, RasaNote
from anaphora.models.rasa.project import RasaProject
from anaphora.models.rasa.roles import find_role_markers
from anaphora.models.rasa.slots import collect_fillers
from anaphora.models.rasa.small_talk import find_small_talk
from anaphora.models.rasa.synonym_text import escape_synonym

__all__ = ["RasaTranslation", "translate_project"]

_BRACES = re.compile(r"\{\{|\}\}|\{(\w+)\}|\{")
_GAP = re.compile(r"[\s,]*\0\s*(?=[.,;:!?]|$)|\0\s*")  # what is left out
_MAX_GAP = 3  # "book [me a cheap] flight"
_NO_WORDS = LanguageWords()
_FALLBACKS = ("utter_default", "utter_fallback", "utter_please_rephrase", "utter_ask_rephrase")


@dataclass(frozen=True, slots=True)
class RasaTranslation:
    """The data of a model file, and the notes in the order of the files."""

    data: dict[str, Any]
    notes: tuple[RasaNote, ...]


def translate_project(
    project: RasaProject,
    words: LanguageWords = _NO_WORDS,
    *,
    id: str = "",
    language: str = "",
) -> RasaTranslation:
    """Translate a project; ``id`` and ``language`` take the place of those of the project.
    ``words`` are those of the language."""
    language = language or project.language or "en"
    examples = {
        intent: [(place, without_articles(one, language)) for place, one in listed]
        for intent, listed in project.examples.items()
    }
    return _Translator(replace(project, examples=examples), words).translate(id, language)


class _Translator:
    def __init__(self, project: RasaProject, words: LanguageWords) -> None:
        self._notes: list[RasaNote] = []
        markers = find_role_markers(project, self._note)
        self._project = project = replace(
            project,
            examples={
                intent: [(place, without_role_markers(one, markers)) for place, one in listed]
                for intent, listed in project.examples.items()
            },
        )
        self._answers: Answers = collect_answers(project, self._note)
        self._values = collect_values(project, self._note)
        self._triggers: dict[str, Triggers] = find_triggers(project, words, self._note)
        self._small_talk = find_small_talk(project, self._answers, words)
        self._words: dict[str, list[str]] = {}  # for yes and no
        self._fillers = collect_fillers(project, self._values, markers, self._note)
        self._in_forms: set[EntityKey] = {
            key
            for form in project.forms
            for slot in self._required_slots(form)
            for key in self._fillers.keys.get(slot, ())
        }

    def translate(self, id: str, language: str) -> RasaTranslation:
        project = self._project
        intents = self._build_intents()
        slots = [slot["element"] for intent in intents for slot in intent["slots"].values()]
        used = {id for one in slots for id in ([one] if isinstance(one, str) else one)}
        built_in = sorted({BUILT_IN[name] for name in self._values.built_in if name in BUILT_IN})
        if self._fillers.own_booleans():
            built_in = [one for one in built_in if one != "boolean" or one in used]
        data: dict[str, Any] = {
            "id": id or make_id(project.name),
            "language": language,
            "elements": [
                one for one in self._build_elements() if one["id"] in used or "values" in one
            ],
        }
        if built_in:
            data["entities"] = built_in
        if timeout := self._timeout():
            data["conversation"] = {"timeout": timeout}
        # "I'm not great", "no, I meant roses", "the second one"
        data["dialog_acts"] = {"words": self._words} if self._words else True
        data["intents"] = intents
        if samples := list(self._build_samples(intents)):
            data["samples"] = samples
        data["fallback"] = self._build_fallback(language)
        self._note_rest()
        order = {source.name: place for place, source in enumerate(project.files)}
        notes = sorted(
            dict.fromkeys(self._notes),
            key=lambda note: (order.get(note.place.source.name, 0), note.place.line),
        )
        return RasaTranslation(data, tuple(notes))

    def _build_elements(self) -> list[dict[str, Any]]:
        elements: list[dict[str, Any]] = []
        for intent, triggers in self._triggers.items():
            if not triggers.texts:
                continue
            element: dict[str, Any] = {"id": self._element_id(intent), "id_synonym": False}
            keeps_all = intent in self._small_talk or self._is_answer(intent)
            if triggers.is_sparse or not keeps_all:
                element["sparse"] = True
            if not triggers.is_sparse and not keeps_all:
                element["max_gap"] = _MAX_GAP
            element["groups"] = ["intent"]
            texts = map(escape_synonym, triggers.texts)
            element["synonyms"] = [*(texts if keeps_all else triggers.phrases)]
            elements.append(element)
        for entity, values in self._values.values.items():
            element = {"id": make_id(entity), "id_synonym": False}
            if patterns := self._values.patterns.get(entity):
                element["synonyms"] = patterns
            if values:
                element["values"] = {
                    value: [escape_synonym(text) for text in texts]
                    for value, texts in values.items()
                }
            elements.append(element)
        elements += [{"id": id, "recognizer": "boolean"} for id in self._fillers.own_booleans()]
        for key, words in self._fillers.markers.items():
            either = "|".join(map(escape_synonym, sorted(words)))
            part = f"^^{{# == '{self._fillers.element_of((key[0], ''))}'}}^^"
            id = self._fillers.element_of(key)
            synonyms = [f"{{{either}}} {part}" if len(words) > 1 else f"{either} {part}"]
            elements.append({"id": id, "id_synonym": False, "synonyms": synonyms})
        return elements

    def _build_intents(self) -> list[dict[str, Any]]:
        intents: list[dict[str, Any]] = []
        for intent, triggers in self._triggers.items():
            followups = self._build_followups(intent)
            intents += followups
            if self._only_answers(intent, triggers):
                continue
            if followups and intent not in self._answers.texts:
                continue
            slots: dict[str, dict[str, Any]] = {}
            if triggers.texts:
                slots[self._element_id(intent)] = {"element": self._element_id(intent)}
            form = self._answers.forms.get(intent)
            if form is None and not triggers.texts and intent not in self._answers.texts:
                place = self._project.examples[intent][0][0]
                reason = "its examples are entities alone, which complete a question by themselves"
                self._note("mapped", place, f"intent {intent}: {reason}")
                continue
            if triggers.texts and triggers.has_bare:
                slots[self._element_id(intent)]["optional"] = True
            slots |= self._build_form_slots(form, triggers) if form else {}
            for key in triggers.entities:
                name = make_id(self._fillers.slot_of(key))
                if self._fillers.is_known(key) and name not in slots:
                    slots[name] = {"element": self._fillers.element_of(key), "optional": True}
                    if self._is_list(self._fillers.slot_of(key)) or key in triggers.repeated:
                        slots[name]["several"] = True
            for slot in slots.values():
                if slot["element"] == self._element_id(intent) and len(slots) == 1:
                    slot["from_memory"] = False
            if slots:
                intents.append(self._with_response(intent, slots))
                if intent in self._small_talk:  # "hi, I want to book a flight" asks for a flight
                    slots[self._element_id(intent)]["several"] = True
                    intents[-1]["options"] = {"unused_entities": False}
        return intents

    def _build_samples(self, intents: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Build a dialog of each example whose words stand for its intent."""
        built = {intent["id"]: intent for intent in intents}
        for name, listed in self._project.examples.items():
            intent = built.get(self._intent_id(name))
            texts = {text.casefold() for text in self._triggers[name].texts}
            for _, example in listed if intent else ():
                if intent is None or example.words.casefold() not in texts:
                    continue
                named = {make_id(self._fillers.slot_of(one.key)) for one in example.annotations}
                named.add(self._element_id(name))
                missing = {
                    slot for slot, data in intent["slots"].items() if not data.get("optional")
                } - named
                status = {"status": "incomplete"} if missing else {}
                yield {"dialog": [{"ask": example.said, "intent": intent["id"], **status}]}

    def _build_followups(self, intent: str) -> list[dict[str, Any]]:
        """Build the intents of a yes or a no in stories: one for each answer, after the intents
        that come before it there."""
        after = self._answers.after.get(intent, {})
        answers: dict[tuple[str, ...], list[str]] = {}
        for previous, names in after.items():
            answers.setdefault(tuple(names), []).append(self._intent_id(previous))
        element = self._element_id(intent)
        intents = []
        for responses, before in answers.items():
            slots: dict[str, dict[str, Any]] = {element: {"element": element, "from_memory": False}}
            texts = [text for name in responses if (text := self._response(name, slots))]
            intents.append(
                {
                    "id": f"{self._intent_id(intent)}_after_{before[0]}",
                    "flow": f"(^| )({'|'.join(before)})$",
                    "slots": slots,
                    "response": "\n".join(texts),
                }
            )
        return intents

    def _is_answer(self, intent: str) -> bool:
        """Whether an intent is a yes or a no: by custom, or as what fills a slot."""
        mappings = (one for slot in self._project.slots for one in self._project.mappings_of(slot))
        named = [one.get("intent") for one in mappings if one.get("type") == "from_intent"]
        listed = [two for one in named for two in (one if isinstance(one, list) else [one])]
        return intent in YES_AND_NO or intent in listed

    def _only_answers(self, intent: str, triggers: Triggers) -> bool:
        """Whether an intent without a text of its own only answers the bot: with a yes or a no, or
        within a form. Its words for yes and no are noted."""
        answers = self._answers
        if not answers.forms or intent in answers.texts or intent in answers.forms:
            return False
        place = self._project.examples[intent][0][0]
        kind = YES_AND_NO.get(intent)
        if kind is not None and not triggers.entities:
            self._words[kind] = [escape_synonym(text) for text in triggers.texts]
            self._note("mapped", place, f"intent {intent}: words of dialog_acts")
            return True
        is_coded = intent in answers.coded or not self._in_forms.intersection(triggers.entities)
        if triggers.entities and (intent in answers.completing or not is_coded):
            self._note("mapped", place, f"intent {intent}: its examples complete a form")
            return True
        return False

    def _with_response(self, intent: str, slots: dict[str, dict[str, Any]]) -> dict[str, Any]:
        data: dict[str, Any] = {"id": self._intent_id(intent), "slots": slots}
        texts = [
            text
            for name in self._answers.texts.get(intent, ())
            if (text := self._response(name, slots))
        ]
        if texts:
            data["response"] = "\n".join(texts)
        elif intent in self._project.examples:
            place = self._project.examples[intent][0][0]
            self._note("changed", place, f"intent {intent}: no rule gives it a text; add one")
        return data

    def _build_form_slots(self, form: str, triggers: Triggers) -> dict[str, dict[str, Any]]:
        """Build the slots of an intent that begins a form, each with the prompt that asks for
        it."""
        slots: dict[str, dict[str, Any]] = {}
        entry = self._project.forms[form]
        required = self._required_slots(form)
        if isinstance(entry.data, dict) and entry.data.get("ignored_intents"):
            listed = ", ".join(map(str, entry.data["ignored_intents"]))
            reason = "any intent may interrupt a form, which goes on behind it"
            self._note("ignored", entry.place, f"form {form}: ignored_intents {listed}: {reason}")
        for name in required:
            if self._fillers.elements_of(name):
                slots[make_id(name)] = self._slot_data(self._fillers.elements_of(name))
                if self._is_list(name) or not triggers.repeated.isdisjoint(
                    self._fillers.keys[name]
                ):
                    slots[make_id(name)]["several"] = True
            else:
                reason = "no entity fills it: give the model an element, or ask in a handler"
                self._note("ignored", entry.place, f"form {form}: slot {name}: {reason}")
        for name in [one for one in required if make_id(one) in slots]:
            asked = (f"utter_ask_{form}_{name}", f"utter_ask_{name}")
            response = next((key for key in asked if key in self._project.responses), None)
            if response is None:
                self._note("changed", entry.place, f"form {form}: no response asks for {name}")
            slots[make_id(name)]["ask"] = (
                self._response(response, slots) if response else f"{name}?"
            )
        return slots

    def _is_list(self, slot: str) -> bool:
        entry = self._project.slots.get(slot)
        data = entry.data if entry is not None else None
        return isinstance(data, dict) and data.get("type") == "list"

    def _required_slots(self, form: str) -> list[str]:
        settings = self._project.forms[form].data or {}
        return [str(slot) for slot in settings.get("required_slots", settings) or []]

    @staticmethod
    def _slot_data(elements: list[str]) -> dict[str, Any]:
        return {"element": elements[0] if len(elements) == 1 else elements}

    @staticmethod
    def _intent_id(intent: str) -> str:
        return make_id(intent.replace("/", "_"))

    def _element_id(self, intent: str) -> str:
        """The element of an intent's words; an entity of that name keeps it."""
        id = self._intent_id(intent)
        return f"ask_{id}" if intent in self._values.values else id

    def _response(self, name: str, slots: dict[str, dict[str, Any]] | None) -> str:
        """The template of a response. Slots that it names and that the memory may fill are added
        to the ``slots`` of its intent (None for a text without any)."""
        entry = self._project.responses.get(name)
        if entry is None:
            return ""
        variants = [one for one in entry.data or [] if isinstance(one, dict)]
        variants.sort(key=lambda one: "condition" in one or "channel" in one)
        texts = [str(one["text"]) for one in variants if one.get("text")]
        ignored = {key for one in variants for key in one if key not in ("text", "metadata")}
        if ignored:
            listed = ", ".join(sorted(ignored))
            self._note("ignored", entry.place, f"{name}: {listed}")
        if len(texts) > 1:
            which = "first" if variants[0] is entry.data[0] else "general one"
            reason = f"the {which} of {len(texts)} texts; the others are left out"
            self._note("changed", entry.place, f"{name}: {reason}")
        if not texts:
            return ""

        def replace_variable(found: re.Match[str]) -> str:
            if found[1]:
                return self._variable(name, found[1], slots)
            return "}" if found[0] == "}}" else "{{ '{' }}"

        return _GAP.sub("", _BRACES.sub(replace_variable, texts[0].strip()))

    def _variable(self, response: str, slot: str, slots: dict[str, dict[str, Any]] | None) -> str:
        """What stands in a template for ``{slot}``: a slot, or the value that it has at first."""
        elements = self._fillers.elements_of(slot)
        if slots is not None and (elements or make_id(slot) in slots):
            slots.setdefault(make_id(slot), {**self._slot_data(elements), "optional": True})
            return f"{{{{ {self._fillers.variable_of(slot)} }}}}"
        entry = self._project.slots.get(slot)
        settings = entry.data if entry is not None and isinstance(entry.data, dict) else {}
        initial = settings.get("initial_value")
        text = "" if initial is None else str(initial)
        what = f"'{text}', as at first" if text else "left out"
        place = self._project.responses[response].place
        self._note("changed", place, f"{response}: nothing fills {slot}: it is {what}")
        return f"{{{{ {json.dumps(text)} }}}}" if "{" in text else text or "\0"

    def _build_fallback(self, language: str) -> str | dict[str, str]:
        """What the bot says to small talk, also in other words than those of the examples, and
        when nothing fits."""
        names = [*self._answers.texts.get("nlu_fallback", ()), *_FALLBACKS]
        text = next((text for name in names if (text := self._response(name, None))), "")
        if not text:
            text = plain_fallback(language)
            self._note(
                "changed", self._first_place(), f"no response says that nothing fits: '{text}'"
            )
        texts = {"text": text}
        for intent, kind in self._small_talk.items():
            slots: dict[str, dict[str, Any]] = {}
            said = [self._response(name, slots) for name in self._answers.texts.get(intent, ())]
            if not slots:  # a fallback knows none
                texts.setdefault(kind, "\n".join(filter(None, said)))
        return {key: text for key, text in texts.items() if text} if len(texts) > 1 else text

    def _first_place(self) -> Place:
        """The place of the first response, else of the first example."""
        places = [entry.place for entry in self._project.responses.values()]
        places += [place for listed in self._project.examples.values() for place, _ in listed]
        places += [entry.place for entry in self._project.intents.values()]
        return places[0]

    def _timeout(self) -> str:
        entry = self._project.session
        settings = entry.data if entry and isinstance(entry.data, dict) else {}
        if entry and settings.get("carry_over_slots_to_new_session"):
            reason = "a conversation that is over is forgotten"
            self._note("ignored", entry.place, f"carry_over_slots_to_new_session: {reason}")
        minutes = settings.get("session_expiration_time")
        if not entry or not isinstance(minutes, (int, float)) or minutes <= 0:
            return ""
        timeout = f"{minutes:g}m"
        reason = f"session_expiration_time → conversation.timeout: {timeout}"
        self._note("mapped", entry.place, reason)
        return timeout

    def _note_rest(self) -> None:
        """Note the declarations that only code or a policy could express."""
        project = self._project
        for name, entry in project.actions.items():
            if not name.startswith("utter_"):
                self._note("ignored", entry.place, f"{name} is code: answer with a handler")
        known = {one for name in project.examples for one in (name, name.partition("/")[0])}
        for intent, entry in project.intents.items():
            if intent not in known and intent != "nlu_fallback":
                self._note("ignored", entry.place, f"intent {intent} has no examples")
        if project.pipeline is not None:
            reason = "the pipeline: words are compared by their forms, nothing is trained"
            self._note("ignored", project.pipeline.place, reason)

    def _note(self, kind: NoteKind, place: Place, text: str) -> None:
        self._notes.append(RasaNote(kind, place, text))
