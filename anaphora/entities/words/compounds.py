"""Find the head of a compound ("Lampe" of "Küchenlampe") in languages that write compounds solid.

What precedes the head must be a word of the dictionary, with possible linking letters ("Arbeit",
"s"), or a compound itself. Not every such word is a compound: "romantisch" is no table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from anaphora.entities.words.dictionary import Dictionary, load_dictionary
from anaphora.entities.words.function_words import load_stop_words
from anaphora.entities.words.lexicon import Lexicon, Word
from anaphora.entities.words.normalization import create_normalizer
from anaphora.entities.words.orthography import Orthography, load_orthography, split_word_lists
from anaphora.entities.words.word_cache import WordCache

__all__ = ["CompoundSplitter"]

_MIN_LENGTH = 3  # letters of a head, and of most modifiers
_MIN_MODIFIER_LENGTH = 2  # letters of a listed modifier ("Öl")
_MIN_LENGTH_OF_TWO = 4  # letters of each of two words before a head
_MAX_LENGTH = 64  # characters; longer ones are no words
_MAX_CACHED = 5_000  # words with their heads


@dataclass(frozen=True, slots=True)
class _CompoundRules:
    """The rules under ``compounds`` in ``languages/<code>/orthography.yaml``.

    ``links`` may follow the first word, ``restored`` are endings that it may have lost.
    ``modifiers`` may precede a head although they are stop words or very short; ``prefixes``
    although they are no words; ``barred`` words and prefixes may not. An adjective, which the
    dictionary has with the ``adjective`` ending, needs an adjective as its head. Some heads are
    ``suffixes`` as well ("bar" of "wunderbar"): then the compound must be a noun, by the ``noun``
    endings in the dictionary. Words that end in one of the ``derivations`` are no compounds
    ("Generator").
    """

    links: tuple[str, ...]
    restored: tuple[str, ...]
    modifiers: frozenset[str]
    prefixes: frozenset[str]
    barred: frozenset[str]
    adjective: tuple[str, ...]
    noun: tuple[str, ...]
    suffixes: frozenset[str]
    derivations: tuple[str, ...]
    vowels: frozenset[str]
    words: Dictionary
    orthography: Orthography

    def is_modifier(self, text: str, *, is_noun: bool = False) -> bool:
        """Whether the text may precede a head. If the compound ``is_noun``, the root of a verb may
        not."""
        if text in self.prefixes or self._is_word(text, is_noun=is_noun):
            return True
        return any(
            self._is_word(text[:end]) and self._is_word(text[end:], is_noun=is_noun)
            for end in range(_MIN_LENGTH_OF_TWO, len(text) - _MIN_LENGTH_OF_TWO + 1)
        )

    def _is_word(self, text: str, *, is_noun: bool = False) -> bool:
        if text in self.modifiers:
            return True
        if len(text) < _MIN_LENGTH or text in self.barred or self.vowels.isdisjoint(text):
            return False
        if text in self.words and (len(text) > _MIN_LENGTH or self.words.is_lemma(text)):
            return True
        if not is_noun and self._has_form(text, self.restored):
            return True
        stems = (text[: -len(link)] for link in self.links if text.endswith(link))
        return any(
            len(one) >= _MIN_LENGTH and one not in self.barred and one in self.words
            for one in stems
        )

    def _has_form(self, text: str, endings: Iterable[str]) -> bool:
        return any(text + ending in (self.words.get(text + ending) or ()) for ending in endings)

    def is_adjective(self, word: str) -> bool:
        """Whether the dictionary has the word as an adjective."""
        return self._inflects(word, self.adjective)

    def is_noun(self, word: str) -> bool:
        """Whether the word may be a noun according to the dictionary."""
        if word not in self.words:
            return True
        return self._inflects(word, self.noun) and not self.is_adjective(word)

    def _inflects(self, word: str, endings: Iterable[str]) -> bool:
        return any(word in (self.words.get(word + ending) or ()) for ending in endings)


@lru_cache(maxsize=100)
def _load_rules(code: str) -> _CompoundRules | None:
    known = load_orthography(code)
    table: dict[str, Any] = dict(known.compounds)
    words = load_dictionary(code) if table else None
    if words is None:
        return None
    normalize = create_normalizer(code)
    table["vowels"] = frozenset(table["vowels"])
    listed = split_word_lists(_CompoundRules, table, normalize)
    listed["barred"] = load_stop_words(code).union(listed["barred"]) - listed["modifiers"]
    return _CompoundRules(words=words, orthography=known, **listed)


class CompoundSplitter:
    """Finds compounds whose head has one of the stems ``heads``."""

    def __init__(self, heads: Iterable[str], lexicon: Lexicon) -> None:
        self._heads = frozenset(heads)
        self._lexicon = lexicon
        self._rules = _load_rules(lexicon.code)
        self._find_cached = WordCache(self._find_in_word, _MAX_CACHED)

    def __bool__(self) -> bool:
        """Whether any compound may be found."""
        return self._rules is not None and bool(self._heads)

    def find_heads(self, word: Word) -> tuple[str, ...]:
        """Return the stems of the longest possible head of the word; empty if it is no compound
        with one of the heads."""
        if self._rules is None or not self._heads:
            return ()
        if word.parts:
            return self._select_known_stems(self._lexicon.word(word.form.rpartition(" ")[2]))
        return self._find_cached(word.lower)

    def _find_in_word(self, lower: str) -> tuple[str, ...]:
        assert self._rules is not None
        forms = dict.fromkeys((lower, *(self._rules.words.get(lower) or ())))
        found = (self._find_head_stems(form, self._rules) for form in forms)
        return next(filter(None, found), ())

    def _find_head_stems(self, lower: str, rules: _CompoundRules) -> tuple[str, ...]:
        if not lower.isalpha() or len(lower) > _MAX_LENGTH or lower.endswith(rules.derivations):
            return ()
        starts = range(_MIN_MODIFIER_LENGTH, len(lower) - _MIN_LENGTH + 1)
        heads = self._lexicon.read_phrase_words([lower[at:] for at in starts])
        lemmas = rules.words.get(lower) or ()
        is_adjective = rules.is_adjective(lower)
        for at, head in zip(starts, heads, strict=True):
            stems = self._select_known_stems(head)
            if not stems or (
                lemmas and lower not in lemmas and not _share_lemma_ending(lemmas, head)
            ):
                continue
            fitting = tuple([
                stem
                for stem in stems
                if _keeps_diacritics(head.lower, stem, rules)
                and (not is_adjective or rules.is_adjective(stem))
                and (stem not in rules.suffixes or rules.is_noun(lower))
            ])  # fmt: skip
            is_noun = not rules.suffixes.isdisjoint(fitting)
            if fitting and rules.is_modifier(lower[:at], is_noun=is_noun):
                return fitting
        return ()

    def _select_known_stems(self, head: Word) -> tuple[str, ...]:
        return tuple([one for one in dict.fromkeys(head.lemmas) if one in self._heads])


def _share_lemma_ending(lemmas: Iterable[str], head: Word) -> bool:
    """Whether a lemma of the whole word ends with a lemma of the head: "Hühnereis" is a form of
    "Hühnerei", not of "Eis"."""
    return any(lemma.endswith(head.lemmas) for lemma in lemmas)


def _keeps_diacritics(written: str, stem: str, rules: _CompoundRules) -> bool:
    """Whether the word has all marks of the stem: "tur" in "Partitur" is no "Tür"."""
    if stem.isascii() or not written.isascii():
        return True
    replaced = stem.translate(rules.orthography.also)
    return replaced.isascii() and written[: len(replaced) - 1] == replaced[:-1]
