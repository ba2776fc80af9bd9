"""Language codes, stemmers and the normalization of words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

import Stemmer

from anaphora.entities.words.orthography import (
    distinct_characters,
    load_orthography,
    replace_characters,
)
from anaphora.storage.forks import fork_safe_lock

__all__ = [
    "StemFunction",
    "base_code",
    "create_batch_normalizer",
    "create_normalizer",
    "create_stemmer",
    "is_visible",
    "normalize_apostrophes",
]

StemFunction: TypeAlias = Callable[[Sequence[str]], list[str]]

_ALIASES = {"no": "nb", "nn": "nb", "iw": "he", "ji": "yi"}

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian",
    "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# Before NFKC, which turns the acute accent into a blank and a combining mark.
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ‛′´＇", "'"))
# Signs used as an apostrophe that tokenizers don't treat as one.
_UNUSUAL_APOSTROPHE = re.compile(
    r"(?<=[^\W\d_])[`´‘ʼ‛′＇](?=[^\W\d_])|(?<=[а-яґА-ЯҐ])[\"*](?=[єїюяЄЇЮЯ])"
)
_MISPLACED_APOSTROPHE = re.compile(r"(?<=[a-zA-Z])'nt\b")
# The mark of Hebrew abbreviations as phones type it.
_UNUSUAL_GERSHAYIM = re.compile("(?<=[א-ת])[”“„″](?=[א-ת])")


@lru_cache(maxsize=1_024)
def base_code(language: str) -> str:
    """Return the code that spaCy and Snowball use: ``en`` for ``en-US``, ``nb`` for ``no``."""
    code = language.replace("_", "-").partition("-")[0].lower()
    return _ALIASES.get(code, code)


def create_stemmer(language: str) -> StemFunction:
    """Create a function from words to stems: by Snowball, else by the endings in the table of the
    language, else the identity."""
    code = base_code(language)
    algorithm = _STEMMERS.get(code)
    if algorithm not in Stemmer.algorithms():
        known = load_orthography(code)
        return (lambda words: list(map(known.stem, words))) if known.has_stems else list
    # Its own cache is off: purging it takes long, and the lexicon caches the stems.
    snowball = Stemmer.Stemmer(algorithm, 0)
    lock = fork_safe_lock()  # a stemmer is not thread-safe

    def stem(words: Sequence[str]) -> list[str]:
        with lock:
            stems: list[str] = snowball.stemWords(words)
            return stems

    return stem


def create_normalizer(language: str) -> Callable[[str], str]:
    """Create a function that normalizes a word for comparison.

    It applies NFKC and case folding, removes invisible characters, straightens apostrophes, and
    replaces letters that the table of the language treats as equal (``ё`` by ``е``).
    """
    known = load_orthography(base_code(language))
    before = {**_APOSTROPHES, **known.lowercase}
    is_spelled = known.same or known.last
    lowers_ascii = not known.lowercase

    def normalize(word: str) -> str:
        if lowers_ascii and word.isascii():
            return word.lower()
        if not lowers_ascii:  # I and a dot, typed one after the other
            word = unicodedata.normalize("NFC", word)
        text = unicodedata.normalize("NFKC", word.translate(before)).casefold()
        if is_spelled:
            text = known.fold_letters(text) or text
        visible = text if text.isalpha() else "".join(filter(is_visible, text))
        return unicodedata.normalize("NFC", visible) or text

    return normalize


def create_batch_normalizer(language: str) -> Callable[[Sequence[str]], list[str]]:
    """Create a normalizer for many words at once, none of which contains a line feed. It is ten
    times as fast as :func:`create_normalizer`. A word of invisible characters becomes empty."""
    known = load_orthography(base_code(language))
    before = {**_APOSTROPHES, **known.lowercase}

    def normalize(words: Sequence[str]) -> list[str]:
        if not words:
            return []
        text = "\n".join(words)
        if known.lowercase:
            text = unicodedata.normalize("NFC", text)
        text = replace_characters(text, before)
        # Word by word: most are already normalized.
        text = "\n".join([unicodedata.normalize("NFKC", word) for word in text.split("\n")])
        text = known.fold_letters_in_lines(text.casefold())
        unseen = {ord(char): None for char in distinct_characters(text) if not is_visible(char)}
        text = replace_characters(text, unseen)
        return [unicodedata.normalize("NFC", word) for word in text.split("\n")]

    return normalize


def normalize_apostrophes(text: str) -> str:
    """Replace signs used as an apostrophe between two letters ("don`t", "don´t") by one, and move
    an apostrophe that stands a letter too early ("does'nt"); the same for the quote inside a Hebrew
    word."""
    if "'nt" in text:
        text = _MISPLACED_APOSTROPHE.sub("n't", text)
    if text.isascii() and "`" not in text:
        return text
    return _UNUSUAL_GERSHAYIM.sub('"', _UNUSUAL_APOSTROPHE.sub("'", text))


def is_visible(char: str) -> bool:
    """Whether a character is more than a format character or a variation selector."""
    # Variation selectors are not in category Cf; they select an emoji in colors.
    return unicodedata.category(char) != "Cf" and not "\ufe00" <= char <= "\ufe0f"
