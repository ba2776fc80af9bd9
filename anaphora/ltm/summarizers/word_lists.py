"""Word lists of languages: ``summaries.yaml`` of each, and spaCy's stop words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import Literal

from anaphora.entities.languages import cached_table, languages_with

__all__ = ["WordLists", "load_word_lists", "words_of_all_languages"]


@dataclass(frozen=True, slots=True)
class WordLists:
    """Words of a language, in lower case: number words and stop words."""

    number_words: frozenset[str]
    stop_words: frozenset[str]


@lru_cache(maxsize=32)
def load_word_lists(language: str) -> WordLists:
    """Load the word lists of a language ("en", "pt-BR"); empty if it is unknown."""
    code = language.replace("_", "-").partition("-")[0].lower()
    own = cached_table(code, "summaries")
    courtesy = frozenset(own.get("courtesy", "").split())
    return WordLists(frozenset(own.get("numbers", "").split()), courtesy | _load_stop_words(code))


@lru_cache(maxsize=8)
def words_of_all_languages(kind: Literal["conjunctions", "openers"]) -> frozenset[str]:
    """Return the words of a kind in all languages."""
    tables = (cached_table(code, "summaries") for code in languages_with("summaries"))
    return frozenset(word for own in tables for word in own.get(kind, "").split())


def _load_stop_words(code: str) -> frozenset[str]:
    """Read spaCy's stop words from their file: importing spaCy takes a second and loads optional
    packages such as torch."""
    package = find_spec("spacy") if code.isalpha() and code.isascii() else None
    if package is None or package.origin is None:
        return frozenset()
    file = Path(package.origin).parent / "lang" / code / "stop_words.py"
    if not file.is_file():
        return frozenset()
    words = run_path(str(file)).get("STOP_WORDS", ())
    return frozenset(words)
