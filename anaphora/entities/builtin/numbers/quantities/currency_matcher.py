"""Find the currency of a number: a sign, a code or a name, before it or behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.language_region import region_of
from anaphora.entities.builtin.numbers.cldr.currency_names import load_currency_names
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.adjectives import stands_before_noun
from anaphora.entities.builtin.numbers.numerals.numeral_vocabulary import load_vocabulary
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.builtin.numbers.quantities.amounts import (
    Amount,
    is_glued,
    to_int_if_whole,
)
from anaphora.entities.builtin.numbers.quantities.currency_parts import PARTS, PartMerger
from anaphora.entities.builtin.numbers.units import Unit, load_currencies, load_units
from anaphora.entities.languages import cached_table
from anaphora.entities.words.function_words import load_stop_words
from anaphora.entities.words.normalization import base_code, create_normalizer
from anaphora.entities.words.scripts import starts_unspaced
from anaphora.storage.forks import LazyProperty

__all__ = ["MONEY", "PERHAPS_MONEY", "CurrencyMatcher", "currency_of_country", "said_with_articles"]

MONEY: Final = "money"
PERHAPS_MONEY: Final = "perhaps money"
"""The type of the unit of an amount whose name of a currency is an ordinary word as well."""

_Kind: TypeAlias = Literal[
    "money", "perhaps money", "minor", "tenths", "tens", "hundreds", "thousands", "short",
    "counter", "never",
]  # fmt: skip
_SAID_IN_FULL = (
    "names", "minor", "tenths", "tens", "hundreds", "thousands", "short", "counters", "never"
)  # fmt: skip
_KINDS: Mapping[str, _Kind] = {
    "names": "money",
    "counters": "counter",
}
_WITH_CENTS = frozenset({"USD", "EUR"})  # the names of whose parts many others have too
_DECIMAL_MARKS, _DASHES = frozenset(".,"), frozenset("-‐–—")
_END_MARKS = frozenset(".,;:!?)]}'\"”»…。，、？！")


class CurrencyName(NamedTuple):
    """What a phrase names: the currencies that share it, the best known one first, or their
    parts."""

    codes: tuple[str, ...]
    kind: _Kind = "money"


_TRILLION = 10**12


class _Names(NamedTuple):
    """The phrases of a language."""

    said: PhraseLookup[CurrencyName]
    said_first: PhraseLookup[CurrencyName]
    never_first: frozenset[str]
    signs: PhraseLookup[CurrencyName]
    partitives: PhraseLookup[str]
    first_ones: PhraseLookup[CurrencyName]
    duals: PhraseLookup[CurrencyName]
    measures: frozenset[str]


class CurrencyMatcher:
    """Finds the currency of a number; a :class:`~.amounts.UnitMatcher`."""

    def __init__(self, language: str, currency: str = "") -> None:
        self._language = language
        core = load_currencies()
        # The preferred currencies for a shared sign, the best one first.
        of_language = core["languages"].get(base_code(language), "")
        preferred = (currency.upper(), currency_of_country(language), of_language)
        self._preferred = [code for code in preferred if code]
        self._codes = {**_load_codes(base_code(language)), **self._local_signs(core)}
        self._bound_codes = frozenset(core["words"].split())
        self._scales = dict(iter_phrases(core, "scales"))
        self._has_articles = bool(said_with_articles(language)[0])
        self._articles = load_number_phrases(language).indefinite_articles
        self._counts_bare = load_number_phrases(language).has_bare_ones
        self._merger = PartMerger(language)
        self._prefixes = load_vocabulary(language).prefixes
        self._adjectives = load_vocabulary(language).adjectives
        self._point_words = load_number_phrases(language).point_words

    def __call__(
        self, text: str, atoms: Sequence[Atom], amount: Amount, reach: int = 0
    ) -> Amount | None:
        """The amount with its currency, extended by it; None if it has none."""
        if amount.kind in ("ordinal", "percent"):
            return None
        return (
            self._match_before(text, atoms, amount, reach)
            or self._match_numeral(atoms, amount)  # £5 grand are no dollars
            or self._match_around(text, atoms, amount, reach)
            or self._match_after(text, atoms, _skip_no_cents(atoms, amount))
            or self._match_approximate(atoms, amount, reach)
            or self._match_name_before(atoms, amount, reach)
            or self._match_first_one(atoms, amount, reach)
            or self._match_one_behind(atoms, amount, reach)
            or self._match_half_behind(atoms, amount, reach)
        )

    def find_implied(self, atoms: Sequence[Atom]) -> Iterator[Amount]:
        """The amounts without a number: "a dollar", *ريالان*."""
        for start in range(len(atoms)) if self._names.duals.phrases else ():
            if (dual := self._names.duals.find_after(atoms, start)) is not None:
                yield Amount(start, dual[0], 2, unit=self._unit(dual[1]))
        if not self._has_articles:
            return
        for end in range(1, len(atoms)):
            article = self._articles.find_before(atoms, end)
            named = article and self._names.said.find_after(atoms, end)
            if article is None or named is None or named[1].kind not in ("money", "minor"):
                continue
            behind = named[0]
            is_followed = behind < len(atoms) and atoms[behind].kind != "mark"
            if is_followed and self._names.partitives.find_after(atoms, behind) is not None:
                continue  # a pound of butter
            if behind < len(atoms) and atoms[behind].glued and atoms[behind].kind == "digits":
                continue  # an A$9 shirt
            if behind == end + 1 and len(atoms[end].text) == 1:
                continue
            yield Amount(article[0], behind, 1, unit=self._unit(named[1]))

    def merge_amounts(self, atoms: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """The amounts in whole units of currency, with cents added to the amount before them."""
        return self._merger(atoms, amounts)

    @LazyProperty
    def _names(self) -> _Names:
        return _load_names(self._language)

    def _unit(self, name: CurrencyName) -> Unit:
        """The preferred one of the currencies that share a name; of a part all, that one first."""
        code = next((one for one in self._preferred if one in name.codes), name.codes[0])
        if name.kind not in PARTS:
            return Unit(code, name.kind)
        is_own = name.kind == "minor" and _WITH_CENTS.isdisjoint(name.codes)
        others = (one for one in name.codes if one != code)
        return Unit(" ".join((code, *others)), "own minor" if is_own else name.kind)

    def _local_signs(self, core: Mapping[str, Any]) -> dict[str, Unit]:
        return {
            sign: Unit(code, MONEY)
            for sign, code in iter_phrases(core, "in_country")
            if code in self._preferred[:2]
        }

    # Before the number

    def _match_before(
        self, text: str, atoms: Sequence[Atom], amount: Amount, reach: int
    ) -> Amount | None:
        found = self._find_sign_before(text, atoms, amount.start, reach)
        if found is None or (found[0] and _touches_letters(atoms, found[0])):
            return None
        start, unit = found
        end, value = _skip_no_cents(atoms, amount).end, amount.value
        scale = self._scales.get(atoms[end].text) if end < len(atoms) else None
        may_be_apart = scale is not None and scale < _TRILLION  # a $5 T-shirt
        if scale is not None and (
            atoms[end].glued or (may_be_apart and not is_glued(atoms, end + 1))
        ):
            end, value = end + 1, to_int_if_whole(Fraction(value) * scale)
        is_minus = start and atoms[start].glued and atoms[start - 1].text in ("-", "−")
        if is_minus and (start == 1 or not atoms[start - 1].glued):
            start, value = start - 1, -value
        end, unit = self._more_exactly(text, atoms, end, unit)
        return amount._replace(start=start, end=end, value=value, unit=unit, weak=False)

    def _find_sign_before(
        self, text: str, atoms: Sequence[Atom], end: int, reach: int
    ) -> tuple[int, Unit] | None:
        """The sign or the code that ends there, and that no other amount has."""
        if end <= reach:
            return None
        sign = self._names.signs.find_before(atoms, end)
        if sign is not None and _has_separate_letter(atoms, sign[0], end):  # a $5 shirt is no A$
            first = sign[0] + 1
            rest = self._names.signs.find_before(atoms[first:end], end - first)
            sign = rest and (first + rest[0], rest[1])
        if sign is not None and sign[0] >= reach:
            return sign[0], self._unit(sign[1])
        atom = atoms[end - 1]
        code = self._get_code(text, atom)
        if code is None or (code.name in self._bound_codes and not is_glued(atoms, end)):
            return None
        return end - 1, code

    def _more_exactly(
        self, text: str, atoms: Sequence[Atom], end: int, unit: Unit
    ) -> tuple[int, Unit]:
        """The currency of a sign with its name or code behind the number: $5 CAD, $5 dollars."""
        if end >= len(atoms):
            return end, unit
        code = self._get_code(text, atoms[end])
        if code is not None and not is_glued(atoms, end + 1):
            return end + 1, code
        named = self._names.said.find_after(atoms, end)
        if named is None or named[1].kind != MONEY or len(atoms[end].text) == 1:
            return end, unit
        return named[0], unit if unit.name in named[1].codes else self._unit(named[1])

    def _match_name_before(
        self, atoms: Sequence[Atom], amount: Amount, reach: int
    ) -> Amount | None:
        """The amount with a name before it: *ringgit 42*, 港币三百. What follows must not be
        counted by the number instead."""
        start, end = amount.start, amount.end
        if start <= reach or amount.weak or amount.value < 0:
            return None
        named = self._names.said.find_before(atoms, start)
        if named is None or named[0] < reach or named[1].kind != MONEY:
            return None
        first = named[0]
        is_unspaced = starts_unspaced(atoms[start - 1].text)
        if not (amount.literal or is_unspaced):
            return None
        word = atoms[first].text
        if start - first == 1 and (len(word) == 1 or word in self._names.never_first):
            return None
        if first and (atoms[first - 1].kind == "digits" or _touches_letters(atoms, first)):
            return None
        counter = self._names.said.find_after(atoms, end)
        if counter is not None and counter[1].kind == "counter":
            end = counter[0]
        elif end < len(atoms) and atoms[end].text not in _END_MARKS:
            behind = atoms[end]
            if behind.kind != "word" or behind.text not in _load_stop_words(self._language):
                return None
        return amount._replace(start=first, end=end, unit=self._unit(named[1]))

    def _match_around(
        self, text: str, atoms: Sequence[Atom], amount: Amount, reach: int
    ) -> Amount | None:
        """The amount with the own currency's name behind it and another name directly before it,
        which says whose: 港币五十元."""
        start = amount.start
        named = self._names.said.find_before(atoms, start)
        if named is None or named[0] < reach or named[1].kind != MONEY or named[0] == start - 1:
            return None
        found = self._match_after(text, atoms, _skip_no_cents(atoms, amount))
        if found is None or found.unit is None or found.unit.type != MONEY:
            return None
        if found.unit.name != self._preferred[-1] or not starts_unspaced(atoms[start - 1].text):
            return None
        return found._replace(start=named[0], unit=self._unit(named[1]))

    def _match_approximate(
        self, atoms: Sequence[Atom], amount: Amount, reach: int
    ) -> Amount | None:
        """The amount with a name before it, which means "about": рублей пятьсот."""
        named = self._names.said_first.find_before(atoms, amount.start)
        if named is None or amount.weak or named[0] < reach:
            return None
        return amount._replace(start=named[0], unit=self._unit(named[1]), about=True)

    def _match_first_one(self, atoms: Sequence[Atom], amount: Amount, reach: int) -> Amount | None:
        """One and some tenths: 块五 is 1.5."""
        named = self._names.first_ones.find_before(atoms, amount.start)
        if named is None or named[0] < reach or not 0 < amount.value < 10 or amount.literal:
            return None
        if named[0] and atoms[named[0] - 1].kind != "mark":
            return None
        if amount.end < len(atoms) and atoms[amount.end].kind != "mark":
            return None
        value = 1 + Fraction(amount.value) / 10
        return amount._replace(start=named[0], value=value, unit=self._unit(named[1]))

    def _match_one_behind(self, atoms: Sequence[Atom], amount: Amount, reach: int) -> Amount | None:
        """The amount of one, whose number is behind the name: שקל אחד."""
        is_one = amount.value == 1 and amount.kind == "cardinal" and not amount.literal
        if not (is_one and self._counts_bare):
            return None
        named = self._names.said.find_before(atoms, amount.start)
        if named is None or named[0] < reach or named[1].kind != MONEY:
            return None
        return amount._replace(start=named[0], unit=self._unit(named[1]), weak=False)

    def _match_half_behind(
        self, atoms: Sequence[Atom], amount: Amount, reach: int
    ) -> Amount | None:
        """The amount of one and a fraction, which is behind the name: שקל וחצי."""
        is_part = amount.kind == "fraction" and 0 < amount.value < 1
        if not (is_part and atoms[amount.start].text.startswith(self._prefixes)):
            return None
        named = self._names.said.find_before(atoms, amount.start)
        if named is None or named[0] < reach or named[1].kind != MONEY:
            return None
        value, unit = 1 + Fraction(amount.value), self._unit(named[1])
        return amount._replace(start=named[0], value=value, unit=unit, weak=False)

    # Behind the number

    def _match_numeral(self, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount with the name of a part that is a numeral too: two grand, *23 cents*, which
        is no numeral behind digits."""
        if amount.scale == 1:
            return None
        named = self._names.said.find_after(atoms, amount.end - 1)
        if named is None or named[0] != amount.end:
            return None
        unit = self._unit(named[1])
        if unit.type == "thousands":
            return amount._replace(unit=Unit(unit.name.split()[0], MONEY))
        if not amount.literal or unit.type != "minor":
            return None
        value = to_int_if_whole(Fraction(amount.value) / amount.scale)
        return amount._replace(value=value, unit=unit, scale=1)

    def _match_after(self, text: str, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        at = amount.end
        if at >= len(atoms):
            return None
        said = self._names.said
        named = said.find_after(atoms, at)
        if named is None and (code := self._get_code(text, atoms[at])):
            return self._with_unit(atoms, amount, at, at + 1, code)
        if named is None and atoms[at].text == "-" and is_glued(atoms, at + 1):
            at += 1  # a 20-dollar bill
            named = said.find_after(atoms, at) if atoms[at].glued else None
        if named is None and (between := self._names.partitives.find_after(atoms, at)) is not None:
            if amount.weak and amount.value == amount.scale > 1:
                return None  # hundreds of dollars
            at = between[0]  # cinq millions de dollars
            named = said.find_after(atoms, at)
        if named is None and amount.kind == "fraction":
            article = self._articles.find_after(atoms, at)
            named = article and said.find_after(atoms, article[0])  # half a dollar
        if named is None or named[1].kind in ("never", "counter"):
            return None
        return self._with_unit(atoms, amount, at, named[0], self._unit(named[1]))

    def _with_unit(
        self, atoms: Sequence[Atom], amount: Amount, at: int, end: int, unit: Unit
    ) -> Amount | None:
        if atoms[at].text in self._adjectives and stands_before_noun(atoms, at, self._language):
            return None  # five grand pianos
        is_letter = end == at + 1 and len(atoms[at].text) == 1 and atoms[at].text.isascii()
        if is_letter and atoms[at].kind == "word" and not atoms[at].glued:
            return None  # "5 p.m."
        if unit.type in PARTS and starts_unspaced(atoms[at].text):
            is_behind_hour = self._point_words.find_before(atoms, amount.start) is not None
            if is_behind_hour or amount.value.denominator > 1:
                return None  # 9点15分
        belongs_to_next = (
            not atoms[at].glued
            and end < len(atoms)
            and atoms[end].glued
            and atoms[end].kind == "digits"
        )
        if belongs_to_next or (end < len(atoms) and _touches_letters(atoms, end)):
            return None
        is_measure = unit.type == MONEY and atoms[end - 1].text in self._names.measures
        if is_measure and self._names.partitives.find_after(atoms, end) is not None:
            unit = Unit(unit.name, PERHAPS_MONEY)  # five pounds of flour
        return amount._replace(end=end, unit=unit, weak=False)

    def _get_code(self, text: str, atom: Atom) -> Unit | None:
        """The currency whose code an atom is; None if it is none."""
        return self._codes.get(text[atom.start : atom.end])


def currency_of_country(language: str) -> str:
    """The currency of the region of a language tag (``en-AU``); '' if it has none."""
    code: str = load_currencies()["countries"].get(region_of(language), "")
    return code


def said_with_articles(language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The articles before the name of a currency that make an amount ("a dollar"), and the names,
    of single words."""
    code = base_code(language)
    ones = iter_phrases(cached_table(code, "numbers"), "ones")
    articles = tuple([one for one, _ in ones if one])
    if not articles:
        return (), ()
    names = chain(
        iter_phrases(load_currencies(), "everywhere"),
        *(iter_phrases(cached_table(code, "money"), key) for key in ("names", "minor")),
    )
    normalize = create_normalizer(language)
    return articles, tuple(sorted({normalize(str(one)) for one, _ in names if str(one).isalpha()}))


@lru_cache(maxsize=32)
def _load_codes(code: str) -> dict[str, Unit]:
    """The codes as they are written, and the other signs whose letters are exact. A code in small
    letters is none that is a word of the language."""
    core, written = load_currencies(), cached_table(code, "money")
    codes = core["codes"].split()
    units = cached_table(code, "numbers").get("units") or {}
    words = {*core["words"].split(), *(str(form).upper() for one in units.values() for form in one)}
    words |= {symbol.upper() for symbol in load_units().symbols}
    words |= {word.upper() for word in _load_stop_words(code)}
    found = {one: Unit(one, MONEY) for one in codes}
    found |= {one.lower(): Unit(one, MONEY) for one in codes if one not in words}
    for table in (core, written):
        found |= {sign: Unit(one, MONEY) for sign, one in iter_phrases(table, "exact")}
    return found


@lru_cache(maxsize=32)
def _load_stop_words(language: str) -> frozenset[str]:
    return load_stop_words(language)


@lru_cache(maxsize=32)
def _load_names(language: str) -> _Names:
    """The names and the signs; those of the table of the language before those of CLDR."""
    core, written = load_currencies(), cached_table(base_code(language), "money")
    signs = list(_named(core, "signs", MONEY))
    # The normalized words of names that are ordinary words too.
    normalize = create_normalizer(language)
    ambiguous = frozenset(normalize(str(one)) for one, _ in iter_phrases(written, "ambiguous"))
    own = chain(
        *(_named(written, key, _KINDS.get(key, key)) for key in _SAID_IN_FULL),
        _named(core, "everywhere", MONEY),
    )
    own_names = [
        (phrase, name._replace(kind=PERHAPS_MONEY))
        if name.kind == MONEY and normalize(phrase) in ambiguous
        else (phrase, name)
        for phrase, name in own
    ]
    return _Names(
        said=PhraseLookup(
            language,
            [*own_names, *signs],
            (
                (
                    tuple(name.split(" ")),
                    CurrencyName(
                        tuple(codes.split()), PERHAPS_MONEY if name in ambiguous else MONEY
                    ),
                )
                for name, codes in load_currency_names(language).items()
            ),
        ),
        said_first=PhraseLookup(language, _named(written, "said_first", MONEY)),
        never_first=ambiguous
        | frozenset(normalize(str(one)) for one, _ in iter_phrases(written, "never_first")),
        signs=PhraseLookup(language, signs),
        partitives=PhraseLookup(language, iter_phrases(written, "partitives")),
        first_ones=PhraseLookup(language, _named(written, "first_ones", MONEY)),
        duals=PhraseLookup(language, _named(written, "duals", MONEY)),
        measures=frozenset(
            normalize(str(unit))
            for unit, _ in iter_phrases(cached_table(base_code(language), "numbers"), "units")
        ),
    )


def _named(table: Mapping[str, Any], key: str, kind: Any) -> Iterator[tuple[str, CurrencyName]]:
    for phrase, codes in iter_phrases(table, key):
        yield str(phrase), CurrencyName(tuple(str(codes).split()), kind)


def _skip_no_cents(atoms: Sequence[Atom], amount: Amount) -> Amount:
    """The amount with the dash that stands for its cents: 5,- €, 20.– CHF."""
    end = amount.end
    if not (amount.literal and is_glued(atoms, end + 1) and atoms[end].text in _DECIMAL_MARKS):
        return amount
    while is_glued(atoms, end + 1) and atoms[end + 1].text in _DASHES:
        end += 1
    return amount if end == amount.end else amount._replace(end=end + 1)


def _has_separate_letter(atoms: Sequence[Atom], start: int, end: int) -> bool:
    """Whether a sign begins with a single letter, with a blank behind it."""
    return end - start > 1 and len(atoms[start].text) == 1 and not atoms[start + 1].glued


def _touches_letters(atoms: Sequence[Atom], at: int) -> bool:
    """Whether a word continues across the edge before an atom."""
    before, here = atoms[at - 1], atoms[at]
    return (
        here.glued
        and before.kind == "word"
        and here.kind == "word"
        and not starts_unspaced(before.text)
        and not starts_unspaced(here.text)
    )
