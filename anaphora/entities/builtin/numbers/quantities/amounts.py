"""Find amounts: the numbers of a text in digits, in words and in both, before units are matched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from typing import Literal, NamedTuple, Protocol, TypeAlias

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.attached_words import get_number_atoms
from anaphora.entities.builtin.numbers.digits import GROUP_SIZE, VULGAR, DigitNumber
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_reader import (
    EmbeddedNumber,
    Numeral,
    get_numeral_reader,
)
from anaphora.entities.builtin.numbers.roman import find_roman_numbers
from anaphora.entities.builtin.numbers.units import Unit, load_units
from anaphora.entities.words.scripts import starts_unspaced

__all__ = [
    "HYPHENS",
    "Amount",
    "Bound",
    "NumberKind",
    "Quantity",
    "UnitMatcher",
    "find_amounts",
    "is_glued",
    "to_int_if_whole",
]

NumberKind: TypeAlias = Literal["cardinal", "ordinal", "fraction", "percent"]
HYPHENS = frozenset("-‐‑−")
_MAX_CACHED_LENGTH = 1_000  # characters
_MAX_PLAIN_DIGITS = 15
_VULGAR = re.compile(f"[{VULGAR}]")
_END_MARKS = frozenset(".,?!;:%)€£$¥₽°'\"…")  # marks that end a number, before a blank
_PAUSES = frozenset(",;:.?!")
_EXPONENTS = frozenset("exх×")  # 5e3, 5 x 10^3
_BEFORE_SUFFIX = frozenset("-‐‑−.'")
_MAX_PLAIN_NUMBERS = 100
_MONEY_SCALES: Mapping[str, int] = {"k": 10**3, "m": 10**6, "b": 10**9}  # 5 m euros
# Upper-case letters that touch the digits. 5G is a network, and 5B bytes; not so 1.5G.
_LETTER_SCALES: Mapping[str, int] = {"k": 10**3, "к": 10**3, "m": 10**6, "м": 10**6}
_DECIMAL_SCALES: Mapping[str, int] = {"g": 10**9, "г": 10**9, "b": 10**9}
_MAX_DOTTED = 1_000
_MAX_DEGREE_ORDINAL = 12  # 4° alone is the fourth, and 20° a temperature


class Amount(NamedTuple):  # a dataclass takes three times as long to make
    """A number with its unit; ``start`` and ``end`` are indexes of atoms (half open).

    ``weak`` marks a word that usually means something else; ``literal`` a number in digits;
    ``about`` a word order that means "about". ``scale`` is the multiplier at the end, or 1.
    """

    start: int
    end: int
    value: int | Fraction
    kind: NumberKind = "cardinal"
    unit: Unit | None = None
    weak: bool = False
    literal: bool = False
    about: bool = False
    scale: int = 1


class Bound(NamedTuple):
    """An end of a range, and whether the range includes it."""

    value: int | Fraction
    included: bool


class Quantity(NamedTuple):  # a dataclass takes three times as long to make
    """A ``value``, or a range with at least one bound, with its unit and comparison. ``start`` and
    ``end`` are indexes of atoms (half open); ``weak`` as in :class:`Amount`."""

    start: int
    end: int
    kind: NumberKind
    unit: Unit | None
    value: int | Fraction | None = None
    low: Bound | None = None
    high: Bound | None = None
    comparison: Literal["more", "less", "between", "about", "not"] | None = None
    weak: bool = False


class UnitMatcher(Protocol):
    """Finds the unit of a number."""

    def __call__(
        self, text: str, atoms: Sequence[Atom], amount: Amount, reach: int = 0
    ) -> Amount | None:
        """The amount with its unit, extended by it; None if it has none. ``amount`` may touch
        letters that are not part of it; what is before ``reach`` belongs to another one."""
        ...

    def find_implied(self, atoms: Sequence[Atom]) -> Iterable[Amount]:
        """The amounts without a number ("a dollar")."""
        ...

    def merge_amounts(self, atoms: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """Merge amounts that belong together ("5 euros 20 cents")."""
        ...


def find_amounts(text: str, language: str) -> tuple[Amount, ...]:
    """The amounts of a text in a language, in order. The result is cached, because several
    recognizers read the same text."""
    return (
        _find_amounts_cached(text, language)
        if len(text) <= _MAX_CACHED_LENGTH
        else _get_reader(language)(text)
    )


def to_int_if_whole(value: int | Fraction) -> int | Fraction:
    """The same number, an int if it is whole."""
    return value.numerator if value.denominator == 1 else value


@lru_cache(maxsize=256)
def _find_amounts_cached(text: str, language: str) -> tuple[Amount, ...]:
    return _get_reader(language)(text)


@lru_cache(maxsize=32)
def _get_reader(language: str) -> _AmountReader:
    return _AmountReader(language)


class _AmountReader:
    """Reads the amounts of one language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._phrases = load_number_phrases(language)
        self._words = get_numeral_reader(language)
        self._scales = self._phrases.scales
        self._suffixes = self._phrases.ordinals | self._phrases.cardinals

    def __call__(self, text: str) -> tuple[Amount, ...]:
        atoms = get_number_atoms(text, self._language)
        literals = self._literals(text, atoms)
        amounts = self._read(atoms, literals)
        if self._phrases.unit_words:
            amounts += self._unit_word_amounts(atoms)
        amounts += self._roman_amounts(text, atoms)
        if len(amounts) > 1:
            amounts.sort(key=attrgetter("start"))
        return tuple(amounts)

    def _read(self, atoms: Sequence[Atom], literals: dict[int, Amount]) -> list[Amount]:
        """The amounts in digits, in words and in both."""
        amounts, to_read = [], {}
        for start, literal in literals.items():
            if literal.kind == "ordinal":
                amounts.append(literal)
            else:
                to_read[start] = EmbeddedNumber(literal.end, literal.value)
        last: Numeral | None = None
        for numeral in self._words.find_mixed(atoms, to_read):
            literal_there = literals.get(numeral.start)
            if literal_there is not None and literal_there.end == numeral.end:
                amounts.append(literal_there)
            else:
                is_literal = literal_there is not None
                amounts.append(self._numeral_amount(atoms, numeral, last, is_literal=is_literal))
            last = numeral
        return amounts

    def _numeral_amount(
        self, atoms: Sequence[Atom], one: Numeral, last: Numeral | None, *, is_literal: bool
    ) -> Amount:
        """The amount of a numeral; ``last`` is the numeral before it."""
        kind: NumberKind = "ordinal" if one.ordinal else "cardinal"
        if isinstance(one.value, Fraction) and not one.decimal:
            kind = "fraction"
        weak = self._words.is_weak(atoms[one.start : one.end])
        if weak and one.ordinal and one.start:  # prima, but la prima
            weak = atoms[one.start - 1].text not in self._phrases.definite
        if atoms[one.start].text in self._phrases.pronouns and one.end == one.start + 1:
            weak = weak or self._is_pronoun(atoms, one.start, last)
        return Amount(one.start, one.end, one.value, kind, None, weak, is_literal, scale=one.scale)

    def _is_pronoun(self, atoms: Sequence[Atom], at: int, last: Numeral | None) -> bool:
        """Whether an atom is the "one" of "the second one" or "the red one"."""
        if last is not None and last.end == at:
            return last.ordinal
        return (
            at > 1
            and atoms[at - 1].kind == "word"
            and atoms[at - 2].text in self._phrases.determiners
        )

    def _unit_word_amounts(self, atoms: Sequence[Atom]) -> Iterator[Amount]:
        """The words that are amounts with a unit: полчаса."""
        for index, atom in enumerate(atoms):
            if atom.text in self._phrases.unit_words:
                value, unit = self._phrases.unit_words[atom.text]
                kind: NumberKind = "cardinal" if value.denominator == 1 else "fraction"
                yield Amount(index, index + 1, to_int_if_whole(value), kind, unit)

    def _roman_amounts(self, text: str, atoms: Sequence[Atom]) -> Iterator[Amount]:
        """The numbers in Roman digits."""
        for one in find_roman_numbers(self._phrases.roman, text, atoms, self._phrases.ordinals):
            yield Amount(one.start, one.end, one.value, "ordinal" if one.ordinal else "cardinal")

    def _literals(self, text: str, atoms: Sequence[Atom]) -> dict[int, Amount]:
        """The numbers in digits, with suffixes and scales, by their first atom."""
        digits = [index for index, atom in enumerate(atoms) if atom.kind == "digits"]
        if not digits and (text.isascii() or _VULGAR.search(text) is None):
            return {}
        if (
            digits
            and len(digits) <= _MAX_PLAIN_NUMBERS
            and all(_is_plain(atoms, one) for one in digits)
        ):
            whole = [
                Amount(index, index + 1, int(atoms[index].text), literal=True) for index in digits
            ]
        else:
            placed = _align_to_atoms(atoms, self._phrases.digits(text))
            whole = [
                part for one in placed for part in self._split_separate_numbers(text, atoms, one)
            ]
        return {one.start: self._with_suffix(text, atoms, one) for one in whole}

    def _split_separate_numbers(
        self, text: str, atoms: Sequence[Atom], one: Amount
    ) -> Iterator[Amount]:
        """The amount; or several, if its groups are adjacent numbers ("room 101 500 euros")."""
        last = _last_group(text, atoms, one)
        if last == one.start or not self._are_separate(atoms, one.start, last):
            yield one
            return
        for index in range(one.start, last):
            yield Amount(index, index + 1, int(atoms[index].text), literal=True)
        behind = text[atoms[last].start : atoms[one.end - 1].end]  # possibly with decimals
        for number in self._phrases.digits(behind):
            yield Amount(last, one.end, number.value, literal=True)

    def _are_separate(self, atoms: Sequence[Atom], start: int, last: int) -> bool:
        """Whether the groups of digits from ``start`` to ``last`` are separate numbers."""
        if any(group.text[0] == "0" for group in atoms[start + 1 : last + 1]):
            return False  # nobody writes 000 for 0
        after = atoms[last + 1 : last + 2]
        if after and after[0].kind == "digits" and not after[0].glued:
            return True  # 12 345 67
        if not start:
            return False
        before = atoms[start - 1]
        if before.kind == "digits":
            # 1234 567 890
            return len(before.text) > GROUP_SIZE and len(atoms[start].text) == GROUP_SIZE
        if (label := self._phrases.labels.find_before(atoms, start)) is not None:
            return label[1]
        return atoms[start].glued and self._is_code(atoms, start)

    def _is_code(self, atoms: Sequence[Atom], start: int) -> bool:
        """Whether letters before digits form a name with them: the 52 of B52, the 12 of A-12."""
        at = start - 1
        if atoms[at].text in HYPHENS:
            return atoms[at].glued and at > 0 and atoms[at - 1].kind == "word"
        word = atoms[at]
        return (
            word.kind == "word"
            and not starts_unspaced(word.text)
            and word.text not in self._phrases.clitics
            and self._phrases.currencies.find_before(atoms, start) is None
        )

    def _with_suffix(self, text: str, atoms: Sequence[Atom], one: Amount) -> Amount:
        """The amount with a suffix or a scale behind its digits: 3rd, 5 mln."""
        start, end = one.start, one.end
        if end == len(atoms):
            return one
        after = atoms[end]
        if after.glued and isinstance(one.value, int):
            at = end + 1 if after.text in _BEFORE_SUFFIX and end + 1 < len(atoms) else end
            suffix = atoms[at]
            is_hyphenated = at > end and suffix.text in self._phrases.hyphenated
            is_suffix = (suffix.text in self._suffixes or is_hyphenated) and suffix.glued
            if is_suffix and is_glued(atoms, at + 1) and atoms[at + 1].kind == "digits":
                is_suffix = False  # 2x3
            if is_suffix:
                if is_hyphenated or suffix.text in self._phrases.ordinals:
                    return Amount(start, at + 1, one.value, "ordinal", literal=True)
                return one._replace(end=at + 1)
            is_dotted = after.text == "." and self._is_dotted_ordinal(atoms, start, end)
            if is_dotted or (after.text == "°" and self._is_degree_ordinal(atoms, one)):
                return Amount(start, end + 1, one.value, "ordinal", literal=True)
        is_letter = len(after.text) == 1
        scale = self._letter_scale(text, atoms, one) if is_letter else self._scales.get(after.text)
        if scale is None:
            return one
        end += 1
        if end + 1 < len(atoms) and atoms[end].text == "." and atoms[end].glued:
            end += 1  # млн.
        return one._replace(end=end, value=to_int_if_whole(one.value * scale), scale=scale)

    def _letter_scale(self, text: str, atoms: Sequence[Atom], one: Amount) -> int | None:
        """The multiplier of the letter behind digits; None if it is no scale."""
        at = one.end
        after = atoms[at]
        scale = self._scales.get(after.text)
        is_last = not is_glued(atoms, at + 1) or atoms[at + 1].text in _END_MARKS
        if after.glued and is_last and text[after.start : after.end].isupper():
            # 5M followers, but 5m is metres
            of_letter = _LETTER_SCALES.get(after.text)
            if of_letter is None and not isinstance(one.value, int):
                of_letter = _DECIMAL_SCALES.get(after.text)
            if of_letter is not None:
                return of_letter
        if scale is not None and after.glued:
            return scale
        of_money = _MONEY_SCALES.get(after.text) if scale is None else scale
        if of_money is None:
            return None
        if self._phrases.currencies.find_after(atoms, at + 1) is not None:
            return of_money  # 1.5 m dollars, 3 k€
        if is_glued(atoms, at + 1):
            return None
        if scale is None or text[after.start : after.end] in load_units().case_sensitive_symbols:
            return None  # 300 K
        # Outside the Latin script the letter may be a word: прибавь 2 к 3.
        return scale if after.text.isascii() or at + 1 == len(atoms) else None

    def _is_dotted_ordinal(self, atoms: Sequence[Atom], start: int, end: int) -> bool:
        """Whether a number with a dot is an ordinal (*der 3. Platz*), not the end of a sentence."""
        if not self._phrases.ordinal_dot:
            return False
        if end + 1 == len(atoms):  # the whole text
            return start == 0 and end == 1 and int(atoms[0].text) < _MAX_DOTTED
        leads = start == 0 or atoms[start - 1].text in self._phrases.ordinal_dot
        return leads and atoms[end + 1].kind == "word" and not atoms[end + 1].glued

    def _is_degree_ordinal(self, atoms: Sequence[Atom], one: Amount) -> bool:
        """Whether a number with a sign of degrees is an ordinal: *il 4° piano*, but *fuori ci sono
        20°*."""
        behind = one.end + 1
        if "o" not in self._phrases.ordinals or is_glued(atoms, behind):
            return False
        if one.start == 0:
            is_small = 0 < one.value <= _MAX_DEGREE_ORDINAL
            return is_small and (behind == len(atoms) or atoms[behind].kind == "word")
        return (
            atoms[one.start - 1].text in self._phrases.definite
            and behind < len(atoms)
            and atoms[behind].kind == "word"
        )


