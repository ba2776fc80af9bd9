"""Match regular expressions against runs of adjacent tokens.

A tokenizer splits "50%", "$5" and "10pm" where it likes, differently in each language; a regular
expression of a model describes characters. It matches the text of any run of tokens that no
whitespace separates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import regex

from anaphora.entities.words.lexicon import Word
from anaphora.grammar.patterns import Pattern

__all__ = ["PatternEnds", "TokenRuns"]

# Where whole sentences have no spaces, each of their characters may be a token.
_MAX_RUN = 64
_MAX_MATCHES = 8  # of one pattern from one token, besides the token itself

_CLOSING_MARK = regex.compile(r"[\p{Terminal_Punctuation}\p{Quotation_Mark}\p{Pe}\p{Ps}]+")

PatternEnds: TypeAlias = Callable[[Pattern, int], Sequence[int]]
"""Where the runs of words that a pattern matches from a word on end, the longest first."""


@dataclass(frozen=True, slots=True)
class _Run:
    """The text from one word to the next whitespace, original and normalized, with the end of each
    of its words in both."""

    text: str
    ends: Sequence[int]
    lower: str
    lower_ends: Sequence[int]


class TokenRuns:
    """The runs of adjacent tokens in one text.

    ``words``, ``texts`` and ``starts`` are those of its tokens. ``token_indexes`` are the indexes
    of the tokens that count as words of phrases, by default all; :meth:`ends` takes and returns
    indexes into them.
    """

    __slots__ = ("_matches", "_runs", "_starts", "_texts", "_token_indexes", "_words")

    def __init__(
        self,
        words: Sequence[Word],
        texts: Sequence[str],
        starts: Sequence[int],
        token_indexes: Sequence[int] | None = None,
    ) -> None:
        self._words, self._texts, self._starts = words, texts, starts
        self._token_indexes = range(len(words)) if token_indexes is None else token_indexes
        self._runs: dict[int, _Run] = {}
        # Keyed by the id of the pattern, which is faster than its hash; the model keeps it alive.
        self._matches: dict[tuple[int, int], Sequence[int]] = {}

    def ends(self, pattern: Pattern, at: int) -> Sequence[int]:
        """Return where the runs that match ``pattern`` from word ``at`` end, the longest first.

        A run that only adds closing punctuation to another match is left out: "Ann." is "Ann".
        """
        try:
            return self._matches[id(pattern), at]
        except KeyError:
            found = self._matches[id(pattern), at] = self._find(pattern, at)
            return found

    def _find(self, pattern: Pattern, at: int) -> Sequence[int]:
        run = self._runs.get(at)
        if run is None:
            run = self._runs[at] = self._run_from(at)
        if len(run.ends) == 1:  # as most are
            fits = pattern.fullmatch(run.text) or (
                run.lower != run.text and pattern.fullmatch(run.lower)
            )
            return (at + 1,) if fits else ()
        found = set(pattern.find_matching_prefixes(run.text, run.ends, _MAX_MATCHES))
        if run.lower != run.text:
            found.update(pattern.find_matching_prefixes(run.lower, run.lower_ends, _MAX_MATCHES))
        if not found:
            return ()
        ends = sorted([at + 1 + count for count in found], reverse=True)
        return ends if len(ends) == 1 else self._without_closing_marks(ends)

    def _run_from(self, at: int) -> _Run:
        token_indexes, texts, starts, words = (
            self._token_indexes,
            self._texts,
            self._starts,
            self._words,
        )
        first = token = token_indexes[at]
        written, lowers = [texts[first]], [words[first].lower]
        ends, lower_ends = [len(texts[first])], [len(words[first].lower)]
        size, lower_size = ends[0], lower_ends[0]
        for place in token_indexes[at + 1 : at + _MAX_RUN]:
            while token < place:
                token += 1
                if starts[token] != starts[first] + size or texts[token].isspace():
                    return _Run("".join(written), ends, "".join(lowers), lower_ends)
                lower = "" if words[token].is_blank else words[token].lower
                written.append(texts[token])
                lowers.append(lower)
                size += len(texts[token])
                lower_size += len(lower)
            ends.append(size)
            lower_ends.append(lower_size)
        return _Run("".join(written), ends, "".join(lowers), lower_ends)

    def _without_closing_marks(self, ends: list[int]) -> list[int]:
        known = set(ends)
        return [end for end in ends if not self._only_adds_marks(end, known)]

    def _only_adds_marks(self, end: int, known: set[int]) -> bool:
        shortest = min(known)
        while end > shortest and _CLOSING_MARK.fullmatch(self._texts[self._token_indexes[end - 1]]):
            end -= 1
            if end in known:
                return True
        return False
