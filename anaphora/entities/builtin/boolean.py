"""The built-in entity ``boolean``: yes and no.

What says yes and what says no stands in ``languages/<code>/booleans.yaml``:

- ``anywhere``: phrases that answer wherever they stand ("of course not");
- ``starting``: those that answer at the beginning of a clause only ("no, a large one", and not
  "with no onions");
- ``alone``: those that answer only as a clause of their own ("right", and not "turn right");
- ``commands``: those that answer, as a clause of their own, only the question whether to go on
  ("continue", "stop"): the entity does not find them, :func:`parse_confirmation` does;
- ``neither``: phrases of both and of neither ("yes or no", "not sure"), in which nothing is found;
- ``fillers``: words around an answer ("oh", "please"), with which it still stands alone;
- ``openers``: those that only lead to one ("but yes"): behind it they begin something else.

The value is ``true`` or ``false``; the metadata has it as a boolean under ``value``. Answers that
follow each other and say the same ("yes, of course") are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from spacy.tokens import Doc

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.phrasebook import Phrasebook, load_phrase_tables
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code

__all__ = ["Confirmation", "create", "parse_confirmation", "parse_yes_no"]

_INSIDE_WORDS = frozenset("'-‐‑’")  # marks that end no clause
_SECTIONS = {True: "yes", False: "no"}

_Position: TypeAlias = Literal["anywhere", "starting", "alone"]
_POSITIONS: tuple[_Position, ...] = ("anywhere", "starting", "alone")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """``answer`` is None for what is no answer; ``where`` it must stand to be one. A filler that
    ``opens`` leads to an answer. A ``command`` answers the question whether to go on."""

    answer: bool | None
    where: _Position = "anywhere"
    filler: bool = False
    opens: bool = False
    command: bool = False


class Confirmation(NamedTuple):
    """An answer to the question whether to go on. ``is_command`` if it is more than a yes or a no
    ("stop"), so that it may mean something else to the model."""

    is_yes: bool
    is_command: bool = False


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """The recognizer of yes and no in a language; it has no options."""
    return _BooleanRecognizer(_phrasebook(base_code(language)))


def parse_yes_no(text: str, language: str) -> bool | None:
    """Whether the whole of ``text`` says yes ("oh yes, please!") or no; None if it says neither,
    or something else beside it."""
    found = _parse_whole_text(text, _phrasebook(base_code(language)))
    return found.is_yes if found else None


def parse_confirmation(text: str, language: str) -> Confirmation | None:
    """As :func:`parse_yes_no`, for an answer to the question whether to go on: "carry on" is a yes
    to it and "cancel" a no."""
    code = base_code(language)
    # "Please" alone is a yes, and only polite in "stop, please".
    return _parse_whole_text(text, _phrasebook(code, has_commands=True)) or _parse_whole_text(
        text, _phrasebook(code)
    )


def _parse_whole_text(text: str, book: Phrasebook) -> Confirmation | None:
    found = book.atoms(text)
    phrases = book.read(found)
    answers = list(_find_answers(phrases, _ClauseEdges(found)))
    meanings = [item.meaning for item in answers]
    if len({phrase.answer for phrase in meanings}) != 1:
        return None
    last = max(item.start for item in answers)
    fillers = [
        item
        for item in phrases
        if item.meaning.filler and (item.start < last or not item.meaning.opens)
    ]
    said = {index for item in (*answers, *fillers) for index in range(item.start, item.end)}
    if any(atom.kind != "mark" for index, atom in enumerate(found) if index not in said):
        return None
    return Confirmation(meanings[0].answer, any(phrase.command for phrase in meanings))


@lru_cache(maxsize=32)
def _phrasebook(language: str, *, has_commands: bool = False) -> Phrasebook:
    book = Phrasebook(language)
    for table in load_phrase_tables("booleans", language):
        if has_commands:  # first, for some of these say yes or no elsewhere: "forget it", "please"
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


class _BooleanRecognizer:
    def __init__(self, book: Phrasebook) -> None:
        self._book = book

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        found = self._book.atoms(get_text(doc))
        if not found:
            return []
        answers = _find_answers(self._book.read(found), _ClauseEdges(found))
        return [
            Mention(
                found[start].start,
                found[end - 1].end,
                str(answer).lower(),
                {"value": answer},
            )
            for start, end, answer in _merge_equal_answers(answers, found)
        ]


class _ClauseEdges:
    """Where clauses begin and end, between atoms."""

    def __init__(self, found: Sequence[Atom]) -> None:
        marks = [atom.kind == "mark" and atom.text not in _INSIDE_WORDS for atom in found]
        self.begins = [True, *marks]
        self.ends = [*marks, True]


def _find_answers(phrases: Sequence[Item], clauses: _ClauseEdges) -> Iterator[Item]:
    """The answers among the phrases, which come by their starts, the longer ones first."""
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
    answers: Iterable[Item], found: Sequence[Atom]
) -> list[tuple[int, int, bool]]:
    """Equal answers between which no more than one mark stands are one."""
    joined: list[tuple[int, int, bool]] = []
    for item in answers:
        start, end, answer = item.start, item.end, item.meaning.answer
        if joined and joined[-1][2] == answer:
            between = found[joined[-1][1] : start]
            if len(between) < 2 and all(atom.kind == "mark" for atom in between):
                joined[-1] = joined[-1][0], end, answer
                continue
        joined.append((start, end, answer))
    return joined
