"""The tree of a file of NLPCraft → the tree of a file of ours, and what was done to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from anaphora.models.nlpcraft.builtin_tokens import add_builtin_entities
from anaphora.models.nlpcraft.language_detection import add_language
from anaphora.models.nlpcraft.limit_rules import add_default_limits
from anaphora.models.nlpcraft.macro_rules import find_macro_texts
from anaphora.models.nlpcraft.model_rules import MODEL_RULES, make_id, mark_abstract
from anaphora.models.nlpcraft.notes import NoteCollector, TranslationNote
from anaphora.models.nlpcraft.rules import TranslationTarget, apply_rules
from anaphora.models.nlpcraft.synonym_rewriter import SynonymRewriter
from anaphora.models.nlpcraft.version_detection import MODEL_KEYS, Version
from anaphora.models.reading.nodes import MappingNode, ScalarNode, SequenceNode, to_data

__all__ = ["Translation", "translate"]


@dataclass(frozen=True, slots=True)
class Translation:
    """A file of theirs as the tree of one of ours, whose nodes have the places of the original;
    and what there is to say of it, in the order of the file."""

    root: MappingNode
    notes: tuple[TranslationNote, ...]


def translate(
    root: MappingNode,
    version: Version,
    *,
    name: str,
    intents: Iterable[str] = (),
    folder: Path | None = None,
) -> Translation:
    """The file of NLPCraft ``version`` with the tree ``root``, as a file of ours.

    ``name`` is the stem of the file's name, which becomes the id of a model that has none;
    ``intents`` are texts with further ones, and ``folder`` is where their imports are sought:
    they tell which built-in entities are needed.
    Defaults of theirs that are not ours are written out, with the offset of the whole file.
    What has a wrong type is passed on for the validation to complain of; ``root`` itself is not
    changed. Nothing is raised.
    """
    notes = NoteCollector()
    root = _remove_nulls(root)
    sheet = TranslationTarget(
        root, MappingNode(root.start), notes, SynonymRewriter(find_macro_texts(root))
    )
    apply_rules(MODEL_RULES, sheet, known_keys=MODEL_KEYS)
    add_builtin_entities(sheet, version, intents=intents, folder=folder)
    mark_abstract(sheet)
    _add_id(sheet, name)
    add_language(sheet, name)
    _add_timeout(sheet)
    _skip_stop_words(sheet)
    if version == "0.9":
        _add_default_options(sheet)
    _note_missing_intents(sheet)
    _note_inserted_blanks(sheet)
    return Translation(sheet.target, notes.collect())


def _remove_nulls(root: MappingNode) -> MappingNode:
    """The tree without the keys of the model and of its elements that have no value: theirs
    takes the default then."""
    found = _drop_null_keys(root)
    elements = found.items.get("elements")
    if isinstance(elements, SequenceNode):
        listed = SequenceNode(elements.start)
        listed.items = [
            _drop_null_keys(item) if isinstance(item, MappingNode) else item
            for item in elements.items
        ]
        found.items["elements"] = listed
    return found


def _drop_null_keys(node: MappingNode) -> MappingNode:
    found = MappingNode(node.start)
    found.items = {
        key: value
        for key, value in node.items.items()
        if key in ("id", "type") or to_data(value) is not None  # what must have a value is told
    }
    found.key_offsets = {key: node.key_offsets[key] for key in found.items}
    found.removed_keys = node.removed_keys
    return found


def _add_id(sheet: TranslationTarget, name: str) -> None:
    if sheet.has_key("id"):
        return
    at = sheet.source.start
    id = make_id(name)
    sheet.set_node("id", at, ScalarNode(at, at, id, '"'))
    sheet.notes.add("changed", "id", at, f"not in the file; '{id}' is taken from its name")


def _add_timeout(sheet: TranslationTarget) -> None:
    if not sheet.has_key("conversation.timeout"):
        at = sheet.source.start
        sheet.set_scalar("conversation.timeout", at, "1h")
        reason = "not in the file; by default an hour: conversation.timeout: 1h"
        sheet.notes.add("changed", "conversationTimeout", at, reason)


def _skip_stop_words(sheet: TranslationTarget) -> None:
    if not sheet.has_key("stop_words.skip"):
        at = sheet.source.start
        sheet.set_scalar("stop_words.skip", at, "true")
        reason = "such words may stand inside of synonyms, as in theirs: stop_words.skip: true"
        sheet.notes.add("changed", "stop words", at, reason)


def _add_default_options(sheet: TranslationTarget) -> None:
    at = sheet.source.start
    add_default_limits(sheet)
    if not sheet.has_key("options.unused_usr_toks"):
        sheet.set_scalar("options.unused_usr_toks", at, "false")
        reason = (
            "an intent may not leave an element of the sentence unused, as in 0.9: "
            "options.unused_usr_toks: false"
        )
        sheet.notes.add("changed", "options", at, reason)


def _note_missing_intents(sheet: TranslationTarget) -> None:
    intents = sheet.target.items.get("intents")
    if intents is None or (isinstance(intents, SequenceNode) and not intents.items):
        at = sheet.source.key_offsets.get("intents", sheet.source.start)
        reason = "no intents in the file: give them with --intents or intents=…"
        sheet.notes.add("ignored", "intents", at, reason)


def _note_inserted_blanks(sheet: TranslationTarget) -> None:
    if sheet.texts.first_change is None:
        return
    before, after, at = sheet.texts.first_change
    count = sheet.texts.change_count
    others = f" (and {count - 1:,} more)" if count > 1 else ""
    reason = f"pieces are joined by a blank, as in theirs: '{before}' → '{after}'{others}"
    sheet.notes.add("changed", "synonyms", at, reason)
