"""Their built-in tokens → our entities of the same names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from anaphora.errors import GrammarError
from anaphora.grammar.imports import read_import
from anaphora.models.builtin import NLPCRAFT, known_entity
from anaphora.models.hints import did_you_mean
from anaphora.models.nlpcraft.recognition import Version
from anaphora.models.nlpcraft.rules import Entry, Sheet
from anaphora.models.nodes import ListNode, MapNode, Node, TextNode, plain
from anaphora.models.schema import kind_of

__all__ = ["add_built_in"]

_KEY = "enabledBuiltInTokens"
_NAME = re.compile(r"\bnlpcraft:[a-z]+\b")
_IMPORT = re.compile(r"""\bimport\s*\(\s*(?:'([^'\n]*)'|"([^"\n]*)")\s*\)""")
_SYNONYMS = ("synonyms", "values")
_MOST_IMPORTS = 100
_OTHERS = ("google:", "opennlp:", "stanford:")


def add_built_in(
    sheet: Sheet, version: Version, *, intents: Iterable[str] = (), folder: Path | None = None
) -> None:
    """Switches on the entities that the file enables and that there are here.

    A file of 0.9 that does not say has all of them: those are switched on of which its intents
    (with further ``intents`` and those that are imported from ``folder``) and synonyms speak.
    """
    node = sheet.source.items.get(_KEY)
    if node is not None:
        _add_listed(sheet, Entry(_KEY, sheet.source.keys[_KEY], node))
    elif version == "0.9":
        _add_mentioned(sheet, [*_texts(sheet.source), *intents], folder)


def _add_listed(sheet: Sheet, entry: Entry) -> None:
    if not isinstance(entry.node, ListNode):
        found = kind_of(plain(entry.node))
        sheet.note("ignored", entry, f"expected a list of tokens, not {found}")
        return
    on: list[TextNode] = []
    for index, node in enumerate(entry.node.items):
        name = node.text if isinstance(node, TextNode) else ""
        if name.startswith("spacy:") or name in NLPCRAFT:
            on.append(TextNode(node.start, node.start, name, '"'))
            continue
        shown = f"'{name}'" if name else kind_of(plain(node))
        sheet.note("ignored", Entry(f"{_KEY}[{index}]", node.start, node), _why_not(name, shown))
    if on:
        _switch_on(sheet, on)
        names = ", ".join(node.text for node in on)
        sheet.note("mapped", entry, f"→ entities: {names}")


def _why_not(name: str, shown: str) -> str:
    if name.startswith(_OTHERS):
        return f"nothing here finds {shown}; spaCy has labels of its own: spacy:person"
    if known_entity(f"nlpcraft:{name}"):
        return f"there is no {shown}; did you mean 'nlpcraft:{name}'?"
    hint = did_you_mean(name, NLPCRAFT) if name and name not in _MISSING else ""
    return f"nothing here finds {shown}{'; ' if hint else ''}{hint}"


_MISSING = ("nlpcraft:metro", "nlpcraft:subcontinent")


def _add_mentioned(sheet: Sheet, texts: Iterable[str], folder: Path | None) -> None:
    at = sheet.source.start
    spoken_of = {name for text in _with_imports(texts, folder) for name in _NAME.findall(text)}
    names = [name for name in NLPCRAFT if name in spoken_of]
    reason = "not in the file; by default all are on, but it speaks of none of them"
    if names:
        _switch_on(sheet, [TextNode(at, at, name, '"') for name in names])
        reason = "not in the file; by default all are on, of which it speaks of these: entities: "
        reason += ", ".join(names)
    sheet.notes.add("changed", _KEY, at, reason)


def _switch_on(sheet: Sheet, named: Iterable[TextNode]) -> None:
    """Puts the entities into our file: abstract ones among its elements, the others under
    ``entities``; those that it has already are passed over."""
    abstract = _names_in(sheet.source.items.get("abstractTokens"))
    taken = {*_names_in(sheet.target.items.get("entities")), *_ids(sheet.target)}
    for node in named:
        if node.text in taken:
            continue
        taken.add(node.text)
        if node.text in abstract:
            element = MapNode(node.start)
            element.items = {"id": node, "recognizer": node}
            element.keys = dict.fromkeys(element.items, node.start)
            _append(sheet, "elements", element)
        else:
            _append(sheet, "entities", node)


def _append(sheet: Sheet, key: str, node: Node) -> None:
    """Puts ``node`` behind what our file has under ``key``, which it may share with theirs."""
    known = sheet.target.items.get(key)
    if known is not None and not isinstance(known, ListNode):
        return  # of which the validation will complain
    listed = ListNode(known.start if known else node.start)
    listed.items = [*(known.items if known else ()), node]
    sheet.target.items[key] = listed
    sheet.target.keys.setdefault(key, node.start)


def _ids(root: MapNode) -> Iterator[str]:
    listed = root.items.get("elements")
    for one in listed.items if isinstance(listed, ListNode) else ():
        id = one.items.get("id") if isinstance(one, MapNode) else None
        if isinstance(id, TextNode):
            yield id.text


def _names_in(node: Node | None) -> set[str]:
    items = node.items if isinstance(node, ListNode) else ()
    return {item.text for item in items if isinstance(item, TextNode)}


def _texts(root: MapNode) -> Iterator[str]:
    """The texts of the file in which an entity may be named: intents, macros, synonyms."""
    yield from _all_texts(root.items.get("intents"))
    yield from _all_texts(root.items.get("macros"))
    elements = root.items.get("elements")
    for element in elements.items if isinstance(elements, ListNode) else ():
        if isinstance(element, MapNode):
            for key in _SYNONYMS:
                yield from _all_texts(element.items.get(key))


def _all_texts(node: Node | None) -> Iterator[str]:
    waiting = [node]
    while waiting:
        match waiting.pop():
            case TextNode(text=text):
                yield text
            case ListNode(items=items):
                waiting += items
            case MapNode(items=mapped):
                waiting += mapped.values()


def _with_imports(texts: Iterable[str], folder: Path | None) -> Iterator[str]:
    """The texts and all that they import; what cannot be read is told of when it is compiled."""
    waiting = [(text, folder) for text in texts]
    seen: set[tuple[str, Path | None]] = set()
    while waiting:
        text, where = waiting.pop()
        yield text
        for single, double in _IMPORT.findall(text):
            key = (single or double, where)
            if key in seen or len(seen) == _MOST_IMPORTS:
                continue
            seen.add(key)
            try:
                found = read_import(key[0], where)
            except GrammarError:
                continue
            waiting.append((found.text, found.folder))