def _last_group(text: str, atoms: Sequence[Atom], one: Amount) -> int:
    """The last of the groups of digits in a number with blanks between them; its first atom, if
    there are none."""
    last = one.start
    if atoms[last].kind != "digits":
        return last
    while last + 1 < one.end and text[atoms[last].end : atoms[last + 1].start] == " ":
        last += 1
    return last


def is_glued(atoms: Sequence[Atom], at: int) -> bool:
    """Whether there is an atom at that index and it touches the one before it."""
    return at < len(atoms) and atoms[at].glued


def _is_plain(atoms: Sequence[Atom], index: int) -> bool:
    """Whether digits are a number by themselves, whatever is around them. Most are; the check takes
    a tenth of the time of parsing."""
    text = atoms[index].text
    if len(text) > _MAX_PLAIN_DIGITS or (text[0] == "0" and len(text) > 1):
        return False
    if index:
        before = atoms[index - 1]
        if atoms[index].glued and not starts_unspaced(before.text):
            return False
        if before.kind != "word" and before.text not in _PAUSES:
            return False
    if index + 1 == len(atoms):
        return True
    after = atoms[index + 1]
    if after.kind == "word":
        return after.text[0] not in _EXPONENTS
    if after.kind == "digits" or after.text not in _END_MARKS or not after.glued:
        return False
    return index + 2 == len(atoms) or not atoms[index + 2].glued


def _align_to_atoms(atoms: Sequence[Atom], digits: Sequence[DigitNumber]) -> list[Amount]:
    """The numbers that start and end at edges of atoms."""
    starts = {atom.start: index for index, atom in enumerate(atoms)}
    ends = {atom.end: index + 1 for index, atom in enumerate(atoms)}
    return [
        Amount(
            starts[one.start],
            ends[one.end],
            one.value,
            "fraction" if one.fraction else "cardinal",
            literal=True,
        )
        for one in digits
        if one.start in starts and one.end in ends
    ]
