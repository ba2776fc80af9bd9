"""Limit the gaps between the words of a sparse phrase.

A gap ends with the sentence or the clause, at a line break and before a negation, and contains a
limited number of words. A polite phrase with a negation ("if you don't mind") ends no gap.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import regex

from anaphora.core.utterance import find_courtesy_words
from anaphora.entities.tokens.sentence import Sentence
from anaphora.entities.tokens.sentence_ends import (
    LINE_BREAKS,
    SENTENCE_MARKS,
    is_abbreviation_or_ordinal,
)
from anaphora.entities.words.lexicon import Word
from anaphora.entities.words.scripts import UNSPACED

__all__ = ["Gaps"]

_MARKS = SENTENCE_MARKS | frozenset(";؛")  # normalized
_LETTERS_OF_A_WORD = 3  # in scripts without blanks, where a token may be a single letter
_APOSTROPHES = frozenset("'’")
_UNSPACED_LETTER = regex.compile(f"[{UNSPACED}]")


class Gaps:
    """The possible gaps of sparse phrases among the ``words`` of a text.

    ``token_indexes`` are the indexes of the words in the ``sentence``, if they are not all of its
    words; ``negations`` are words that no phrase spans. Gaps are computed when they are needed.
    """

    __slots__ = ("_negations", "_polite", "_reaches", "_sentence", "_token_indexes", "_words")

    def __init__(
        self,
        words: Sequence[Word],
        sentence: Sentence,
        token_indexes: Sequence[int] | None = None,
        negations: Collection[str] = (),
    ) -> None:
        self._words = words
        self._sentence = sentence
        self._token_indexes = token_indexes
        self._negations = negations
        self._polite: frozenset[int] | None = None
        self._reaches: dict[tuple[int, int], int] = {}

    def last_start(self, end: int, max_gap: int) -> int:
        """Return the last index at which the next word of a phrase may stand if the previous one
        ends before ``end``, with at most ``max_gap`` words between them. It may be less than
        ``end``."""
        key = end, max_gap
        found = self._reaches.get(key)
        if found is None:
            found = self._reaches[key] = self._find_last_start(end, max_gap)
        return found

    def _find_last_start(self, end: int, max_gap: int) -> int:
        left = max_gap * _LETTERS_OF_A_WORD
        for at in range(end, len(self._words)):
            if self._begins_line(at):
                return at - 1
            word = self._words[at]
            if word.qualifier:
                if self._is_negation(at):
                    return at
            elif not word.lower[0].isalnum() and self._ends_clause(at):
                return at
            left -= self._gap_cost(at)
            if left < 0:
                return at
        return len(self._words)

    def _is_negation(self, at: int) -> bool:
        if self._words[at].lower not in self._negations or self._is_before_number(at):
            return False
        if self._polite is None:
            self._polite = find_courtesy_words(self._words)
        return at not in self._polite

    def _is_before_number(self, at: int) -> bool:
        """Whether the word is an abbreviation of "number" ("lamp no. 5")."""
        token = self._token(at)
        text, stop = self._sentence.text, self._sentence.starts[token]
        stop += len(self._sentence.texts[token])
        number = _skip_whitespace(text, stop + text.startswith(".", stop))
        return text[number : number + 1].isdigit() and is_abbreviation_or_ordinal(
            text, stop, number
        )

    def _ends_clause(self, at: int) -> bool:
        lower = self._words[at].lower
        if not _MARKS.issuperset(lower):
            return False
        if lower != ".":
            return True
        text, stop = self._sentence.text, self._sentence.starts[self._token(at)]
        behind = _skip_whitespace(text, stop + 1)
        following = text[behind : behind + 1]
        if behind == stop + 1 and (following.isdigit() or following.islower()):
            return False  # inside a number or a name
        return not is_abbreviation_or_ordinal(text, stop, behind)

    def _gap_cost(self, at: int) -> int:
        """Return how much of a gap a word takes: nothing if it is a mark, or a part of the word
        before it ("do", "n't")."""
        lower = self._words[at].lower
        if _UNSPACED_LETTER.match(lower):
            return min(_LETTERS_OF_A_WORD, len(lower))
        if not any(map(str.isalnum, lower)):
            return 0
        start = self._sentence.starts[self._token(at)]
        before = self._sentence.text[start - 1] if start else " "
        return 0 if before.isalnum() or before in _APOSTROPHES else _LETTERS_OF_A_WORD

    def _begins_line(self, at: int) -> bool:
        if self._token_indexes is None or not at:  # a line break is a token of its own
            return False
        between = range(self._token_indexes[at - 1] + 1, self._token_indexes[at])
        return any(not LINE_BREAKS.isdisjoint(self._sentence.texts[i]) for i in between)

    def _token(self, at: int) -> int:
        return at if self._token_indexes is None else self._token_indexes[at]


def _skip_whitespace(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at
