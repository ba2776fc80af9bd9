from datetime import date

import pytest

from anaphora.ltm.summarizers.days import days

WEDNESDAY = date(2023, 5, 10)


@pytest.mark.parametrize(
    ("language", "said", "resolved"),
    [
        ("en", "I was there yesterday.", "I was there yesterday (2023-05-09)."),
        ("en", "Last Friday it rained", "Last Friday (2023-05-05) it rained"),
        ("en", "last Wednesday", "last Wednesday (2023-05-03)"),
        ("en", "this Friday", "this Friday (2023-05-12)"),
        ("en", "next Wednesday", "next Wednesday (2023-05-17)"),
        ("en", "three days ago", "three days ago (2023-05-07)"),
        ("en", "2 weeks ago", "2 weeks ago (2023-04-24/2023-04-30)"),
        ("en", "next month or next year", "next month (2023-06) or next year (2024)"),
        ("en-GB", "tomorrow", "tomorrow (2023-05-11)"),
        ("de", "Vorgestern, vor einem Jahr", "Vorgestern (2023-05-08), vor einem Jahr (2022)"),
        ("ru", "Вчера и два года назад", "Вчера (2023-05-09) и два года назад (2021)"),
        ("es", "hace 3 días", "hace 3 días (2023-05-07)"),
        ("es", "pasado mañana", "pasado mañana (2023-05-12)"),
        ("es", "antes de ayer", "antes de ayer (2023-05-08)"),
        ("es", "mañana por la mañana", "mañana (2023-05-11) por la mañana"),
        ("pt", "depois de amanhã", "depois de amanhã (2023-05-12)"),
        ("de", "morgen, gestern Morgen", "morgen (2023-05-11), gestern Morgen (2023-05-09)"),
        ("ja", "昨日行きました", "昨日（2023-05-09）行きました"),
        ("zh", "明天去北京", "明天（2023-05-11）去北京"),
    ],
)
def test_the_date_stands_behind_what_names_another_day(language, said, resolved):
    assert days(language).resolved(said, WEDNESDAY) == resolved


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "today, this week and an hour ago"),
        ("en", "I can do it in two days"),
        ("en", "yesterdays are gone"),
        ("en", "yesterday (2023-05-09)"),
        ("ja", "昨日（2023-05-09）"),
        ("de", "Guten Morgen! Heute Morgen, am Montag Morgen und am Morgen"),
        ("es", "a las ocho de la mañana, esta mañana"),
        ("nl", "Goede morgen! Deze morgen"),
        ("hi", "कल और परसों"),  # yesterday or tomorrow
        ("en", "999 years ago"),
        ("xx", "yesterday"),
        ("", "yesterday"),
        ("../en", "yesterday"),
    ],
)
def test_what_names_no_other_day_or_has_its_date_stays_as_it_is(language, said):
    day = date(500, 5, 10) if "999" in said else WEDNESDAY
    assert days(language).resolved(said, day) == said


@pytest.mark.parametrize(
    ("language", "word", "named"),
    [
        ("en", "monday", True),
        ("en", "May", True),
        ("en", "may", False),
        ("de", "Oktober", True),
        ("ru", "мая", True),
        ("de", "mit", False),
        ("en", "table", False),
        ("xx", "Monday", False),
    ],
)
def test_names_of_days_and_months_are_known_in_their_language(language, word, named):
    assert days(language).named(word) is named


def test_last_year_on_a_leap_day_is_a_year():
    assert days("en").resolved("last year", date(2024, 2, 29)) == "last year (2023)"
