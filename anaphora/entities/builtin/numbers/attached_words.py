"""Split what Korean writes as one with a number: 두명이요 is 두, 명 and 이요; behind a 3, 만원짜리
is 만, 원 and 짜리; 두세 is 두 and 세, two to three. Split the ending that a comparison asks for in
Turkish: *üçten fazla* is *üç* and *ten fazla*. Read the other inflected words there as their stems:
*yirmi beşe* is *yirmi beş*, *liraya* is *lira*.

A Korean word is split only if all of it is known: a numeral, then a scale, a counter, a unit or a
currency, then particles. Many short numerals begin other words (사원, 조명, 공원), so that only the
numerals of one syllable that ``numbers.yaml`` lists under ``attaching`` may begin one here. Two
digits that follow one another and share a multiplier or what they count are two numbers: 칠팔십 is
칠 and 팔십, seventy to eighty.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, zip_longest

from anaphora.entities.builtin.atoms import Atom, get_atoms
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import load_vocabulary
from anaphora.entities.builtin.numbers.phrase_lookup import iter_phrases
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.orthography import load_orthography
from anaphora.entities.words.scripts import is_hangul

__all__ = ["get_number_atoms"]

_TEN = 10
_CACHED_WORDS = 10_000
_MAX_LETTERS = 20
_LONGEST_ABBREVIATION = 2  # has an apostrophe before its ending: TL'ye
_STANDING_ALONE = frozenset("둘셋넷반")  # numerals of one syllable that count nothing
_SURE_PARTICLES = frozenset("로요에을를은는쯤씩권대")


def get_number_atoms(text: str, language: str) -> Sequence[Atom]:
    """The atoms of a text; in a language that writes counters or endings as one with numbers, these
    too are atoms of their own, as if there were blanks between them."""
    atoms = get_atoms(text, language)
    split = _get_splitter(base_code(language))
    return atoms if split is None else split(atoms)


@lru_cache(maxsize=32)
def _get_splitter(code: str) -> Callable[[Sequence[Atom]], Sequence[Atom]] | None:
    phrases = load_number_phrases(code)
    if phrases.attaching:
        return _AttachedWordSplitter(code)
    return _InflectedWordReader(code) if phrases.case_endings else None


class _InflectedWordReader:
    """Reads numerals, units and names of currencies with an ending as words without it. An ending
    that is the first word of a comparison with the word behind it becomes a word of its own."""

    def __init__(self, code: str) -> None:
        phrases = load_number_phrases(code)
        self._compared_endings = phrases.compared_endings
        self._case_endings = sorted(phrases.case_endings, key=len, reverse=True)
        self._uninflected_alone = phrases.uninflected_alone
        self._percent = frozenset(
            word for words in phrases.percent_before.phrases for word in words
        )
        self._comparisons = frozenset(phrases.comparisons_after.phrases)
        normalize = create_normalizer(code)
        table, money = cached_table(code, "numbers"), cached_table(code, "money")
        units = chain(iter_phrases(table, "units"), iter_phrases(money, "minor"))
        self._counted = frozenset(
            [
                *(word for name, _ in units for word in normalize(str(name)).split()),
                *("".join(words) for words in phrases.counters.phrases),
                *(word for words in phrases.currencies.phrases for word in words),
            ]
        )
        self._vocabulary = load_vocabulary(code)
        self._numerals = get_numeral_reader(code)
        self._find_stem = lru_cache(maxsize=_CACHED_WORDS)(self._find_stem_uncached)

    def __call__(self, atoms: Sequence[Atom]) -> Sequence[Atom]:
        found: list[Atom] = []
        for at, atom in enumerate(atoms):
            following = atoms[at + 1].text if at + 1 < len(atoms) else ""
            if atom.kind != "word":
                found.append(atom)
            elif parts := [*self._split_comparison(atom, following)]:
                found += parts
            else:
                found.append(self._without_ending(atom, found[-1] if found else None))
        return found

    def _without_ending(self, atom: Atom, before: Atom | None) -> Atom:
        """The atom as its stem, in its whole length."""
        stem = self._find_stem(atom.text)
        if not stem:
            return atom
        if not self._vocabulary.has_word(stem):  # ABD doları has its ending for another reason
            return atom._replace(text=stem) if before and self._is_number(before) else atom
        if before and self._is_one_numeral(before, atom.text):
            return atom  # dörtte biri
        is_exempt = self._vocabulary.may_start(atom.text) or stem in self._uninflected_alone
        if is_exempt and not (before and self._is_one_numeral(before, stem)):
            return atom
        return atom._replace(text=stem)

    def _find_stem_uncached(self, word: str) -> str:
        """The word that is known, without an ending; nothing if there is none."""
        if len(word) > _MAX_LETTERS or word in self._percent:
            return ""
        stems = (word.removesuffix(ending) for ending in self._case_endings)
        return next((one for one in stems if one != word and self._may_be_inflected(one)), "")

    def _may_be_inflected(self, stem: str) -> bool:
        if self._vocabulary.has_word(stem):
            return True
        return stem in self._counted and len(stem) > _LONGEST_ABBREVIATION

    def _is_number(self, atom: Atom) -> bool:
        return atom.kind == "digits" or self._vocabulary.has_word(atom.text)

    def _is_one_numeral(self, before: Atom, word: str) -> bool:
        """Whether a word continues the numeral before it: *yirmi üç*."""
        found = self._numerals.find_in_words((before, Atom(word, "word", 0, 0, glued=False)))
        return len(found) == 1 and found[0].end - found[0].start == 2

    def _split_comparison(self, atom: Atom, following: str) -> Iterator[Atom]:
        for ending in self._compared_endings:
            stem = atom.text.removesuffix(ending)
            if (
                0 < len(stem) < len(atom.text) == atom.end - atom.start
                and (ending, following) in self._comparisons
                and (stem in self._counted or self._is_numeral(stem))
            ):
                at = atom.start + len(stem)
                yield atom._replace(text=stem, end=at)
                yield Atom(ending, "word", at, atom.end, glued=False)
                return

    def _is_numeral(self, word: str) -> bool:
        atom = Atom(word, "word", 0, len(word), glued=False)
        return any(one.end == 1 for one in self._numerals.find_in_words((atom,)))


class _AttachedWordSplitter:
    """Splits the words of one language."""

    def __init__(self, code: str) -> None:
        phrases = load_number_phrases(code)
        lookups = (
            phrases.counters, phrases.currencies, phrases.percent_behind, phrases.tenths,
            phrases.comparisons_after,
        )  # fmt: skip
        table = cached_table(code, "numbers")
        money = iter_phrases(cached_table(code, "money"), "minor")
        units = (name for name, _ in chain(iter_phrases(table, "units"), money))
        known = chain(units, *(["".join(words) for words in one.phrases] for one in lookups))
        numerals = cached_table(code, "numerals")
        self._scales = frozenset(word for word, _ in iter_phrases(numerals, "multipliers"))
        self._counted = frozenset(filter(is_hangul, known))
        bounds = phrases.comparisons_after.phrases
        self._bounds = frozenset("".join(words) for words in bounds)
        self._bound_openings = frozenset(words[:2] for words in bounds)
        self._digits = {
            form: value
            for form, value in iter_phrases(numerals, "values")
            if len(form) == 1 and 0 < value < _TEN
        }
        self._particles = frozenset(load_orthography(code).behind) | phrases.particles
        self._attaching = phrases.attaching
        self._pairs = phrases.pairs
        self._over = tuple(numerals.get("over", ()))
        self._never = tuple(numerals.get("never", ()))
        self._numerals = get_numeral_reader(code)
        self._split_cached = lru_cache(maxsize=_CACHED_WORDS)(self._split_word)

    def __call__(self, atoms: Sequence[Atom]) -> Sequence[Atom]:
        found: list[Atom] = []
        was_split = False
        for at, atom in enumerate(atoms):
            parts: Sequence[str] = ()
            if at and atoms[at - 1].kind == "digits" and (parts := self._split_symbol(atom)):
                symbol, *particles = _cut(atom, parts)
                found += [symbol._replace(glued=atom.glued), *particles]
                was_split = True
                continue
            if atom.kind == "word" and len(atom.text) <= _MAX_LETTERS and is_hangul(atom.text):
                before = found[-1] if found else None
                following = atoms[at + 1].text if at + 1 < len(atoms) else ""
                if before is not None and atom.glued and before.kind == "digits":
                    parts = self._split_cached(atom.text, behind_digits=True)
                elif before is not None and before.text.endswith(self._over):
                    parts = self._split_numeral(atom.text, is_numerator=True)
                elif before is not None and self._is_number(before):
                    parts = self._split_counter(atom.text, following)
                elif before is not None and self._may_be_counted(before):
                    parts = self._split_bound(atom.text)
                parts = parts or self._split_pair(atom.text, following)
                parts = parts or self._split_cached(atom.text, behind_digits=False)
            if parts:
                found += self._read_pair(*_cut(atom, parts))
            else:
                found.append(atom._replace(glued=False) if was_split else atom)
            was_split = bool(parts)
        return found

    def _split_symbol(self, atom: Atom) -> tuple[str, ...]:
        """A symbol in Latin letters and its particles: 5kg을."""
        text = atom.text
        if text.isascii() or not text[0].isascii() or len(text) != atom.end - atom.start:
            return ()
        end = next(index for index, letter in enumerate(text) if not letter.isascii())
        rest = self._split_particles(text[end:])
        return (text[:end], *rest) if rest else ()

    def _read_pair(self, *parts: Atom) -> Iterable[Atom]:
        """The parts of a word; two numbers that have short forms side by side, with their usual
        ones: 서너 is 세 and 네."""
        numerals = self._pairs.get((parts[0].text, parts[1].text), ()) if len(parts) > 1 else ()
        for part, numeral in zip_longest(parts, numerals):
            yield part if numeral is None else part._replace(text=numeral)

    def _split_word(self, word: str, *, behind_digits: bool) -> tuple[str, ...]:
        """The parts of a word, or nothing if it is none of a number."""
        for first, second in self._pairs:
            if word.startswith(first + second) and not behind_digits:
                behind = word[len(first + second) :]
                counted = self._split_counted(behind)
                return (first, second, *counted) if counted or not behind else ()
        if word.startswith(self._never) or word.endswith(self._over):
            return ()  # 삼분의 일 is a third
        if behind_digits:
            return self._split_counted(word, self._scales) or self._split_particles(word)
        for end in range(len(word) - 1, 0, -1):
            numeral = word[:end]
            if self._may_begin(numeral) and (rest := self._split_counted(word[end:])):
                return numeral, *rest
        return () if self._is_numeral(word) else self._split_numeral(word)

    def _split_numeral(self, word: str, *, is_numerator: bool = False) -> tuple[str, ...]:
        """A numeral that counts nothing, and its particles: 셋은, 이십오를. A numerator may be any
        one: the 이 and 가 of 삼분의 이가."""
        for end in range(len(word) - 1, 0, -1):
            may_be_one = is_numerator or end > 1 or word[0] in _STANDING_ALONE
            if not (may_be_one and self._is_numeral(word[:end])):
                continue
            if rest := self._split_particles(word[end:]):
                return word[:end], *rest
        return ()

    def _split_counter(self, word: str, following: str) -> tuple[str, ...]:
        """What is counted behind a number and a blank, and its particles: 두 명이요. Short
        particles are not split, as a name may have them (대만 of 대 and 만), unless a comparison
        begins with them: 두 명이 넘는."""
        for part in _beginnings(word, self._counted):
            rest = self._split_particles(word[len(part) :])
            if not rest:
                continue
            is_sure = len(part) > 1 or len(rest[0]) > 1 or rest[0] in _SURE_PARTICLES
            if is_sure or (*rest, following) in self._bound_openings:
                return part, *rest
        return ()

    def _may_be_counted(self, atom: Atom) -> bool:
        """Whether an atom may be what a number counts, or the symbol of its unit (%, kg)."""
        return atom.text in self._counted or (atom.glued and atom.text.isascii())

    def _split_bound(self, word: str) -> tuple[str, ...]:
        """A comparison behind what is counted, and its particles: 열 명 이상이면."""
        for part in _beginnings(word, self._bounds):
            if rest := self._split_particles(word[len(part) :]):
                return part, *rest
        return ()

    def _split_pair(self, word: str, following: str) -> tuple[str, ...]:
        """Two digits that follow one another: 이 and 삼 before 명, or, whatever ``following`` is,
        beside a multiplier: 이 and 삼십, 십이 and 삼."""
        values = [self._digits.get(letter, 0) for letter in word]
        for at in range(1, len(word)):
            if not 0 < values[at - 1] == values[at] - 1 or not self._is_numeral(word[:at]):
                continue
            for end in range(len(word), at, -1):
                numeral, rest = word[at:end], word[end:]
                counted = self._split_counted(rest) if rest else ()
                if not self._is_numeral(numeral) or (rest and not counted):
                    continue
                is_shared = at > 1 or bool(counted) or following in self._counted
                if len(numeral) > 1 or (is_shared and values[at] > 2):  # 이십일이 is the 20th
                    return word[:at], numeral, *counted
        return ()

    def _may_begin(self, text: str) -> bool:
        return text in self._attaching if len(text) == 1 else self._is_numeral(text)

    def _is_number(self, atom: Atom) -> bool:
        return atom.kind == "digits" or (atom.kind == "word" and self._is_numeral(atom.text))

    def _is_numeral(self, text: str) -> bool:
        found = self._numerals.find_in_words((Atom(text, "word", 0, len(text), glued=False),))
        return len(found) == 1 and not found[0].ordinal

    def _split_counted(self, word: str, scales: Collection[str] = ()) -> tuple[str, ...]:
        """The scales, what is counted, and particles; nothing if anything else is in the word."""
        for part in _beginnings(word, scales):
            rest = word[len(part) :]
            if not rest:
                return (part,)
            if parts := self._split_counted(rest, scales) or self._split_particles(rest):
                return part, *parts
        for part in _beginnings(word, self._counted):
            rest = word[len(part) :]
            if not rest:
                return (part,)
            if parts := self._split_counted(rest) or self._split_particles(rest):
                return part, *parts
        return ()

    def _split_particles(self, word: str) -> tuple[str, ...]:
        for part in _beginnings(word, self._particles):
            rest = word[len(part) :]
            if not rest:
                return (part,)
            if parts := self._split_particles(rest):
                return part, *parts
        return ()


def _beginnings(word: str, known: Collection[str]) -> Iterable[str]:
    """The known words that a word begins with, the longest one first."""
    return (word[:end] for end in range(len(word), 0, -1) if word[:end] in known)


def _cut(atom: Atom, parts: Sequence[str]) -> Iterable[Atom]:
    start = atom.start
    for part in parts:
        yield Atom(part, "word", start, start + len(part), glued=False)
        start += len(part)
