"""The built-in entity ``money``: amounts with the sign, the code or the name of a currency.

The value of a mention has the form of a ``number`` with the currency code as its unit: ``5.2 EUR``,
``<20 USD``, ``5..10 EUR``. Its metadata: ``amount``, or ``from`` with ``fromincl`` and ``to`` with
``toincl``; ``currency`` (ISO 4217); ``comparison``, if there is one.

A number without a currency is a fallback mention, for intents that need an amount ("How much?" –
"500"). Its currency is the option ``currency`` or the one of the region of the language; without
these it has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.numbers.cldr.currency_names import load_currency_names
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.number_recognizer import (
    build_range_metadata,
    format_quantity,
    to_json_number,
)
from anaphora.entities.builtin.numbers.phrase_lookup import PhraseLookup, iter_phrases
from anaphora.entities.builtin.numbers.prefilter import build_prefilter
from anaphora.entities.builtin.numbers.quantities.amounts import Quantity
from anaphora.entities.builtin.numbers.quantities.comparisons import apply_comparison
from anaphora.entities.builtin.numbers.quantities.currency_matcher import (
    MONEY,
    PERHAPS_MONEY,
    CurrencyMatcher,
    currency_of_country,
    said_with_articles,
)
from anaphora.entities.builtin.numbers.quantities.quantity_reader import QuantityReader
from anaphora.entities.builtin.numbers.units import Unit
from anaphora.entities.languages import cached_table
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code
from anaphora.storage.cache import Cache

__all__ = ["MoneyRecognizer", "create", "load"]

_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}\.\d{3}(?![.,]?\d)")
_MARKS_BEHIND = frozenset(".,;:!?)]}'\"”»…-–—/")  # marks behind a bare number, no unit signs


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of money in a language. Options: ``currency`` is the preferred meaning
    of a sign or a name that currencies share, and the currency of a bare number; ``bare`` allows
    bare numbers (``allowed``), those of a comparison alone (``compared``), or none (``never``)."""
    bare = str(options.get("bare", "allowed"))
    return MoneyRecognizer(language, str(options.get("currency", "")), bare=bare)


def load(language: str, options: Mapping[str, Any], cache: Cache) -> None:
    """Load the names of the currencies through the ``cache``."""
    load_currency_names(language, cache)


class MoneyRecognizer:
    """Finds the amounts of money of a text."""

    def __init__(self, language: str, currency: str = "", *, bare: str = "allowed") -> None:
        self._may_contain_number = build_prefilter(language, *said_with_articles(language))
        self._read = QuantityReader(language, CurrencyMatcher(language, currency))
        self._labels = load_number_phrases(language).labels
        self._decimal = load_number_phrases(language).digits.decimal
        written = cached_table(base_code(language), "money")
        self._at_least = PhraseLookup(language, iter_phrases(written, "at_least"))
        self._at_least_behind = PhraseLookup(language, iter_phrases(written, "at_least_behind"))
        self._about_behind = PhraseLookup(language, iter_phrases(written, "about_behind"))
        self._bare = bare
        code = currency.upper() or currency_of_country(language)
        self._unit = Unit(code, MONEY) if code else None

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
            is_sure = False
            if one.unit is None:
                if not self._may_be_amount(atoms, one):
                    continue
                is_sure = self._bare == "compared"
                one = one._replace(unit=self._unit)
            elif one.unit.type not in (MONEY, PERHAPS_MONEY):
                continue
            else:
                is_sure = one.unit.type == MONEY
                one = self._with_bound(atoms, self._with_thousands(text, atoms, one))
            start, end = atoms[one.start].start, atoms[one.end - 1].end
            meta = _build_metadata(one)
            if is_bare and one.unit is not None:
                meta["assumed"] = "currency"
            mentions.append(Mention(start, end, format_quantity(one), meta, fallback=not is_sure))
        return mentions

    def _with_thousands(self, text: str, atoms: Sequence[Atom], one: Quantity) -> Quantity:
        """The amount with a dot as the mark of thousands where the decimal mark is a comma: no
        amount in whole cents has three decimals (1.000 €)."""
        written = _THOUSANDS.search(text, atoms[one.start].start, atoms[one.end - 1].end)
        if written is None or one.value is None or self._decimal != ",":
            return one
        is_read = Fraction(written[0]) == abs(one.value)
        return one._replace(value=one.value * 1000) if is_read else one

    def _with_bound(self, atoms: Sequence[Atom], one: Quantity) -> Quantity:
        """The amount as a lower bound or as about so much, by words that say nothing of the kind
        about other numbers: from $50, 3万円台."""
        if one.value is None or one.comparison is not None:
            return one
        if (before := self._at_least.find_before(atoms, one.start)) is not None:
            return apply_comparison(one, before[0], one.end, "least")
        if (behind := self._at_least_behind.find_after(atoms, one.end)) is not None:
            return apply_comparison(one, one.start, behind[0], "least")
        if (behind := self._about_behind.find_after(atoms, one.end)) is not None:
            return apply_comparison(one, one.start, behind[0], "about")
        return one

    def _may_be_amount(self, atoms: Sequence[Atom], one: Quantity) -> bool:
        """Whether a number without a currency may be an amount: it counts ("five", "two and a
        half"), without a label ("room 101") and without a unit sign behind it."""
        counts = one.kind == "cardinal" or (one.kind == "fraction" and (one.value or 0) > 1)
        is_allowed = self._bare == "allowed" or (self._bare == "compared" and one.comparison)
        if not is_allowed or not counts or one.comparison == "not":
            return False
        if (label := self._labels.find_before(atoms, one.start)) is not None and label[1]:
            return False
        after = atoms[one.end] if one.end < len(atoms) else None
        return after is None or after.kind != "mark" or after.text in _MARKS_BEHIND


def _build_metadata(one: Quantity) -> dict[str, Any]:
    """The metadata of an amount of money."""
    amount = {} if one.value is None else {"amount": to_json_number(one.value)}
    currency = {} if one.unit is None else {"currency": one.unit.name}
    return {**amount, **build_range_metadata(one), **currency}
