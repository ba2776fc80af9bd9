"""Match phrases of a language, which tables list with their meanings.

A phrase is written in the synonym language (``{sure|certainly}``, macros under ``macros``). Any
letters may follow a word with a star (``сортир*``); ``#`` stands for a count.
"""

from __future__ import annotations

import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

import re2
from spacy.tokens import Doc

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.chart_parser import ChartGrammar, Item, Literal
from anaphora.entities.languages import ANY, TableName, load_table
from anaphora.entities.recognizers.recognizer import Mention, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.orthography import load_orthography
from anaphora.entities.words.scripts import FIRST_UNSPACED, UNSPACED
from anaphora.grammar.synonyms.expansion import SynonymExpander
from anaphora.storage.forks import fork_safe_lock

__all__ = [
    "COUNT",
    "NO_MATCH",
    "PhraseRecognizer",
    "Phrasebook",
    "RankedPhrase",
    "Table",
    "leftmost_longest",
    "load_phrase_tables",
]

Table: TypeAlias = Mapping[str, Any]

COUNT = "count"
"""The category of the chart items for ``#``."""

NO_MATCH = "nothing"
"""The meaning of phrases that hide other phrases and are no matches themselves."""

_PHRASE = "phrase"

_EDGE = rf"(?:^|$|[^\p{{L}}\p{{M}}]|[{UNSPACED}])"


def load_phrase_tables(name: TableName, language: str) -> list[Table]:
    """The tables of that name for a language: its own one and the one of all languages, if they
    exist. All their values are texts, because "no" is a word here."""
    both = [load_table(code, name, as_text=True) for code in (base_code(language), ANY)]
    return [table for table in both if table]


def leftmost_longest(items: Iterable[Item]) -> list[Item]:
    """Select items that do not overlap, from left to right, the longest first. They come in the
    order of :meth:`Phrasebook.read`."""
    chosen: list[Item] = []
    for item in items:
        if not chosen or item.start >= chosen[-1].end:
            chosen.append(item)
    return chosen


RankedPhrase: TypeAlias = tuple[str, Any, int]
"""A phrase without macros and alternatives, its meaning, and its rank: of phrases for the same
words that of the lowest rank counts."""


class Phrasebook:
    """Phrases with their meanings. Add phrases, call :meth:`finish`, then read; reading is
    thread-safe. Phrases that are to be added later are compiled with the first text that has the
    word with which they begin: of thousands few are ever needed."""

    def __init__(self, language: str) -> None:
        self._normalize = create_normalizer(language)
        self._fold = _build_folding(language)
        self._rules = ChartGrammar()
        self._anchors: set[Literal] = set()  # a text without any of these words has no phrase
        self._prefilter: Any = None
        self._pieces: dict[str, list[Literal | str]] = {}  # words recur in phrases
        self._later: dict[str, list[Callable[[], Iterable[RankedPhrase]]]] = {}
        self._lock = fork_safe_lock()  # of what is added later

    def add(self, phrases: Iterable[str], meaning: Any, table: Table | None = None) -> None:
        """Add phrases with a meaning and the macros of their ``table``. If the same words have two
        meanings, the first one counts. A phrase with a count means ``(meaning, count)``, unless
        its meaning is :data:`NO_MATCH`."""
        self._anchors.update(map(_rarest_word, self.add_beside(phrases, meaning, table)))

    def add_beside(
        self, phrases: Iterable[str], meaning: Any, table: Table | None = None
    ) -> list[list[Literal | str]]:
        """Add phrases that matter only in texts with one of the other phrases. Returns their
        steps."""
        added = list(self._expand(phrases, table))
        for steps in added:
            self._add_steps(steps, meaning)
        return added

    def add_later(self, first: str, phrases: Callable[[], Iterable[RankedPhrase]]) -> None:
        """Add plain phrases with their meanings and ranks as soon as a text has the atom ``first``,
        with which they begin; at once if it stands for several words."""
        match self._to_steps(first)[:1]:
            case [Literal(text, is_prefix=False)]:
                self._later.setdefault(text, []).append(phrases)
            case _:
                self._add_ranked(phrases())

    def add_count(self, phrases: Iterable[str], count: int, table: Table | None = None) -> None:
        """Add phrases that stand for a count ("a couple of")."""
        for steps in self._expand(phrases, table):
            self._rules.add(COUNT, steps, partial(_make_meaning, count, counted=False))

    def finish(self) -> Phrasebook:
        """Compile the phrases; call it once, after the last phrase."""
        self._pieces.clear()
        if self._anchors:
            self._prefilter = re2.compile(_prefilter_pattern(self._anchors, self._fold))
        return self

    def atoms(self, text: str) -> list[Atom]:
        """The atoms of a text for :meth:`read`; none, at little cost, if the text contains no
        anchor word of any phrase."""
        if self._prefilter is None:
            return []
        is_foldable = text.isascii() or unicodedata.is_normalized("NFKC", text)
        if is_foldable and self._prefilter.search(self._fold(text)) is None:
            return []
        return split_atoms(text, self._normalize)

    def read(self, atoms: Sequence[Atom], counts: Iterable[Item] = ()) -> list[Item]:
        """All phrases among the atoms, by their start, the longer ones first, with their meanings.
        ``counts`` are items of the category :data:`COUNT`."""
        if self._later and not self._later.keys().isdisjoint([atom.text for atom in atoms]):
            self._add_beginning_with({atom.text for atom in atoms})
        return self._rules.parse(atoms, counts).items(_PHRASE)

    def find(self, atoms: Sequence[Atom]) -> list[Item]:
        """The phrases among the atoms that do not overlap, without those that mean
        :data:`NO_MATCH`."""
        return [item for item in leftmost_longest(self.read(atoms)) if item.meaning != NO_MATCH]

    def _add_beginning_with(self, words: set[str]) -> None:
        with self._lock:
            for word in words & self._later.keys():
                for phrases in self._later[word]:
                    self._add_ranked(phrases())
                del self._later[word]  # other threads wait until then

    def _add_ranked(self, phrases: Iterable[RankedPhrase]) -> None:
        for phrase, meaning, rank in phrases:
            self._add_steps(self._to_steps(phrase), meaning, rank)

    def _add_steps(self, steps: list[Literal | str], meaning: Any, rank: int = 0) -> None:
        is_counted = COUNT in steps and meaning != NO_MATCH
        make = partial(_make_meaning, meaning, counted=is_counted)
        self._rules.add(_PHRASE, steps, make, rank)

    def _expand(self, phrases: Iterable[str], table: Table | None) -> Iterator[list[Literal | str]]:
        expander = SynonymExpander((table or {}).get("macros", {}))
        for phrase in phrases:
            for written in expander.expand(phrase):
                yield self._to_steps(" ".join(map(str, written)))

    def _to_steps(self, written: str) -> list[Literal | str]:
        steps: list[Literal | str] = []
        for piece in written.split():
            known = self._pieces.get(piece)
            if known is None:
                known = self._pieces[piece] = self._piece_to_steps(piece)
            steps += known
        return steps

    def _piece_to_steps(self, piece: str) -> list[Literal | str]:
        steps: list[Literal | str] = []
        for atom in split_atoms(piece, self._normalize):
            last = steps[-1] if steps else None
            if atom.text == "#":
                steps.append(COUNT)
            elif atom.text == "*" and atom.glued and isinstance(last, Literal):
                steps[-1] = Literal(last.text, is_prefix=True)
            else:
                steps.append(Literal(atom.text))
        return steps


