"""Their built-in tokens → our entities of the same names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from anaphora.errors import GrammarError
from anaphora.grammar.idl.imports import read_import
from anaphora.grammar.suggestions import did_you_mean
from anaphora.models.nlpcraft.rules import SourceEntry, TranslationTarget
from anaphora.models.nlpcraft.version_detection import Version
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode, to_data
from anaphora.models.schema.builtin_entities import NLPCRAFT_ENTITIES, find_builtin
from anaphora.models.schema.model_file import describe_value

__all__ = ["add_builtin_entities"]

_TOKENS_KEY = "enabledBuiltInTokens"
_NAME = re.compile(r"\bnlpcraft:[a-z]+\b")
_IMPORT = re.compile(r"""\bimport\s*\(\s*(?:'([^'\n]*)'|"([^"\n]*)")\s*\)""")
_SYNONYMS = ("synonyms", "values")
_MAX_IMPORTS = 100
_UNSUPPORTED_PREFIXES = ("google:", "opennlp:", "stanford:")


def add_builtin_entities(
    sheet: TranslationTarget,
    version: Version,
    *,
    intents: Iterable[str] = (),
    folder: Path | None = None,
) -> None:
    """Switches on the entities that the file enables and that there are here.

    A file of 0.9 that does not say has all of them: those are switched on of which its intents
    (with further ``intents`` and those that are imported from ``folder``) and synonyms speak.
    """
    node = sheet.source.items.get(_TOKENS_KEY)
    if node is not None:
        _add_listed(sheet, SourceEntry(_TOKENS_KEY, sheet.source.key_offsets[_TOKENS_KEY], node))
    elif version == "0.9":
        _add_mentioned(sheet, [*_iter_texts(sheet.source), *intents], folder)


def _add_listed(sheet: TranslationTarget, entry: SourceEntry) -> None:
    if not isinstance(entry.node, SequenceNode):
        found = describe_value(to_data(entry.node))
        sheet.add_note("ignored", entry, f"expected a list of tokens, not {found}")
        return
    on: list[ScalarNode] = []
    for index, node in enumerate(entry.node.items):
        name = node.text if isinstance(node, ScalarNode) else ""
        if name.startswith("spacy:") or name in NLPCRAFT_ENTITIES:
            on.append(ScalarNode(node.start, node.start, name, '"'))
            continue
        shown = f"'{name}'" if name else describe_value(to_data(node))
        sheet.add_note(
            "ignored",
            SourceEntry(f"{_TOKENS_KEY}[{index}]", node.start, node),
            _explain_unsupported(name, shown),
        )
    if on:
        _enable_entities(sheet, on)
        names = ", ".join(node.text for node in on)
        sheet.add_note("mapped", entry, f"→ entities: {names}")


def _explain_unsupported(name: str, shown: str) -> str:
    if name.startswith(_UNSUPPORTED_PREFIXES):
        return f"nothing here finds {shown}; spaCy has labels of its own: spacy:person"
    if find_builtin(f"nlpcraft:{name}"):
        return f"there is no {shown}; did you mean 'nlpcraft:{name}'?"
    hint = did_you_mean(name, NLPCRAFT_ENTITIES) if name and name not in _UNSUPPORTED_TOKENS else ""
    return f"nothing here finds {shown}{'; ' if hint else ''}{hint}"


_UNSUPPORTED_TOKENS = ("nlpcraft:metro", "nlpcraft:subcontinent")


def _add_mentioned(sheet: TranslationTarget, texts: Iterable[str], folder: Path | None) -> None:
    at = sheet.source.start
    spoken_of = {name for text in _iter_with_imports(texts, folder) for name in _NAME.findall(text)}
    names = [name for name in NLPCRAFT_ENTITIES if name in spoken_of]
    reason = "not in the file; by default all are on, but it speaks of none of them"
    if names:
        _enable_entities(sheet, [ScalarNode(at, at, name, '"') for name in names])
        reason = "not in the file; by default all are on, of which it speaks of these: entities: "
        reason += ", ".join(names)
    sheet.notes.add("changed", _TOKENS_KEY, at, reason)


def _enable_entities(sheet: TranslationTarget, named: Iterable[ScalarNode]) -> None:
    """Puts the entities into our file: abstract ones among its elements, the others under
    ``entities``; those that it has already are passed over."""
    abstract = _find_names(sheet.source.items.get("abstractTokens"))
    taken = {*_find_names(sheet.target.items.get("entities")), *_iter_element_ids(sheet.target)}
    for node in named:
        if node.text in taken:
            continue
        taken.add(node.text)
        if node.text in abstract:
            element = MappingNode(node.start)
            element.items = {"id": node, "recognizer": node}
            element.key_offsets = dict.fromkeys(element.items, node.start)
            _append_to_list(sheet, "elements", element)
        else:
            _append_to_list(sheet, "entities", node)


def _append_to_list(sheet: TranslationTarget, key: str, node: Node) -> None:
    """Puts ``node`` behind what our file has under ``key``, which it may share with theirs."""
    known = sheet.target.items.get(key)
    if known is not None and not isinstance(known, SequenceNode):
        return  # of which the validation will complain
    listed = SequenceNode(known.start if known else node.start)
    listed.items = [*(known.items if known else ()), node]
    sheet.target.items[key] = listed
    sheet.target.key_offsets.setdefault(key, node.start)


def _iter_element_ids(root: MappingNode) -> Iterator[str]:
    listed = root.items.get("elements")
    for one in listed.items if isinstance(listed, SequenceNode) else ():
        id = one.items.get("id") if isinstance(one, MappingNode) else None
        if isinstance(id, ScalarNode):
            yield id.text


def _find_names(node: Node | None) -> set[str]:
    items = node.items if isinstance(node, SequenceNode) else ()
    return {item.text for item in items if isinstance(item, ScalarNode)}


def _iter_texts(root: MappingNode) -> Iterator[str]:
    """The texts of the file in which an entity may be named: intents, macros, synonyms."""
    yield from _iter_nested_texts(root.items.get("intents"))
    yield from _iter_nested_texts(root.items.get("macros"))
    elements = root.items.get("elements")
    for element in elements.items if isinstance(elements, SequenceNode) else ():
        if isinstance(element, MappingNode):
            for key in _SYNONYMS:
                yield from _iter_nested_texts(element.items.get(key))


def _iter_nested_texts(node: Node | None) -> Iterator[str]:
    waiting = [node]
    while waiting:
        match waiting.pop():
            case ScalarNode(text=text):
                yield text
            case SequenceNode(items=items):
                waiting += items
            case MappingNode(items=mapped):
                waiting += mapped.values()


def _iter_with_imports(texts: Iterable[str], folder: Path | None) -> Iterator[str]:
    """The texts and all that they import; what cannot be read is told of when it is compiled."""
    waiting = [(text, folder) for text in texts]
    seen: set[tuple[str, Path | None]] = set()
    while waiting:
        text, where = waiting.pop()
        yield text
        for single, double in _IMPORT.findall(text):
            key = (single or double, where)
            if key in seen or len(seen) == _MAX_IMPORTS:
                continue
            seen.add(key)
            try:
                found = read_import(key[0], where)
            except GrammarError:
                continue
            waiting.append((found.text, found.folder))
