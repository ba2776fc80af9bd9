"""Function words of a language: stop words, qualifiers and courtesy phrases."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import chain

import spacy

from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.orthography import load_orthography

__all__ = [
    "load_courtesy_phrases",
    "load_qualifiers",
    "load_qualifiers_by_kind",
    "load_stop_words",
]


def load_stop_words(language: str) -> frozenset[str]:
    """Return spaCy's stop words of the language, and stop words that spaCy would split into such;
    empty for an unknown language."""
    code = base_code(language)
    try:
        known = spacy.util.get_lang_class(code).Defaults.stop_words
    except ImportError:
        return frozenset()
    return frozenset(known) | load_orthography(code).stop_words


def load_qualifiers_by_kind(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the function words that negate or restrict others, by kind, the most common first.

    The kinds are ``negation`` (not), ``exclusion`` (without), ``restriction`` (only), ``universal``
    (all) and ``modality`` (may). They come from ``function_words.yaml`` in the folder of the
    language.
    """
    table = cached_table(base_code(language), "function_words")
    return {kind: tuple(words.split()) for kind, words in table.items() if isinstance(words, str)}


@lru_cache(maxsize=100)
def load_courtesy_phrases(language: str) -> frozenset[tuple[str, ...]]:
    """Return the words and phrases that only make a request polite ("please", "would like"), as
    normalized words. They come from ``courtesy`` in ``function_words.yaml`` of the language, with a
    blank between the tokens of a phrase."""
    from anaphora.grammar.synonyms.expansion import expand_synonym

    normalize = create_normalizer(language)
    return frozenset(
        tuple(normalize(token) for word in written for token in str(word).split())
        for phrase in cached_table(base_code(language), "function_words").get("courtesy", ())
        for written in expand_synonym(phrase)
    )


def load_qualifiers(language: str, *kinds: str) -> frozenset[str]:
    """Return the normalized words of :func:`load_qualifiers_by_kind`, of some kinds or of all. They
    count as content words even if they are in a list of stop words."""
    known = load_qualifiers_by_kind(language)
    words = chain.from_iterable(known.get(kind, ()) for kind in kinds or known)
    return frozenset(map(create_normalizer(language), words))
