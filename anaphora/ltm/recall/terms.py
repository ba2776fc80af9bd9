"""The terms by which a text is found: its words without case and accents, each by its stem, and
what stands there beside words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

import regex
import Stemmer

from anaphora.ltm.recall.tokens import tokens
from anaphora.storage.forks import fork_safe_lock

__all__ = ["DEFAULT_LANGUAGE", "TERMS_VERSION", "terms"]

DEFAULT_LANGUAGE = "en"
"""What a text is taken for whose language nobody tells."""

TERMS_VERSION = 2
"""What is indexed by the terms of an earlier version is indexed anew. It grows whenever a text
gives other terms than before."""

_Stem: TypeAlias = Callable[[list[str]], Iterable[str]]

_ACCENT = regex.compile(r"(?<=[\p{Latin}\p{Greek}\p{Cyrillic}]\p{M}*)\p{M}")
_ALIASES = {"nb": "no", "nn": "no", "iw": "he", "ji": "yi"}


def terms(text: str, language: str = DEFAULT_LANGUAGE) -> tuple[str, ...]:
    """The terms of ``text`` in their order, with repetitions.

    A word (see :func:`~anaphora.ltm.recall.tokens.tokens`) counts by its stem, by the rules of its
    ``language`` where Snowball has some, and without accents, which many leave out. Everything
    else counts as it is.
    """
    found = list(tokens(text))
    stems = iter(_stemmer(language)([token.text for token in found if token.is_word]))
    return tuple([_plain(next(stems)) if token.is_word else token.text for token in found])


def _plain(word: str) -> str:
    """The word without accents."""
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", word)))


@lru_cache(maxsize=64)
def _stemmer(language: str) -> _Stem:
    code = language.replace("_", "-").partition("-")[0].lower() or DEFAULT_LANGUAGE
    try:
        snowball = Stemmer.Stemmer(_ALIASES.get(code, code))
    except (KeyError, ValueError):  # a language without a stemmer, or a text that is no language
        return lambda words: words
    lock = fork_safe_lock()  # a stemmer keeps its work in one buffer

    def stem(words: list[str]) -> Iterable[str]:
        with lock:
            stems: list[str] = snowball.stemWords(words)
        return stems

    return stem
