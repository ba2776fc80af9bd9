"""Searching by a day, and for what is no word, in every form in which people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from anaphora.ltm.dates.mentions import add_dates
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.day_terms import asks_when, find_days
from anaphora.ltm.retrieval.indexing import exchange_terms
from anaphora.ltm.retrieval.search import search
from anaphora.ltm.retrieval.store import NewExchange, UserKey
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.list_store import ListRecallStore

ANN = ConversationKey("ann", "guide")
FIRST = datetime(2026, 10, 20, 9, tzinfo=UTC)
NOW = datetime(2026, 11, 12, 12, tzinfo=UTC)  # a Thursday
THINGS = str.split("coffee tea bread milk jam honey butter cheese eggs rice")


def diary(language="en", **said):
    """A store with an exchange a day, from October 20 to November 25, and others at the end."""
    store = ListRecallStore()
    exchanges = [
        Exchange(
            f"I bought {THINGS[day % 10]} for {day % 7 + 8} euros", "", FIRST + timedelta(days=day)
        )
        for day in range(36)
    ]
    exchanges += [Exchange(text, "", at) for text, at in said.values()]
    for one in exchanges:
        one = add_dates(Exchange(one.question, one.answer, one.at, language=language))
        store.add([NewExchange(ANN, one, exchange_terms(one))])
    return store


def first(store, text, language="en", at=NOW):
    page = search(store, UserKey("ann"), text, language=language, at=at, neighbours=0)
    return page.passages[0].exchange


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "2026-11-08"),
        ("en", "11/08/2026"),
        ("en", "08.11.2026"),
        ("en", "8.11.2026"),
        ("en", "November 8th"),
        ("en", "nov 8, 2026"),
        ("en", "on the 8th of November"),
        ("en", "what did we say on the 8th of November?"),
        ("en", "last Sunday"),
        ("en", "4 days ago"),
        ("en-US", "11/08/2026"),
        ("en-GB", "08/11/2026"),
        ("de", "08.11.2026"),
        ("de", "am 8. November"),
        ("de", "letzten Sonntag"),
        ("fr", "le 8 novembre"),
        ("es", "el 8 de noviembre"),
        ("ru", "8 ноября"),
        ("ru", "08.11.2026"),
        ("uk", "8 листопада"),
        ("ja", "11月8日"),
        ("zh", "2026年11月8日"),
    ],
)
def test_a_day_finds_its_exchanges(language, text):
    assert first(diary(language), text, language).at.date().isoformat() == "2026-11-08"


def test_yesterday_depends_on_the_users_time_zone():
    late = datetime(2026, 11, 12, 23, 30, tzinfo=UTC)  # the 13th in Tokyo
    assert first(diary(), "yesterday", at=late).at.day == 11
    in_tokyo = late.astimezone(ZoneInfo("Asia/Tokyo"))
    assert first(diary(), "yesterday", at=in_tokyo).at.day == 12


def test_words_and_day_are_ranked_together():
    at = datetime(2026, 11, 8, 15, tzinfo=UTC)
    store = diary(other=("I met Anna in the park", at), early=("Anna rang", FIRST))
    assert first(store, "Anna on the 8th of November").question == "I met Anna in the park"
    assert first(store, "what about Anna last Sunday?").question == "I met Anna in the park"


def test_mentions_of_the_day_are_found():
    said = datetime(2026, 10, 21, 15, tzinfo=UTC)
    store = diary(booked=("Book a table for next Friday", said))
    for text in ("2026-10-30", "30.10.2026", "10/30/2026"):
        page = search(store, UserKey("ann"), text, at=NOW, neighbours=0)
        found = [one.exchange.question for one in page.passages[:2]]
        assert "Book a table for next Friday" in found


def test_a_week_and_a_month_are_found():
    page = search(diary(), UserKey("ann"), "last week", at=NOW, neighbours=0)
    assert sorted(one.exchange.at.day for one in page.passages[:7]) == [2, 3, 4, 5, 6, 7, 8]
    assert first(diary(), "October 2026").at.month == 10


def test_a_day_without_exchanges_leaves_the_words():
    assert first(diary(), "honey on 2020-01-01").question.startswith("I bought honey")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("That was great 🎉", "🎉"),
        ("That was great 👍🏽", "👍"),
        ("I write C++ at work", "c++"),
        ("I write C# at work", "C#"),
        ("We use .NET here", ".net"),
        ("My flight is LH454", "LH-454"),
        ("My flight is LH-454", "lh454"),
        ("My flight is LH 454", "LH454"),
        ("My flight is LH454", "lh 454"),
        ("It costs $1,250.00", "1250"),
        ("It costs 1250 dollars", "$1,250.00"),
        ("Das kostet 1.250,00 €", "1250"),
        ("Ça coûte 1 250,00 €", "1,250"),
        ("Call me at +1 (650) 253-0000", "6502530000"),
        ("Call me at 650-253-0000", "+1 650 253 0000"),
        ("Call me at 030/1234567", "030 123 45 67"),
    ],
)
def test_special_tokens_are_found(said, text):
    store = diary(
        one=(said, FIRST + timedelta(hours=1)),
        two=("I write C and 👎 and 12 and 50 and 00 and LH and 0000", FIRST + timedelta(days=9)),
    )
    assert first(store, text).question == said


def test_the_languages_of_a_name_with_signs_are_kept_apart():
    store = diary(one=("I write C# at work", FIRST), two=("I write C++ at work", FIRST))
    assert first(store, "C#").question == "I write C# at work"
    assert first(store, "C++").question == "I write C++ at work"


@pytest.mark.parametrize(
    ("text", "language", "months"),
    [
        ("that autumn", "en", ["--09", "--10", "--11"]),
        ("autumn 2022", "en", ["2022-09", "2022-10", "2022-11"]),
        ("in winter", "en", ["--12", "--01", "--02"]),
        ("in March", "en", ["--03"]),
        ("im Sommer", "de", ["--06", "--07", "--08"]),
        ("осенью", "ru", ["--09", "--10", "--11"]),
        ("on 9 March 2026", "en", []),
        ("last year", "en", []),
        ("last week", "en", []),
    ],
)
def test_a_season_names_its_months_of_any_year_or_of_its_own(text, language, months):
    days = find_days(text, [language], NOW)
    assert [month for day in days for month in day.months] == months


def test_what_was_in_the_season_comes_before_the_rest():
    store = ListRecallStore()
    for month in (1, 4, 10):
        said = Exchange("The boat was painted.", "", datetime(2024, month, 3, tzinfo=UTC))
        store.add([NewExchange(ANN, said, exchange_terms(said))])
    for season, month in (("spring", 4), ("autumn", 10), ("winter", 1)):
        text = f"What happened to the boat that {season}?"
        page = search(store, UserKey("ann"), text, at=NOW)
        assert page.passages[0].exchange.at.month == month


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When did Ann move?", True),
        ("And since when does she sing?", True),
        ("Wann war das?", True),
        ("Когда она приехала?", True),
        ("彼女はいつ来ましたか", True),
        ("What did Ann say when she moved?", False),
        ("Where did she live?", False),
        ("Whenever", False),
        ("", False),
    ],
)
def test_a_question_for_a_time_is_recognized(text, expected):
    assert asks_when(text) is expected
