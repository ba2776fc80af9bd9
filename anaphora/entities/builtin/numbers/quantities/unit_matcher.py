"""Units of measure beside a number: by their symbols, which all languages share, and by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import load_vocabulary
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.builtin.numbers.quantities.amounts import Amount
from anaphora.entities.builtin.numbers.units import Unit, load_units
from anaphora.entities.builtin.numbers.unspaced_scripts import is_unspaced
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code

__all__ = ["MeasureUnitMatcher"]

_JOINTS = frozenset("-'")  # 5-kilometre, un'ora
_FEET = frozenset("'’′")  # 5'11"
_INCHES = frozenset('"”″')
_MAX_INCHES = 11
_MAX_APPROXIMATE = 1_000  # лет пять; "год 2024" is something else


class MeasureUnitMatcher:
    """Finds the unit of a number, as a :class:`~.quantities.Measure`."""

    def __init__(self, language: str) -> None:
        self._measures = load_units()
        self._wording = load_number_phrases(language)
        units, written = self._measures.units, cached_table(base_code(language), "numbers")

        def named(key: str) -> PhraseLookup[Unit]:
            return PhraseLookup(
                language, [(name, units[unit]) for name, unit in iter_phrases(written, key)]
            )

        self._names = named("units")
        self._said_first = named("said_first")
        self._symbols = PhraseLookup(language, self._measures.symbols.items())
        self._parts = frozenset(part.name for part, *_ in self._measures.implied_parts.values())
        self._prefixes = load_vocabulary(language).prefixes
        self._articles = frozenset(article for article, _ in iter_phrases(written, "articles"))

    def __call__(self, text: str, found: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount with its unit and what it takes up with it."""
        if amount.kind == "ordinal" or amount.unit is not None:
            return None
        return (
            self._match_after(text, found, amount)
            or self._match_approximate(found, amount)
            or self._match_height(found, amount)
        )

    def merge_amounts(self, found: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """The amounts, with those made one that are said together: "2 hours 30 minutes", *due ore
        e mezza*, "an hour and a half"."""
        joined: list[Amount] = []
        for amount in amounts:
            last = joined[-1] if joined else None
            total = self._add_to_larger(found, last, amount)
            if total is None:
                joined.append(amount)
            elif last is not None and total.start == last.start:
                joined[-1] = total
            else:
                joined.append(total)
        return joined

    def _match_after(self, text: str, found: Sequence[Atom], amount: Amount) -> Amount | None:
        at = amount.end
        if at >= len(found):
            return None
        after = found[at]
        if after.text in _JOINTS and after.glued and at + 1 < len(found):
            at += 1
            if not found[at].glued:
                return None
        elif amount.kind == "fraction" and after.text in self._articles:
            at += 1  # half a cup
            if at == len(found):
                return None
        name = self._names.find_after(found, at)
        symbol = self._find_symbol(text, found, at) if amount.literal else None
        best = symbol if name is None or (symbol and symbol[0] > name[0]) else name
        if best is None or _is_word_start(found, best[0]):
            return None
        end, unit = best
        start, _, value, kind, _, _, literal, about, scale = amount
        return Amount(start, end, value, kind, unit, False, literal, about, scale)

    def _match_height(self, found: Sequence[Atom], amount: Amount) -> Amount | None:
        """With the marks for feet and inches: 5'11", and 5'11 or 5' 11" with one of them."""
        start, end = amount.start, amount.end
        after = end < len(found) and found[end].kind == "mark"
        if not (after or (start and found[start - 1].kind == "mark")):
            return None
        if not amount.literal or not isinstance(amount.value, int):
            return None
        if _is_feet(found, end) and _has_inches(found, end + 1):
            return amount._replace(end=end + 1, unit=self._measures.units["ft"])
        if start > 1 and _is_feet(found, start - 1) and _has_inches(found, start):
            end += end < len(found) and found[end].text in _INCHES and found[end].glued
            return amount._replace(end=end, unit=self._measures.units["in"])
        return None

    def _match_approximate(self, found: Sequence[Atom], amount: Amount) -> Amount | None:
        """With the unit that stands before it and so means "about": лет пять."""
        named = self._said_first.find_before(found, amount.start)
        if named is None or amount.weak or not 0 < amount.value < _MAX_APPROXIMATE:
            return None
        return amount._replace(start=named[0], unit=named[1], about=True)

    def _find_symbol(self, text: str, found: Sequence[Atom], at: int) -> tuple[int, Unit] | None:
        if _is_decade(found, at):
            return None
        symbol = self._symbols.find_after(found, at)
        exact = self._measures.case_sensitive_symbols.get(text[found[at].start : found[at].end])
        if symbol is not None and not all(one.glued for one in found[at + 1 : symbol[0]]):
            symbol = at + 1, self._measures.symbols.get(found[at].text, symbol[1])  # 6 ft 2
        if symbol is None:
            if found[at].text == "in" and found[at].glued:
                return at + 1, self._measures.units["in"]  # 11in; elsewhere it is a word
            return (at + 1, exact) if exact is not None else None
        written = text[found[at].start : found[symbol[0] - 1].end]
        return symbol[0], self._measures.case_sensitive_symbols.get(written, symbol[1])

    # Sums

    def _add_to_larger(
        self, found: Sequence[Atom], last: Amount | None, amount: Amount
    ) -> Amount | None:
        """The amount with the larger one that it belongs to, which stands right before it."""
        if amount.unit is None:
            amount = self._with_meant_unit(found, last, amount)
            if amount.unit is None and (amount.kind != "fraction" or not 0 < amount.value < 1):
                return None
        for end in self._possible_ends(found, amount.start):
            is_last = last is not None and last.end == end
            whole = (
                last if is_last else self._single_unit_before(found, end, last.end if last else 0)
            )
            if whole is not None and not is_last and end == amount.start and amount.unit:
                # "an hour 20 minutes", but not "once a week 20 minutes".
                whole = whole if whole.unit in self._measures.implied_parts else None
            total = self._sum_of(whole, amount) if whole is not None else None
            if total is not None and (end < amount.start or self._may_touch(found, amount)):
                return total
        return None

    def _with_meant_unit(self, found: Sequence[Atom], last: Amount | None, part: Amount) -> Amount:
        """With the unit that need not be said: "two hours thirty", метр восемьдесят."""
        if part.kind != "cardinal" or part.weak or not isinstance(part.value, int):
            return part
        end = part.end
        if end < len(found) and found[end].kind != "mark":
            if found[end].text not in self._parts or found[end].glued:
                return part  # "two hours thirty people"
            if end + 1 == len(found) or found[end + 1].kind == "mark":
                end += 1  # 6 ft 2 in, but "6 ft 2 in Oslo"
        is_last = last is not None and last.end == part.start
        whole = (
            last
            if is_last
            else self._single_unit_before(found, part.start, last.end if last else 0)
        )
        meant = (
            self._measures.implied_parts.get(whole.unit)
            if whole is not None and whole.unit
            else None
        )
        if meant is None or not meant[1] <= part.value <= meant[2]:
            return part
        is_named = part.end < len(found) and found[part.end].text in self._parts
        if is_named and found[part.end].text != meant[0].name:
            return part
        return part._replace(end=end, unit=meant[0])

    def _may_touch(self, found: Sequence[Atom], part: Amount) -> bool:
        """Whether it may be added with nothing between: 30 minutes, 一時間半, שעה וחצי."""
        first = found[part.start].text
        return part.unit is not None or is_unspaced(first) or first.startswith(self._prefixes)

    def _possible_ends(self, found: Sequence[Atom], start: int) -> Iterator[int]:
        """Where what is added to may end: here, or before an "and"."""
        yield start
        joint = self._wording.sum_connectors.find_before(found, start)
        if joint is not None:
            yield joint[0]

    def _single_unit_before(self, found: Sequence[Atom], end: int, reach: int) -> Amount | None:
        """The unit that ends there, which is said without a number: AN HOUR and a half."""
        named = self._names.find_before(found, end)
        if named is None or named[0] < reach:
            return None
        one = self._wording.indefinite_articles.find_before(found, named[0])
        if one is not None and one[0] >= reach:
            return Amount(one[0], end, 1, unit=named[1])
        return Amount(named[0], end, 1, unit=named[1]) if self._wording.has_bare_ones else None

    def _sum_of(self, whole: Amount, part: Amount) -> Amount | None:
        if whole.unit is None or not isinstance(whole.value, int) or whole.about:
            return None
        if part.unit is None:
            value = whole.value + part.value
            return whole._replace(end=part.end, value=value, kind="fraction", weak=False)
        unit = self._measures.implied_units.get((whole.unit, part.unit), part.unit)
        ratio = self._measures.ratio(whole.unit, unit)
        if ratio is None or not isinstance(part.value, int) or not 0 < part.value < ratio:
            return None
        value = whole.value * ratio + part.value
        return whole._replace(end=part.end, value=value, unit=unit, weak=False)


def _is_feet(found: Sequence[Atom], at: int) -> bool:
    """Whether that atom is a mark for feet behind digits."""
    return (
        0 < at < len(found)
        and found[at].text in _FEET
        and found[at].glued
        and found[at - 1].kind == "digits"
    )


def _has_inches(found: Sequence[Atom], at: int) -> bool:
    """Whether inches stand at that atom, behind a mark for feet: they touch it or have a mark."""
    if at >= len(found) or found[at].kind != "digits" or int(found[at].text) > _MAX_INCHES:
        return False
    is_marked = at + 1 < len(found) and found[at + 1].text in _INCHES and found[at + 1].glued
    return found[at].glued or is_marked


def _is_decade(found: Sequence[Atom], at: int) -> bool:
    """Whether these are the 1990s."""
    digits = found[at - 1].text
    return found[at].text == "s" and found[at].glued and len(digits) == 4 and digits[-1] == "0"


def _is_word_start(found: Sequence[Atom], end: int) -> bool:
    """Whether the unit is only the start of a word: 5m2x."""
    if end >= len(found) or not found[end].glued or found[end - 1].kind == "mark":
        return False
    return (
        found[end].kind != "mark"
        and len(found[end - 1].text) == 1
        and found[end - 1].text.isascii()
    )
