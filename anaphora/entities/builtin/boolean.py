"""The built-in entity ``boolean``: yes and no.

The phrases for yes and no are in ``languages/<code>/booleans.yaml``:

- ``anywhere``: answers at any position ("of course not");
- ``starting``: answers at the start of a clause only ("no, a large one", but not "with no onions");
- ``alone``: answers only as a clause of their own ("right", but not "turn right");
- ``commands``: answers, as a clause of their own, only to the question whether to go on
  ("continue", "stop"): the entity ignores them, :func:`parse_confirmation` uses them;
- ``neither``: phrases that are no answers ("yes or no", "not sure");
- ``fillers``: words around an answer ("oh", "please") that belong to its clause;
- ``openers``: fillers only before an answer ("but yes"); behind it they start something else.

The value is ``true`` or ``false``; the metadata has it as a boolean under ``value``. Adjacent
answers with the same value ("yes, of course") are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.phrasebook import Phrasebook, PhraseRecognizer, load_phrase_tables
from anaphora.entities.recognizers.recognizer import Mention, Recognizer
from anaphora.entities.words.lengthened import has_repeated_letter, shorten
from anaphora.entities.words.normalization import base_code
from anaphora.grammar.synonyms.expansion import SynonymExpander

__all__ = ["Confirmation", "create", "parse_confirmation", "parse_yes_no"]

_INSIDE_WORDS = frozenset("'-‐‑’")  # marks that are no clause boundaries
_WORD = re.compile(r"[^\W\d_]+")
_SECTIONS = {True: "yes", False: "no"}

_Position: TypeAlias = Literal["anywhere", "starting", "alone"]
_POSITIONS: tuple[_Position, ...] = ("anywhere", "starting", "alone")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """The meaning of a phrase: its ``answer`` (None if it is no answer) and ``where`` it must be to
    count. A filler that ``opens`` counts only before an answer. A ``command`` answers the question
    whether to go on."""

    answer: bool | None
    where: _Position = "anywhere"
    filler: bool = False
    opens: bool = False
    command: bool = False


class Confirmation(NamedTuple):
    """An answer to the question whether to go on. ``is_command`` marks a phrase ("stop") that may
    have another meaning in the model."""

    is_yes: bool
    is_command: bool = False


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of yes and no in a language; it has no options."""
    return _BooleanRecognizer(_phrasebook(base_code(language)))


def parse_yes_no(text: str, language: str) -> bool | None:
    """True if the whole of ``text`` says yes ("oh yes, please!"), False if it says no; None if it
    says neither, or anything else besides."""
    code = base_code(language)
    found = _parse_whole_text(_shorten_answers(text, code), _phrasebook(code))
    return found.is_yes if found else None


def parse_confirmation(text: str, language: str) -> Confirmation | None:
    """As :func:`parse_yes_no`, for an answer to the question whether to go on: "carry on" is a yes,
    "cancel" is a no."""
    code = base_code(language)
    text = _shorten_answers(text, code)
    # "Please" alone is a yes, but a filler in "stop, please".
    return _parse_whole_text(text, _phrasebook(code, has_commands=True)) or _parse_whole_text(
        text, _phrasebook(code)
    )


def _shorten_answers(text: str, language: str) -> str:
    """A text with the answers that lengthened words are meant for: "nooo"."""
    if not has_repeated_letter(text):
        return text
    words = _answer_words(language)
    return _WORD.sub(lambda match: shorten(match[0].casefold(), words), text)


@lru_cache(maxsize=32)
def _answer_words(language: str) -> frozenset[str]:
    """The words of all phrases that say yes or no."""
    tables = load_phrase_tables("booleans", language)
    phrases = [
        " ".join(map(str, words))
        for table in tables
        for expander in (SynonymExpander(table.get("macros", {})),)
        for section in _SECTIONS.values()
        for where in (*_POSITIONS, "commands")
        for phrase in table.get(section, {}).get(where, ())
        for words in expander.expand(phrase)
    ]
    return frozenset(word.casefold() for phrase in phrases for word in phrase.split())


