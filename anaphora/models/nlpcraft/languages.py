"""The language of a file, which none of theirs says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.models.nlpcraft.rules import Sheet
from anaphora.models.nodes import ListNode, MapNode, Node, TextNode

__all__ = ["add_language"]

_SUFFIX = re.compile(r"[_.-](de|en|es|fr|it|nl|pl|pt|ru|sv|tr|uk)$", re.IGNORECASE)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_NO_WORDS = re.compile(r"<[^<>]*>|//.*?//|\^\^.*?\^\^", re.DOTALL)


def add_language(sheet: Sheet, name: str) -> None:
    """Writes down the language of the file called ``name``, if it seems not to be English.

    The ending of the name tells it (``lights_fr``), or else synonyms that are Cyrillic for the
    greater part: those are taken for Russian.
    """
    if sheet.has("language"):
        return
    language, reason = _guess(sheet, name)
    if language in ("", "en"):
        return
    at = sheet.source.start
    sheet.set("language", at, language)
    message = f"their files don't say it; {language} is taken from {reason}"
    sheet.notes.add("changed", "language", at, message)


def _guess(sheet: Sheet, name: str) -> tuple[str, str]:
    if suffix := _SUFFIX.search(name):
        return suffix[1].lower(), f"the name '{name}'"
    words = "".join(_words(sheet.target))
    if len(_CYRILLIC.findall(words)) > len(_LATIN.findall(words)):
        return "ru", "its Cyrillic synonyms"
    return "", ""


def _words(root: MapNode) -> Iterator[str]:
    """The texts of macros, synonyms and values, less what is no words in them."""
    elements = root.items.get("elements")
    listed = elements.items if isinstance(elements, ListNode) else []
    mappings = [one for one in listed if isinstance(one, MapNode)]
    said = [
        one.items[key] for one in mappings for key in ("synonyms", "values") if key in one.items
    ]
    for node in (*said, root.items.get("macros")):
        yield from (_NO_WORDS.sub(" ", text) for text in _texts(node))


def _texts(node: Node | None) -> Iterator[str]:
    match node:
        case TextNode():
            yield node.text
        case ListNode():
            for item in node.items:
                yield from _texts(item)
        case MapNode():
            for item in node.items.values():
                yield from _texts(item)
