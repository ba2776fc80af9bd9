"""Match units of measure beside a number: by symbol, the same in all languages, and by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from anaphora.entities.builtin.atoms import Atom, split_atoms
from anaphora.entities.builtin.language_region import region_of
from anaphora.entities.builtin.numbers.cldr.unit_names import NUMBER, load_unit_names
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import load_vocabulary
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.builtin.numbers.quantities.amounts import Amount, is_glued
from anaphora.entities.builtin.numbers.units import Unit, load_units
from anaphora.entities.languages import cached_table
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.scripts import starts_unspaced
from anaphora.storage.forks import LazyProperty

__all__ = ["MeasureUnitMatcher"]

_JOINTS = frozenset("-'")  # 5-kilometre, un'ora
_FEET = frozenset("'’′")  # 5'11"
_INCHES = frozenset('"”″')
_APOSTROPHES = frozenset("'’")
_MAX_INCHES = 11
_TEN = 10
_MAX_APPROXIMATE = 1_000  # лет пять; "год 2024" is something else


class MeasureUnitMatcher:
    """Finds the unit of measure of a number; a :class:`~.amounts.UnitMatcher`."""

    def __init__(self, language: str) -> None:
        self._measures = load_units()
        self._phrases = load_number_phrases(language)
        units, written = self._measures.units, cached_table(base_code(language), "numbers")

        def named(key: str) -> PhraseLookup[Unit]:
            return PhraseLookup(
                language, [(name, units[unit]) for name, unit in iter_phrases(written, key)]
            )

        self._language = language
        self._said_first = named("said_first")
        self._symbols = PhraseLookup(language, self._measures.symbols.items())
        self._no_units = _load_no_units(language)
        self._parts = frozenset(part.name for part, *_ in self._measures.implied_parts.values())
        self._vocabulary = load_vocabulary(language)
        self._prefixes = self._vocabulary.prefixes
        self._articles = frozenset(article for article, _ in iter_phrases(written, "articles"))

    @LazyProperty
    def _names(self) -> PhraseLookup[Unit]:
        """The names behind a number: those of the table of the language, then those of CLDR."""
        return _load_names(self._language).behind

    @LazyProperty
    def _names_around(self) -> PhraseLookup[Mapping[tuple[str, ...], Unit]]:
        """What stands before a number: the units by what stands behind it (摄氏二十度)."""
        return _load_names(self._language).around

    def __call__(
        self, text: str, atoms: Sequence[Atom], amount: Amount, reach: int = 0
    ) -> Amount | None:
        """The amount with its unit, extended by it; None if it has none."""
        if amount.kind == "ordinal" or amount.unit is not None:
            return None
        return (
            self._match_metres(atoms, amount)
            or self._match_around(atoms, amount, reach)
            or self._match_after(text, atoms, amount)
            or self._match_approximate(atoms, amount, reach)
            or self._match_height(atoms, amount)
        )

    def find_implied(self, atoms: Sequence[Atom]) -> Iterable[Amount]:
        """None: "an hour" is no number."""
        return ()

    def merge_amounts(self, atoms: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """Merge amounts that belong together: "2 hours 30 minutes", *due ore e mezza*, "an hour and
        a half"."""
        joined: list[Amount] = []
        for amount in amounts:
            last = joined[-1] if joined else None
            total = self._add_to_larger(atoms, last, amount)
            if total is None:
                joined.append(amount)
            elif last is not None and total.start == last.start:
                joined[-1] = total
            else:
                joined.append(total)
        return joined

    def _match_around(self, atoms: Sequence[Atom], amount: Amount, reach: int) -> Amount | None:
        """The amount between the two parts of the name of a unit: 摄氏二十度, 時速百キロ."""
        before = self._names_around.find_before(atoms, amount.start)
        if before is None or before[0] < reach:
            return None
        for behind, unit in sorted(before[1].items(), key=lambda one: -len(one[0])):
            end = amount.end + len(behind)
            if tuple([atom.text for atom in atoms[amount.end : end]]) == behind:
                return amount._replace(start=before[0], end=end, unit=unit, weak=False)
        return None

    def _match_after(self, text: str, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        at = amount.end
        if at >= len(atoms):
            return None
        after = atoms[at]
        if after.text in _JOINTS and after.glued and at + 1 < len(atoms):
            at += 1
            if not atoms[at].glued:
                return None
        elif amount.kind == "fraction" and after.text in self._articles:
            at += 1  # half a cup
            if at == len(atoms):
                return None
        name = self._names.find_after(atoms, at)
        if name is not None and self._is_second_of_pair(atoms, amount, at):
            return None
        symbol = self._find_symbol(text, atoms, at) if amount.literal else None
        best = symbol if name is None or (symbol and symbol[0] > name[0]) else name
        if best is None or _is_word_start(atoms, best[0]):
            return None
        end, unit = best
        start, _, value, kind, _, _, literal, about, scale = amount
        return Amount(start, end, value, kind, unit, False, literal, about, scale)

    def _match_metres(self, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount in centimetres, if these are written behind the sign of metres: 1m80."""
        end = amount.end + 2
        if not amount.literal or not isinstance(amount.value, int) or end > len(atoms):
            return None
        sign, part = atoms[amount.end : end]
        is_written_so = sign.text == "m" and sign.glued and part.glued and part.kind == "digits"
        if not is_written_so or len(part.text) != 2 or _continues(atoms, end):
            return None
        value = amount.value * 100 + int(part.text)
        return amount._replace(end=end, value=value, unit=self._measures.units["cm"], weak=False)

    def _is_second_of_pair(self, atoms: Sequence[Atom], amount: Amount, at: int) -> bool:
        """Whether the name of a unit is rather the second of two numbers: 두세, where 35세 is an
        age."""
        return (
            bool(self._phrases.pairs)
            and not amount.literal
            and amount.value < _TEN
            and self._vocabulary.has_word(atoms[at].text)
        )

    def _match_height(self, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount in feet or inches by their marks: 5'11", and 5'11 or 5' 11" with one of
        them."""
        start, end = amount.start, amount.end
        after = end < len(atoms) and atoms[end].kind == "mark"
        if not (after or (start and atoms[start - 1].kind == "mark")):
            return None
        if not amount.literal or not isinstance(amount.value, int):
            return None
        if _is_feet(atoms, end) and _has_inches(atoms, end + 1):
            return amount._replace(end=end + 1, unit=self._measures.units["ft"])
        if start > 1 and _is_feet(atoms, start - 1) and _has_inches(atoms, start):
            end += end < len(atoms) and atoms[end].text in _INCHES and atoms[end].glued
            return amount._replace(end=end, unit=self._measures.units["in"])
        return None

    def _match_approximate(
        self, atoms: Sequence[Atom], amount: Amount, reach: int
    ) -> Amount | None:
        """The amount with a unit before it, which means "about": лет пять."""
        named = self._said_first.find_before(atoms, amount.start)
        if named is None or amount.weak or not 0 < amount.value < _MAX_APPROXIMATE:
            return None
        if named[0] < reach:
            return None
        return amount._replace(start=named[0], unit=named[1], about=True)

    def _find_symbol(self, text: str, atoms: Sequence[Atom], at: int) -> tuple[int, Unit] | None:
        if _is_decade(atoms, at) or _is_elision(atoms, at):
            return None
        if atoms[at].text in self._no_units and not atoms[at].glued:
            return None  # "o 21 mi nie pasuje", but "21mi"
        symbol = self._symbols.find_after(atoms, at)
        exact = self._measures.case_sensitive_symbols.get(text[atoms[at].start : atoms[at].end])
        if symbol is not None and not all(one.glued for one in atoms[at + 1 : symbol[0]]):
            symbol = at + 1, self._measures.symbols.get(atoms[at].text, symbol[1])  # 6 ft 2
        if symbol is None:
            if atoms[at].text == "in" and atoms[at].glued:
                return at + 1, self._measures.units["in"]  # 11in; after a blank it is a word
            return (at + 1, exact) if exact is not None else None
        written = text[atoms[at].start : atoms[symbol[0] - 1].end]
        return symbol[0], self._measures.case_sensitive_symbols.get(written, symbol[1])

    # Sums

    def _add_to_larger(
        self, atoms: Sequence[Atom], last: Amount | None, amount: Amount
    ) -> Amount | None:
        """The sum of an amount and the larger one before it that it belongs to; None if there is
        none."""
        if self._is_tenth_of_degree(atoms, last, amount):
            amount = amount._replace(value=Fraction(amount.value, _TEN), kind="fraction", unit=None)
        elif amount.unit is None:
            amount = self._with_implied_unit(atoms, last, amount)
            if amount.unit is None and (amount.kind != "fraction" or not 0 < amount.value < 1):
                return None
        has_bare = amount.unit is None and self._phrases.has_bare_halves  # metro y medio
        for end in self._possible_ends(atoms, amount.start):
            whole = self._amount_before(atoms, end, last, bare=has_bare)
            if whole is not None and whole is not last and end == amount.start and amount.unit:
                # "an hour 20 minutes", but not "once a week 20 minutes".
                whole = whole if whole.unit in self._measures.implied_parts else None
            total = self._sum_of(whole, amount) if whole is not None else None
            if total is not None and (end < amount.start or self._may_touch(atoms, amount)):
                return total
        return None

    def _is_tenth_of_degree(self, atoms: Sequence[Atom], last: Amount | None, part: Amount) -> bool:
        """Whether what looks like minutes are tenths of a degree: 37度5分."""
        return (
            last is not None
            and last.end == part.start
            and last.unit == self._measures.units["°"]
            and atoms[part.end - 1].text in self._phrases.hundredths
            and isinstance(part.value, int)
            and 0 < part.value < _TEN
        )

    def _with_implied_unit(
        self, atoms: Sequence[Atom], last: Amount | None, part: Amount
    ) -> Amount:
        """The amount with an implied unit: "two hours thirty", метр восемьдесят."""
        if part.kind != "cardinal" or part.weak or not isinstance(part.value, int):
            return part
        end = part.end
        if (tenths := self._with_tenths(atoms, last, part)) is not None:
            return tenths
        if (
            end < len(atoms)
            and atoms[end].kind != "mark"
            and atoms[end].text not in self._phrases.dimensions
            and atoms[end].text not in self._phrases.particles  # 2미터 30이고
        ):
            if atoms[end].text not in self._parts or atoms[end].glued:
                return part  # "two hours thirty people"
            if end + 1 == len(atoms) or atoms[end + 1].kind == "mark":
                end += 1  # 6 ft 2 in, but "6 ft 2 in Oslo"
        whole = self._amount_before(atoms, part.start, last)
        if whole is None and (joint := self._phrases.sum_connectors.find_before(atoms, part.start)):
            whole = self._amount_before(atoms, joint[0], last)  # un metro e ottanta
        implied = (
            self._measures.implied_parts.get(whole.unit)
            if whole is not None and whole.unit
            else None
        )
        if implied is None or not implied[1] <= part.value <= implied[2]:
            return part
        is_named = part.end < len(atoms) and atoms[part.end].text in self._parts
        if is_named and atoms[part.end].text != implied[0].name:
            return part
        return part._replace(end=end, unit=implied[0])

    def _with_tenths(
        self, atoms: Sequence[Atom], last: Amount | None, part: Amount
    ) -> Amount | None:
        """One digit behind metres, without a blank, in centimetres: 一米八 is 180 cm. One behind
        degrees is a fraction of one: 三十七度二."""
        behind = part.end
        if not (
            last is not None
            and last.end == part.start
            and isinstance(last.value, int)
            and 0 < part.value < _TEN
            and is_glued(atoms, part.start)
            and starts_unspaced(atoms[part.start - 1].text)
        ):
            return None
        if self._phrases.counters.find_after(atoms, behind) is not None:
            return None
        if self._names.find_after(atoms, behind) is not None:
            return None  # 两米三秒
        if last.unit == self._measures.units["°"]:
            return part._replace(value=Fraction(part.value, _TEN), kind="fraction")
        if last.unit != self._measures.units["m"]:
            return None
        return part._replace(value=part.value * _TEN, unit=self._measures.units["cm"])

    def _may_touch(self, atoms: Sequence[Atom], part: Amount) -> bool:
        """Whether an amount may be added without a connector: 30 minutes, 一時間半, 한 시간 반, שעה
        וחצי."""
        first = atoms[part.start].text
        if part.unit is not None or starts_unspaced(first) or first.startswith(self._prefixes):
            return True
        is_behind_unspaced = starts_unspaced(atoms[part.start - 1].text)
        return bool(self._phrases.attaching) or (is_behind_unspaced and atoms[part.start].glued)

    def _possible_ends(self, atoms: Sequence[Atom], start: int) -> Iterator[int]:
        """The possible ends of the larger amount: at ``start``, or before an "and"."""
        yield start
        joint = self._phrases.sum_connectors.find_before(atoms, start)
        if joint is not None:
            yield joint[0]

    def _amount_before(
        self, atoms: Sequence[Atom], end: int, last: Amount | None, *, bare: bool = False
    ) -> Amount | None:
        """The amount that ends there: the last one, or a unit without a number behind it (AN HOUR
        and a half), which may be ``bare``."""
        if last is not None and last.end == end:
            return last
        reach = last.end if last else 0
        named = self._names.find_before(atoms, end)
        if named is None or named[0] < reach:
            return None
        one = self._phrases.indefinite_articles.find_before(atoms, named[0])
        if one is not None and one[0] >= reach:
            return Amount(one[0], end, 1, unit=named[1])
        is_bare = bare or self._phrases.has_bare_ones
        return Amount(named[0], end, 1, unit=named[1]) if is_bare else None

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


class _UnitNames(NamedTuple):
    """The names of units in a language, behind numbers and around them."""

    behind: PhraseLookup[Unit]
    around: PhraseLookup[Mapping[tuple[str, ...], Unit]]


@lru_cache(maxsize=32)
def _load_names(language: str) -> _UnitNames:
    units, written = load_units().units, cached_table(base_code(language), "numbers")
    normalize = create_normalizer(language)
    others = _load_no_units(language)
    own: list[tuple[str, Unit]] = []
    around: dict[tuple[str, ...], dict[tuple[str, ...], Unit]] = {}

    def words(text: str) -> list[str]:
        return [atom.text for atom in split_atoms(text, normalize)]

    def add_around(before: Sequence[str], behind: Sequence[str], unit: Unit) -> None:
        around.setdefault(tuple(before), {}).setdefault(tuple(behind), unit)

    for name, unit in iter_phrases(written, "units"):
        before, is_around, behind = str(name).partition(NUMBER)
        if is_around:
            add_around(words(before), words(behind), units[unit])
        elif normalize(str(name)) not in others:
            own.append((str(name), units[unit]))
    from_cldr: list[tuple[tuple[str, ...], Unit]] = []
    for name, unit in load_unit_names(language).items():
        before, is_around, behind = name.rpartition(f" {NUMBER} ")
        if is_around:
            add_around(before.split(" "), behind.split(" "), units[unit])
        elif name not in others:
            from_cldr.append((tuple(name.split(" ")), units[unit]))
    return _UnitNames(
        PhraseLookup(language, own, from_cldr), PhraseLookup(language, (), around.items())
    )


def _load_no_units(language: str) -> frozenset[str]:
    """The names and symbols that mean something else rather than a unit, in a language."""
    written = cached_table(base_code(language), "numbers")
    of_region = written.get("regions", {}).get(region_of(language), {})
    names = {**written, **of_region}.get("no_units", ())
    return frozenset(map(create_normalizer(language), names))


def _is_feet(atoms: Sequence[Atom], at: int) -> bool:
    """Whether an atom is a mark for feet behind digits."""
    return (
        0 < at < len(atoms)
        and atoms[at].text in _FEET
        and atoms[at].glued
        and atoms[at - 1].kind == "digits"
    )


def _has_inches(atoms: Sequence[Atom], at: int) -> bool:
    """Whether there are inches at an atom behind a mark for feet: they touch it or have a mark."""
    if at >= len(atoms) or atoms[at].kind != "digits" or int(atoms[at].text) > _MAX_INCHES:
        return False
    is_marked = at + 1 < len(atoms) and atoms[at + 1].text in _INCHES and atoms[at + 1].glued
    return atoms[at].glued or is_marked


def _is_decade(atoms: Sequence[Atom], at: int) -> bool:
    """Whether a number and an "s" are a decade: the 1990s."""
    digits = atoms[at - 1].text
    return atoms[at].text == "s" and atoms[at].glued and len(digits) == 4 and digits[-1] == "0"


def _is_elision(atoms: Sequence[Atom], at: int) -> bool:
    """Whether an atom is the start of the next word: *3 quarts D'eau*."""
    return (
        at + 2 < len(atoms)
        and len(atoms[at].text) == 1
        and atoms[at + 1].text in _APOSTROPHES
        and all(one.glued and one.kind != "digits" for one in atoms[at + 1 : at + 3])
    )


def _continues(atoms: Sequence[Atom], end: int) -> bool:
    """Whether a word or a number goes on behind some atoms."""
    return end < len(atoms) and atoms[end].glued and atoms[end].kind != "mark"


def _is_word_start(atoms: Sequence[Atom], end: int) -> bool:
    """Whether a unit is only the start of a longer word: 5m2x."""
    if end >= len(atoms) or not atoms[end].glued or atoms[end - 1].kind == "mark":
        return False
    return (
        atoms[end].kind != "mark"
        and len(atoms[end - 1].text) == 1
        and atoms[end - 1].text.isascii()
    )
