"""The built-in entity ``money``: amounts with the sign, the code or the name of a currency.

The value of a mention has the form of a ``number`` with the currency code as its unit: ``5.2 EUR``,
``<20 USD``, ``5..10 EUR``. Its metadata: ``amount``, or ``from`` with ``fromincl`` and ``to`` with
``toincl``; ``currency`` (ISO 4217); ``comparison``, if there is one.

A number without a currency is a fallback mention, for intents that need an amount ("How much?" –
"500"). Its currency is the option ``currency`` or the one of the region of the language; without
these it has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import chain
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.language_region import region_of
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.number_recognizer import (
    build_range_metadata,
    format_quantity,
    to_json_number,
)
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.builtin.numbers.prefilter import build_prefilter
from anaphora.entities.builtin.numbers.quantities.amounts import (
    Amount,
    Quantity,
    is_glued,
    to_int_if_whole,
)
from anaphora.entities.builtin.numbers.quantities.quantity_reader import QuantityReader
from anaphora.entities.builtin.numbers.units import Unit, load_currencies
from anaphora.entities.languages import cached_table
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.scripts import starts_unspaced

__all__ = ["CurrencyMatcher", "MoneyRecognizer", "create"]

_MARKS_BEHIND = frozenset(".,;:!?)]}'\"”»…-–—/")  # marks behind a bare number, no unit signs
_PARTS = {"minor": 100, "tenths": 10}  # parts of a unit of currency


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of money in a language. Options: ``currency`` is the preferred meaning
    of a sign or a name that currencies share, and the currency of a bare number; ``bare`` allows
    bare numbers (``allowed``)."""
    bare = options.get("bare", "allowed") == "allowed"
    return MoneyRecognizer(language, str(options.get("currency", "")), bare=bare)


class MoneyRecognizer:
    """Finds the amounts of money of a text."""

    def __init__(self, language: str, currency: str = "", *, bare: bool = True) -> None:
        self._may_contain_number = build_prefilter(language)
        self._read = QuantityReader(language, CurrencyMatcher(language, currency))
        self._labels = load_number_phrases(language).labels
        self._bare = bare
        code = currency.upper() or _currency_of_country(language)
        self._unit = Unit(code, "money") if code else None

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        """The amounts of money in ``doc``; the time does not matter."""
        return self.find_mentions(get_text(doc))

    def find_mentions(self, text: str) -> list[Mention]:
        """The amounts of money in a text."""
        if not self._may_contain_number(text):
            return []
        atoms, quantities = self._read(text)
        mentions = []
        for one in quantities:
            is_bare = one.unit is None
            if one.unit is None:
                if not self._may_be_amount(atoms, one):
                    continue
                one = one._replace(unit=self._unit)
            elif one.unit.type != "money":
                continue
            start, end = atoms[one.start].start, atoms[one.end - 1].end
            meta = _build_metadata(one)
            if is_bare and one.unit is not None:
                meta["assumed"] = "currency"
            mentions.append(Mention(start, end, format_quantity(one), meta, fallback=is_bare))
        return mentions

    def _may_be_amount(self, atoms: Sequence[Atom], one: Quantity) -> bool:
        """Whether a number without a currency may be an amount: a cardinal without a label ("room
        101") and without a unit sign behind it."""
        if not self._bare or one.kind != "cardinal" or one.comparison == "not":
            return False
        if (label := self._labels.find_before(atoms, one.start)) is not None and label[1]:
            return False
        after = atoms[one.end] if one.end < len(atoms) else None
        return after is None or after.kind != "mark" or after.text in _MARKS_BEHIND


