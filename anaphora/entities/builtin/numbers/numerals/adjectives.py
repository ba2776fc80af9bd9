"""Tell a numeral from the same word as an adjective: five grand pianos, a grand total."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.words.dictionary import load_dictionary
from anaphora.entities.words.function_words import load_stop_words

__all__ = ["stands_before_noun"]

_ONES = frozenset({"1", "a", "one"})


def stands_before_noun(atoms: Sequence[Atom], at: int, language: str) -> bool:
    """Whether the English word at an index is an adjective: before a noun in the plural, or before
    any in the singular if there is one of it. "A 5 grand budget" is none of five."""
    noun = atoms[at + 1] if at + 1 < len(atoms) else None
    if noun is None or noun.kind != "word" or noun.text in load_stop_words(language):
        return False
    dictionary = load_dictionary(language)
    lemmas = dictionary.get(noun.text) if dictionary is not None else None
    if lemmas is None:
        return False
    if at and atoms[at - 1].text in _ONES:
        return True
    return noun.text.endswith("s") and lemmas.first != noun.text
