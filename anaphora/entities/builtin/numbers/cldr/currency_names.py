"""The names of all currencies in a language, from CLDR.

CLDR (the package Babel) has a name for each currency, in each grammatical number: "Canadian
dollar", "Canadian dollars", *канадских долларов*. What people say besides is in ``money.yaml`` of
the language. Of a full name the noun alone is a name too; currencies share such nouns ("dinars").
These keys of the table say how to find it:

- ``head``: ``first`` or ``last``, the place of the noun in a full name;
- ``attributes``: words that are never that noun, or, behind a hyphen, their endings ("-ский");
- ``country``: ``before``, if the name of the country may stand before the noun ("Kuwait dinar").
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from anaphora.entities.builtin.atoms import split_atoms
from anaphora.entities.builtin.numbers.cldr.locales import LocaleTable, parse_locales
from anaphora.entities.builtin.numbers.phrase_lookup import expand_endings, iter_phrases
from anaphora.entities.builtin.numbers.units import load_currencies
from anaphora.entities.languages import cached_table
from anaphora.entities.words.function_words import load_stop_words
from anaphora.entities.words.normalization import create_normalizer
from anaphora.entities.words.scripts import starts_unspaced

if TYPE_CHECKING:
    from babel import Locale

__all__ = ["load_currency_names"]

_IN_BRACKETS = re.compile(r"\s*[(（][^)）]*[)）]")
_SHORTEST = 3  # letters of a noun; two, if it is written without blanks
_SHORTEST_UNSPACED = 2
_REAL_BEFORE_X = frozenset({"XAF", "XOF", "XPF", "XCD", "XCG"})  # other codes in X are no money
_CONSONANT = re.compile(r"[бвгджзклмнпрстфхцчшщ]$")


def _build_names(code: str) -> dict[str, str]:
    locales = list(parse_locales(code))
    return _NameBuilder(code).build(locales) if locales else {}


load_currency_names = LocaleTable("currencies", _build_names)
"""The codes of the currencies that share a name, with blanks between, the best known one first, by
the words of the name in a language, with blanks between."""


class _NameBuilder:
    def __init__(self, code: str) -> None:
        self._normalize = create_normalizer(code)
        written = cached_table(code, "money")
        self._takes_last = written.get("head") == "last"
        attributes = [str(one) for one in written.get("attributes", ())]
        self._attributes = frozenset(self._normalize(one) for one in attributes if one[0] != "-")
        self._attribute_endings = tuple(one[1:] for one in attributes if one[0] == "-")
        self._has_country_before = written.get("country") == "before"
        self._endings = written.get("endings", {})
        self._is_inflected = "*" in self._endings
        self._stop_words = load_stop_words(code)
        core = load_currencies()
        self._own = self._own_names(written)
        known = core["codes"].split()
        self._ranks = {one: rank for rank, one in enumerate((*core["common"].split(), *known))}
        self._usual = frozenset(known)

    def build(self, locales: Iterable[Locale]) -> dict[str, str]:
        """The names of the currencies in the locales."""
        full: dict[str, set[str]] = defaultdict(set)
        heads: dict[str, set[str]] = defaultdict(set)
        for locale in locales:
            territories = _territories(locale)
            for code, singular, forms in _cldr_names(locale, self._usual):
                for form in forms:
                    self._add(code, form, territories.get(code, ()), full, heads)
                if self._is_inflected and code in self._usual:
                    for one in self._inflect(self._head(self._words(singular), ())):
                        heads[one].add(code)
        chosen = {**heads, **full}
        return {
            name: " ".join(sorted(codes, key=lambda one: (self._rank(one), one)))
            for name, codes in chosen.items()
        }

    def _add(
        self,
        code: str,
        form: str,
        countries: Iterable[str],
        full: Mapping[str, set[str]],
        heads: Mapping[str, set[str]],
    ) -> None:
        words = self._words(form)
        if not words:
            return
        full[" ".join(words)].add(code)
        if code not in self._usual:
            return
        in_words = [self._words(country) for country in countries]
        head = self._head(words, in_words)
        if len(words) == 2 and not starts_unspaced(words[0]):
            full["".join(words)].add(code)  # "canadiandollar"
        if not head:
            return
        if len(words) > 1 and head in words:
            for own in self._own.get(code, ()):  # Italian lire, polnische Zloty
                full[" ".join([own if word == head else word for word in words])].add(code)
        heads[head].add(code)
        if self._has_country_before:
            for country in in_words:
                full[" ".join((*country, head))].add(code)

    def _own_names(self, written: Mapping[str, Any]) -> Mapping[str, set[str]]:
        """The names in the table of the language, of one word each, by currency."""
        names: dict[str, set[str]] = defaultdict(set)
        for name, codes in iter_phrases(written, "names"):
            if str(name).isalpha() and not starts_unspaced(str(name)):
                for code in str(codes).split():
                    names[code].add(self._normalize(str(name)))
        return names

    def _words(self, text: str) -> list[str]:
        return [atom.text for atom in split_atoms(text, self._normalize)]

    def _head(self, words: list[str], countries: Iterable[list[str]]) -> str:
        """The noun of a full name; of one that is written without blanks the rest behind the
        country. Empty, if it is too short or a word of the language with no meaning by itself."""
        if any(starts_unspaced(word) for word in words):
            for country in countries:
                if words[: len(country)] == country:
                    words = words[len(country) :]
            is_plain = len(words) >= _SHORTEST_UNSPACED and all(map(starts_unspaced, words))
            return " ".join(words) if is_plain else ""
        nouns = [word for word in words if word.isalpha() and not self._is_attribute(word)]
        head = (nouns or words)[-1 if self._takes_last or not nouns else 0]
        is_noun = len(head) >= _SHORTEST or not head.isascii()
        return head if is_noun and head not in self._stop_words else ""

    def _is_attribute(self, word: str) -> bool:
        if word in self._attributes:
            return True
        return bool(self._attribute_endings) and word.endswith(self._attribute_endings)

    def _inflect(self, head: str) -> Iterable[str]:
        """The cases of a Slavic noun that ends in a consonant."""
        if not _CONSONANT.search(head):
            return ()
        return {self._normalize(one) for one in expand_endings(f"{head}*", self._endings)}

    def _rank(self, code: str) -> int:
        return self._ranks.get(code, len(self._ranks))


def _cldr_names(locale: Locale, usual: Collection[str]) -> Iterator[tuple[str, str, set[str]]]:
    """The codes of the currencies, each with its name and with all forms of that."""
    data: Any = locale._data  # Babel's functions ask for one count after the other
    names, plurals = data["currency_names"], data["currency_names_plural"]
    for code in names:
        if code[0] == "X" and code not in _REAL_BEFORE_X:
            continue
        forms = {names[code], *(plurals[code].values() if code in plurals else ())}
        if any(_IN_BRACKETS.search(form) for form in forms) and code not in usual:
            continue  # Polnischer Zloty (1950–1995)
        forms = {_IN_BRACKETS.sub("", form) for form in forms}
        forms |= {form.replace(" ", "・") for form in forms if starts_unspaced(form)}
        yield code, names[code], forms


def _territories(locale: Locale) -> Mapping[str, list[str]]:
    """The names of the countries by their present currency."""
    names: dict[str, list[str]] = defaultdict(list)
    for country, currency in _present_currencies().items():
        if country in locale.territories:
            names[currency].append(locale.territories[country])
    return names


@lru_cache(maxsize=1)
def _present_currencies() -> Mapping[str, str]:
    from babel.core import get_global

    return {
        country: code
        for country, periods in get_global("territory_currencies").items()
        for code, _, end, is_tender in periods
        if is_tender and end is None
    }
