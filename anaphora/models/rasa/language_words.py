"""The words of a language that say little about what a user wants.

They come from the tables of the languages, which the caller reads: models do not depend on them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["LanguageWords", "plain_fallback"]

_FALLBACKS = {
    "de": "Das habe ich leider nicht verstanden.",
    "en": "Sorry, I did not understand that.",
    "es": "Lo siento, no lo he entendido.",
    "fr": "Désolé, je n'ai pas compris.",
    "it": "Mi dispiace, non ho capito.",
    "nl": "Sorry, dat heb ik niet begrepen.",
    "pt": "Desculpe, não entendi.",
    "ru": "Простите, я этого не понимаю.",
}


def _find_nothing(text: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class LanguageWords:
    """``function_words`` are articles, prepositions and pronouns; ``stop_words``, those among
    them, have no meaning of their own. ``courtesies`` are the tokens of phrases that only make a
    request polite. ``find_small_talk`` returns what kind of small talk a text is, '' if it says
    anything else."""

    function_words: frozenset[str] = frozenset()
    stop_words: frozenset[str] = frozenset()
    courtesies: Sequence[Sequence[str]] = ()
    find_small_talk: Callable[[str], str] = _find_nothing

    def courtesy_pattern(self) -> re.Pattern[str] | None:
        """What finds the courtesies in a text, the longest first; None if there are none."""
        if not self.courtesies:
            return None
        phrases = sorted(map(_join_tokens, self.courtesies), key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)


def plain_fallback(language: str) -> str:
    """What a bot says that has no text for what it does not understand."""
    return _FALLBACKS.get(language.partition("-")[0], _FALLBACKS["en"])


def _join_tokens(tokens: Sequence[str]) -> str:
    """A pattern for tokens: "'d" and "n't" are written as one with the word before them."""
    pattern = ""
    for token in tokens:
        is_glued = token.startswith(("'", "-")) or token == "n't"
        pattern += (r"\s*" if is_glued else r"\s+") if pattern else ""
        pattern += re.escape(token).replace("'", "['’]")
    return pattern
