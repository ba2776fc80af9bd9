"""Facts in sentences: names, numbers, dates, values understood by the bot, and rare words.

No grammar is involved. Names are capitalized words within sentences. That says less where all
nouns are capitalized (German) and nothing where there are no capitals (Chinese); there slot values,
numbers and words count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import regex

from anaphora.entities.languages import cached_table
from anaphora.ltm.dates.calendar_words import load_calendar_words
from anaphora.ltm.dates.mentions import UNSPACED_SCRIPTS
from anaphora.ltm.retrieval.terms import extract_terms
from anaphora.ltm.summarizers.word_lists import load_word_lists

__all__ = ["FactWeights", "Facts", "extract_facts", "is_question"]

Facts = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class FactWeights:
    """The worth of each kind of fact, in units of one rare word.

    ``noun`` is the worth of a name where all nouns are capitalized, ``address`` that of a vocative
    ("Thanks, John!"). Words count by length, because long words are rare: from seven letters on as
    ``word``; short ones and forms of stop words ``short`` times that; stop words and courtesies
    nothing. Words of a question count ``question`` times, those of an exclamation ``exclamation``
    times.

    Tuned on every other dialog of LoCoMo with benchmarks/ltm/summary_quality.py, except ``value``:
    what the bot understood counts more than what only looks like a fact.
    """

    name: float = 4.0
    number: float = 4.0
    date: float = 4.0
    value: float = 6.0
    noun: float = 1.5
    address: float = 0.3
    word: float = 1.0
    short: float = 0.2
    question: float = 0.8
    exclamation: float = 0.8


_WEIGHTS = FactWeights()


def extract_facts(
    sentences: Sequence[Sequence[str]],
    languages: Sequence[str],
    *,
    values: Iterable[str] = (),
    weights: FactWeights = _WEIGHTS,
) -> list[list[Facts]]:
    """Return the facts in every clause of the sentences of a dialog, with their worth.

    ``languages`` has one for each sentence ("" if unknown); ``values`` are those of slots and
    remembered entities.
    """
    detector = _FactDetector(sentences, values, weights)
    return [
        list(detector.extract(clauses, language))
        for clauses, language in zip(sentences, languages, strict=True)
    ]


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question, by its last punctuation mark."""
    return sentence.rstrip(_CLOSING_MARKS).endswith(("?", "？", "؟"))


_CLOSING_MARKS = " \t\r\n\"'”’»)"
_WORD = regex.compile(r"[@#]?[\p{L}\p{N}\p{M}]+(?:[.'’:,/&+-][\p{L}\p{N}\p{M}]+)*")
# Scripts without spaces, except hiragana, which is mostly grammar.
_RUN = regex.compile(r"\p{Han}+|[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{2,}")
_KATAKANA = regex.compile(r"[\p{Katakana}ー・]{2,}")
_COUNT = regex.compile(r"\p{N}[\p{N}.,:]*\p{Han}?")
_RESOLVED = regex.compile(r"[(（]\d{4}[\d/TQW:.-]*[)）]")
_LATIN = regex.compile(r"\p{Lu}\p{Latin}+")
# A name, and the punctuation that ends a vocative.
_VOCATIVE = regex.compile(
    r"(?<name>\p{Lu}[\p{L}\p{M}-]+(?:\s\p{Lu}[\p{L}\p{M}-]+)?)\s*(?:[,!?.…！？،؟]|$)"
)
# Nouns are capitalized in some languages: where this share of words within sentences is capitalized
# (English has .05, German .25). It takes a minimum of words to tell.
_NOUN_CAPITAL_SHARE, _MIN_SAMPLE = 0.15, 60


def _has_nouns_in_capitals(language: str) -> bool:
    return bool(cached_table(language[:2], "locale").get("nouns_in_capitals"))


