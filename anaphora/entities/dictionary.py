"""Which words a language has: the dictionaries of simplemma, some fifty languages."""

from __future__ import annotations

from anaphora.entities.languages import base

__all__ = ["is_word"]


def is_word(lower: str, language: str) -> bool:
    """Whether the dictionary of the language has this form of a word; False for a language
    without one. The first word of a language takes 0.1 s."""
    from simplemma import is_known  # here: most models never ask

    try:
        return is_known(lower, lang=base(language))
    except ValueError:  # a language that it does not have
        return False
