"""Check an utterance against the limits of its model."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from anaphora.core.plurals import pluralize
from anaphora.core.utterance import Token, Utterance, Variant
from anaphora.entities.words.lexicon import Lexicon
from anaphora.models.domain import UtteranceLimits

__all__ = ["find_breach", "has_too_many_words"]


def find_breach(limits: UtteranceLimits, utterance: Utterance, variant: Variant) -> str:
    """Describe the first limit that the utterance breaks ('' if there is none).

    ``variant`` is its best variant, whose entities and uncovered words count.
    """
    words = _find_words(utterance)
    for count, what, least, most in (
        (len(words), "word", limits.min_words, limits.max_words),
        (len(variant.entities), "entity", limits.min_entities, limits.max_entities),
        (
            sum(word.is_content_word for word in words),
            "content word",
            limits.min_content_words,
            None,
        ),
        (variant.uncovered, "unknown word", None, limits.max_free_words),
    ):
        if least is not None and count < least:
            return f"it has {pluralize(count, what)}; the minimum is {least}"
        if most is not None and count > most:
            return f"it has {pluralize(count, what)}; the maximum is {most}"
    if limits.max_suspicious_words is not None:
        count = _count_occurrences(words, limits.suspicious_words, utterance.language)
        if count > limits.max_suspicious_words:
            return f"it has {pluralize(count, 'suspicious word')}"
    if not limits.swear_words_allowed and (
        _count_occurrences(words, limits.swear_words, utterance.language)
    ):
        return "it has a swear word"
    if limits.latin_only and (letter := _find_non_latin_letter(utterance.text)):
        return f"'{letter}' is not a Latin letter"
    return ""


def has_too_many_words(limits: UtteranceLimits, utterance: Utterance) -> bool:
    """Whether the utterance has more words than its model allows."""
    return limits.max_words is not None and len(_find_words(utterance)) > limits.max_words


def _find_words(utterance: Utterance) -> list[Token]:
    return [token for token in utterance.tokens if any(map(str.isalnum, token.text))]


def _count_occurrences(words: Iterable[Token], listed: frozenset[str], language: str) -> int:
    if not listed:
        return 0
    stems = _stem_words(listed, language)
    return sum(word.lower in listed or word.stem in stems for word in words)


@lru_cache(maxsize=128)
def _stem_words(words: frozenset[str], language: str) -> frozenset[str]:
    return Lexicon(language).stem_texts(words)


def _find_non_latin_letter(text: str) -> str:
    if text.isascii():
        return ""
    foreign = (
        char for char in text if char.isalpha() and "LATIN" not in unicodedata.name(char, "")
    )
    return next(foreign, "")
