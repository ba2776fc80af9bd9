"""Translate the tree of an NLPCraft file to the tree of an Anaphora file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from anaphora.models.nlpcraft.entities.builtin_tokens import (
    add_builtin_entities,
    add_free_words,
    add_named_substitutes,
)
from anaphora.models.nlpcraft.entities.restricted_combinations import restrict_combinations
from anaphora.models.nlpcraft.intent_texts import iter_intent_texts, iter_synonym_texts
from anaphora.models.nlpcraft.language_detection import add_language
from anaphora.models.nlpcraft.legacy_dialect import LegacyIntents
from anaphora.models.nlpcraft.notes import NoteCollector, TranslationNote
from anaphora.models.nlpcraft.rules.limits import add_default_limits
from anaphora.models.nlpcraft.rules.macros import find_macro_texts
from anaphora.models.nlpcraft.rules.model import MODEL_RULES, make_id, mark_abstract
from anaphora.models.nlpcraft.rules.rule import TranslationTarget, apply_rules
from anaphora.models.nlpcraft.synonym_rewriter import SynonymRewriter
from anaphora.models.nlpcraft.version_detection import MODEL_KEYS, NlpcraftVersion
from anaphora.models.reading.nodes import (
    MappingNode,
    ScalarNode,
    SequenceNode,
    copy_mapping,
    to_data,
)

__all__ = ["Translation", "translate"]


@dataclass(frozen=True, slots=True)
class Translation:
    """A translated tree, with the offsets of the original, and notes in file order.

    ``intents`` rewrites further texts with intents.
    """

    root: MappingNode
    notes: tuple[TranslationNote, ...]
    intents: LegacyIntents


def translate(
    root: MappingNode,
    version: NlpcraftVersion,
    *,
    name: str,
    intents: Iterable[str] = (),
    folder: Path | None = None,
) -> Translation:
    """Translate the tree of a file of NLPCraft ``version``; ``root`` is not changed.

    ``name`` is the stem of the file name, the default for the id. ``intents`` are further texts
    with intents and ``folder`` is the folder of their imports: they determine which built-in
    entities are needed. Defaults that differ from Anaphora's are written out, at the offset of
    the file. Values of a wrong type are kept for the validation to report. Never raises.
    """
    notes = NoteCollector()
    root = _remove_nulls(root)
    intent_texts = tuple(iter_intent_texts(root, intents, folder))
    legacy = LegacyIntents(intent_texts)
    synonyms = SynonymRewriter(
        find_macro_texts(root), iter_synonym_texts(root), stars=version == "0.9"
    )
    context = TranslationTarget(root, MappingNode(root.start), notes, synonyms, legacy)
    apply_rules(MODEL_RULES, context, known_keys=MODEL_KEYS)
    add_builtin_entities(context, version, intent_texts)
    mark_abstract(context)
    restrict_combinations(context)
    add_free_words(context, version, intent_texts)
    if version == "1.0":
        add_named_substitutes(context, intent_texts)
    _add_id(context, name)
    add_language(context, name)
    _add_timeout(context)
    _skip_stop_words(context)
    if version == "0.9":
        _add_default_options(context)
    _note_missing_intents(context)
    context.texts.add_notes(notes)
    return Translation(context.target, notes.collect(), legacy)


def _remove_nulls(root: MappingNode) -> MappingNode:
    """Remove the keys of the model and of its elements without a value: NLPCraft uses defaults."""
    found = _drop_null_keys(root)
    elements = found.items.get("elements")
    if isinstance(elements, SequenceNode):
        listed = (
            _drop_null_keys(item) if isinstance(item, MappingNode) else item
            for item in elements.items
        )
        found.items["elements"] = SequenceNode(elements.start, list(listed))
    return found


def _drop_null_keys(node: MappingNode) -> MappingNode:
    items = {
        key: value
        for key, value in node.items.items()
        if key in ("id", "type") or to_data(value) is not None  # a null id is reported later
    }
    return copy_mapping(node, items)


def _add_id(context: TranslationTarget, name: str) -> None:
    if context.has_key("id"):
        return
    at = context.source.start
    id = make_id(name)
    context.set_node("id", at, ScalarNode(at, at, id, '"'))
    context.notes.add("changed", "id", at, f"not in the file; '{id}' is taken from its name")


def _add_timeout(context: TranslationTarget) -> None:
    if not context.has_key("conversation.timeout"):
        at = context.source.start
        context.set_scalar("conversation.timeout", at, "1h")
        reason = "not in the file; by default an hour: conversation.timeout: 1h"
        context.notes.add("changed", "conversationTimeout", at, reason)


def _skip_stop_words(context: TranslationTarget) -> None:
    at = context.source.start
    if not context.has_key("stop_words.skip"):
        context.set_scalar("stop_words.skip", at, "true")
        reason = "stop words may occur inside synonyms, as in NLPCraft: stop_words.skip: true"
        context.notes.add("changed", "stop words", at, reason)
    if not context.has_key("stop_words.commas"):
        context.set_scalar("stop_words.commas", at, "true")
        reason = "a comma inside a synonym is a stop word, as in NLPCraft: stop_words.commas: true"
        context.notes.add("changed", "commas", at, reason)


def _add_default_options(context: TranslationTarget) -> None:
    at = context.source.start
    add_default_limits(context)
    if not context.has_key("options.unused_usr_toks"):
        context.set_scalar("options.unused_usr_toks", at, "false")
        reason = (
            "an intent may not leave an element of the sentence unused, as in 0.9: "
            "options.unused_usr_toks: false"
        )
        context.notes.add("changed", "options", at, reason)


def _note_missing_intents(context: TranslationTarget) -> None:
    intents = context.target.items.get("intents")
    if intents is None or (isinstance(intents, SequenceNode) and not intents.items):
        at = context.source.key_offsets.get("intents", context.source.start)
        reason = "no intents in the file: give them with --intents or intents=…"
        context.notes.add("ignored", "intents", at, reason)