class _FactDetector:
    """Detects the facts of a dialog, after learning its names and vocatives."""

    def __init__(
        self, sentences: Sequence[Sequence[str]], values: Iterable[str], weights: FactWeights
    ) -> None:
        whole = ["".join(clauses) for clauses in sentences]
        inside = [word for one in whole for word in _WORD.findall(one)[1:]]
        capitals = [word for word in inside if _is_capitalized(word)]
        self._names = frozenset(map(_strip_genitive, capitals))
        self._nouns = len(inside) >= _MIN_SAMPLE and len(capitals) > _NOUN_CAPITAL_SHARE * len(
            inside
        )
        self._vocatives = _find_vocatives(whole, self._names)
        self._find_values = _compile_values(values)
        self._weights = weights

    def extract(self, clauses: Sequence[str], language: str) -> Iterator[Facts]:
        """Yield the facts of each clause of a sentence."""
        end = "".join(clauses).rstrip(_CLOSING_MARKS)
        factor = 1.0
        if is_question(end):
            factor = self._weights.question
        elif end.endswith(("!", "！")):
            factor = self._weights.exclamation
        first = True
        for clause in clauses:
            found: dict[str, float] = {}
            for key, weight in self._extract_from_clause(clause, language, factor, first=first):
                if weight > found.get(key, 0.0):
                    found[key] = weight
            yield found
            first = False

    def _extract_from_clause(
        self, clause: str, language: str, factor: float, *, first: bool
    ) -> Iterator[tuple[str, float]]:
        weights, calendar = self._weights, load_calendar_words(language)
        known = load_word_lists(language)
        nouns = self._nouns or _has_nouns_in_capitals(language)
        name_worth = weights.noun if nouns else weights.name
        values = {match.start(): match.end() for match in self._find_values(clause)}
        for start, end in values.items():
            yield clause[start:end].casefold(), weights.value
        for match in _WORD.finditer(clause):
            word = match[0]
            lower = word.casefold()
            if any(start <= match.start() < end for start, end in values.items()):
                pass  # covered by the value
            elif UNSPACED_SCRIPTS.search(word):  # several words: only numbers and Latin names
                yield from ((count, weights.number) for count in _COUNT.findall(word))
                yield from ((name.casefold(), weights.name) for name in _LATIN.findall(word))
            elif any(map(str.isdigit, word)) or lower in known.number_words:
                yield lower, weights.number
            elif calendar.is_calendar_name(word):
                yield lower, weights.date
            elif self._is_name(word, first=first) and not (
                lower in known.stop_words and (first or word.isupper())  # "OK"
            ):
                base = _strip_genitive(word)
                yield base, weights.address if base in self._vocatives else name_worth
            elif lower not in known.stop_words:
                length = max(weights.short, min(1.0, (len(word) - 2) / 5))
                for term in extract_terms(word, language):
                    # A form of a stop word ("going") says little.
                    rare = weights.word * (weights.short if term in known.stop_words else length)
                    yield term, rare * factor
            first = False
        if not _RESOLVED.search(clause):  # the annotated date counts instead
            for phrase in calendar.find_relative_phrases(clause):
                yield phrase, weights.date
        for name in _KATAKANA.findall(clause):
            yield name, weights.name
        for run in _RUN.findall(clause):  # word boundaries are unknown: use bigrams
            for index in range(max(1, len(run) - 1)):
                yield run[index : index + 2], weights.word / 2 * factor

    def _is_name(self, word: str, *, first: bool) -> bool:
        if not _is_capitalized(word):
            return False
        return not first or _strip_genitive(word) in self._names or any(map(str.isupper, word[1:]))


def _find_vocatives(sentences: Iterable[str], names: frozenset[str]) -> frozenset[str]:
    """Return the names by which the speakers address each other: those that mostly occur between
    commas or at the edge of a sentence."""
    called: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for sentence in sentences:
        total.update(
            base for word in _WORD.findall(sentence) if (base := _strip_genitive(word)) in names
        )
        for match in _VOCATIVE.finditer(sentence):
            before = sentence[: match.start()].rstrip()
            if before.endswith((",", "،")) or len(_WORD.findall(before)) < 2:
                called.update(map(_strip_genitive, match["name"].split()))
    return frozenset(name for name, times in called.items() if 2 * times >= total[name] > 0)


def _compile_values(values: Iterable[str]) -> Callable[[str], Iterable[Any]]:
    """Compile a function that finds values in a text: whole words, case-insensitive."""
    known = {value.strip() for value in values} - {""}
    if not known:
        return lambda clause: ()
    longest_first = sorted(known, key=lambda value: (-len(value), value))
    pattern: Any = regex.compile(
        "|".join(
            _word_boundary(value[0], "(?<![")
            + regex.escape(value)
            + _word_boundary(value[-1], "(?![")
            for value in longest_first
        ),
        regex.IGNORECASE,
    )
    return lambda clause: pattern.finditer(clause)


def _word_boundary(character: str, look: str) -> str:
    """Return a pattern for a word boundary; empty in scripts without spaces."""
    return "" if UNSPACED_SCRIPTS.match(character) else rf"{look}\p{{L}}\p{{N}}])"


def _is_capitalized(word: str) -> bool:
    """Whether a word looks like a name: "Anna", "iPhone", "@anna", but not "I" and "I'm"."""
    if word[0] in "@#":
        return True
    stem = word.replace("’", "'").partition("'")[0]
    return len(stem) > 1 and any(map(str.isupper, stem))


def _strip_genitive(word: str) -> str:
    """Return a name in lower case without an English genitive."""
    return word.replace("’", "'").partition("'")[0].casefold()
