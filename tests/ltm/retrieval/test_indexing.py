"""What an exchange is found by."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from anaphora.ltm.exchange import Exchange
from anaphora.ltm.retrieval.indexing import embedding_text, exchange_terms
from anaphora.ltm.retrieval.terms import extract_terms

MONDAY = datetime(2026, 3, 9, 23, 30, tzinfo=UTC)


def test_an_exchange_is_indexed_by_question_and_answer():
    found = exchange_terms(Exchange("Where did I park?", "In the blue garage.", MONDAY))
    assert set(extract_terms("park garage")) <= set(found)


def test_a_follow_up_is_indexed_by_its_inherited_slots():
    follow_up = Exchange(
        "And tomorrow?",
        "Sunny.",
        MONDAY,
        intent="weather_forecast",
        slots={"city": ("Tokyo", "New York")},
    )
    assert set(extract_terms("weather forecast Tokyo New York")) <= set(exchange_terms(follow_up))


def test_a_slot_value_in_the_text_is_indexed_once():
    said = Exchange("Weather in Tokyo?", "", MONDAY, slots={"city": ("Tokyo",)})
    assert exchange_terms(said).count("tokyo") == 1


@pytest.mark.parametrize(
    ("language", "day"),
    [
        ("en", "Monday 9 March 2026"),
        ("de", "Montag 9 März 2026"),
        ("ru", "понедельник 9 марта 2026"),
        ("pt-BR", "9 março 2026"),
        ("zh", "星期一 3月9日 2026"),
        ("xx", "Monday 9 March 2026"),
        ("", "Monday 9 March 2026"),
        ("../en", "Monday 9 March 2026"),
    ],
)
def test_an_exchange_is_indexed_by_its_day_in_its_language(language, day):
    found = exchange_terms(Exchange("", "", MONDAY, language=language))
    assert set(extract_terms(day.replace("日", ""), language or "en")) <= set(found)


def test_the_indexed_day_is_the_users_local_day():
    in_tokyo = MONDAY.astimezone(timezone(timedelta(hours=9)))
    assert "tuesday" in exchange_terms(Exchange("", "", in_tokyo))


def test_an_exchange_is_indexed_by_its_speaker():
    assert "speaker=ann" in exchange_terms(Exchange("Ann: Good morning!", "", MONDAY))
    assert not any("speaker=" in term for term in exchange_terms(Exchange("Hi, Ann", "", MONDAY)))


def test_the_embedding_text_has_no_names_of_speakers():
    said = Exchange("Ann: I saw a heron at the lake with my brother.", "Ben: Was it grey?", MONDAY)
    assert embedding_text(said) == "I saw a heron at the lake with my brother.\nWas it grey?"


def test_the_embedding_text_of_a_follow_up_has_what_it_left_out():
    slots = {"city": ("Tokyo", "Kyoto")}
    said = Exchange("And tomorrow in Kyoto?", "Sunny.", MONDAY, slots=slots)
    assert embedding_text(said) == "And tomorrow in Kyoto?\nSunny.\nTokyo"


def test_the_embedding_text_of_a_short_exchange_starts_with_the_end_of_the_previous_one():
    before = Exchange("Ann: What is the weather in Tokyo?", "Sunny.", MONDAY)
    after = Exchange("And tomorrow?", "Rain.", MONDAY)
    assert embedding_text(after) == "And tomorrow?\nRain."
    assert embedding_text(after, before).endswith("in Tokyo? Sunny.\nAnd tomorrow?\nRain.")
    assert "Ann" not in embedding_text(after, before)
    assert embedding_text(Exchange("Hello", "", MONDAY)) == "Hello"


def test_the_embedding_text_of_a_long_exchange_is_its_own():
    before = Exchange("What is the weather in Tokyo?", "Sunny.", MONDAY)
    after = Exchange("And what should I wear if it rains tomorrow?", "A coat and boots.", MONDAY)
    assert embedding_text(after, before) == embedding_text(after)


def test_a_long_previous_exchange_leaves_room_for_the_exchange_itself():
    long = Exchange("word " * 5_000 + "last", "", MONDAY)
    text = embedding_text(Exchange("And tomorrow?", "Rain.", MONDAY), long)
    assert len(text.split()) < 80
    assert "last\nAnd tomorrow?" in text
