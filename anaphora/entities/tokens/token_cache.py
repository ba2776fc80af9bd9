"""Tokenize texts from a cache of whitespace-delimited pieces, without creating a Doc.

spaCy's tokenizer splits a text at blanks and then each piece by itself, with few exceptions
(special cases with a blank inside, such as "EE. UU."; emoticons). Pieces that cannot be part of an
exception are cached: for nine words a Doc takes 8 µs, the cache 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from spacy.tokenizer import Tokenizer

from anaphora.entities.tokens.affix_rules import AffixRules
from anaphora.entities.words.lexicon import Lexicon, Word

__all__ = ["TokenCache"]

_SIZE = 20_000  # pieces of each generation
_MAX_PIECE_LENGTH = 40  # characters of a cached piece

# Words and numbers, also with single marks inside, and one behind. Other characters
# (brackets, quotes, rows of marks) may be part of a longer token.
_SIMPLE = re.compile(r"\w+(?:[-'’.,:]\w+)*[?!.,;:]?")

_CachedTokens: TypeAlias = tuple[tuple[str, int, Word], ...]
"""The tokens of a piece: their texts, where in it they begin, and their words."""


class TokenCache:
    """Splits texts as a ``tokenizer`` does.

    ``run_tokenizer`` returns the tokens of a text, each with its offset; it is called for pieces
    that are not in the cache. Pieces are kept in two generations, as words by :class:`Lexicon`.
    Thread-safe if ``run_tokenizer`` is.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        run_tokenizer: Callable[[str], list[tuple[str, int]]],
        lexicon: Lexicon,
    ) -> None:
        self._run_tokenizer = run_tokenizer
        self._lexicon = lexicon
        self._affixes = AffixRules.for_tokenizer(tokenizer)
        rules = map(str.split, tokenizer.rules or ())
        self._spanning = frozenset(pieces[-1] for pieces in rules if len(pieces) > 1)
        self._young: dict[str, Word | _CachedTokens] = {}
        self._old: dict[str, Word | _CachedTokens] = {}

    def tokenize(self, text: str) -> tuple[list[str], list[int], list[Word]] | None:
        """Return the tokens of a text, their offsets and their words; None if the text needs the
        tokenizer."""
        texts: list[str] = []
        starts: list[int] = []
        words: list[Word] = []
        at = 0
        known = self._young
        for piece in text.split(" "):
            cut = known.get(piece) or self._look_up(piece)
            if isinstance(cut, Word):
                texts.append(piece)
                starts.append(at)
                words.append(cut)
            elif cut is None:
                return None
            else:
                for part, offset, word in cut:
                    texts.append(part)
                    starts.append(at + offset)
                    words.append(word)
            at += len(piece) + 1
        return texts, starts, words

    def _look_up(self, piece: str) -> Word | _CachedTokens | None:
        cut = self._old.get(piece)
        if cut is None:
            if len(piece) > _MAX_PIECE_LENGTH or not _SIMPLE.fullmatch(piece):
                return None
            # An abbreviation may continue in the next piece ("Sn.Hz. Öz.").
            if piece.count(".") > 1 or any(rule in piece for rule in self._spanning):
                return None
            cut = self._tokenize_piece(piece)
        if len(self._young) >= _SIZE:
            self._old, self._young = self._young, {}
        self._young[piece] = cut
        return cut

    def _tokenize_piece(self, piece: str) -> Word | _CachedTokens:
        tokens = self._split_piece(piece)
        if len(tokens) == 1:
            return self._lexicon.word(tokens[0][0])
        words = self._lexicon.words([text for text, _ in tokens])
        return tuple((text, start, word) for (text, start), word in zip(tokens, words, strict=True))

    def _split_piece(self, piece: str) -> list[tuple[str, int]]:
        if self._affixes is not None:  # faster, and enough for most pieces
            if self._affixes.is_single_token(piece):
                return [(piece, 0)]
            if self._affixes.splits_only_last_character(piece):
                return [(piece[:-1], 0), (piece[-1], len(piece) - 1)]
        return self._run_tokenizer(piece)
