"""Find names of weekdays and months that are also other words (Wed, May), where they are dates."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from anaphora.entities.builtin.atoms import Atom, get_atoms, split_atoms
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.builtin.dates.grammar.date_grammar import DateGrammar
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.words.function_words import load_courtesy_phrases, load_stop_words
from anaphora.entities.words.normalization import create_normalizer

__all__ = ["AmbiguousName", "AmbiguousNameFinder"]

_MAX_ANSWER_ATOMS = 40  # atoms of an answer
_STOPS = frozenset(",.!?…。、！？")


class AmbiguousName(NamedTuple):
    """A name with its offsets in the text (half open). It is a ``fallback`` if only the length of
    the text suggests a date."""

    start: int
    end: int
    meaning: TimeExpression
    fallback: bool


class AmbiguousNameFinder:
    """Finds the short names in texts of a language.

    A name is a date if the text is an answer, which consists of names, dates, prepositions and
    conjunctions beside them, and courtesy phrases ("for Wed or Thu, please"). In a longer text a
    capitalized weekday is a date behind a preposition, or behind a conjunction after another date;
    one that is not, behind a conjunction after another short name that is a date. So are all in a
    list of capitalized weekdays or behind a preposition.
    """

    def __init__(self, language: str, grammar: DateGrammar) -> None:
        self._language = language
        self._expressions_by_name = grammar.names
        self._prepositions = grammar.prepositions
        self._conjunctions = grammar.conjunctions
        normalize = create_normalizer(language)
        self._weak = grammar.weak.intersection(map(normalize, load_stop_words(language)))
        phrases = (
            split_atoms(" ".join(phrase), normalize) for phrase in load_courtesy_phrases(language)
        )
        self._courtesy = frozenset(tuple(atom.text for atom in phrase) for phrase in phrases)
        self._longest_courtesy = max(map(len, self._courtesy), default=0)

    def find(
        self, text: str, dates: Sequence[tuple[int, int, TimeExpression]]
    ) -> list[AmbiguousName]:
        """The short names in ``text`` beside its known ``dates``."""
        names = self._expressions_by_name
        atoms = get_atoms(text, self._language)
        named = [index for index, atom in enumerate(atoms) if atom.text in names]
        if not named:
            return []
        starts = [atom.start for atom in atoms]
        dated = {
            index
            for start, end, _ in dates
            for index in range(bisect_left(starts, start), bisect_left(starts, end))
        }
        free = [index for index in named if index not in dated]
        if not free:
            return []
        certain = self._find_certain(text, atoms, free, dated)
        if self._is_answer(text, atoms, free, dated):
            fallback = set() if dated else set(free) - certain
        else:
            fallback, free = set(), sorted(certain)
        return [
            AmbiguousName(atoms[one].start, atoms[one].end, names[atoms[one].text], one in fallback)
            for one in free
        ]

    def _find_certain(
        self, text: str, atoms: Sequence[Atom], free: Sequence[int], dated: AbstractSet[int]
    ) -> AbstractSet[int]:
        """The capitalized weekdays behind a preposition or behind a date with a conjunction, small
        ones behind another short name that is a date, and lists of them."""
        certain: set[int] = self._find_listed(text, atoms, free)
        for index in free:
            atom = atoms[index]
            is_weekday = self._expressions_by_name[atom.text][0] == "weekday"
            if not index or not is_weekday:
                continue
            before = atoms[index - 1].text
            is_joined = before in self._conjunctions and (
                index - 2 in dated or index - 2 in certain
            )
            if text[atom.start : atom.end].istitle():
                is_certain = is_joined or before in self._prepositions
            else:  # «в пн и ср»
                is_certain = is_joined and atoms[index - 2].text in self._expressions_by_name
            if is_certain:
                certain.add(index)
        return certain

    def _find_listed(self, text: str, atoms: Sequence[Atom], free: Sequence[int]) -> set[int]:
        """The weekdays of which a list with a conjunction consists, if all are capitalized or the
        first one is behind a preposition: Mon, Wed and Fri; в пн, ср и пт."""
        names = [
            index
            for index, atom in enumerate(atoms)
            if self._expressions_by_name.get(atom.text, ("",))[0] == "weekday"
        ]
        listed: set[int] = set()
        chain: list[int] = []
        is_joined = False
        for index in names:
            joint = atoms[index - 1].text if chain and index - 2 == chain[-1] else ""
            if not chain or is_joined or not (joint == "," or joint in self._conjunctions):
                chain = []
            is_joined = bool(chain) and joint in self._conjunctions
            chain.append(index)
            before = atoms[chain[0] - 1].text if chain[0] else ""
            if is_joined and (
                before in self._prepositions
                or all(text[atoms[one].start : atoms[one].end].istitle() for one in chain)
            ):
                listed.update(chain)
        return listed.intersection(free)

    def _is_answer(
        self, text: str, atoms: Sequence[Atom], free: Sequence[int], dated: AbstractSet[int]
    ) -> bool:
        if len(atoms) > _MAX_ANSWER_ATOMS:
            return False
        if any(self._is_other_word(atoms, index) for index in free):
            return False
        courtesy = set(self._find_courtesy(atoms))
        if not courtesy.isdisjoint(free):  # may I
            return False
        known = {*free, *dated, *courtesy}
        around = self._prepositions | self._conjunctions
        rest = [
            index
            for index, atom in enumerate(atoms)
            if index not in known and atom.kind != "mark" and atom.text not in around
        ]
        if not rest:
            return True
        # "Yes, Wed", with nothing behind it.
        is_first = rest[-1] < min({*free, *dated})
        return is_first and parse_yes_no(text[: atoms[rest[-1]].end], self._language) is not None

    def _is_other_word(self, atoms: Sequence[Atom], index: int) -> bool:
        """Whether a name is a function word (German "so"), and nothing beside it makes it a
        date."""
        if atoms[index].text not in self._weak:
            return False
        before = atoms[index - 1].text if index else ""
        behind = atoms[index + 1].text if index + 1 < len(atoms) else ""
        is_alone = sum(atom.kind != "mark" for atom in atoms) == 1
        is_joined = before in self._conjunctions or behind in self._conjunctions
        return not (is_alone or is_joined or before in self._prepositions)

    def strip_courtesy(self, atoms: Sequence[Atom]) -> tuple[int, int]:
        """The range of the atoms without courtesy phrases and marks at its ends."""
        courtesy = {
            *self._find_courtesy(atoms),
            *[index for index, atom in enumerate(atoms) if atom.text in _STOPS],
        }
        first, last = 0, len(atoms)
        while first < last and first in courtesy:
            first += 1
        while first < last and last - 1 in courtesy:
            last -= 1
        return first, last

    def _find_courtesy(self, atoms: Sequence[Atom]) -> Iterator[int]:
        """The indexes of the atoms of courtesy phrases."""
        texts = [atom.text for atom in atoms]
        for start in range(len(texts)):
            for end in range(start + 1, min(start + self._longest_courtesy, len(texts)) + 1):
                if tuple(texts[start:end]) in self._courtesy:
                    yield from range(start, end)
