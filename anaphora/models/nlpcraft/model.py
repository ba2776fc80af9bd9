"""What becomes of the keys of a model, apart from its limits, macros and elements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from anaphora.models.durations import format_duration
from anaphora.models.hints import did_you_mean
from anaphora.models.nlpcraft.elements import read_elements
from anaphora.models.nlpcraft.limits import LIMIT_RULES
from anaphora.models.nlpcraft.macros import read_macros
from anaphora.models.nlpcraft.notes import NoteKind
from anaphora.models.nlpcraft.rules import Entry, Rule, Sheet, generated, ignored, kept, moved
from anaphora.models.nodes import ListNode, MapNode, Node, TextNode, plain
from anaphora.models.schema import kind_of

__all__ = ["MODEL_RULES", "id_from", "mark_abstract"]

_LONGEST_TIMEOUT = timedelta(days=36_500)
_SHORTEST_TIMEOUT = timedelta(milliseconds=1)
_NOT_IN_ID = re.compile(r"[^\w:.-]+")
_METHOD = re.compile(r"[=~]\s*/\s*([\w.$]*#\w+)\s*/")


def id_from(name: str) -> str:
    """An id of ours that is as much like ``name`` as can be."""
    id = _NOT_IN_ID.sub("-", name).strip("-") or "model"
    return id if id[0].isalpha() or id[0] == "_" else f"model-{id}"


def _id(sheet: Sheet, entry: Entry) -> None:
    node = entry.node
    if not isinstance(node, TextNode) or not node.text.strip():
        sheet.put("id", entry.at, node)
        return
    id = id_from(node.text)
    if id == node.text:
        sheet.put("id", entry.at, node)
        return
    sheet.put("id", entry.at, generated(node, id))
    sheet.note(
        "changed", entry, f"'{node.text}' → '{id}': an id has letters, digits, '_', '-', ':', '.'"
    )


def _timeout(sheet: Sheet, entry: Entry) -> None:
    milliseconds = plain(entry.node)
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int) or milliseconds < 0:
        sheet.put("conversation.timeout", entry.at, entry.node)
        return
    longest = int(_LONGEST_TIMEOUT / timedelta(milliseconds=1))
    exact = timedelta(milliseconds=min(milliseconds, longest))
    text = format_duration(max(exact, _SHORTEST_TIMEOUT))
    sheet.put("conversation.timeout", entry.at, generated(entry.node, text))
    is_same = exact >= _SHORTEST_TIMEOUT and milliseconds <= longest
    kind: NoteKind = "mapped" if is_same else "changed"
    sheet.note(kind, entry, f"{milliseconds} ms → conversation.timeout: {text}")


def _intents(sheet: Sheet, entry: Entry) -> None:
    sheet.put("intents", entry.at, entry.node)
    if not isinstance(entry.node, ListNode):
        return
    for index, item in enumerate(entry.node.items):
        for method in _METHOD.findall(item.text) if isinstance(item, TextNode) else ():
            named = Entry(f"{entry.key}[{index}]", item.start, item)
            reason = f"the Java method {method} is a Python function here: module#function"
            sheet.note("changed", named, reason)


def _later(sheet: Sheet, entry: Entry) -> None:
    """Nothing: :func:`~anaphora.models.nlpcraft.built_in.add_built_in` reads it when the elements
    are there."""


def _abstract(sheet: Sheet, entry: Entry) -> None:
    """Only noted here: :func:`mark_abstract` does it when the elements are there."""
    if _names(entry.node) is None:
        found = kind_of(plain(entry.node))
        sheet.note("ignored", entry, f"expected a list of elements, not {found}")


def mark_abstract(sheet: Sheet) -> None:
    """Makes the elements abstract that ``abstractTokens`` names."""
    listed = sheet.source.items.get("abstractTokens")
    if not isinstance(listed, ListNode) or not listed.items:
        return
    key, at = "abstractTokens", sheet.source.keys["abstractTokens"]
    elements = _elements_by_id(sheet.target)
    for index, node in enumerate(listed.items):
        name = node.text if isinstance(node, TextNode) else ""
        if element := elements.get(name):
            element.items.setdefault("abstract", TextNode(node.start, node.start, "true", ""))
            element.keys.setdefault("abstract", node.start)
            continue
        shown = f"'{name}'" if name else kind_of(plain(node))
        hint = did_you_mean(name, elements) if name else ""
        reason = f"there is no element {shown}{'; ' if hint else ''}{hint}"
        sheet.notes.add("ignored", f"{key}[{index}]", node.start, reason)
    sheet.notes.add("mapped", key, at, "→ abstract: true in each of these elements")


def _elements_by_id(root: MapNode) -> dict[str, MapNode]:
    listed = root.items.get("elements")
    elements = listed.items if isinstance(listed, ListNode) else []
    return {
        id.text: one
        for one in elements
        if isinstance(one, MapNode) and isinstance(id := one.items.get("id"), TextNode)
    }


def _names(node: Node) -> list[str] | None:
    """The texts of a list; None for what is no list."""
    if not isinstance(node, ListNode):
        return None
    return [item.text for item in node.items if isinstance(item, TextNode)]


MODEL_RULES: Mapping[str, Rule] = {
    "id": _id,
    "name": kept,
    "version": kept,
    "description": kept,
    "origin": kept,
    "metadata": moved("meta"),
    "macros": read_macros,
    "elements": read_elements,
    "intents": _intents,
    "enabledBuiltInTokens": _later,
    "abstractTokens": _abstract,
    "additionalStopWords": moved("stop_words.add"),
    "excludedStopWords": moved("stop_words.remove"),
    "stopWordsAllowed": moved("stop_words.skip"),
    "restrictedCombinations": ignored(
        "the entities limit, sort and relation have an option 'of' for what they may refer to"
    ),
    "parsers": ignored("Java classes cannot be called; element values can come from Python"),
    "conversationTimeout": _timeout,
    "conversationDepth": moved("conversation.depth"),
    "permutateSynonyms": moved("permute"),
    "sparse": kept,
    "greedy": kept,
    "jiggleFactor": ignored("words do not move by a distance; see permute and sparse", unless=[0]),
    **LIMIT_RULES,
}
"""What becomes of each key of a model."""
