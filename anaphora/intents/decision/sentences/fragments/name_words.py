"""The words of the names of devices, in whatever form they are said."""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile

from anaphora.entities.words.normalization import StemFunction, create_stemmer
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents

__all__ = ["MIN_STEM", "has_word", "is_form_of", "is_in_name", "load_stemmer"]

MIN_STEM = 4  # letters that two forms of a word share
_STEM_SHARE = 0.75  # of the letters of the longer one
_MIN_HEAD = 3  # letters of the last part of a compound
_COMPOUNDING = frozenset(("da", "de", "fi", "hu", "nb", "nl", "sv"))
"""The languages that write compounds as one word."""


def is_in_name(model: SentenceIntents, word: str) -> bool:
    """Whether a word is one of the name of a device, in any form."""
    return any(is_form_of(word, part) for name in model.devices for part in name.lower().split())


def is_form_of(word: str, other: str) -> bool:
    """Whether a word is another one in another form, or the last part of it."""
    pairs = zip(word, other, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    longer = max(len(word), len(other))
    is_head = len(word) > MIN_STEM and other.endswith(word)  # "Ventilator", "Deckenventilator"
    return word == other or is_head or (shared >= MIN_STEM and shared >= _STEM_SHARE * longer)


def has_word(model: SentenceIntents, name: str, word: str) -> bool:
    """Whether a name has a word, in whatever form, or a compound of it: "Rollos", "Küchenrollo"."""
    parts = name.lower().split()
    stem, *stems = load_stemmer(model.language)([word.lower(), *parts])
    is_head = model.language in _COMPOUNDING and len(stem) >= _MIN_HEAD
    return any(
        is_form_of(word.lower(), part)
        or stem in (part, known)
        or (is_head and known.endswith(stem))
        for part, known in zip(parts, stems, strict=True)
    )


@lru_cache(maxsize=100)
def load_stemmer(language: str) -> StemFunction:
    """The stemmer of a language."""
    return create_stemmer(language)