class CurrencyMatcher:
    """Finds the currency of a number; a :class:`~.quantities.amounts.UnitMatcher`."""

    def __init__(self, language: str, currency: str = "") -> None:
        core, written = load_currencies(), cached_table(base_code(language), "money")
        # The preferred currencies for a shared sign, the best one first.
        of_language = core["languages"].get(base_code(language), "")
        preferred = (currency.upper(), _currency_of_country(language), of_language)
        self._preferred = [code for code in preferred if code]
        signs = [*iter_phrases(core, "signs")]
        self._signs = PhraseLookup(language, self._resolve_shared(signs, "money"))
        names = self._resolve_shared([*signs, *iter_phrases(written, "names")], "money")
        others = [
            self._resolve_shared(iter_phrases(written, key), key) for key in (*_PARTS, "never")
        ]
        self._names = PhraseLookup(language, [*names, *chain.from_iterable(others)])
        self._said_first = PhraseLookup(
            language, self._resolve_shared(iter_phrases(written, "said_first"), "money")
        )
        self._has_tenths = bool(written.get("tenths"))
        self._joins = PhraseLookup(language, iter_phrases(written, "joins"))
        self._partitives = PhraseLookup(language, iter_phrases(written, "partitives"))
        codes = core["codes"].split()
        self._codes = {code: Unit(code, "money") for code in codes}
        self._codes |= {code: Unit(code.upper(), "money") for code in core["lower"].split()}
        self._scales = dict(iter_phrases(core, "scales"))

    def __call__(self, text: str, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount with its currency, extended by it; None if it has none."""
        if amount.kind in ("ordinal", "percent"):
            return None
        return (
            self._match_before(text, atoms, amount)
            or self._match_after(text, atoms, amount)
            or self._match_approximate(atoms, amount)
        )

    def merge_amounts(self, atoms: Sequence[Atom], amounts: Sequence[Amount]) -> list[Amount]:
        """The amounts in whole units of currency, with cents added to the amount before them."""
        joined: list[Amount] = []
        for amount in amounts:
            last = joined[-1] if joined else None
            parts = self._parts_per_unit(atoms, last, amount)
            if parts == 1:
                joined.append(amount)
                continue
            value = to_int_if_whole(Fraction(amount.value) / parts)
            if last is not None and self._are_added(atoms, last, amount, parts):
                joined[-1] = last._replace(
                    end=amount.end, value=to_int_if_whole(last.value + value)
                )
            elif amount.unit is not None:
                joined.append(amount._replace(value=value, unit=Unit(amount.unit.name, "money")))
            else:
                joined.append(amount)
        return joined

    def _parts_per_unit(self, atoms: Sequence[Atom], last: Amount | None, amount: Amount) -> int:
        """The number of parts in a unit of currency, by the name of the part, or without a name
        ("five euros twenty", 三块五) by the size of the number; 1 if the amount is no part."""
        if amount.unit is not None:
            return _PARTS.get(amount.unit.type, 1)
        if last is None or last.end != amount.start or amount.kind != "cardinal" or amount.weak:
            return 1
        if amount.end < len(atoms) and atoms[amount.end].kind != "mark":
            return 1  # "five euros twenty pieces"
        if atoms[last.end - 1].kind == "mark":
            return 1  # $5 20
        if 1 <= amount.value <= 9 and self._has_tenths:
            return 10
        return 100 if 10 <= amount.value <= 99 else 1

    def _are_added(self, atoms: Sequence[Atom], one: Amount, small: Amount, parts: int) -> bool:
        """Whether an amount in parts is added to the one before it."""
        if one.unit is None or one.unit.type != "money" or one.value.denominator != 1:
            return False
        if not 0 < small.value < parts:
            return False
        if one.end == small.start:
            return True
        return self._joins.match_between(atoms, one.end, small.start) is not None

    def _match_before(self, text: str, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        start = amount.start
        sign = self._signs.find_before(atoms, start)
        if sign is None and start and (code := self._get_code(text, atoms[start - 1])):
            sign = start - 1, code
        if sign is None or (sign[0] and _touches_letters(atoms, sign[0])):
            return None
        start, unit = sign
        end, value = amount.end, amount.value
        scale = self._scales.get(atoms[end].text) if end < len(atoms) else None
        if scale is not None and (atoms[end].glued or not is_glued(atoms, end + 1)):
            end, value = end + 1, to_int_if_whole(Fraction(value) * scale)
        is_minus = start and atoms[start].glued and atoms[start - 1].text in ("-", "−")
        if is_minus and (start == 1 or not atoms[start - 1].glued):
            start, value = start - 1, -value
        return amount._replace(start=start, end=end, value=value, unit=unit, weak=False)

    def _match_after(self, text: str, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        at = amount.end
        if at >= len(atoms):
            return None
        named = self._names.find_after(atoms, at)
        if named is None and (code := self._get_code(text, atoms[at])):
            named = at + 1, code
        if named is None and (between := self._partitives.find_after(atoms, at)) is not None:
            at = between[0]  # cinq millions de dollars
            named = self._names.find_after(atoms, at)
        if named is None:
            return None
        end, unit = named
        is_letter = end == at + 1 and len(atoms[at].text) == 1 and atoms[at].text.isascii()
        if unit.type == "never" or (is_letter and atoms[at].kind == "word" and not atoms[at].glued):
            return None  # 十分钟; "5 p.m."
        belongs_to_next = (
            not atoms[at].glued
            and end < len(atoms)
            and atoms[end].glued
            and atoms[end].kind == "digits"
        )
        if belongs_to_next or (end < len(atoms) and _touches_letters(atoms, end)):
            return None
        return amount._replace(end=end, unit=unit, weak=False)

    def _match_approximate(self, atoms: Sequence[Atom], amount: Amount) -> Amount | None:
        """The amount with a name before it, which means "about": рублей пятьсот."""
        named = self._said_first.find_before(atoms, amount.start)
        if named is None or amount.weak:
            return None
        return amount._replace(start=named[0], unit=named[1], about=True)

    def _get_code(self, text: str, atom: Atom) -> Unit | None:
        """The currency whose code an atom is; None if it is none."""
        return self._codes.get(text[atom.start : atom.end])

    def _resolve_shared(
        self, phrases: Iterable[tuple[str, Any]], type: str
    ) -> Iterator[tuple[str, Unit]]:
        """The phrases, each with the preferred one of the currencies that share it."""
        for phrase, sharing in phrases:
            codes = sharing.split()
            code = next((one for one in self._preferred if one in codes), codes[0])
            yield str(phrase), Unit(code, type)


def _currency_of_country(language: str) -> str:
    """The currency of the region of a language tag (``en-AU``); '' if it has none."""
    code: str = load_currencies()["countries"].get(region_of(language), "")
    return code


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


def _build_metadata(one: Quantity) -> dict[str, Any]:
    """The metadata of an amount of money."""
    amount = {} if one.value is None else {"amount": to_json_number(one.value)}
    currency = {} if one.unit is None else {"currency": one.unit.name}
    return {**amount, **build_range_metadata(one), **currency}
