"""Detect the language of a text by comparing its utterances in several languages.

A yes or a no in the language of the previous question, and a text without letters, stay in it. Else
the criteria are, in this order: the number of foreign words (neither known to the model nor
function words, or with letters that the language does not have); the number of letters in exact
matches of the model, in the language of the previous question in one misspelt word as well
(*remove* for German *removen*); that language. If several languages remain, letter bigrams of their
function words decide.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

import regex

from anaphora.core.utterance import Utterance
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.words.function_words import load_qualifiers, load_stop_words
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.scripts import UNSPACED

__all__ = ["select_likeliest"]

_MAX_LENGTH = 2_000  # characters; fewer are enough to detect a language
_MAX_ANSWER_LENGTH = 40  # of a yes or a no

# Words, and runs of letters without blanks.
_RUN = regex.compile(rf"(?:[{UNSPACED}]\p{{M}}*)+|(?:[\p{{L}}--[{UNSPACED}]]\p{{M}}*)+", regex.V1)
_ALPHABETS = ("LATIN", "CYRILLIC")  # whose letters distinguish languages

# Weights of letter bigrams and of single letters, and the smoothing for unseen ones.
_BIGRAM_WEIGHT, _UNIGRAM_WEIGHT, _SMOOTHING = 0.7, 0.25, 0.0001

_Run: TypeAlias = tuple[int, int]


def select_likeliest(utterances: Sequence[Utterance], preferred: str = "") -> Utterance:
    """Select the utterance in the likeliest language; among equals the one in the ``preferred``
    language, else the first."""
    if len(utterances) == 1:
        return utterances[0]
    text = utterances[0].text[:_MAX_LENGTH]
    if preferred and len(text) <= _MAX_ANSWER_LENGTH:
        for utterance in utterances:
            if utterance.language != preferred:
                continue
            if parse_yes_no(text, preferred) is not None or not any(map(str.isalpha, text)):
                return utterance  # "ok" is a word of many languages, and so is "25.12."
    runs = [found.span() for found in _RUN.finditer(text)]
    ranks = [_rank(one, text, runs, forgives=one.language == preferred) for one in utterances]
    best = min(ranks)
    left = [one for one, rank in zip(utterances, ranks, strict=True) if rank == best]
    for utterance in left:
        if utterance.language == preferred:
            return utterance
    if len(left) == 1 or best[0] == 0:
        return left[0]
    models = [_load_letter_model(base_code(one.language)) for one in left]
    return min(zip(models, left, strict=True), key=lambda pair: pair[0].surprisal(text, runs))[1]


def _rank(
    utterance: Utterance, text: str, runs: Sequence[_Run], *, forgives: bool
) -> tuple[int, int]:
    """Sort key: the number of foreign words, then the negative number of letters in exact matches,
    or also in one other word that it ``forgives``."""
    exact = {token for entity in utterance.entities if entity.exact for token in entity.tokens}
    matched = exact.union(*(entity.tokens for entity in utterance.entities))
    known = matched.union(*utterance.resets)
    letters = _load_letter_model(base_code(utterance.language))
    free = bytearray(len(text))
    for token in utterance.tokens:
        if token.start >= len(text):
            break
        if (
            token.is_content_word
            and token.index not in known
            and token.lower not in letters.qualifiers
        ):
            free[token.start : token.end] = b"\1" * (min(token.end, len(text)) - token.start)
    strange = sum([free.find(1, start, end) >= 0 for start, end in runs])
    if not text.isascii():
        strange += sum([letters.has_foreign_letter(text[start:end]) for start, end in runs])
    counted = matched if forgives and len(matched) == len(exact) + 1 else exact
    return strange, -sum(len(utterance.tokens[index].text) for index in counted)


@dataclass(frozen=True, slots=True)
class _LetterModel:
    """Letters of a language, and how often they follow each other in its function words."""

    scripts: frozenset[str]
    alphabet: frozenset[str]
    frequencies: Mapping[str, float]  # of single letters, and of pairs
    qualifiers: frozenset[str]

    def has_foreign_letter(self, run: str) -> bool:
        """Whether a word has a letter that the language does not have. ASCII letters are foreign
        nowhere, as names are written in them."""
        if run.isascii() or not self.scripts:
            return False
        return any(
            _script(char) not in self.scripts
            or (char not in self.alphabet and _script(char) in _ALPHABETS)
            for char in run.casefold()
            if not char.isascii() and char.isalpha()
        )

    def surprisal(self, text: str, runs: Sequence[_Run]) -> float:
        """Return the negative log-likelihood of the letter bigrams of the words."""
        pairs = (pair for start, end in runs for pair in _bigrams(text[start:end].casefold()))
        return -sum(math.log(self._likelihood(pair)) for pair in pairs)

    def _likelihood(self, pair: str) -> float:
        return (
            _BIGRAM_WEIGHT * self.frequencies.get(pair, 0)
            + _UNIGRAM_WEIGHT * self.frequencies.get(pair[1], 0)
            + _SMOOTHING
        )


@lru_cache(maxsize=100)
def _load_letter_model(code: str) -> _LetterModel:
    normalize = create_normalizer(code)
    qualifying = load_qualifiers(code)
    words = {normalize(word) for word in load_stop_words(code)}
    alphabet = {char for word in words for char in word if char.isalpha()}
    pairs = Counter(pair for word in words for pair in _bigrams(word))
    singles = Counter(pair[1] for pair in pairs.elements())
    shares = {one: n / pairs.total() for counts in (pairs, singles) for one, n in counts.items()}
    return _LetterModel(frozenset(map(_script, alphabet)), frozenset(alphabet), shares, qualifying)


def _bigrams(word: str) -> Iterator[str]:
    return map("".join, pairwise(f" {word} "))


@lru_cache(maxsize=5_000)
def _script(char: str) -> str:
    script = unicodedata.name(char, "").partition(" ")[0]
    return "CJK" if script == "KATAKANA-HIRAGANA" else script
