"""The built-in entity ``boolean``: yes and no.

What says yes and what says no stands in ``tables/boolean``, one file a language:

- ``anywhere``: phrases that answer wherever they stand ("of course not");
- ``starting``: those that answer at the beginning of a clause only ("no, a large one", and not
  "with no onions");
- ``alone``: those that answer only as a clause of their own ("right", and not "turn right");
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
from pathlib import Path
from typing import Any, Literal, TypeAlias

from spacy.tokens import Doc

from anaphora.entities.atoms import Atom
from anaphora.entities.charts import Item
from anaphora.entities.languages import base
from anaphora.entities.plain.phrasebook import Phrasebook, tables
from anaphora.entities.recognition import Mention, Passage, Recognizer, text_of

__all__ = ["answer_of", "create"]

_TABLES = Path(__file__).parent / "tables" / "boolean"
_INSIDE_WORDS = frozenset("'-‐‑’")  # marks that end no clause
_WORDS = {True: "yes", False: "no"}

_Where: TypeAlias = Literal["anywhere", "starting", "alone"]
_PLACES: tuple[_Where, ...] = ("anywhere", "starting", "alone")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """``answer`` is None for what is no answer; ``where`` it must stand to be one. A filler that
    ``opens`` leads to an answer."""

    answer: bool | None
    where: _Where = "anywhere"
    filler: bool = False
    opens: bool = False


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """The recognizer of yes and no in a language; it has no options."""
    return _Answers(_phrasebook(base(language)))


def answer_of(text: str, language: str) -> bool | None:
    """Whether the whole of ``text`` says yes ("oh yes, please!") or no; None if it says neither,
    or something else beside it."""
    book = _phrasebook(base(language))
    found = book.atoms(text)
    phrases = book.read(found)
    answers = _joined(_answers(phrases, _Clauses(found)), found)
    if len({answer for _, _, answer in answers}) != 1:
        return None
    spans = [(start, end) for start, end, _ in answers]
    last = max(start for start, _, _ in answers)
    fillers = (item for item in phrases if item.meaning.filler)
    spans += [
        (item.start, item.end) for item in fillers if item.start < last or not item.meaning.opens
    ]
    said = {index for span in spans for index in range(*span)}
    if any(atom.kind != "mark" for index, atom in enumerate(found) if index not in said):
        return None
    return answers[0][2]


@lru_cache(maxsize=32)
def _phrasebook(language: str) -> Phrasebook:
    book = Phrasebook(language)
    for table in tables(_TABLES, language):
        book.add_beside(table.get("neither", ()), _Phrase(None), table)
        for answer, section in _WORDS.items():
            for where in _PLACES:
                phrases = table.get(section, {}).get(where, ())
                book.add(phrases, _Phrase(answer, where), table)
        book.add_beside(table.get("fillers", ()), _Phrase(None, filler=True), table)
        book.add_beside(table.get("openers", ()), _Phrase(None, filler=True, opens=True), table)
    return book.finish()


class _Answers:
    def __init__(self, book: Phrasebook) -> None:
        self._book = book

    def __call__(self, doc: Doc | Passage, at: datetime) -> Iterable[Mention]:
        found = self._book.atoms(text_of(doc))
        if not found:
            return []
        answers = _answers(self._book.read(found), _Clauses(found))
        return [
            Mention(
                found[start].start,
                found[end - 1].end,
                str(answer).lower(),
                {"value": answer},
            )
            for start, end, answer in _joined(answers, found)
        ]


class _Clauses:
    """Where clauses begin and end, between atoms."""

    def __init__(self, found: Sequence[Atom]) -> None:
        marks = [atom.kind == "mark" and atom.text not in _INSIDE_WORDS for atom in found]
        self.begins = [True, *marks]
        self.ends = [*marks, True]


def _answers(phrases: Sequence[Item], clauses: _Clauses) -> Iterator[tuple[int, int, bool]]:
    """The answers among the phrases, which come by their starts, the longer ones first."""
    for item in reversed(phrases):
        if _is_around(item.meaning) and clauses.ends[item.end]:
            clauses.ends[item.start] = True
    reach = 0
    for item in phrases:
        phrase: _Phrase = item.meaning
        if item.start < reach or not _stands_well(item, clauses):
            continue
        if _is_around(phrase) and clauses.begins[item.start]:
            clauses.begins[item.end] = True
        reach = item.end
        if phrase.answer is not None:
            yield item.start, item.end, phrase.answer


def _is_around(phrase: _Phrase) -> bool:
    return phrase.filler or phrase.answer is not None


def _stands_well(item: Item, clauses: _Clauses) -> bool:
    match item.meaning.where:
        case "alone":
            return clauses.begins[item.start] and clauses.ends[item.end]
        case "starting":
            return clauses.begins[item.start]
    return True


def _joined(
    answers: Iterable[tuple[int, int, bool]], found: Sequence[Atom]
) -> list[tuple[int, int, bool]]:
    """Equal answers between which no more than one mark stands are one."""
    joined: list[tuple[int, int, bool]] = []
    for start, end, answer in answers:
        if joined and joined[-1][2] == answer:
            between = found[joined[-1][1] : start]
            if len(between) < 2 and all(atom.kind == "mark" for atom in between):
                joined[-1] = joined[-1][0], end, answer
                continue
        joined.append((start, end, answer))
    return joined
