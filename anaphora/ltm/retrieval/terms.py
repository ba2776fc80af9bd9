"""Index and query terms of a text: lemmas or stems, alternatives and aliases.

The key of a word is its lemma, or its stem if no dictionary has it. A word has further terms:

- alternatives: the word without attached particles, without diacritics, or a hyphenated word as
  one word;
- *other* lemmas of the same form, prefixed by "+": "+leaf" of "leaves". The lemma itself finds
  them; another word with the same other lemma does not: "casa" and "caso" may both be forms of
  "casar", but are different words;
- *aliases*, prefixed by "~": the spelling without diacritics, and the stem of a dictionary word.
  Only words without diacritics are searched for by the former, and only words that are in no
  dictionary by the latter: "casa" does not find "caso", though their stems are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pkgutil import iter_modules
from typing import NamedTuple

import regex

from anaphora.entities.words.orthography import load_orthography, replace_characters
from anaphora.ltm.retrieval.tokenizer import CompoundPart, VerbatimToken, tokenize

__all__ = [
    "DATE_TERM",
    "DEFAULT_LANGUAGE",
    "QUESTION_TERM",
    "TERMS_VERSION",
    "TermWord",
    "analyze_words",
    "extract_terms",
    "is_analyzer_loaded",
    "language_term",
    "language_terms",
    "unanalyzed_words",
]

DEFAULT_LANGUAGE = "en"
"""The language of texts whose language is unknown."""

DATE_TERM = "mentions=date"
"""The term of exchanges that mention a date."""

QUESTION_TERM = "ends=question"
"""The term of exchanges that end with a question."""

TERMS_VERSION = 4
"""Version of the terms and of the embedding texts. It is raised whenever a text gets different
ones; exchanges indexed with an earlier version are reindexed and embedded anew."""

_loaded_languages: set[str] = set()
_OTHER_PREFIX, _ALIAS_PREFIX = "+", "~"  # no token starts with them
_UNKNOWN_LANGUAGE = "xx"
_CACHE_SIZE = 30_000  # words per language, some 600 bytes each; a book has 20,000
_MAX_CACHED_LENGTH = 64  # characters
_APOSTROPHE = regex.compile(r"(?<=\p{L})['’‘ʼ‛`´′＇](?=\p{L})")
_LETTER_APOSTROPHE = "ʼ"  # a letter in Unicode, hence part of a word


class TermWord(NamedTuple):
    """A word of a text: its ``text``, its first term (``key``), and the further terms by which it
    is indexed and by which it is searched for."""

    text: str
    key: str
    index_terms: tuple[str, ...] = ()
    query_terms: tuple[str, ...] = ()


def extract_terms(text: str, language: str = DEFAULT_LANGUAGE) -> tuple[str, ...]:
    """Return the key of each word of ``text``, in order, with repetitions."""
    return tuple([word.key for word in analyze_words(text, language)])


def analyze_words(text: str, language: str = DEFAULT_LANGUAGE) -> list[TermWord]:
    """Analyze the words of ``text`` (see :func:`~anaphora.ltm.retrieval.tokenizer.tokenize`) into
    terms. Other tokens become terms unchanged."""
    return _load_analyzer(_language_code(language)).analyze(text)


class _Analyzer:
    def __init__(self, code: str) -> None:
        from anaphora.entities.words.lexicon import Lexicon

        self._lexicon = Lexicon(code, size=1_000)  # small: the results are cached below
        known = load_orthography(code)
        self._has_apostrophes = "'" in known.silent
        self._same = known.same
        self._word = lru_cache(maxsize=_CACHE_SIZE)(self._analyze_word)

    def analyze(self, text: str) -> list[TermWord]:
        if self._has_apostrophes or not text.isascii():
            text = self._normalize(text)
        word = self._word
        return [
            word(token)
            if isinstance(token, str) and len(token) <= _MAX_CACHED_LENGTH
            else self._analyze_token(token)
            for token in tokenize(text)
        ]

    def _normalize(self, text: str) -> str:
        """Replace apostrophes within words by letters if the language has such words, and letters
        by equivalent ones."""
        text = _APOSTROPHE.sub(_LETTER_APOSTROPHE if self._has_apostrophes else "'", text)
        return replace_characters(text, self._same)

    def _analyze_token(self, token: str | CompoundPart | VerbatimToken) -> TermWord:
        if isinstance(token, str):
            return self._analyze_word(token)
        if isinstance(token, VerbatimToken):
            return TermWord(token.text, token.text)
        text, key, indexed, searched = self._word(token.text)
        whole = self._word(token.whole).key
        return TermWord(
            text, key, _further_terms(key, *indexed, whole), _further_terms(key, *searched, whole)
        )

    def _analyze_word(self, text: str) -> TermWord:
        lexicon = self._lexicon
        word = lexicon.word(text)
        key, others = word.stem, (*word.homographs, *word.derived)
        indexed = [*word.alternatives, *[_OTHER_PREFIX + one for one in others]]
        searched = [_OTHER_PREFIX + key, *word.alternatives, *others]
        if stem := lexicon.fallback_stem(word):
            indexed.append(_ALIAS_PREFIX + stem)
            searched.append(stem)
        for stems in lexicon.unmarked_spellings(word.lower, word.stem).values():
            indexed += [_ALIAS_PREFIX + one for one in sorted(stems)]
        if not word.in_dictionary:
            searched += [_ALIAS_PREFIX + one for one in (word.stem, *word.alternatives)]
        elif word.lower.isascii():
            searched.append(_ALIAS_PREFIX + word.stem)
        return TermWord(
            word.lower, key, _further_terms(key, *indexed), _further_terms(key, *searched)
        )


def is_analyzer_loaded(language: str) -> bool:
    """Whether the words of a language are loaded, as they are after the first text in it. Loading
    takes milliseconds, up to seconds for the first time on a machine, and more if spaCy is not
    loaded yet."""
    return bool(_loaded_languages) and _language_code(language) in _loaded_languages


def unanalyzed_words(text: str) -> list[TermWord]:
    """Return the words of ``text`` as written, for use until their language is loaded."""
    texts = [token if isinstance(token, str) else token.text for token in tokenize(text)]
    return [TermWord(one, one) for one in map(str.casefold, texts)]


def language_term(language: str) -> str:
    """Return the term that marks exchanges in a language."""
    return f"language={_language_code(language)}"


@lru_cache(maxsize=1)
def language_terms() -> Mapping[str, str]:
    """Map the terms of all languages that spaCy knows to the languages."""
    import spacy.lang

    codes = [one.name for one in iter_modules(spacy.lang.__path__) if one.ispkg]
    return {language_term(code): code for code in codes}


def _further_terms(key: str, *terms: str) -> tuple[str, ...]:
    return tuple([term for term in dict.fromkeys(terms) if term != key])


@lru_cache(maxsize=32)
def _load_analyzer(code: str) -> _Analyzer:
    analyzer = _Analyzer(code)
    _loaded_languages.add(code)
    return analyzer


@lru_cache(maxsize=256)
def _language_code(language: str) -> str:
    """Return the language without its region."""
    from anaphora.entities.words.normalization import base_code

    code = base_code(language or DEFAULT_LANGUAGE)
    return code if code.isalpha() and code.isascii() else _UNKNOWN_LANGUAGE
