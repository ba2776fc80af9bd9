"""What is known of a language by its code: spaCy's class, Snowball's stemmer, spelling."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable, Sequence
from typing import TypeAlias

import spacy
import Stemmer
from spacy.language import Language

from anaphora.errors import ModelError, Problem

__all__ = [
    "NEGATIONS",
    "Stem",
    "base",
    "blank",
    "is_visible",
    "normalizer",
    "stemmer",
    "stop_words",
]

Stem: TypeAlias = Callable[[Sequence[str]], list[str]]

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

# Before NFKC: it would turn the acute accent into a blank and a combining mark.
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ‛′´＇", "'"))
_BEFORE_LOWERING = {code: str.maketrans({"I": "ı", "İ": "i"}) for code in ("tr", "az")}
_AFTER_LOWERING = {"ru": str.maketrans({"ё": "е", "\u0301": None})}  # the mark shows the stress


def base(language: str) -> str:
    """The code that spaCy and Snowball go by: ``en`` for ``en-US``, ``nb`` for ``no``."""
    code = language.replace("_", "-").partition("-")[0].lower()
    return _ALIASES.get(code, code)


def blank(language: str, *, source: str = "") -> Language:
    """A spaCy pipeline of that language with nothing but its tokenizer.

    Raises :class:`ModelError` when spaCy has no such language or lacks a package for it.
    """
    code = base(language)
    if not code.isalnum():
        raise _unknown(language, source)
    try:
        return spacy.blank(code)
    except ImportError as error:
        if "[E048]" in str(error):
            raise _unknown(language, source) from None
        needs = " ".join(str(error).split())
        raise ModelError(
            Problem(
                f"the language '{language}' needs a package that is missing", source, hint=needs
            )
        ) from error


NEGATIONS = frozenset(
    {
        *("not", "n't", "no", "nor", "never", "none", "without"),
        *("nicht", "kein", "keine", "keinen", "keiner", "nie", "niemals", "ohne"),
        *("не", "нет", "ни", "никогда", "без"),
        *("pas", "jamais", "sans", "non", "ne", "nunca", "jamás", "sin", "mai", "senza"),
        *("não", "sem", "niet", "geen", "nooit", "zonder"),
    }
)
"""Words of several languages that turn round what is said. They are among the stop words, and
yet nothing may pass over them."""


def stop_words(language: str) -> frozenset[str]:
    """spaCy's stop words of the language; none for a language that it does not know."""
    try:
        return frozenset(spacy.util.get_lang_class(base(language)).Defaults.stop_words)
    except ImportError:
        return frozenset()


def stemmer(language: str) -> Stem:
    """A function from words to their stems; the words themselves where there is no stemmer."""
    algorithm = _STEMMERS.get(base(language))
    if algorithm not in Stemmer.algorithms():
        return list
    # Its own cache is off: purging it stops the world, and the lexicon keeps the stems.
    snowball = Stemmer.Stemmer(algorithm, 0)
    lock = threading.Lock()  # a stemmer keeps its work in one buffer

    def stem(words: Sequence[str]) -> list[str]:
        with lock:
            stems: list[str] = snowball.stemWords(words)
            return stems

    return stem


def normalizer(language: str) -> Callable[[str], str]:
    """A function that gives the spelling of a word under which it is compared: NFKC, without
    case and invisible marks, with straight apostrophes; in Russian ``е`` for ``ё``."""
    code = base(language)
    before = {**_APOSTROPHES, **_BEFORE_LOWERING.get(code, {})}
    after = _AFTER_LOWERING.get(code)
    lowers_ascii = code not in _BEFORE_LOWERING

    def normalize(word: str) -> str:
        if lowers_ascii and word.isascii():
            return word.lower()
        text = unicodedata.normalize("NFKC", word.translate(before)).casefold()
        if after is not None:
            text = text.translate(after)
        visible = "".join(char for char in text if is_visible(char))
        return unicodedata.normalize("NFC", visible) or text

    return normalize


def is_visible(char: str) -> bool:
    """Whether a character is more than a mark on how others are drawn."""
    # Variation selectors are no format characters: a sun with one is a sun in colours.
    return unicodedata.category(char) != "Cf" and not "\ufe00" <= char <= "\ufe0f"


def _unknown(language: str, source: str) -> ModelError:
    return ModelError(
        Problem(
            f"'{language}' is not a language that spaCy knows",
            source,
            hint="codes are like 'en', 'fr' or 'ru'; 'xx' stands for any language",
        )
    )
