"""The dates of exchanges: those that the engine understood, and those of all other texts."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora import ConversationKey, Engine, HistorySettings, LongTermMemory, UserKey
from anaphora.core.request import Request
from anaphora.ltm.dates.mentions import add_dates, annotate_dates, date_span, find_dates
from anaphora.ltm.exchange import DateMention, Exchange
from anaphora.ltm.summarizers.extractive.summarizer import Extractive
from anaphora.ltm.summarizers.summarizer import Segment

FRIDAY = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
BOOKINGS = """
id: bookings
name: Bookings
version: 1.0.0
language: en
entities: [date]
elements:
  - id: book
    groups: [topic]
    synonyms: ["book {a table|_}"]
  - id: play
    groups: [topic]
    synonyms: ["play"]
  - id: song
    values: {yesterday: ["yesterday by the beatles"]}
intents:
  - intent=book term(topic)={# == 'book'} term(date)={# == 'date'}
  - intent=play term(topic)={# == 'play'} term(song)={# == 'song'}?
responses:
  book: "Booked for {{ date }}."
  play: "Here you are: that is the song you want, I hope, for there are many of them."
"""


def annotated(text, language="en", at=FRIDAY):
    said = add_dates(Exchange(text, "", at, language=language))
    return annotate_dates(text, said.question_dates, at.date())


@pytest.mark.parametrize(
    ("language", "said", "resolved"),
    [
        ("en", "See you next Friday.", "See you next Friday (2026-11-27)."),
        ("en", "I was there yesterday.", "I was there yesterday (2026-11-19)."),
        ("en", "Yesterday I was in Rome", "Yesterday (2026-11-19) I was in Rome"),
        ("en", "Last Tuesday Caroline called", "Last Tuesday (2026-11-17) Caroline called"),
        ("en", "I came yesterday by train", "I came yesterday (2026-11-19) by train"),
        ("en", "2 weeks ago", "2 weeks ago (2026-11-06)"),
        ("en", "last week or last year", "last week (2026-W46) or last year (2025)"),
        ("en", "I NEED IT TOMORROW", "I NEED IT TOMORROW (2026-11-21)"),
        ("en-GB", "tomorrow at 5pm", "tomorrow at 5pm (2026-11-21T17:00)"),
        ("de", "Gestern Morgen war ich da", "Gestern Morgen (2026-11-19) war ich da"),
        ("ru", "Вчера был дождь", "Вчера (2026-11-19) был дождь"),
        ("es", "pasado mañana", "pasado mañana (2026-11-22)"),
        ("ja", "昨日行きました", "昨日（2026-11-19）行きました"),
    ],
)
def test_relative_dates_are_annotated(language, said, resolved):
    assert annotated(said, language) == resolved


@pytest.mark.parametrize(
    ("language", "value"),
    [
        ("en", "2026-03-09"),
        ("en-US", "2026-03-09"),
        ("en-GB", "2026-09-03"),
        ("en_AU", "2026-09-03"),
    ],
)
def test_the_region_says_the_order_of_day_and_month(language, value):
    exchange = Exchange("it arrives 3/9/2026", "", FRIDAY, language=language)
    (found,) = add_dates(exchange).question_dates
    assert found.value == value


def test_the_region_says_when_a_week_begins():
    sunday = FRIDAY + timedelta(days=2)
    values = [
        one.value
        for language in ("en-GB", "en-US")
        for one in add_dates(
            Exchange("on Friday of next week", "", sunday, language=language)
        ).question_dates
    ]
    assert values == ["2026-11-27", "2026-12-04"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Yesterday by the Beatles"),
        ("en", "Can you play Yesterday by the Beatles?"),
        ("en", "play yesterday by the Beatles"),
        ("en", "Play Yesterday, please"),
        ("en", "I liked Yesterday Once More"),
        ("en", "Yesterday Once More is a song."),
        ("en", "Is The Day After Tomorrow on?"),
        ("en", "The Day After Tomorrow is a film."),
        ("en", "Black Friday the film"),
        ("en", "We saw Next Friday in the cinema"),
        ("en", 'They sang "yesterday" twice'),
        ("en", "They sang «yesterday» and “tomorrow”"),
        ("de", "Kennst du „gestern“?"),
        ("en", "today, this week and now"),
        ("en", "on Friday"),  # the last one or the next one
        ("en", "Booked for 2026-11-27 and 11/28/2026."),
        ("en", "yesterday (2026-11-19)"),
        ("ja", "昨日（2026-11-19）"),
        ("de", "Guten Morgen!"),
        ("nl", "Goede morgen!"),
        ("xx", "yesterday"),
    ],
)
def test_other_texts_are_not_annotated(language, said):
    assert annotated(said, language) == said


@pytest.mark.parametrize("language", ["", "../en", "not a language"])
def test_a_text_in_an_unknown_language_is_read_as_english(language):
    assert annotated("tomorrow", language) == "tomorrow (2026-11-21)"


def test_dates_resolved_by_the_engine_are_kept():
    known = (DateMention(0, 8, "2027-01-01"),)
    said = add_dates(Exchange("tomorrow, or yesterday?", "tomorrow", FRIDAY, question_dates=known))
    assert said.question_dates == known
    assert said.answer_dates == (DateMention(0, 8, "2026-11-21"),)


@pytest.mark.parametrize(
    ("value", "span"),
    [
        ("2026-11-22", (date(2026, 11, 22), date(2026, 11, 22))),
        ("2026-11-22T17:00", (date(2026, 11, 22), date(2026, 11, 22))),
        ("2026-W48", (date(2026, 11, 23), date(2026, 11, 29))),
        ("2026-11", (date(2026, 11, 1), date(2026, 11, 30))),
        ("2026-Q4", (date(2026, 10, 1), date(2026, 12, 31))),
        ("2026", (date(2026, 1, 1), date(2026, 12, 31))),
        ("2026-05-01/2026-06-03", (date(2026, 5, 1), date(2026, 6, 3))),
        ("2026-05-01/..", (date(2026, 5, 1), None)),
        ("../2026-05-01", (None, date(2026, 5, 1))),
        ("2026-13-01", None),
        ("2026-W99", None),
        ("9999", None),
        ("tomorrow", None),
        ("", None),
    ],
)
def test_a_date_value_spans_its_days(value, span):
    assert date_span(value) == span


@given(
    st.text()
    | st.lists(st.sampled_from(["tomorrow", "by", "“", "The", "2026", "\n"])).map(" ".join)
)
def test_any_text_can_be_searched_for_dates(text):
    for one in find_dates(text, "en", FRIDAY):
        assert 0 <= one.start < one.end <= len(text)
        assert date_span(one.value) is not None


# -- together ----------------------------------------------------------------------------------


def told(tmp_path, *questions, at=FRIDAY, request=None):
    """The summary of what was asked and answered, and the replies."""
    file = tmp_path / "bookings.yaml"
    file.write_text(BOOKINGS, "utf-8")
    settings = HistorySettings(max_size=3, low_water=0.1, segment=9, verbatim=0, share=0.9)
    with LongTermMemory("memory:", settings=settings, summarizer=Extractive()) as memory:
        with Engine(file, long_term=memory) as engine:
            options = {} if request is None else {"request": request}
            replies = [engine.ask(one, user="ann", at=at, **options) for one in questions]
        memory.flush()
        (summary,) = memory.history(ConversationKey("ann", "bookings")).summaries
        kept = memory.original_exchanges(ConversationKey("ann", "bookings"), summary)
    return summary.text, replies, kept


def test_next_friday_is_the_same_day_in_the_reply_and_in_the_summary(tmp_path):
    text, (reply,), (kept,) = told(tmp_path, "book a table for next Friday")
    assert reply.text == "Booked for 2026-11-27."
    assert kept.question_dates == (DateMention(17, 28, "2026-11-27"),)
    assert "next Friday (2026-11-27)" in text


def test_tomorrow_depends_on_the_users_time_zone(tmp_path):
    tokyo = Request(time_zone="Asia/Tokyo")  # where it is Saturday already
    text, (reply,), (kept,) = told(
        tmp_path, "book a table for tomorrow in Rome, please, for the four of us", request=tokyo
    )
    assert reply.text == "Booked for 2026-11-22."
    assert "tomorrow (2026-11-22)" in text
    assert kept.at.utcoffset() == FRIDAY.astimezone(ZoneInfo("Asia/Tokyo")).utcoffset()


def test_an_ambiguous_date_is_the_one_chosen_by_the_engine(tmp_path):
    text, (reply,), _ = told(tmp_path, "book a table on Friday please")
    assert reply.text == "Booked for 2026-11-27."
    assert "Friday (2026-11-27)" in text


def test_song_titles_are_not_dates(tmp_path):
    text, (reply,), (kept,) = told(tmp_path, "play yesterday by the beatles")
    assert reply.intent == "play"
    assert kept.question_dates == ()
    assert "yesterday" in text
    assert "(" not in text


def test_dates_are_found_in_rejected_questions(tmp_path):
    text, (reply,), _ = told(tmp_path, "I will move to Rome tomorrow and not come back to you all")
    assert reply.status == "rejected"
    assert "tomorrow (2026-11-21)" in text


def test_a_search_uses_the_users_local_day(tmp_path):
    tokyo = FRIDAY.astimezone(ZoneInfo("Asia/Tokyo"))  # Saturday, the 21st
    with LongTermMemory("memory:", clock=lambda: FRIDAY) as memory:
        key = ConversationKey("ann", "bookings")
        memory.add(key, Exchange("I bought some tea", "Fine.", tokyo))
        memory.add(key, Exchange("I bought some milk", "Fine.", FRIDAY))
        memory.add(key, Exchange("I buy bread tomorrow", "Fine.", tokyo))
        assert memory.flush()

        def first(text, at=None):
            return memory.recall(UserKey("ann"), text, at=at).passages[0].exchange.question

        assert first("2026-11-20") == first("today") == "I bought some milk"
        assert first("2026-11-22") == first("tomorrow", tokyo) == "I buy bread tomorrow"
        assert first("tea today", tokyo) == "I bought some tea"


def test_the_day_of_a_line_is_the_users_local_day():
    late = datetime(2026, 11, 21, 8, 30, tzinfo=ZoneInfo("Asia/Tokyo"))  # the 20th in UTC
    said = Exchange("I flew to Oslo with Anna and Tom today, and it was good.", "Fine.", late)
    assert Extractive().summarize([Segment((said,), 12)])[0].startswith("[2026-11-21] User: ")
