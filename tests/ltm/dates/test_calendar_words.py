"""What names a day, a month or another time in the words of a language."""

import pytest

from anaphora.ltm.dates.calendar_words import load_calendar_words


@pytest.mark.parametrize(
    ("language", "said", "phrases"),
    [
        ("en", "I was there yesterday.", ["yesterday"]),
        ("en", "Last Friday it rained, as 2 weeks ago", ["last friday", "2 weeks ago"]),
        ("de", "Vorgestern, vor einem Jahr", ["vorgestern", "vor einem jahr"]),
        ("ru", "Вчера и два года назад", ["вчера", "два года назад"]),
        ("ja", "昨日行きました", ["昨日"]),
        ("en", "today, this week and an hour ago", []),
        ("en", "I can do it in two days; yesterdays are gone", []),
        ("de", "Guten Morgen! Heute Morgen, am Montag Morgen und am Morgen", []),
        ("es", "a las ocho de la mañana, esta mañana", []),
        ("nl", "Goede morgen! Deze morgen", []),
        ("xx", "yesterday", []),
        ("../en", "yesterday", []),
    ],
)
def test_relative_phrases_are_found_in_their_language(language, said, phrases):
    assert list(load_calendar_words(language).find_relative_phrases(said)) == phrases


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
def test_calendar_names_are_recognized_in_their_language(language, word, named):
    assert load_calendar_words(language).is_calendar_name(word) is named
