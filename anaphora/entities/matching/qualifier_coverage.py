"""Find the languages in which a model covers no qualifiers.

A bot that ignores "not" does what it was asked not to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from anaphora.entities.matching.levels import select_phrases
from anaphora.entities.words.function_words import load_qualifiers_by_kind
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.orthography import load_orthography
from anaphora.grammar.patterns import Pattern
from anaphora.models.domain import ANY_LANGUAGE, Element, Model, Phrase
from anaphora.models.element_values import iter_phrases

__all__ = ["find_uncovered_qualifiers"]

_CHECKED_KINDS = ("negation", "exclusion", "restriction")


def find_uncovered_qualifiers(model: Model) -> Mapping[str, tuple[str, ...]]:
    """Return the most common qualifiers of each language of the model in which no element covers a
    word of negation, exclusion or restriction.

    The result is empty for a model that handles them otherwise: by its stop words, by rejecting
    questions with unknown words, by asking about them, by user-defined recognizers; and for one
    without intents.
    """
    asks = all(intent.id in model.unused for intent in model.intents)
    handled = asks or _rejects_unknown_words(model) or any(map(_is_found_by_code, model.elements))
    if handled or not model.intents:
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for language in model.languages:
        kinds = load_qualifiers_by_kind(language)
        words = [word for kind in _CHECKED_KINDS for word in kinds.get(kind, ())]
        if words and not _covers_any(model, language, words):
            found[language] = tuple(kinds[kind][0] for kind in _CHECKED_KINDS if kind in kinds)
    return found


def _rejects_unknown_words(model: Model) -> bool:
    return model.limits.max_free_words == 0 or not any(
        intent.options.unused_free_words for intent in model.intents
    )


def _is_found_by_code(element: Element) -> bool:
    return element.recognition is not None and element.recognition.kind in ("component", "function")


def _covers_any(model: Model, language: str, words: list[str]) -> bool:
    """Whether an element or the stop words of the model contain one of the words."""
    normalize = create_normalizer(language)
    known = {normalize(word) for word in words}
    if not known.isdisjoint(map(normalize, model.stop_words.additional)):
        return True
    unspaced = load_orthography(base_code(language)).unspaced
    left, right = ("", "") if unspaced else (r"(?<!\w)", r"(?!\w)")
    contracted = [word for word in known if "'" in word]  # "n't" and "n'" touch other words
    whole = "|".join(map(re.escape, known.difference(contracted)))
    some = re.compile("|".join([f"{left}(?:{whole}){right}", *map(re.escape, contracted)]))
    for phrase in _phrases(model, language):
        for chunk in phrase:
            if isinstance(chunk, str) and some.search(normalize(chunk)):
                return True
            if isinstance(chunk, Pattern) and any(map(chunk.fullmatch, known)):
                return True
    return False


def _phrases(model: Model, language: str) -> Iterator[Phrase]:
    for element in model.elements:
        yield from select_phrases(element.phrases, language)
        for _, phrase in iter_phrases(element.values, (language, ANY_LANGUAGE)):
            yield phrase
