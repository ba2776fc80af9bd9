"""Build what a bot says as entities, and how it understands answers to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anaphora.grammar.idl.intent import Intent
from anaphora.models.building.phrases import PhraseExpander
from anaphora.models.building.responses import ResponseBuilder
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.checking.references import enable_hint
from anaphora.models.domain import DialogActSettings, MentionTemplates, OfferTemplate
from anaphora.models.reading.nodes import NodePath
from anaphora.models.schema.dialog_acts import DialogActsSchema, OfferSchema
from anaphora.models.templates.expressions import strip_braces

__all__ = ["SpokenEntityBuilder", "build_dialog_acts"]

_MODEL_KEYS = frozenset({"mentions", "offers", "confirm", "choices"})
_ELEMENT_KEYS = frozenset({"refers", "several", "fresh"})


def build_dialog_acts(expander: PhraseExpander) -> DialogActSettings | None:
    """The settings of dialog acts; None if they are off. They are on by default if the model uses
    a key that needs them."""
    file = expander.draft.file
    match file.dialog_acts:
        case None:
            used = [getattr(file, key) for key in _MODEL_KEYS & file.model_fields_set]
            used += [
                getattr(element, key)
                for element in file.elements
                for key in _ELEMENT_KEYS & element.model_fields_set
            ]
            return DialogActSettings() if any(used) else None
        case DialogActsSchema(ask_if_close=ask_if_close, words=words):
            return DialogActSettings(
                ask_if_close,
                {
                    kind: expander.expand(("dialog_acts", "words", kind), written)
                    for kind, written in words.items()
                },
            )
    return DialogActSettings() if file.dialog_acts else None


@dataclass(frozen=True, slots=True)
class SpokenEntityBuilder:
    """Builds mentions and offers; errors are reported to the draft of ``texts``.

    ``abstract`` are the ids of abstract elements.
    """

    texts: ResponseBuilder
    abstract: frozenset[str]

    @property
    def draft(self) -> ModelDraft:
        return self.texts.draft

    def build_mentions(self) -> dict[str, MentionTemplates]:
        """The templates of the entities that the answers of an intent mention, or its slots."""
        built: dict[str, MentionTemplates] = {}
        for name, written in self.draft.file.mentions.items():
            path = ("mentions", name)
            intent = self.texts.check_intent(path, name)
            if isinstance(written, list):
                self._check_slots(path, written, intent)
                built[name] = tuple(written)
            else:
                built[name] = self._check_entities(path, written, intent)
        return built

    def build_offers(self) -> dict[str, tuple[OfferTemplate, ...]]:
        """The templates of the bundles that the answers of an intent offer."""
        return {
            name: tuple(self._iter_offers(name, written))
            for name, written in self.draft.file.offers.items()
        }

    def _iter_offers(
        self, name: str, written: OfferSchema | list[dict[str, str]]
    ) -> Iterator[OfferTemplate]:
        path: NodePath = ("offers", name)
        intent = self.texts.check_intent(path, name)
        if isinstance(written, OfferSchema):
            each = strip_braces(written.each or "")
            if each:
                self.texts.check_expression((*path, "each"), each, intent, ("result",))
            variables = ("item",) if each else ()
            entities = self._check_entities(
                (*path, "entities"), written.entities, intent, variables
            )
            if written.then:
                self.texts.check_intent((*path, "then"), written.then, in_key=False)
            yield OfferTemplate(entities, each, written.then or "")
            return
        for index, bundle in enumerate(written):
            yield OfferTemplate(self._check_entities((*path, index), bundle, intent))

    def _check_slots(self, path: NodePath, names: list[str], intent: Intent | None) -> None:
        if intent is None:
            return
        known = [term.id for term in intent.terms if term.id]
        for index, name in enumerate(names):
            if name not in known:
                what = f"slot of the intent '{intent.id}':"
                self.draft.add_unknown_name((*path, index), what, name, known)

    def _check_entities(
        self,
        path: NodePath,
        templates: Mapping[str, str],
        intent: Intent | None,
        variables: tuple[str, ...] = (),
    ) -> Mapping[str, str]:
        """Check templates by element. ``variables`` exist besides the usual ones."""
        for element, template in templates.items():
            here = (*path, element)
            self._check_element(here, element)
            self.texts.check_text(here, template, intent, ("result", *variables))
        return templates

    def _check_element(self, path: NodePath, id: str) -> None:
        known = self.draft.element_ids
        if id in self.abstract:
            message = f"the element '{id}' is abstract: it is only a part of others"
            self.draft.add_key_error(path, message)
        elif id not in known and not self.draft.is_removed("elements"):
            if hint := enable_hint(id):
                self.draft.add_key_error(path, f"unknown element '{id}'", hint)
            else:
                self.draft.add_unknown_name(path, "element", id, sorted(known), in_key=True)
