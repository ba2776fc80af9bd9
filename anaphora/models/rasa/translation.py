"""Translate a Rasa project to the data of a model file, with notes about every declaration."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from anaphora.models.nlpcraft.notes import NoteKind
from anaphora.models.nlpcraft.rules.model import make_id
from anaphora.models.rasa.answers import Answers, collect_answers
from anaphora.models.rasa.elements import (
    BUILT_IN,
    Triggers,
    collect_values,
    escape_synonym,
    find_triggers,
)
from anaphora.models.rasa.examples import without_articles
from anaphora.models.rasa.notes import Place, RasaNote
from anaphora.models.rasa.project import Entry, RasaProject

__all__ = ["RasaTranslation", "translate_project"]

_BRACES = re.compile(r"\{\{|\}\}|\{(\w+)\}|\{")
_ANSWERS = {"affirm": "accept", "deny": "decline"}  # intents that projects have by custom
_FALLBACKS = ("utter_default", "utter_fallback", "utter_please_rephrase")


@dataclass(frozen=True, slots=True)
class RasaTranslation:
    """The data of a model file, and the notes in the order of the files."""

    data: dict[str, Any]
    notes: tuple[RasaNote, ...]


def translate_project(project: RasaProject, *, id: str = "", language: str = "") -> RasaTranslation:
    """Translate a project; ``id`` and ``language`` take the place of those of the project."""
    language = language or project.language or "en"
    examples = {
        intent: [(place, without_articles(one, language)) for place, one in listed]
        for intent, listed in project.examples.items()
    }
    return _Translator(replace(project, examples=examples)).translate(id, language)


class _Translator:
    def __init__(self, project: RasaProject) -> None:
        self._project = project
        self._notes: list[RasaNote] = []
        self._answers: Answers = collect_answers(project, self._note)
        self._values = collect_values(project, self._note)
        self._triggers: dict[str, Triggers] = find_triggers(project, self._note)
        self._words: dict[str, list[str]] = {}  # for yes and no
        self._slot_of: dict[str, str] = {}
        for slot, entry in project.slots.items():
            if entity := self._entity_of(slot, entry):
                self._slot_of.setdefault(entity, slot)

    def translate(self, id: str, language: str) -> RasaTranslation:
        project = self._project
        intents = self._build_intents()
        used = {slot["element"] for intent in intents for slot in intent["slots"].values()}
        built_in = sorted({BUILT_IN[name] for name in self._values.built_in if name in BUILT_IN})
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
        if self._answers.forms:  # "no, I meant roses", "the second one"
            data["dialog_acts"] = {"words": self._words} if self._words else True
        data["intents"] = intents
        if fallback := self._fallback():
            data["fallback"] = fallback
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
            if triggers.is_sparse:
                element["sparse"] = True
            element["groups"] = ["intent"]
            element["synonyms"] = [escape_synonym(text) for text in triggers.texts]
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
        return elements

    def _build_intents(self) -> list[dict[str, Any]]:
        intents: list[dict[str, Any]] = []
        for intent, triggers in self._triggers.items():
            if self._only_answers(intent, triggers):
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
            slots |= self._build_form_slots(form) if form else {}
            for entity in triggers.entities:
                name = make_id(self._slot_of.get(entity, entity))
                if self._is_known(entity) and name not in slots:
                    slots[name] = {"element": self._element_of(entity), "optional": True}
                    if entity in triggers.repeated:
                        slots[name]["several"] = True
            for slot in slots.values():
                if slot["element"] == self._element_id(intent) and len(slots) == 1:
                    slot["from_memory"] = False
            if slots:
                intents.append(self._with_response(intent, slots))
        return intents

    def _only_answers(self, intent: str, triggers: Triggers) -> bool:
        """Whether an intent without a text of its own only answers the bot: with a yes or a no, or
        within a form. Its words for yes and no are noted."""
        answers = self._answers
        if not answers.forms or intent in answers.texts or intent in answers.forms:
            return False
        place = self._project.examples[intent][0][0]
        kind = _ANSWERS.get(intent)
        if kind is not None and not triggers.entities:
            self._words[kind] = [escape_synonym(text) for text in triggers.texts]
            self._note("mapped", place, f"intent {intent}: words of dialog_acts")
            return True
        if intent in answers.completing and triggers.entities:
            self._note("mapped", place, f"intent {intent}: its examples complete a form")
            return True
        return False

    def _with_response(self, intent: str, slots: dict[str, dict[str, Any]]) -> dict[str, Any]:
        data: dict[str, Any] = {"id": make_id(intent), "slots": slots}
        texts = [
            text
            for name in self._answers.texts.get(intent, ())
            if (text := self._response(name, set(slots)))
        ]
        if texts:
            data["response"] = "\n".join(texts)
        elif intent in self._project.examples:
            place = self._project.examples[intent][0][0]
            self._note("changed", place, f"intent {intent}: no rule gives it a text; add one")
        return data

    def _build_form_slots(self, form: str) -> dict[str, dict[str, Any]]:
        """Build the slots of an intent that begins a form, each with the prompt that asks for
        it."""
        slots: dict[str, dict[str, Any]] = {}
        entry = self._project.forms[form]
        required = (entry.data or {}).get("required_slots", entry.data) or []
        for name in required:
            slot = self._project.slots.get(name)
            entity = self._entity_of(name, slot) if slot else ""
            if not entity or not self._is_known(entity):
                reason = "it takes no known entity: give the model an element, or ask in a handler"
                self._note("ignored", entry.place, f"form {form}: slot {name}: {reason}")
                continue
            slots[make_id(name)] = {"element": self._element_of(entity)}
            asked = next(
                (
                    key
                    for key in (f"utter_ask_{form}_{name}", f"utter_ask_{name}")
                    if key in self._project.responses
                ),
                None,
            )
            if asked is None:
                self._note("changed", entry.place, f"form {form}: no response asks for {name}")
            text = self._response(asked, set(slots)) if asked else f"{name}?"
            slots[make_id(name)]["ask"] = text
        return slots

    def _entity_of(self, name: str, entry: Entry) -> str:
        """The entity that fills a slot ('' if none does)."""
        settings = entry.data if isinstance(entry.data, dict) else {}
        mappings = settings.get("mappings") or []
        kinds = [one.get("type") for one in mappings if isinstance(one, dict)]
        for mapping in mappings:
            if isinstance(mapping, dict) and mapping.get("type") == "from_entity":
                if mapping.get("role") or mapping.get("group"):
                    self._note("changed", entry.place, f"slot {name}: roles are not told apart")
                return str(mapping.get("entity", name))
        if settings.get("type") == "bool" and "from_intent" in kinds:
            self._note("changed", entry.place, f"slot {name}: a yes or no (entity boolean)")
            return "boolean"
        if name in self._project.entities and not mappings:
            return name
        how = ", ".join(str(kind) for kind in kinds) or "nothing"
        self._note("ignored", entry.place, f"slot {name}: filled by {how}, which is code")
        return ""

    def _is_known(self, entity: str) -> bool:
        return entity in self._values.values or entity in self._values.built_in

    def _element_of(self, entity: str) -> str:
        return BUILT_IN[entity] if entity in self._values.built_in else make_id(entity)

    def _element_id(self, intent: str) -> str:
        """The element of an intent's words; an entity of that name keeps it."""
        id = make_id(intent)
        return f"ask_{id}" if intent in self._values.values else id

    def _response(self, name: str, slots: set[str]) -> str:
        entry = self._project.responses.get(name)
        if entry is None:
            return ""
        variants = [one for one in entry.data or [] if isinstance(one, dict)]
        texts = [str(one["text"]) for one in variants if one.get("text")]
        ignored = {key for one in variants for key in one if key not in ("text", "metadata")}
        if ignored:
            listed = ", ".join(sorted(ignored))
            self._note("ignored", entry.place, f"{name}: {listed}")
        if len(texts) > 1:
            reason = f"the first of {len(texts)} texts; the others are left out"
            self._note("changed", entry.place, f"{name}: {reason}")
        if not texts:
            return ""
        return _to_template(texts[0].strip())

    def _fallback(self) -> str:
        names = [*self._answers.texts.get("nlu_fallback", ()), *_FALLBACKS]
        return next((text for name in names if (text := self._response(name, set()))), "")

    def _timeout(self) -> str:
        entry = self._project.session
        settings = entry.data if entry and isinstance(entry.data, dict) else {}
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
        for intent, entry in project.intents.items():
            if intent not in project.examples and intent != "nlu_fallback":
                self._note("ignored", entry.place, f"intent {intent} has no examples")
        if project.pipeline is not None:
            reason = "the pipeline: words are compared by their forms, nothing is trained"
            self._note("ignored", project.pipeline.place, reason)

    def _note(self, kind: NoteKind, place: Place, text: str) -> None:
        self._notes.append(RasaNote(kind, place, text))


def _to_template(text: str) -> str:
    """Translate a text of a response: ``{name}`` is a slot, ``{{`` and ``}}`` are braces."""

    def replace(found: re.Match[str]) -> str:
        if found[1]:
            return f"{{{{ {make_id(found[1])} }}}}"
        return "}" if found[0] == "}}" else "{{ '{' }}"

    return _BRACES.sub(replace, text)
