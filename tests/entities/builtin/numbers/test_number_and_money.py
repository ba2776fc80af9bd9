"""The built-in entities number and money: their metadata, and their robustness."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import spacy
import yaml
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from anaphora.entities.builtin.numbers import money_recognizer, number_recognizer
from anaphora.entities.builtin.numbers.cldr.currency_names import load_currency_names
from anaphora.entities.builtin.numbers.prefilter import build_prefilter
from anaphora.entities.builtin.numbers.quantities.quantity_reader import QuantityReader
from anaphora.entities.builtin.numbers.quantities.unit_matcher import MeasureUnitMatcher
from anaphora.entities.builtin.numbers.units import load_currencies
from anaphora.entities.builtin.registry import create_builtin
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.storage.cache import Cache
from tests.support.cpu_time import cpu_seconds

LANGUAGES = (
    *("en", "fr", "de", "es", "it", "pt", "ru", "uk", "ja", "zh", "ar", "he"),
    *("nl", "pl", "tr", "ko", "xx"),
)
HOSTILE = {
    "digits": "9" * 10_000,
    "groups": "1," * 5_000,
    "dots": "1." * 5_000,
    "colons": "1:" * 5_000,
    "hyphens": "1-" * 5_000,
    "a telephone number without end": "+1" + "(" * 9_000,
    "fractions": "½" * 10_000,
    "signs": "-" * 9_999 + "5",
    "currency signs": "$" * 10_000,
    "marks alone": "\u0301" * 10_000,
    "numerals": "two " * 2_500,
    "one compound": "ein" * 3_300,
    "Chinese digits": "一" * 10_000,
    "Chinese myriads": "万" * 10_000,
    "Chinese fractions": "一分之" * 3_300,
    "comparisons": "more than " * 1_000 + "5",
    "hours without a number": "hour and " * 1_100,
    "hours and minutes": "1h 2m " * 1_600,
    "часы": "час с " * 1_600,
    "noughts": "0" * 10_000,
    "half a telephone number": "912 34 56 7 " * 800,
    "years in halves": "nineteen eighty " * 600,
    "neighbours": "两三" * 5_000,
    "times": "1x" * 5_000,
    "groups by blanks": "1 000 " * 2_000,
    "groups of nothing": "12 500 2 " * 1_500,
    "labels": "room 101 500 " * 1_000,
    "vague words": "several hundred " * 1_000,
    "digits and words": "5 x two x " * 1_000,
}


def find_numbers(text: str, language: str = "en") -> list[Mention]:
    return number_recognizer.NumberRecognizer(language).find_mentions(text)


def find_money(text: str, language: str = "en", currency: str = "") -> list[Mention]:
    found = money_recognizer.MoneyRecognizer(language, currency).find_mentions(text)
    return [one for one in found if not one.fallback]


def number_metadata(text: str, language: str = "en") -> Any:
    (one,) = find_numbers(text, language)
    return one.meta


def test_a_plain_number_has_its_value_and_kind() -> None:
    assert number_metadata("two hundred and five") == {"value": 205, "kind": "cardinal"}
    assert number_metadata("the 3rd") == {"value": 3, "kind": "ordinal"}
    assert number_metadata("3/4") == {"value": 0.75, "kind": "fraction"}
    assert number_metadata("5%") == {"value": 5, "kind": "percent"}


def test_a_comparison_has_its_bounds_and_whether_they_are_included() -> None:
    more = {"from": 5, "fromincl": False, "comparison": "more", "kind": "cardinal"}
    assert number_metadata("more than 5") == more
    assert number_metadata("at least 5") == {**more, "fromincl": True}
    between = {"from": 2, "fromincl": True, "to": 4, "toincl": True, "comparison": "between"}
    assert number_metadata("between 2 and 4") == {**between, "kind": "cardinal"}
    assert number_metadata("about 5") == {"value": 5, "comparison": "about", "kind": "cardinal"}


def test_a_unit_comes_with_its_type() -> None:
    assert number_metadata("3 km") == {
        "value": 3,
        "kind": "cardinal",
        "unit": "km",
        "unittype": "length",
    }
    assert number_metadata("less than 20 °C")["unittype"] == "temperature"


def test_unit_symbols_are_case_sensitive_where_necessary() -> None:
    assert [one.value for one in find_numbers("5 MW, 5 mW, 5 C, 5 c")] == [
        "5 MW",
        "5 mW",
        "5 °C",
        "5",
    ]


def test_a_mention_covers_all_its_words() -> None:
    text = "find more than 5 km from here"
    (one,) = find_numbers(text)
    assert text[one.start : one.end] == "more than 5 km"


def test_the_region_of_a_language_has_its_own_separators() -> None:
    assert [one.value for one in find_numbers("1.234", "es")] == ["1234"]
    assert [one.value for one in find_numbers("1.234", "es-MX")] == ["1.234"]
    assert [one.value for one in find_numbers("1'234.5", "de-CH")] == ["1234.5"]
    assert [one.value for one in find_numbers("1.234", "es-Latn-MX")] == ["1.234"]


def test_an_amount_of_money_has_its_currency() -> None:
    (one,) = find_money("between $5 and $10")
    assert one.value == "5..10 USD"
    assert one.meta == {
        "from": 5,
        "fromincl": True,
        "to": 10,
        "toincl": True,
        "comparison": "between",
        "currency": "USD",
    }
    assert find_money("5 euros and 20 cents")[0].meta == {"amount": 5.2, "currency": "EUR"}


@pytest.mark.parametrize(
    ("text", "language", "currency", "expected"),
    [
        ("$5", "en", "", "5 USD"),
        ("$5", "en-AU", "", "5 AUD"),
        ("$5", "en", "CAD", "5 CAD"),
        ("€5", "en", "CAD", "5 EUR"),
        ("¥5", "ja", "", "5 JPY"),
        ("¥5", "zh", "", "5 CNY"),
        ("$5", "zh-Hant-TW", "", "5 TWD"),
        ("5 pesos", "es-AR", "", "5 ARS"),
        ("5 pesos", "es", "MXN", "5 MXN"),
        ("five dinars", "en", "IQD", "5 IQD"),
        ("5 dinars", "fr-DZ", "", "5 DZD"),
        ("5 kroner", "en-NO", "", "5 NOK"),
    ],
)
def test_a_shared_sign_means_the_currency_of_the_model_or_of_the_country(
    text: str, language: str, currency: str, expected: str
) -> None:
    assert [one.value for one in find_money(text, language, currency)] == [expected]


def test_a_letter_is_a_sign_in_its_own_country_alone() -> None:
    assert [one.value for one in find_money("R80", "en-ZA")] == ["80 ZAR"]
    assert find_money("R80", "en") == []


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("6 livres", "fr", "6 GBP"),
        ("6 pounds of sugar", "en", "6 GBP"),
        ("6 gold coins", "en", "6 ZWG"),
        ("80c", "en", "0.8 USD"),
        ("6 крон", "ru", "6 CZK"),
    ],
)
def test_a_name_that_is_an_ordinary_word_too_is_a_fallback(
    text: str, language: str, value: str
) -> None:
    (one,) = money_recognizer.MoneyRecognizer(language).find_mentions(text)
    assert (one.value, one.fallback) == (value, True)


@pytest.mark.parametrize(("text", "values"), [("under 30", ["<30 EUR"]), ("for 4", [])])
def test_a_bare_number_may_be_an_amount_in_a_comparison_alone(text: str, values: list[str]) -> None:
    found = money_recognizer.MoneyRecognizer("en", "EUR", bare="compared").find_mentions(text)
    assert [(one.value, one.fallback) for one in found] == [(value, False) for value in values]


def test_a_code_in_small_letters_is_no_word_of_the_language() -> None:
    assert [one.value for one in find_money("9 chf, 9 myr")] == ["9 CHF", "9 MYR"]
    assert find_money("9 sek warten", "de") == []
    assert [one.value for one in find_money("9 sek", "sv")] == ["9 SEK"]
    assert find_money("try 9 times, all 9") == []


@pytest.mark.parametrize("language", [*LANGUAGES[:-1], "nl", "pl", "tr", "ko"])
def test_every_currency_is_known_by_its_code_and_by_its_name_in_cldr(language: str) -> None:
    names = Locale.parse(language).currencies
    recognize = money_recognizer.MoneyRecognizer(language)
    for code in set(load_currencies()["codes"].split()) & set(names):
        assert [one.value for one in recognize.find_mentions(f"{code}17")] == [f"17 {code}"]
        if "(" in names[code] or "（" in names[code] or (language, code) == ("zh", "BMD"):
            continue  # no name that people say; 百慕大 starts with a hundred
        (one,) = recognize.find_mentions(f"17 {names[code]}")
        assert names[one.meta["currency"]].startswith(names[code])


def test_the_names_come_from_the_cache_if_they_are_there(tmp_path: Path) -> None:
    load_currency_names.clear()
    made = load_currency_names("it", Cache(tmp_path))
    load_currency_names.clear()
    assert load_currency_names("it", Cache(tmp_path)) == made
    assert made["dollari canadesi"] == "CAD"
    assert [path.name for path in tmp_path.iterdir() if "currencies-it" in path.name]
    load_currency_names.clear()


def test_the_built_in_entities_are_found_by_name() -> None:
    doc = spacy.blank("en")("$5 and 6 km")
    now = datetime(2026, 11, 21, tzinfo=UTC)
    numbers = create_builtin("number", "en", {})(doc, now)
    assert [one.value for one in numbers] == ["5", "6 km"]
    amounts = create_builtin("money", "en", {"currency": "CAD"})(doc, now)
    assert [one.value for one in amounts if not one.fallback] == ["5 CAD"]


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=st.text(max_size=60) | st.text("0123456789.,:/-+ $%½½eE'a一十百円руб", max_size=30))
def test_any_text_gives_sorted_mentions_inside_it(language: str, text: str) -> None:
    for mentions in (find_numbers(text, language), find_money(text, language)):
        assert all(0 <= one.start < one.end <= len(text) for one in mentions)
        assert mentions == sorted(mentions, key=lambda one: one.start)


@given(number_of=st.integers(-(10**12), 10**12))
def test_digits_are_read_as_they_are_written(number_of: int) -> None:
    assert [one.meta["value"] for one in find_numbers(str(number_of))] == [number_of]
    assert [one.meta["value"] for one in find_numbers(f"{number_of:,}")] == [number_of]


@pytest.mark.parametrize("language", LANGUAGES)
@given(value=st.integers(1, 10**12), blank=st.sampled_from(" \u00a0\u202f\u2009"))
def test_a_number_is_the_same_however_its_digits_are_grouped(
    language: str, value: int, blank: str
) -> None:
    grouped = f"{value:,}".replace(",", blank)
    assert [one.meta["value"] for one in find_numbers(grouped, language)] == [value]
    assert [one.meta["value"] for one in find_numbers(str(value), language)] == [value]


@pytest.mark.parametrize("language", ["en", "ru", "de", "fr", "ja"])
@given(value=st.integers(1_000, 10**9), cents=st.integers(1, 99), mark=st.sampled_from(".,"))
def test_grouped_digits_have_decimals_behind_either_mark(
    language: str, value: int, cents: int, mark: str
) -> None:
    grouped = f"{value:,}".replace(",", " ")
    (one,) = find_money(f"{grouped}{mark}{cents:02} EUR", language)
    assert one.meta["amount"] == pytest.approx(value + cents / 100)


@pytest.mark.parametrize("language", ["en", "ru", "de", "fr", "ja"])
@given(
    groups=st.lists(
        st.integers(1, 99_999).map(str).filter(lambda digits: len(digits) != 3),
        min_size=2,
        max_size=5,
    )
)
def test_blanks_join_no_digits_but_groups_of_three(language: str, groups: list[str]) -> None:
    values = {str(one.value) for one in find_numbers(" ".join(groups), language)}
    assert values <= set(groups)


@pytest.mark.parametrize("language", ["en", "de", "zh", "ru"])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_takes_no_quadratic_time(text: str, language: str) -> None:
    # Far above what it takes, and far below what anything quadratic would.
    assert cpu_seconds(lambda: (find_numbers(text, language), find_money(text, language))) < 5


def test_amounts_that_belong_together_are_one_in_the_smaller_unit() -> None:
    together = {"value": 150, "kind": "cardinal", "unit": "min", "unittype": "datetime"}
    assert number_metadata("2 hours 30 minutes") == together
    assert number_metadata("2 hours and 30 minutes") == together


def test_a_mention_of_merged_amounts_covers_all_of_them() -> None:
    text = "wake me in an hour and a half please"
    (one,) = find_numbers(text)
    assert text[one.start : one.end] == "an hour and a half"


def test_a_decimal_is_the_same_in_digits_and_in_words() -> None:
    assert number_metadata("3.14") == number_metadata("three point one four")


def test_half_an_hour_is_no_amount_of_money() -> None:
    assert find_money("через полчаса", "ru") == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "what is the weather in Paris"),
        ("ru", "свет на кухне выключи, сколько стоит стол"),
        ("uk", "яка погода у Києві"),
        ("de", "mach das Licht in der Küche aus"),
        ("fr", "éteins la lumière dans la cuisine"),
        ("es", "apaga las luces de la cocina"),
        ("it", "spegni la luce della cucina"),
        ("pt", "apaga as luzes da cozinha"),
        ("ja", "台所の電気を消して"),
        ("zh", "关掉厨房的灯"),
        ("ar", "كيف سيكون الطقس غدا في طوكيو"),
        ("he", "מה מזג האוויר מחר בטוקיו"),
    ],
)
def test_the_prefilter_rejects_texts_without_numbers(language: str, text: str) -> None:
    assert not build_prefilter(language)(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_prefilter_rejects_no_text_with_numbers(language: str) -> None:
    file = Path(__file__).parent / "phrases" / f"{language}.yaml"
    table = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader) if file.exists() else {}
    may_contain_number = build_prefilter(language)
    read = QuantityReader(language, MeasureUnitMatcher(language))
    for text in map(str, table.get("number", ())):
        assert may_contain_number(text) or not read(text)[1]
        assert may_contain_number(text.upper()) == may_contain_number(text)


def test_a_lone_surrogate_does_no_harm() -> None:
    assert [one.value for one in find_numbers("\ud800 5")] == ["5"]


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("fr", "paie 5 millions de dollars", "5000000 USD"),
        ("fr", "5 millions d'euros", "5000000 EUR"),
        ("es", "pague 5 millones de dólares", "5000000 USD"),
        ("it", "cinque milioni di dollari", "5000000 USD"),
        ("en", "two million of dollars", "2000000 USD"),
    ],
)
def test_a_currency_behind_a_partitive_is_that_of_the_amount(language, text, value) -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    (amount,) = create_builtin("money", language, {"currency": "EUR"})(
        spacy.blank(language)(text), now
    )
    assert (amount.value, amount.fallback) == (value, False)
