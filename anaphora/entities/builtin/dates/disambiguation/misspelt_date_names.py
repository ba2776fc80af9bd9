"""Find misspelt weekdays and months (wendesday, Febuary, Donerstag, septmbre), and words for days
that are counted from today (tomorrw, übermorgn)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.dates.disambiguation.capital_months import has_capital_months
from anaphora.entities.builtin.dates.grammar.date_grammar import DateGrammar
from anaphora.entities.phrases.edit_distance import SpellingIndex
from anaphora.entities.words.dictionary import load_dictionary
from anaphora.entities.words.normalization import base_code

__all__ = ["MisspeltDateNames"]

_MIN_LENGTH: Final = 6  # letters, of a name and, but for "tomorrow", of a word meant for it


class MisspeltDateNames:
    """Finds the names of days and months that misspelt words of a language are meant for.

    Such a word has one letter too many, too few, wrong, or transposed with the next one, and is in
    no dictionary. Its first letter is right, and its last one is neither another nor a further one:
    that would rather make it a form of another word, or a name (Augusto, Domenico).
    """

    def __init__(self, language: str, grammar: DateGrammar) -> None:
        self._code = base_code(language)
        self._grammar = grammar
        self._near_days = grammar.near_days
        self._meanings = {**grammar.near_days, **grammar.names}
        names: defaultdict[str, dict[tuple[str, str], int]] = defaultdict(dict)
        for name in self._meanings if grammar.has_spaces else ():
            if len(name) >= _MIN_LENGTH and name.isalpha():
                names[name[0]][name, name] = 1
        self._names = {letter: SpellingIndex(named) for letter, named in names.items()}

    def find(self, word: str) -> str:
        """The name that a word is meant for; '' if there is none, or several that mean different
        dates."""
        if len(word) < _MIN_LENGTH - 1 or (names := self._names.get(word[0])) is None:
            return ""
        near = [
            name
            for name, _ in names.find_nearest(word, word)
            if not _has_other_ending(word, name)
            and (len(word) >= _MIN_LENGTH or name in self._near_days)
        ]
        if len({self._meanings[name] for name in near}) != 1:
            return ""
        # Last, since the first use of a dictionary takes time.
        dictionary = load_dictionary(self._code)
        if dictionary is not None and word in dictionary:
            return ""
        return next(name for name in self._meanings if name in near)  # not another misspelling

    def correct(self, text: str, atoms: Sequence[Atom]) -> Sequence[Atom]:
        """The atoms with the names that misspelt ones are meant for.

        One with a capital letter may be a name of somebody (Munday, Javier). It is a date if it is
        the only word, beside a part of a date, or behind a preposition; so is a month in a language
        that writes months with a capital.
        """
        is_alone = sum(atom.kind == "word" for atom in atoms) == 1
        corrected = list(atoms)
        for at, atom in enumerate(atoms):
            name = self.find(atom.text) if atom.kind == "word" else ""
            if not name:
                continue
            is_small = text[atom.start].islower() or is_alone
            is_date = is_small or self._is_dated(atoms, at) or self._is_capital_month(name)
            if is_date or text.isupper():
                corrected[at] = atom._replace(text=name)
        return corrected

    def _is_dated(self, atoms: Sequence[Atom], at: int) -> bool:
        """Whether a preposition is before an atom, or a part of a date beside it: *next* Thrusday,
        Thrusday at *9*."""
        if at and (
            atoms[at - 1].text in self._grammar.prepositions or self._is_date(atoms[at - 1])
        ):
            return True
        behind = at + 1
        while behind < len(atoms) and atoms[behind].text in self._grammar.weak:
            behind += 1
        return behind < len(atoms) and self._is_date(atoms[behind])

    def _is_date(self, atom: Atom) -> bool:
        grammar = self._grammar
        is_word = atom.text in grammar.words or atom.text in grammar.months
        return atom.kind == "digits" or (is_word and atom.text not in grammar.weak)

    def _is_capital_month(self, name: str) -> bool:
        return name in self._grammar.months and has_capital_months(self._code)


def _has_other_ending(word: str, name: str) -> bool:
    return len(word) >= len(name) and word[:-1] == name[: len(word) - 1]
