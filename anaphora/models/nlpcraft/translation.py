"""The tree of a file of NLPCraft → the tree of a file of ours, and what was done to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from anaphora.models.nlpcraft.built_in import add_built_in
from anaphora.models.nlpcraft.languages import add_language
from anaphora.models.nlpcraft.limits import add_limits_of_0_9
from anaphora.models.nlpcraft.macros import macro_texts
from anaphora.models.nlpcraft.model import MODEL_RULES, id_from, mark_abstract
from anaphora.models.nlpcraft.notes import Note, Notes
from anaphora.models.nlpcraft.recognition import OUR_KEYS, Version
from anaphora.models.nlpcraft.rules import Sheet, apply
from anaphora.models.nlpcraft.texts import Texts
from anaphora.models.nodes import ListNode, MapNode, TextNode, plain

__all__ = ["Translation", "translate"]


@dataclass(frozen=True, slots=True)
class Translation:
    """A file of theirs as the tree of one of ours, whose nodes have the places of the original;
    and what there is to say of it, in the order of the file."""

    root: MapNode
    notes: tuple[Note, ...]


def translate(
    root: MapNode,
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
    notes = Notes()
    root = _without_nulls(root)
    sheet = Sheet(root, MapNode(root.start), notes, Texts(macro_texts(root)))
    apply(MODEL_RULES, sheet, ours=OUR_KEYS)
    add_built_in(sheet, version, intents=intents, folder=folder)
    mark_abstract(sheet)
    _add_id(sheet, name)
    add_language(sheet, name)
    _add_timeout(sheet)
    _skip_stop_words(sheet)
    if version == "0.9":
        _add_defaults_of_0_9(sheet)
    _tell_of_intents(sheet)
    _tell_of_blanks(sheet)
    return Translation(sheet.target, notes.gathered())


def _without_nulls(root: MapNode) -> MapNode:
    """The tree without the keys of the model and of its elements that have no value: theirs
    takes the default then."""
    found = _with_values(root)
    elements = found.items.get("elements")
    if isinstance(elements, ListNode):
        listed = ListNode(elements.start)
        listed.items = [
            _with_values(item) if isinstance(item, MapNode) else item for item in elements.items
        ]
        found.items["elements"] = listed
    return found


def _with_values(node: MapNode) -> MapNode:
    found = MapNode(node.start)
    found.items = {
        key: value
        for key, value in node.items.items()
        if key in ("id", "type") or plain(value) is not None  # what must have a value is told
    }
    found.keys = {key: node.keys[key] for key in found.items}
    found.lost = node.lost
    return found


def _add_id(sheet: Sheet, name: str) -> None:
    if sheet.has("id"):
        return
    at = sheet.source.start
    id = id_from(name)
    sheet.put("id", at, TextNode(at, at, id, '"'))
    sheet.notes.add("changed", "id", at, f"not in the file; '{id}' is taken from its name")


def _add_timeout(sheet: Sheet) -> None:
    if not sheet.has("conversation.timeout"):
        at = sheet.source.start
        sheet.set("conversation.timeout", at, "1h")
        reason = "not in the file; by default an hour: conversation.timeout: 1h"
        sheet.notes.add("changed", "conversationTimeout", at, reason)


def _skip_stop_words(sheet: Sheet) -> None:
    if not sheet.has("stop_words.skip"):
        at = sheet.source.start
        sheet.set("stop_words.skip", at, "true")
        reason = "such words may stand inside of synonyms, as in theirs: stop_words.skip: true"
        sheet.notes.add("changed", "stop words", at, reason)


def _add_defaults_of_0_9(sheet: Sheet) -> None:
    at = sheet.source.start
    add_limits_of_0_9(sheet)
    if not sheet.has("options.unused_usr_toks"):
        sheet.set("options.unused_usr_toks", at, "false")
        reason = (
            "an intent may not leave an element of the sentence unused, as in 0.9: "
            "options.unused_usr_toks: false"
        )
        sheet.notes.add("changed", "options", at, reason)


def _tell_of_intents(sheet: Sheet) -> None:
    intents = sheet.target.items.get("intents")
    if intents is None or (isinstance(intents, ListNode) and not intents.items):
        at = sheet.source.keys.get("intents", sheet.source.start)
        reason = "no intents in the file: give them with --intents or intents=…"
        sheet.notes.add("ignored", "intents", at, reason)


def _tell_of_blanks(sheet: Sheet) -> None:
    if sheet.texts.first is None:
        return
    before, after, at = sheet.texts.first
    count = sheet.texts.changed
    others = f" (and {count - 1:,} more)" if count > 1 else ""
    reason = f"pieces are joined by a blank, as in theirs: '{before}' → '{after}'{others}"
    sheet.notes.add("changed", "synonyms", at, reason)
