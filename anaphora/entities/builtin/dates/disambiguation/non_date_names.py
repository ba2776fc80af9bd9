"""Tell words and numbers that belong to a name from those of dates: Mr. Friday, Aug the dog, Julio
Iglesias, John 3:16."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.dates.disambiguation.capital_months import has_capital_months
from anaphora.entities.builtin.dates.grammar.date_grammar import DateGrammar
from anaphora.entities.words.dictionary import Dictionary, load_dictionary
from anaphora.entities.words.normalization import base_code, create_normalizer

__all__ = ["NonDateNames"]

_GRADE: Final = 3  # the bits of a grade without its flags
_WEAK: Final = 1  # the grade of a word of which a date never consists alone
_NUMBER: Final = 4  # the flag of a grade for what may be a number
_VERSE_ATOMS: Final = 3  # 3:16
_PRESENT_ENDINGS: Final = ("s", "ing")  # also those of nouns: calls, meeting
_ARTICLE_LANGUAGES: Final = frozenset({"es", "pt"})  # where a weekday has an article


class NonDateNames:
    """Finds names in texts of a language in which there are words or numbers of dates.

    A word of dates is a name behind a title (*Mr.* Friday, *Frau* Sommer). A month or a weekday is
    one behind a word for getting in touch with somebody, with a second name behind it (*call* April
    *Jones*), and with an article and a noun behind it (Aug *the dog*). A month is also a name
    before another one (April *May*), before the past of what only people do (April *called*) or a
    surname: a capitalized word that is in no dictionary, or stands before such a verb (June Carter
    *sang*) or the verb of a German sentence, or in a language that writes months small (Julio
    *Iglesias*). There a weekday is one, too, inside a
    sentence or without its article (Domingo *Pérez*), and so is what a conjunction joins to a
    capitalized word (*Robinson et* Vendredi) and what stands behind such a word and a first name
    (*chiama Domenico* Sabato per la cena). Two numbers behind the name of a *book* are a chapter
    and a verse. All these names are capitalized. A month is a person, in small letters too, right
    behind a word for getting in touch (*call* June), with a preposition between them where it has
    one (*llama a* Julio, *talk to* June), and behind a meeting *with* somebody, unless a number
    makes it a day (call June 5) or it is one of several months.
    """

    def __init__(self, language: str, grammar: DateGrammar) -> None:
        normalize = create_normalizer(language)
        self._code = base_code(language)
        self._names = grammar.names
        self._honorifics = grammar.honorifics
        self._contacts = grammar.contact_words
        self._deeds = grammar.contact_words | grammar.deed_words
        self._addressing = grammar.addressing_words or grammar.contact_words
        self._addressees = grammar.addressee_prepositions
        self._meetings = grammar.meeting_words
        self._companions = grammar.companion_prepositions
        self._articles = grammar.epithet_articles
        self._conjunctions = grammar.conjunctions
        self._is_small = not has_capital_months(self._code)
        self._prepositions = grammar.prepositions
        self._books = grammar.books
        self._titles = [
            tuple([atom.text for atom in split_atoms(title, normalize)]) for title in grammar.titles
        ]
        opening = self._honorifics | self._contacts | self._articles | self._books
        self._opening = opening.union(self._names, [title[0] for title in self._titles])

    def remove(self, text: str, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """The ``grades`` of the atoms with 0, no part of a date, for such names."""
        if self._opening.isdisjoint([atom.text for atom in atoms]):
            return grades
        graded = bytearray(grades)
        for start, end in self._find(text, atoms, grades):
            graded[start:end] = bytes(end - start)
        return bytes(graded)

    def _find(self, text: str, atoms: Sequence[Atom], grades: bytes) -> Iterator[tuple[int, int]]:
        """The atoms of names (half open)."""
        for at, atom in enumerate(atoms):
            if atom.text in self._names and self._is_contact(atoms, grades, at):
                yield at, at + 1
                continue
            if not text[atom.start].isalpha() or text[atom.start].islower():
                continue
            is_titled = grades[at] and atom.kind == "word" and self._has_title(atoms, at)
            if is_titled or (atom.text in self._names and self._is_name(text, atoms, grades, at)):
                yield at, at + 1
            elif end := self._find_full_name_end(text, atoms, grades, at):
                yield at, end
            if atom.text in self._books and self._is_verse(atoms, grades, at + 1):
                yield at + 1, at + 1 + _VERSE_ATOMS
            for title in self._titles:
                words = atoms[at : at + len(title)]
                if title == tuple([word.text for word in words]) and all(
                    text[word.start].isupper() for word in words
                ):
                    yield at, at + len(title)

    def _is_name(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        return (
            self._is_person(text, atoms, grades, at)
            or self._is_joined(text, atoms, grades, at)
            or self._is_surname(text, atoms, grades, at)
        )

    def _is_contact(self, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether a month is somebody whom one gets in touch with or meets."""
        if not at or self._names[atoms[at].text][0] != "month":
            return False
        before = atoms[at - 1].text
        governing = atoms[at - 2].text if at > 1 else ""
        return (
            before in self._contacts
            or (before in self._addressees and governing in self._addressing)
            or (before in self._companions and governing in self._meetings)
        ) and not self._is_dated(atoms, grades, at + 1)

    def _is_dated(self, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether a day of the month before an atom, or another month, stands there."""
        if at < len(atoms) and atoms[at].text in self._articles:
            at += 1
        if at >= len(atoms):
            return False
        is_joint = atoms[at].kind == "mark" or atoms[at].text in self._conjunctions
        is_listed = is_joint and at + 1 < len(atoms) and atoms[at + 1].text in self._names
        return is_listed or bool(grades[at] & _NUMBER)

    def _is_person(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether a month or a weekday is the name of a person or a pet."""
        before = at - 1
        behind = atoms[at + 1 : at + 3]
        if not behind or behind[0].kind != "word" or behind[0].glued:
            return False
        is_addressed = before >= 0 and atoms[before].text in self._contacts
        if is_addressed and not grades[at + 1] and text[behind[0].start].isupper():
            return True
        is_governed = before >= 0 and (
            atoms[before].text in self._prepositions or bool(grades[before])
        )
        if is_governed:
            return False
        if self._names[atoms[at].text][0] == "month" and self._is_deed(behind[0].text):
            return True
        if behind[0].text not in self._articles or len(behind) == 1:
            return False
        is_noun = behind[1].kind == "word" and not grades[at + 2]
        ends_there = at + 3 >= len(atoms) or atoms[at + 3].kind == "mark"
        return is_noun and (ends_there or self._names[atoms[at].text][0] == "month")

    def _is_deed(self, word: str) -> bool:
        """Whether a word is the past of what only people do: called, told, sang."""
        if not self._deeds or word.endswith(_PRESENT_ENDINGS) or word in self._deeds:
            return False
        dictionary = load_dictionary(self._code)
        lemmas = dictionary.get(word) if dictionary is not None else None
        return lemmas is not None and not self._deeds.isdisjoint(lemmas)

    def _has_title(self, atoms: Sequence[Atom], at: int) -> bool:
        """Whether the title of a person stands before an atom."""
        before = at - 2 if at > 1 and atoms[at - 1].text == "." else at - 1
        return before >= 0 and atoms[before].text in self._honorifics

    def _is_joined(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether a conjunction joins a month or a weekday to a capitalized word that is no part of
        a date, in a language that writes them small."""
        if not self._is_small:
            return False
        other = at - 2 if at > 1 else at + 2
        is_beside = at > 1 or (not at and other < len(atoms))
        if not is_beside or atoms[(at + other) // 2].text not in self._conjunctions:
            return False
        is_word = atoms[other].kind == "word" and not grades[other]
        return is_word and text[atoms[other].start].isupper() and not text.isupper()

    def _is_surname(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether a month or a weekday stands behind a word for getting in touch and a first name,
        and before a small word that is no part of a date, in a language that writes them small."""
        addressed = {atom.text for atom in atoms[max(at - 3, 0) : max(at - 1, 0)]}
        if not self._is_small or self._contacts.isdisjoint(addressed):
            return False
        first = atoms[at - 1]
        if first.kind != "word" or first.glued or grades[at - 1] & _GRADE:
            return False
        behind = at + 1
        while behind < len(atoms) and grades[behind] & _GRADE == _WEAK:
            behind += 1
        if behind == len(atoms) or grades[behind] or not text[first.start].isupper():
            return False
        return atoms[behind].kind == "word" and text[atoms[behind].start].islower()

    def _find_full_name_end(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> int:
        """The end of the name of a person that a month or a weekday begins, with nothing before it
        that makes it a date: of the surname, if that is a name of a date too; 0 if there is
        none."""
        kind = self._names.get(atoms[at].text, ("",))[0]
        is_first_name = kind == "month" or (
            kind == "weekday" and self._is_small and self._is_no_weekday(atoms, at)
        )
        if not is_first_name:
            return 0
        behind = atoms[at + 1 : at + 3]
        if not behind or (at and (grades[at - 1] or atoms[at - 1].text in self._prepositions)):
            return 0
        surname, *rest = behind
        if surname.kind != "word" or surname.glued or not text[surname.start].isupper():
            return 0
        if text.isupper():  # last, since it looks at the whole text
            return 0
        verb = rest[0] if rest and text[rest[0].start].islower() and not grades[at + 2] else None
        if surname.text in self._names:
            return at + 2 if verb else 0
        if grades[at + 1] or len(surname.text) == 1:
            return 0
        if self._is_small:
            return at + 1
        dictionary = load_dictionary(self._code)
        if verb is None or dictionary is None:
            return 0
        if self._is_deed(verb.text):
            return at + 1
        is_name = surname.text not in dictionary or (
            self._code == "de" and _is_finite(verb.text, dictionary)
        )
        return at + 1 if is_name else 0

    def _is_no_weekday(self, atoms: Sequence[Atom], at: int) -> bool:
        """Whether a capitalized weekday is none: inside a sentence, or without its article."""
        is_inside = bool(at) and atoms[at - 1].kind == "word"
        return is_inside or self._code in _ARTICLE_LANGUAGES

    def _is_verse(self, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether a chapter and a verse stand there, with nothing behind them that makes them a
        time (3:16 pm)."""
        verse = atoms[at : at + _VERSE_ATOMS]
        if len(verse) < _VERSE_ATOMS or verse[0].glued or not (verse[1].glued and verse[2].glued):
            return False
        if (verse[0].kind, verse[1].text, verse[2].kind) != ("digits", ":", "digits"):
            return False
        behind = at + _VERSE_ATOMS
        return behind >= len(atoms) or atoms[behind].kind == "mark" or grades[behind] <= 1


def _is_finite(verb: str, dictionary: Dictionary) -> bool:
    """Whether a word is a form of a German verb that agrees with a subject."""
    lemmas = dictionary.get(verb)
    is_form = lemmas is not None and any(one.endswith("n") for one in lemmas)
    return is_form and not verb.endswith("n") and not verb.startswith("ge")
