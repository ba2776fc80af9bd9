"""Tell numbers that belong to a name or a noun from those of dates: 12 Baker Street, the 3rd
candidate."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.dates.grammar.date_grammar import DateGrammar
from anaphora.entities.words.function_words import load_stop_words
from anaphora.entities.words.normalization import create_normalizer

__all__ = ["NonDateNumbers"]

_MAX_NAME_WORDS = 4  # of a street, with the word for it
_NO_NOUN_ENDINGS = ("s", "ly")  # the 3rd works, the 3rd preferably


class NonDateNumbers:
    """Finds numbers in texts of a language that are no parts of dates."""

    def __init__(self, language: str, grammar: DateGrammar) -> None:
        self._street_words = grammar.street_words
        self._articles = grammar.articles
        self._suffixes = grammar.ordinal_suffixes
        self._words = frozenset(map(create_normalizer(language), load_stop_words(language)))

    def remove(self, text: str, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """The ``grades`` of the atoms with 0, no part of a date, for such numbers."""
        if not (self._street_words or self._articles):
            return grades
        texts = [atom.text for atom in atoms]
        has_street = not self._street_words.isdisjoint(texts)
        has_ordinal = bool(self._articles) and not self._suffixes.isdisjoint(texts)
        if not (has_street or has_ordinal):
            return grades
        graded = bytearray(grades)
        for at, atom in enumerate(atoms):
            if atom.kind != "digits":
                continue
            is_ordinal = self._is_glued_suffix(atoms, at + 1)
            behind = at + 1 + is_ordinal
            if (has_street and self._is_street(text, atoms, grades, behind)) or (
                is_ordinal and self._is_counted(text, atoms, grades, at)
            ):
                graded[at:behind] = bytes(behind - at)
        return bytes(graded)

    def _is_glued_suffix(self, atoms: Sequence[Atom], at: int) -> bool:
        return at < len(atoms) and atoms[at].glued and atoms[at].text in self._suffixes

    def _is_street(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether the name of a street begins at an atom: capitalized words, or a single one,
        before the word for it."""
        for count, place in enumerate(range(at, min(at + _MAX_NAME_WORDS, len(atoms)))):
            atom = atoms[place]
            if atom.glued or atom.kind != "word":
                return False
            if atom.text in self._street_words:
                return True
            is_name = text[atom.start].isupper() or not count
            if grades[place] or atom.text in self._words or not is_name:
                return False
        return False

    def _is_counted(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether an ordinal is that of the noun behind it: no preposition stands before its
        article, and a content word behind it."""
        if not at or atoms[at - 1].text not in self._articles or at + 2 >= len(atoms):
            return False
        noun = atoms[at + 2]
        is_governed = at > 1 and (atoms[at - 2].text in self._words or grades[at - 2])
        return not (
            is_governed
            or noun.kind != "word"
            or grades[at + 2]
            or noun.text in self._words
            or text[noun.start].isupper()
            or noun.text.endswith(_NO_NOUN_ENDINGS)
        )
