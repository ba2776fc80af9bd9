"""Translate NLPCraft's built-in tokens to built-in entities of the same names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from anaphora.core.name_hints import did_you_mean
from anaphora.models.nlpcraft.intent_texts import iter_synonym_texts
from anaphora.models.nlpcraft.rules.rule import SourceEntry, TranslationTarget
from anaphora.models.nlpcraft.version_detection import NlpcraftVersion
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    elements_by_id,
    scalars_in,
    to_data,
)
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES, find_builtin
from anaphora.models.schema.field_types import describe_value

__all__ = ["add_builtin_entities"]

_TOKENS_KEY = "enabledBuiltInTokens"
_NAME = re.compile(r"\bnlpcraft:[a-z]+\b")
_UNSUPPORTED_PREFIXES = ("google:", "opennlp:", "stanford:")


def add_builtin_entities(
    context: TranslationTarget,
    version: NlpcraftVersion,
    intents: Iterable[str],
) -> None:
    """Enable the built-in entities that the file enables, as far as they exist here.

    A file of 0.9 without a list enables all of them; here only those are enabled that its
    synonyms and its texts with ``intents`` can use.
    """
    node = context.source.items.get(_TOKENS_KEY)
    if node is not None:
        _add_listed(
            context, SourceEntry(_TOKENS_KEY, context.source.key_offsets[_TOKENS_KEY], node)
        )
    elif version == "0.9":
        _add_mentioned(context, [*iter_synonym_texts(context.source), *intents])


def _add_listed(context: TranslationTarget, entry: SourceEntry) -> None:
    if not isinstance(entry.node, SequenceNode):
        found = describe_value(to_data(entry.node))
        context.add_note("ignored", entry, f"expected a list of tokens, not {found}")
        return
    enabled: list[ScalarNode] = []
    for index, node in enumerate(entry.node.items):
        name = node.text if isinstance(node, ScalarNode) else ""
        if name.startswith("spacy:") or name in NLPCRAFT_ENTITIES:
            enabled.append(ScalarNode(node.start, node.start, name, '"'))
            continue
        shown = f"'{name}'" if name else describe_value(to_data(node))
        context.add_note(
            "ignored",
            SourceEntry(f"{_TOKENS_KEY}[{index}]", node.start, node),
            _explain_unsupported(name, shown),
        )
    if enabled:
        _enable_entities(context, enabled)
        names = ", ".join(node.text for node in enabled)
        context.add_note("mapped", entry, f"→ entities: {names}")


def _explain_unsupported(name: str, shown: str) -> str:
    if name.startswith(_UNSUPPORTED_PREFIXES):
        return f"nothing here finds {shown}; spaCy has labels of its own: spacy:person"
    if find_builtin(f"nlpcraft:{name}"):
        return f"there is no {shown}; did you mean 'nlpcraft:{name}'?"
    hint = did_you_mean(name, NLPCRAFT_ENTITIES) if name and name not in _UNSUPPORTED_TOKENS else ""
    return f"nothing here finds {shown}{'; ' if hint else ''}{hint}"


_UNSUPPORTED_TOKENS = ("nlpcraft:metro", "nlpcraft:subcontinent")


def _add_mentioned(context: TranslationTarget, texts: Iterable[str]) -> None:
    at = context.source.start
    mentioned = {name for text in texts for name in _NAME.findall(text)}
    names = [name for name in NLPCRAFT_ENTITIES if name in mentioned]
    reason = "not in the file; by default all are on, but it mentions none of them"
    if names:
        _enable_entities(context, [ScalarNode(at, at, name, '"') for name in names])
        reason = "not in the file; by default all are on, and it mentions these: entities: "
        reason += ", ".join(names)
    context.notes.add("changed", _TOKENS_KEY, at, reason)


def _enable_entities(context: TranslationTarget, named: Iterable[ScalarNode]) -> None:
    """Add entities to the target: abstract ones as elements, others under ``entities``; existing
    ones are skipped."""
    abstract = scalars_in(context.source.items.get("abstractTokens"))
    taken = {*scalars_in(context.target.items.get("entities")), *elements_by_id(context.target)}
    for node in named:
        if node.text in taken:
            continue
        taken.add(node.text)
        if node.text in abstract:
            items: dict[str, Node] = {"id": node, "recognizer": node}
            element = MappingNode(node.start, items, dict.fromkeys(items, node.start))
            _append_to_list(context, "elements", element)
        else:
            _append_to_list(context, "entities", node)


def _append_to_list(context: TranslationTarget, key: str, node: Node) -> None:
    """Append ``node`` to the list under ``key``, as a copy: source and target may share it."""
    known = context.target.items.get(key)
    if known is not None and not isinstance(known, SequenceNode):
        return  # reported by the validation
    items = [*known.items, node] if known else [node]
    context.target.items[key] = SequenceNode((known or node).start, items)
    context.target.key_offsets.setdefault(key, node.start)
