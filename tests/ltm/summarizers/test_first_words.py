from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, count_words
from anaphora.ltm.summarizers.first_words import FirstWords, take_first_words
from anaphora.ltm.summarizers.summarizer import Segment

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "limit", "start"),
    [
        ("one two  three\nfour", 3, "one two three"),
        ("one two", 9, "one two"),
        ("one two", 0, ""),
        ("明日東京へ行きます", 2, "明日東京"),
        ("Tokyo 明日東京へ行きます", 2, "Tokyo 明日"),
        ("extraordinarily", 0, ""),
    ],
)
def test_words_are_not_cut(text, limit, start):
    assert take_first_words(text, limit) == start


@given(st.text() | st.text("ab 東京へ1-ด"), st.integers(0, 20))
def test_the_word_limit_is_respected(text, limit):
    assert count_words(take_first_words(text, limit)) <= limit


@given(st.text())
def test_short_texts_are_not_cut(text):
    assert take_first_words(text, count_words(text)) == " ".join(text.split())


def test_turns_keep_their_order():
    before = Summary("User: Tea, please.", 1, 5, NOON, NOON, by="cut")
    after = Exchange("And a cake?", "With pleasure. Which one?", NOON)
    told = FirstWords().summarize([Segment((before, after), 7), Segment((after,), 100)])
    assert told == [
        "User: Tea, please.\nUser: And a cake?",
        "User: And a cake?\nBot: With",
    ]
    assert count_words(told[1]) < WORDS.total([after])


def test_relative_dates_are_annotated():
    said = Exchange("A table for tomorrow, please, for the two of us", "With pleasure.", NOON)
    (told,) = FirstWords().summarize([Segment((said,), 6)])
    assert told == "User: A table for tomorrow (2026-03-15),"
