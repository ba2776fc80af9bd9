"""Translation rules of the keys of a model, apart from limits, macros and elements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from anaphora.core.name_hints import did_you_mean
from anaphora.models.nlpcraft.notes import NoteKind
from anaphora.models.nlpcraft.rules.elements import translate_elements
from anaphora.models.nlpcraft.rules.limits import LIMIT_RULES
from anaphora.models.nlpcraft.rules.macros import translate_macros
from anaphora.models.nlpcraft.rules.rule import (
    Rule,
    SourceEntry,
    TranslationTarget,
    copy_key,
    ignore_key,
    map_to,
    replacement_node,
)
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    elements_by_id,
    to_data,
)
from anaphora.models.schema.durations import format_duration
from anaphora.models.schema.field_types import describe_value

__all__ = ["MODEL_RULES", "make_id", "mark_abstract"]

_MAX_TIMEOUT = timedelta(days=36_500)
_MIN_TIMEOUT = timedelta(milliseconds=1)
_NON_ID_CHARACTERS = re.compile(r"[^\w:.-]+")
_METHOD = re.compile(r"[=~]\s*/\s*([\w.$]*#\w+)\s*/")


def make_id(name: str) -> str:
    """A valid id that is similar to ``name``."""
    id = _NON_ID_CHARACTERS.sub("-", name).strip("-") or "model"
    return id if id[0].isalpha() or id[0] == "_" else f"model-{id}"


def _translate_id(context: TranslationTarget, entry: SourceEntry) -> None:
    node = entry.node
    if not isinstance(node, ScalarNode) or not node.text.strip():
        context.set_node("id", entry.at, node)
        return
    id = make_id(node.text)
    if id == node.text:
        context.set_node("id", entry.at, node)
        return
    context.set_node("id", entry.at, replacement_node(node, id))
    context.add_note(
        "changed", entry, f"'{node.text}' → '{id}': an id has letters, digits, '_', '-', ':', '.'"
    )


def _translate_timeout(context: TranslationTarget, entry: SourceEntry) -> None:
    milliseconds = to_data(entry.node)
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int) or milliseconds < 0:
        context.set_node("conversation.timeout", entry.at, entry.node)
        return
    longest = int(_MAX_TIMEOUT / timedelta(milliseconds=1))
    exact = timedelta(milliseconds=min(milliseconds, longest))
    text = format_duration(max(exact, _MIN_TIMEOUT))
    context.set_node("conversation.timeout", entry.at, replacement_node(entry.node, text))
    is_same = exact >= _MIN_TIMEOUT and milliseconds <= longest
    kind: NoteKind = "mapped" if is_same else "changed"
    context.add_note(kind, entry, f"{milliseconds} ms → conversation.timeout: {text}")


def _translate_intents(context: TranslationTarget, entry: SourceEntry) -> None:
    if not isinstance(entry.node, SequenceNode):
        context.set_node("intents", entry.at, entry.node)
        return
    listed = SequenceNode(entry.node.start)
    context.set_node("intents", entry.at, listed)
    for index, item in enumerate(entry.node.items):
        listed.items.append(_rewrite_intents(context, entry, index, item))
        for method in _METHOD.findall(item.text) if isinstance(item, ScalarNode) else ():
            named = SourceEntry(f"{entry.key}[{index}]", item.start, item)
            reason = f"the Java method {method} is a Python function here: module#function"
            context.add_note("changed", named, reason)


def _rewrite_intents(
    context: TranslationTarget, entry: SourceEntry, index: int, item: Node
) -> Node:
    """A text with intents in the language of later versions."""
    if not isinstance(item, ScalarNode):
        return item
    text = context.intents.rewrite(item.text)
    if text == item.text:
        return item
    reason = "predicates of NLPCraft 0.5 to 0.7 → the intent language"
    if "nlp:entity" in item.text:
        reason = "nlp:entity → nlpcraft:nlp, a free word"
    elif context.intents.uses_conversation:
        reason += "; without conv=false all terms use the memory (~), as in 0.6"
    context.add_note("changed", SourceEntry(f"{entry.key}[{index}]", item.start, item), reason)
    return replacement_node(item, text)


def _translate_examples(context: TranslationTarget, entry: SourceEntry) -> None:
    """The examples of 0.5 and 0.6 become samples, each a dialog of one question."""
    dialogs: list[Node] = []
    for item in entry.node.items if isinstance(entry.node, SequenceNode) else ():
        at = item.start
        step = MappingNode(at, {"ask": item}, {"ask": at})
        dialogs.append(MappingNode(at, {"dialog": SequenceNode(at, [step])}, {"dialog": at}))
    if dialogs and context.set_node("samples", entry.at, SequenceNode(entry.at, dialogs)):
        context.add_note("mapped", entry, "→ samples, which 'anaphora check' runs")
    else:
        context.add_note("ignored", entry, "expected a list of questions")


def _deferred(context: TranslationTarget, entry: SourceEntry) -> None:
    """Do nothing: the modules of :mod:`anaphora.models.nlpcraft.entities` handle the key after the
    elements."""


def _translate_abstract_tokens(context: TranslationTarget, entry: SourceEntry) -> None:
    """Check the list; :func:`mark_abstract` applies it after the elements."""
    if not isinstance(entry.node, SequenceNode):
        found = describe_value(to_data(entry.node))
        context.add_note("ignored", entry, f"expected a list of elements, not {found}")


def mark_abstract(context: TranslationTarget) -> None:
    """Set ``abstract`` on the elements that ``abstractTokens`` lists."""
    listed = context.source.items.get("abstractTokens")
    if not isinstance(listed, SequenceNode) or not listed.items:
        return
    key, at = "abstractTokens", context.source.key_offsets["abstractTokens"]
    elements = elements_by_id(context.target)
    for index, node in enumerate(listed.items):
        name = node.text if isinstance(node, ScalarNode) else ""
        if element := elements.get(name):
            element.items.setdefault("abstract", ScalarNode(node.start, node.start, "true", ""))
            element.key_offsets.setdefault("abstract", node.start)
            continue
        shown = f"'{name}'" if name else describe_value(to_data(node))
        hint = did_you_mean(name, elements) if name else ""
        reason = f"there is no element {shown}{'; ' if hint else ''}{hint}"
        context.notes.add("ignored", f"{key}[{index}]", node.start, reason)
    context.notes.add("mapped", key, at, "→ abstract: true in each of these elements")


MODEL_RULES: Mapping[str, Rule] = {
    "id": _translate_id,
    "name": copy_key,
    "version": copy_key,
    "description": copy_key,
    "origin": copy_key,
    "metadata": map_to("meta"),
    "macros": translate_macros,
    "elements": translate_elements,
    "intents": _translate_intents,
    "examples": _translate_examples,
    "enabledBuiltInTokens": _deferred,
    "abstractTokens": _translate_abstract_tokens,
    "additionalStopWords": map_to("stop_words.add"),
    "excludedStopWords": map_to("stop_words.remove"),
    "stopWordsAllowed": map_to("stop_words.skip"),
    "restrictedCombinations": _deferred,
    "parsers": ignore_key("Java classes cannot be called; element values can come from Python"),
    "conversationTimeout": _translate_timeout,
    "conversationDepth": map_to("conversation.depth"),
    "permutateSynonyms": map_to("permute"),
    "sparse": copy_key,
    "greedy": copy_key,
    "jiggleFactor": ignore_key(
        "words do not move by a distance; see permute and sparse", silent_values=[0]
    ),
    **LIMIT_RULES,
}
"""The translation rule of each key of a model."""
