"""Phrases of one language, found in texts: what is read from tables that need no Python to mend.

A phrase is written in the synonym language (``{sure|certainly}``, macros under ``macros``). Any
letters may follow a word with a star (``сортир*``); ``#`` stands for a count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import re2

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.chart_parser import ChartGrammar, Item, Literal
from anaphora.entities.languages import ANY, TableName, load_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.orthography import load_orthography
from anaphora.grammar.synonyms.expansion import expand_synonym

__all__ = ["COUNT", "NO_MATCH", "Phrasebook", "Table", "leftmost_longest", "load_phrase_tables"]

Table: TypeAlias = Mapping[str, Any]

COUNT = "count"
"""The category of the items that ``#`` stands for."""

NO_MATCH = "nothing"
"""The meaning of phrases in which nothing is found."""

_PHRASE = "phrase"

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\x{30fc}\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}"
_FIRST_UNSPACED = "\u0e00"  # no script below it does without blanks
_EDGE = rf"(?:^|$|[^\p{{L}}\p{{M}}]|[{_UNSPACED}])"


def load_phrase_tables(name: TableName, language: str) -> list[Table]:
    """The tables of that name that serve a language: its own one and that of every language,
    those of them that there are. All that stands in them is text: "no" is a word here."""
    both = [load_table(code, name, as_text=True) for code in (base_code(language), ANY)]
    return [table for table in both if table]


def leftmost_longest(items: Iterable[Item]) -> list[Item]:
    """Of items in the order of :meth:`Phrasebook.read` the first and longest one, the next one
    behind its end, and so on."""
    chosen: list[Item] = []
    for item in items:
        if not chosen or item.start >= chosen[-1].end:
            chosen.append(item)
    return chosen


class Phrasebook:
    """Phrases with their meanings: to be filled, finished, and then read by many threads."""

    def __init__(self, language: str) -> None:
        self._normalize = create_normalizer(language)
        self._fold = _build_folding(language)
        self._rules = ChartGrammar()
        self._anchors: set[Literal] = set()  # words of which a text needs one
        self._gate: Any = None

    def add(self, phrases: Iterable[str], meaning: Any, table: Table | None = None) -> None:
        """Phrases of that meaning, with the macros of their ``table``. Of two meanings of the
        same words the first one counts. That of a phrase with a count is ``(meaning, count)``."""
        for steps in self._add_rules(phrases, meaning, table):
            self._anchors.add(_rarest_word(steps))

    def add_beside(self, phrases: Iterable[str], meaning: Any, table: Table | None = None) -> None:
        """Phrases that matter only in texts in which one of the others stands."""
        for _ in self._add_rules(phrases, meaning, table):
            pass

    def _add_rules(
        self, phrases: Iterable[str], meaning: Any, table: Table | None
    ) -> Iterator[list[Any]]:
        for steps in self._expand(phrases, table):
            make = partial(_make_meaning, meaning, counted=COUNT in steps)
            self._rules.add(_PHRASE, steps, make)
            yield steps

    def add_count(self, phrases: Iterable[str], count: int, table: Table | None = None) -> None:
        """Phrases that are a count, as "a couple of" is."""
        for steps in self._expand(phrases, table):
            self._rules.add(COUNT, steps, partial(_make_meaning, count, counted=False))

    def finish(self) -> Phrasebook:
        """To be called once, after the last phrase."""
        self._rules.compile()
        if self._anchors:
            self._gate = re2.compile(_prefilter_pattern(self._anchors, self._fold))
        return self

    def atoms(self, text: str) -> list[Atom]:
        """What :meth:`read` reads; nothing, and at no cost, of a text in which no phrase can stand
        since it holds no word without which none does."""
        return split_atoms(text, self._normalize) if self._may_contain(text) else []

    def _may_contain(self, text: str) -> bool:
        if self._gate is None:
            return False
        if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
            return True
        return self._gate.search(self._fold(text)) is not None

    def read(self, found: Sequence[Atom], counts: Iterable[Item] = ()) -> list[Item]:
        """All phrases in a text, by their starts, the longer ones first; an item means what its
        phrase means. ``counts`` are items of the category :data:`COUNT`."""
        return self._rules.parse(found, counts).items(_PHRASE)

    def _expand(self, phrases: Iterable[str], table: Table | None) -> Iterator[list[Any]]:
        macros = (table or {}).get("macros", {})
        for phrase in phrases:
            for written in expand_synonym(phrase, macros):
                yield self._to_steps(" ".join(map(str, written)))

    def _to_steps(self, written: str) -> list[Literal | str]:
        steps: list[Literal | str] = []
        for atom in split_atoms(written, self._normalize):
            last = steps[-1] if steps else None
            if atom.text == "#":
                steps.append(COUNT)
            elif atom.text == "*" and atom.glued and isinstance(last, Literal):
                steps[-1] = Literal(last.text, is_prefix=True)
            else:
                steps.append(Literal(atom.text))
        return steps


def _make_meaning(meaning: Any, meanings: Sequence[Any], *, counted: bool) -> Any:
    return (meaning, meanings[0]) if counted else meaning


def _build_folding(language: str) -> Callable[[str], str]:
    """A quick relative of the normalizer: texts that it takes for different are different."""
    known = load_orthography(base_code(language))
    letters = {**known.same, **{ord(last): letter for last, letter in known.last.items()}}
    if not letters:
        return str.casefold
    return lambda text: text.casefold().translate(letters)


def _rarest_word(steps: Iterable[Literal | str]) -> Literal:
    """The word of a phrase that is likely to be rare: the longest, of equals the last; of letters
    without blanks between words all that follow each other."""
    words: list[Literal] = []
    for step in steps:
        if isinstance(step, str):
            words.append(Literal(""))
        elif words and words[-1].text > _FIRST_UNSPACED and step.text > _FIRST_UNSPACED:
            words[-1] = Literal(words[-1].text + step.text, is_prefix=True)
        else:
            words.append(step)
    return max(
        reversed(words), key=lambda word: len(word.text) * (2 if word.text > _FIRST_UNSPACED else 1)
    )


def _prefilter_pattern(anchors: Iterable[Literal], fold: Callable[[str], str]) -> str:
    """A pattern of the anchors. RE2 reads it all at once, in 1.3 µs for an utterance of nine
    words, where ``re`` needs twice as much for ten words."""
    whole: set[str] = set()
    begun: set[str] = set()
    loose: set[str] = set()
    for anchor in anchors:
        text = fold(anchor.text)
        if text > _FIRST_UNSPACED or not text[0].isalpha():
            loose.add(text)
        else:
            (begun if anchor.is_prefix else whole).add(re2.escape(text))
    ways = [f"{_EDGE}(?:{'|'.join(sorted(whole))}){_EDGE}"] if whole else []
    ways += [f"{_EDGE}(?:{'|'.join(sorted(begun))})"] if begun else []
    ways += [r"\s?".join(map(re2.escape, text)) for text in sorted(_drop_containing(loose))]
    return "|".join(ways)


def _drop_containing(texts: Iterable[str]) -> set[str]:
    """Those texts that have none of the others in them."""
    shortest: set[str] = set()
    for text in sorted(texts, key=len):
        if not any(one in text for one in shortest):
            shortest.add(text)
    return shortest
