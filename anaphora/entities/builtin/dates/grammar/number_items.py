"""Find what the numbers of a text may be in a date: a day, a year, an hour, an ordinal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.dates.grammar.date_grammar import DateGrammar
from anaphora.entities.builtin.numbers.digits import find_groups_end
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_reader import Numeral, get_numeral_reader

__all__ = ["find_number_items"]

_HOURS = 24  # of a day
_FRACTIONS = {f"{n}/{of}": Fraction(n, of) for of in (2, 3, 4) for n in range(1, of)}
_FRACTION_SIGNS = {
    "½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4),
    "¾": Fraction(3, 4),
}  # fmt: skip
_ORDINAL_CATEGORIES = ("ordinal", "suffixed", "day")


def find_number_items(atoms: Sequence[Atom], grammar: DateGrammar) -> Iterator[Item]:
    """The items for the chart parser that numbers in digits and in words may be."""
    yield from _digit_items(atoms, grammar)
    yield from _numeral_items(atoms, grammar)
    yield from _fraction_items(atoms)
    for start, end, number, unit in grammar.measured_words.find(atoms):
        yield Item(start, end, "measured", ("amount", number, unit))


def _digit_items(atoms: Sequence[Atom], grammar: DateGrammar) -> Iterator[Item]:
    """The items that numbers in digits may be."""
    for at, atom in enumerate(atoms):
        if atom.kind != "digits":
            continue
        number, length = int(atom.text), len(atom.text)
        end = _end_of_groups(atoms, at, grammar)
        if end > at + 1:
            digits = "".join([group.text for group in atoms[at:end] if group.kind == "digits"])
            yield Item(at, end, "number", int(digits))
            if atoms[at + 1].kind != "digits":
                continue  # 1,000 has no other meaning; the 5 of "May 5 200 days" may be a day
        yield Item(at, at + 1, "number", number)
        if length == 4 and atom.text[0] != "0":
            yield Item(at, at + 1, "year", number)
            if 1900 <= number < 2100:
                yield Item(at, at + 1, "recent", number)
        if 3 <= length <= 4 and number % 100 < 60 and number // 100 <= 24:
            yield Item(at, at + 1, "hhmm", ("time", number // 100, number % 100))
        if length <= 2:
            yield Item(at, at + 1, "day", number)
            yield from _hour_items(at, at + 1, number, leads=atom.text[0] == "0")
            if number <= 24:
                yield Item(at, at + 1, "hourdigits", number)
        if length == 2:
            yield Item(at, at + 1, "minute", number)
        yield from _suffixed_items(atoms, at, number, grammar)


def _fraction_items(atoms: Sequence[Atom]) -> Iterator[Item]:
    """Halves, thirds and quarters in digits, behind a whole number or not: 1/2, 1 3/4, 2½."""
    for at, atom in enumerate(atoms):
        if (value := _FRACTION_SIGNS.get(atom.text)) is not None:
            end = at + 1
        elif (value := _FRACTIONS.get("".join([one.text for one in atoms[at : at + 3]]))) is None:
            continue
        else:
            end = at + 3
        yield Item(at, end, "number", value)
        whole = atoms[at - 1] if at else None
        if whole is not None and whole.kind == "digits" and len(whole.text) <= 2:
            yield Item(at - 1, end, "number", int(whole.text) + value)


def _end_of_groups(atoms: Sequence[Atom], at: int, grammar: DateGrammar) -> int:
    """The end of grouped digits (12 500, 1,000); ``at + 1`` if there are no groups."""
    if at and atoms[at - 1].text in grammar.months:
        return at + 1  # May 5 200 people
    return find_groups_end(atoms, at, load_number_phrases(grammar.language).digits.groups)


def _suffixed_items(
    atoms: Sequence[Atom], at: int, number: int, grammar: DateGrammar
) -> Iterator[Item]:
    """An ordinal (3rd) or a decimal number (2.5)."""
    if at + 1 == len(atoms) or not atoms[at + 1].glued:
        return
    behind = atoms[at + 1]
    last = atoms[at + 2] if at + 2 < len(atoms) and atoms[at + 2].glued else None
    if behind.text in grammar.ordinal_suffixes:
        yield from (Item(at, at + 2, category, number) for category in _ORDINAL_CATEGORIES)
    if last is not None and behind.text in ".," and last.kind == "digits":
        yield Item(at, at + 3, "number", Fraction(f"{number}.{last.text}"))
    if last is not None and behind.text == "-" and last.text in grammar.ordinal_suffixes:
        yield from (Item(at, at + 3, category, number) for category in _ORDINAL_CATEGORIES)


def _numeral_items(atoms: Sequence[Atom], grammar: DateGrammar) -> Iterator[Item]:
    """The items that numbers in words may be."""
    words = get_numeral_reader(grammar.language)
    start = 0
    for at in range(len(atoms) + 1):
        if at < len(atoms) and atoms[at].text not in grammar.number_breaks:
            continue
        for numeral in words.find_in_words(atoms[start:at]):
            first, last = start + numeral.start, start + numeral.end
            if atoms[last - 1].text in grammar.collectives:
                yield Item(first, last, "number", numeral.value)
            else:
                yield from _items_of_numeral(first, last, numeral)
        start = at + 1


def _items_of_numeral(start: int, end: int, numeral: Numeral) -> Iterator[Item]:
    number = numeral.value
    yield Item(start, end, "ordinal" if numeral.ordinal else "number", number)
    if not isinstance(number, int):
        if 1 < number < _HOURS and (number * 4).denominator == 1:  # tre e mezza
            hours, minutes = divmod(int(number * 60), 60)
            yield Item(start, end, "parthour", ("time", hours, minutes))
        return
    yield Item(start, end, "day", number)
    if 1000 <= number < 3000:
        yield Item(start, end, "year", number)
        if 1900 <= number < 2100:
            yield Item(start, end, "recent", number)
    if numeral.ordinal:
        return
    yield Item(start, end, "inwords", number)
    yield from _hour_items(start, end, number, leads=False)
    if number < 60:
        yield Item(start, end, "minute", number)


def _hour_items(start: int, end: int, number: int, *, leads: bool) -> Iterator[Item]:
    if number <= 24:
        yield Item(start, end, "fullhour" if leads else "hour", number)