def _parse_whole_text(text: str, book: Phrasebook) -> Confirmation | None:
    atoms = book.atoms(text)
    phrases = book.read(atoms)
    answers = list(_find_answers(phrases, _ClauseEdges(atoms)))
    meanings = [item.meaning for item in answers]
    if len({phrase.answer for phrase in meanings}) != 1:
        return None
    last = max(item.start for item in answers)
    fillers = [
        item
        for item in phrases
        if item.meaning.filler and (item.start < last or not item.meaning.opens)
    ]
    covered = {index for item in (*answers, *fillers) for index in range(item.start, item.end)}
    if any(atom.kind != "mark" for index, atom in enumerate(atoms) if index not in covered):
        return None
    return Confirmation(meanings[0].answer, any(phrase.command for phrase in meanings))


@lru_cache(maxsize=32)
def _phrasebook(language: str, *, has_commands: bool = False) -> Phrasebook:
    book = Phrasebook(language)
    for table in load_phrase_tables("booleans", language):
        if has_commands:  # first: some of these are answers elsewhere ("forget it", "please")
            for answer, section in _SECTIONS.items():
                phrases = table.get(section, {}).get("commands", ())
                book.add(phrases, _Phrase(answer, "alone", command=True), table)
            book.add_beside(table.get("fillers", ()), _Phrase(None, filler=True), table)
        book.add_beside(table.get("neither", ()), _Phrase(None), table)
        for answer, section in _SECTIONS.items():
            for where in _POSITIONS:
                phrases = table.get(section, {}).get(where, ())
                book.add(phrases, _Phrase(answer, where), table)
        book.add_beside(table.get("fillers", ()), _Phrase(None, filler=True), table)
        book.add_beside(table.get("openers", ()), _Phrase(None, filler=True, opens=True), table)
    return book.finish()


class _BooleanRecognizer(PhraseRecognizer):
    def _find_mentions(self, atoms: Sequence[Atom]) -> list[Mention]:
        answers = _find_answers(self._book.read(atoms), _ClauseEdges(atoms))
        return [
            Mention(atoms[start].start, atoms[end - 1].end, str(answer).lower(), {"value": answer})
            for start, end, answer in _merge_equal_answers(answers, atoms)
        ]


class _ClauseEdges:
    """Whether a clause begins or ends before each atom, and behind the last one."""

    def __init__(self, atoms: Sequence[Atom]) -> None:
        marks = [atom.kind == "mark" and atom.text not in _INSIDE_WORDS for atom in atoms]
        self.begins = [True, *marks]
        self.ends = [*marks, True]


def _find_answers(phrases: Sequence[Item], clauses: _ClauseEdges) -> Iterator[Item]:
    """The answers among the phrases, which are sorted by start, the longer ones first."""
    for item in reversed(phrases):
        if _extends_clause_edge(item.meaning) and clauses.ends[item.end]:
            clauses.ends[item.start] = True
    reach = 0
    for item in phrases:
        phrase: _Phrase = item.meaning
        if item.start < reach or not _is_in_position(item, clauses):
            continue
        if _extends_clause_edge(phrase) and clauses.begins[item.start]:
            clauses.begins[item.end] = True
        reach = item.end
        if phrase.answer is not None:
            yield item


def _extends_clause_edge(phrase: _Phrase) -> bool:
    return phrase.filler or phrase.answer is not None


def _is_in_position(item: Item, clauses: _ClauseEdges) -> bool:
    match item.meaning.where:
        case "alone":
            return clauses.begins[item.start] and clauses.ends[item.end]
        case "starting":
            return clauses.begins[item.start]
    return True


def _merge_equal_answers(
    answers: Iterable[Item], atoms: Sequence[Atom]
) -> list[tuple[int, int, bool]]:
    """Merge equal answers that at most one mark separates."""
    joined: list[tuple[int, int, bool]] = []
    for item in answers:
        start, end, answer = item.start, item.end, item.meaning.answer
        if joined and joined[-1][2] == answer:
            between = atoms[joined[-1][1] : start]
            if len(between) < 2 and all(atom.kind == "mark" for atom in between):
                joined[-1] = joined[-1][0], end, answer
                continue
        joined.append((start, end, answer))
    return joined
