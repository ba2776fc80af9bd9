"""The terms by which a text is found: its words without case and accents, each by its stem; the
pairs of letters where words are not divided."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias

import regex
import Stemmer

from anaphora.storage.forks import fork_safe_lock

__all__ = ["DEFAULT_LANGUAGE", "terms"]

DEFAULT_LANGUAGE = "en"
"""What a text is taken for whose language nobody tells."""

_Stem: TypeAlias = Callable[[list[str]], Iterable[str]]

# Scripts without blanks between words, and Hangul, whose words carry particles.
_UNSPACED = (
    r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}"
    r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Yi}\p{Tibetan}"
)
_ASCII_WORD = regex.compile(r"[a-z0-9]+")
_WORD = regex.compile(
    rf"([{_UNSPACED}][{_UNSPACED}\p{{M}}]*)|(?:(?![{_UNSPACED}])[\p{{L}}\p{{N}}\p{{M}}])+"
)
_HAN = regex.compile(r"\p{Han}")
_ACCENT = regex.compile(r"(?<=[\p{Latin}\p{Greek}\p{Cyrillic}]\p{M}*)\p{M}")
_ALIASES = {"nb": "no", "nn": "no", "iw": "he", "ji": "yi"}


def terms(text: str, language: str = DEFAULT_LANGUAGE) -> tuple[str, ...]:
    """The terms of ``text`` in their order, with repetitions.

    The text is normalised (NFKC, without case); a word counts by its stem, by the rules of its
    ``language`` where Snowball has some, and without accents, which many leave out. Chinese,
    Japanese, Korean, Thai and others that write without blanks give each two letters that stand
    together, and each Han character, which is a word of its own.
    """
    stem = _stemmer(language)
    if text.isascii():  # 4 µs for nine words, with other letters 20
        return tuple(stem(_ASCII_WORD.findall(text.lower())))
    lowered = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_terms(unicodedata.normalize("NFC", lowered), stem))


def _terms(text: str, stem: _Stem) -> Iterator[str]:
    words: list[str] = []
    for match in _WORD.finditer(text):
        if not match[1]:
            words.append(match[0])
            continue
        yield from map(_plain, stem(words))
        words.clear()
        yield from _letters(match[1])
    yield from map(_plain, stem(words))


def _letters(run: str) -> Iterator[str]:
    """The pairs of letters of a run without blanks; one that stands alone, by itself."""
    if len(run) == 1:
        yield run
        return
    for first, second in zip(run, f"{run[1:]} ", strict=True):
        if _HAN.match(first):
            yield first
        if second != " ":
            yield first + second


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
