"""What spaCy's tokenizer would do with a single word, without letting it.

It cuts a text at its blanks first and then looks at each piece by itself. To ask its rules takes
a fifth of the time of letting it make tokens, each of which it would put into its vocabulary with
all that it knows of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

__all__ = ["AffixRules", "case_variants"]

_Search: TypeAlias = Callable[[str], Any]
"""Gives a match or several, as those of the module ``re``; something that is false for none."""


class AffixRules:
    """What is cut off words, by the rules of a ``tokenizer``; ``rules`` are the texts on which it
    has one of its own."""

    def __init__(self, tokenizer: Tokenizer, rules: Iterable[str]) -> None:
        self._rules = frozenset(rules)
        self._lowered = frozenset(map(str.lower, self._rules))
        found = (tokenizer.prefix_search, tokenizer.suffix_search, tokenizer.infix_finditer)
        searches: list[_Search] = [one or _find_nothing for one in found]
        self._search_prefix, self._search_suffix, self._find_infixes = searches
        self._match_token: _Search = tokenizer.token_match or _find_nothing

    @classmethod
    def for_tokenizer(cls, tokenizer: Callable[[str], Doc]) -> AffixRules | None:
        """None where words of letters are not always cut alike: where another tokenizer than
        spaCy's is at work, or a rule of its own is on several such words."""
        if not isinstance(tokenizer, Tokenizer) or type(tokenizer) is not Tokenizer:
            return None
        rules = tokenizer.rules or {}
        spanning = (rule.split() for rule in rules if " " in rule)
        if any(len(words) > 1 and all(map(str.isalpha, words)) for words in spanning):
            return None
        return cls(tokenizer, rules)

    def is_single_token(self, word: str) -> bool:
        """Whether the word is of letters alone, and one token however it is spelled."""
        return (
            word.isalpha()
            and (
                word.lower() not in self._lowered
                if word.isascii()
                else self._rules.isdisjoint(case_variants(word))
            )
            and not self._search_prefix(word)
            and not self._search_suffix(word)
            and not any(self._find_infixes(word))
        )

    def splits_only_last_character(self, piece: str) -> bool:
        """Whether all that is cut off the piece is its last character, behind such a word."""
        if (
            not piece
            or piece in self._rules
            or self._search_prefix(piece)
            or self._match_token(piece)
        ):
            return False
        end = self._search_suffix(piece)
        return bool(end) and end.start() == len(piece) - 1 and self.is_single_token(piece[:-1])


def case_variants(text: str) -> tuple[str, ...]:
    """The text as it is, in lower case, in capitals and with a capital letter."""
    return text, text.lower(), text.upper(), text.capitalize()


def _find_nothing(word: str) -> tuple[()]:
    return ()
