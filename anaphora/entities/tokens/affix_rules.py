"""Predict how spaCy's tokenizer splits a single word, by its affix rules.

The tokenizer splits a text at blanks first and then each piece by itself. Asking its rules takes a
fifth of the time of creating tokens, each of which would add a lexeme to the vocabulary.
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
    """The prefix, suffix and infix rules of a ``tokenizer``, and the texts for which it has special
    ``rules``."""

    def __init__(self, tokenizer: Tokenizer, rules: Iterable[str]) -> None:
        self._rules = frozenset(rules)
        self._lowered = frozenset(map(str.lower, self._rules))
        found = (tokenizer.prefix_search, tokenizer.suffix_search, tokenizer.infix_finditer)
        searches: list[_Search] = [one or _find_nothing for one in found]
        self._search_prefix, self._search_suffix, self._find_infixes = searches
        self._match_token: _Search = tokenizer.token_match or _find_nothing

    @classmethod
    def for_tokenizer(cls, tokenizer: Callable[[str], Doc]) -> AffixRules | None:
        """Create the rules; None for other tokenizers than spaCy's, and if a special rule spans
        several words of letters, so that the split of a word depends on its neighbours."""
        if not isinstance(tokenizer, Tokenizer) or type(tokenizer) is not Tokenizer:
            return None
        rules = tokenizer.rules or {}
        spanning = (rule.split() for rule in rules if " " in rule)
        if any(len(words) > 1 and all(map(str.isalpha, words)) for words in spanning):
            return None
        return cls(tokenizer, rules)

    def is_single_token(self, word: str) -> bool:
        """Whether the word consists of letters and is a single token in any case."""
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
        """Whether the tokenizer splits off exactly one trailing character, behind a word of
        letters."""
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
    """Return the text as it is, in lower case, in upper case and capitalized."""
    return text, text.lower(), text.upper(), text.capitalize()


def _find_nothing(word: str) -> tuple[()]:
    return ()