class PhraseRecognizer(ABC):
    """A recognizer of the phrases of a book."""

    def __init__(self, book: Phrasebook) -> None:
        self._book = book

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        atoms = self._book.atoms(get_text(doc))
        return self._find_mentions(atoms) if atoms else []

    @abstractmethod
    def _find_mentions(self, atoms: Sequence[Atom]) -> list[Mention]:
        """The mentions among the atoms of a text that contains an anchor word."""


def _make_meaning(meaning: Any, meanings: Sequence[Any], *, counted: bool) -> Any:
    return (meaning, meanings[0]) if counted else meaning


def _build_folding(language: str) -> Callable[[str], str]:
    """A fast approximation of the normalizer: texts with equal normal forms fold equally."""
    orthography = load_orthography(base_code(language))
    last = {ord(last): letter for last, letter in orthography.last.items()}
    letters = {**orthography.same, **last}
    if not letters:
        return str.casefold
    return lambda text: text.casefold().translate(letters)


def _rarest_word(steps: Iterable[Literal | str]) -> Literal:
    """The anchor of a phrase, a word that is likely to be rare: the longest, or the last of equally
    long ones. Adjacent letters of scripts without spaces count as one word, twice as long."""
    words: list[Literal] = []
    for step in steps:
        if isinstance(step, str):
            words.append(Literal(""))
        elif words and words[-1].text > FIRST_UNSPACED and step.text > FIRST_UNSPACED:
            words[-1] = Literal(words[-1].text + step.text, is_prefix=True)
        else:
            words.append(step)
    return max(
        reversed(words), key=lambda word: len(word.text) * (2 if word.text > FIRST_UNSPACED else 1)
    )


def _prefilter_pattern(anchors: Iterable[Literal], fold: Callable[[str], str]) -> str:
    """A pattern of the anchors. RE2 takes 1.3 µs for an utterance of nine words, ``re`` twice as
    much for a pattern of ten words."""
    whole: set[str] = set()
    begun: set[str] = set()
    loose: set[str] = set()
    for anchor in anchors:
        text = fold(anchor.text)
        if text > FIRST_UNSPACED or not text[0].isalpha():
            loose.add(text)
        else:
            (begun if anchor.is_prefix else whole).add(re2.escape(text))
    patterns = [f"{_EDGE}(?:{'|'.join(sorted(whole))}){_EDGE}"] if whole else []
    patterns += [f"{_EDGE}(?:{'|'.join(sorted(begun))})"] if begun else []
    patterns += [r"\s?".join(map(re2.escape, text)) for text in sorted(_drop_containing(loose))]
    return "|".join(patterns)


def _drop_containing(texts: Iterable[str]) -> set[str]:
    """The texts that contain none of the others."""
    shortest: set[str] = set()
    for text in sorted(texts, key=len):
        if not any(one in text for one in shortest):
            shortest.add(text)
    return shortest
