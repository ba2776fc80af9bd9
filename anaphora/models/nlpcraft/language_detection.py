"""The language of a file, which none of theirs says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.models.nlpcraft.rules import TranslationTarget
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode

__all__ = ["add_language"]

_LANGUAGE_SUFFIX = re.compile(r"[_.-](de|en|es|fr|it|nl|pl|pt|ru|sv|tr|uk)$", re.IGNORECASE)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_NON_WORDS = re.compile(r"<[^<>]*>|//.*?//|\^\^.*?\^\^", re.DOTALL)


def add_language(sheet: TranslationTarget, name: str) -> None:
    """Writes down the language of the file called ``name``, if it seems not to be English.

    The ending of the name tells it (``lights_fr``), or else synonyms that are Cyrillic for the
    greater part: those are taken for Russian.
    """
    if sheet.has_key("language"):
        return
    language, reason = _detect_language(sheet, name)
    if language in ("", "en"):
        return
    at = sheet.source.start
    sheet.set_scalar("language", at, language)
    message = f"their files don't say it; {language} is taken from {reason}"
    sheet.notes.add("changed", "language", at, message)


def _detect_language(sheet: TranslationTarget, name: str) -> tuple[str, str]:
    if suffix := _LANGUAGE_SUFFIX.search(name):
        return suffix[1].lower(), f"the name '{name}'"
    words = "".join(_iter_words(sheet.target))
    if len(_CYRILLIC.findall(words)) > len(_LATIN.findall(words)):
        return "ru", "its Cyrillic synonyms"
    return "", ""


def _iter_words(root: MappingNode) -> Iterator[str]:
    """The texts of macros, synonyms and values, less what is no words in them."""
    elements = root.items.get("elements")
    listed = elements.items if isinstance(elements, SequenceNode) else []
    mappings = [one for one in listed if isinstance(one, MappingNode)]
    said = [
        one.items[key] for one in mappings for key in ("synonyms", "values") if key in one.items
    ]
    for node in (*said, root.items.get("macros")):
        yield from (_NON_WORDS.sub(" ", text) for text in _iter_texts(node))


def _iter_texts(node: Node | None) -> Iterator[str]:
    match node:
        case ScalarNode():
            yield node.text
        case SequenceNode():
            for item in node.items:
                yield from _iter_texts(item)
        case MappingNode():
            for item in node.items.values():
                yield from _iter_texts(item)
