"""Guess the language of a file, which NLPCraft's format does not declare."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.models.nlpcraft.rules.rule import TranslationTarget
from anaphora.models.reading.nodes import MappingNode, iter_texts, mappings_in

__all__ = ["add_language"]

_LANGUAGE_SUFFIX = re.compile(r"[_.-](de|en|es|fr|it|nl|pl|pt|ru|sv|tr|uk)$", re.IGNORECASE)
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_NON_WORDS = re.compile(r"<[^<>]*>|//.*?//|\^\^.*?\^\^", re.DOTALL)


def add_language(context: TranslationTarget, name: str) -> None:
    """Set the language of the file called ``name``, unless it seems to be English.

    The suffix of the name determines it (``lights_fr``); mostly Cyrillic synonyms mean Russian.
    """
    if context.has_key("language"):
        return
    language, reason = _detect_language(context, name)
    if language in ("", "en"):
        return
    at = context.source.start
    context.set_scalar("language", at, language)
    message = f"not declared in NLPCraft's files; {language} is inferred from {reason}"
    context.notes.add("changed", "language", at, message)


def _detect_language(context: TranslationTarget, name: str) -> tuple[str, str]:
    if suffix := _LANGUAGE_SUFFIX.search(name):
        return suffix[1].lower(), f"the name '{name}'"
    words = "".join(_iter_words(context.target))
    if len(_CYRILLIC.findall(words)) > len(_LATIN.findall(words)):
        return "ru", "its Cyrillic synonyms"
    return "", ""


def _iter_words(root: MappingNode) -> Iterator[str]:
    """The words in macros, synonyms and values, without macro names, patterns and parts."""
    elements = mappings_in(root.items.get("elements"))
    nodes = [one.items.get(key) for one in elements for key in ("synonyms", "values")]
    for node in (*nodes, root.items.get("macros")):
        yield from (_NON_WORDS.sub(" ", text) for text in iter_texts(node))
