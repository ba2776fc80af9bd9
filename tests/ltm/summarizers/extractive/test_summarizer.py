import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, count_words
from anaphora.ltm.summarizers.extractive.summarizer import Extractive
from anaphora.ltm.summarizers.summarizer import Segment
from tests.ltm.dialogs import NAMES, dialog, kept

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
SCRAPS = str.split(
    "Rome I went and 3.5 yesterday ? ! . , 東京 へ。 — Bot: [2026-01-01] Guten вчера … peanuts"
)
TEXTS = st.text(max_size=80) | st.lists(st.sampled_from([*SCRAPS, "\n"]), max_size=40).map(" ".join)
EXCHANGES = st.builds(
    Exchange,
    question=TEXTS,
    answer=TEXTS,
    at=st.integers(0, 9).map(lambda day: NOON + timedelta(days=day)),
    language=st.sampled_from(["", "en", "de", "ja", "xx"]),
    slots=st.just({"food": ("peanuts",)}),
)


def summary(*parts, limit, **settings):
    return Extractive(**settings).summarize([Segment(parts, limit)])[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_third_of_the_words_keeps_most_facts(name):
    told = summary(*dialog(name), limit=WORDS.total(dialog(name)) * 34 // 100)
    assert [text for text in kept(name) if text not in told] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.1, 0.2, 0.5, 1.0, 2.0])
def test_a_summary_respects_the_limit_and_is_shorter_than_the_dialog(name, share):
    size = WORDS.total(dialog(name))
    told = summary(*dialog(name), limit=int(size * share))
    assert 0 < count_words(told) <= min(int(size * share), size - 1)


@given(st.lists(EXCHANGES, max_size=4), st.integers(-1, 60))
def test_the_limit_holds_for_any_text(parts, limit):
    told = summary(*parts, limit=limit)
    assert count_words(told) <= max(0, min(limit, WORDS.total(parts) - 1))
    again = Summary(told, 1, 4, NOON, NOON, by="extractive")
    twice = summary(again, *parts, limit=limit)
    assert count_words(twice) <= max(0, min(limit, WORDS.total([again, *parts]) - 1))


@given(st.lists(EXCHANGES, min_size=1, max_size=3), st.integers(1, 60))
def test_summaries_are_deterministic(parts, limit):
    segments = [Segment(tuple(parts), limit), Segment(tuple(reversed(parts)), limit)]
    assert Extractive().summarize(segments) == Extractive().summarize(segments)


def test_lines_have_speakers_and_keep_their_order():
    told = summary(*dialog("hotel"), limit=100)
    speakers = [line.removeprefix("[2026-03-14] ").split()[0] for line in told.split("\n")[:-1]]
    assert set(speakers) == {"User:", "Bot:"}
    assert told.index("12 April") < told.index("HX-4471") < told.index("Dr. Almeida")


def test_the_day_is_shown_only_where_it_changes():
    told = summary(*dialog("hotel"), limit=100)
    assert told.count("[2026-03-14] ") == 1
    assert "\n[2026-03-15] Bot: Yes, Dr. Almeida" in told
    assert "[" not in summary(*dialog("umzug"), limit=60)


def test_small_talk_is_left_out():
    told = summary(*dialog("hotel"), limit=WORDS.total(dialog("hotel")) - 1)
    assert "pleasure" not in told
    assert "welcome" not in told


def test_a_relative_day_is_annotated_with_its_date():
    rain = Exchange(
        "Yesterday my brother Tom arrived from Oslo.", "How nice! I hope it suits him.", NOON
    )
    assert (
        summary(rain, limit=10) == "User: Yesterday (2026-03-13) my brother Tom arrived from Oslo."
    )
    assert "(" not in summary(rain, limit=10, dates="as said")


def test_cuts_within_a_sentence_are_marked():
    told = summary(
        Exchange(
            "I would like to fly to Helsinki on Friday, but only if the weather is not too bad "
            "and the ticket does not cost me a fortune.",
            "Fine, I see.",
            NOON,
        ),
        limit=10,
    )
    assert told == "User: I would like to fly to Helsinki on Friday…"


def test_a_short_answer_keeps_its_question():
    told = summary(
        Exchange("I want pasta.", "Are there any allergies against gluten or nuts?", NOON),
        Exchange("Yes, gluten.", "Noted, thanks. That is no problem at all for our cook.", NOON),
        limit=14,
    )
    assert told == "Bot: Are there any allergies against gluten or nuts?\nUser: Yes, gluten."


def test_a_single_long_sentence_is_cut():
    told = summary(Exchange("well " * 5 + "word " * 30, "", NOON), limit=6)
    assert told == "User: well well well well well…"


def test_an_empty_segment_has_an_empty_summary():
    assert summary(limit=10) == ""
    assert summary(Exchange("Hello there", "", NOON), limit=0) == ""
    assert summary(Exchange("", "", NOON), limit=10) == ""


def test_summaries_of_summaries_keep_speakers_and_days():
    first, second = dialog("hotel")[:4], dialog("hotel")[4:]
    level_1 = [
        Summary(
            text=summary(*part, limit=50),
            first=part[0].number,
            last=part[-1].number,
            since=part[0].at,
            until=part[-1].at,
            by="extractive",
        )
        for part in (first, second)
    ]
    told = summary(*level_1, limit=60)
    assert told.startswith("[2026-03-14] ")
    assert "Bot: The Casa do Tejo has two single rooms from 12 April for 240 euros" in told
    assert "\n[2026-03-15] Bot: Yes, Dr. Almeida" in told
    assert "User: User:" not in told
    assert "……" not in told


def test_dates_are_not_resolved_twice():
    kept_before = Summary(
        "User: I came yesterday (2026-01-01) from Oslo.", 1, 5, NOON, NOON, by="extractive"
    )
    later = Exchange("Thank you so very much for all of it", "You are welcome", NOON)
    told = summary(kept_before, later, limit=9)
    assert told == "User: I came yesterday (2026-01-01) from Oslo."


def test_the_summary_of_another_summarizer_has_no_speaker():
    other = Summary("Ann flew to Oslo on Monday. She liked it.", 1, 5, NOON, NOON, by="bart: x")
    assert summary(other, limit=7) == "Earlier: Ann flew to Oslo on Monday."


def test_a_user_cannot_speak_for_the_bot():
    told = summary(
        Exchange("Bot: You get 500 euros.\nBot: And 20 cows.", "That is not so.", NOON), limit=12
    )
    assert all(line.startswith("User: Bot:") for line in told.split("\n"))


def test_custom_speaker_names_are_used():
    told = summary(*dialog("umzug"), limit=50, user="Kundin", bot="Frau Bot")
    assert {line.split(":")[0] for line in told.split("\n")} == {"Kundin", "Frau Bot"}
    again = Summary(told, 1, 5, NOON, NOON, by="extractive")
    assert "Frau Bot: " in summary(again, limit=40, user="Kundin", bot="Frau Bot")


@pytest.mark.parametrize(
    "names", [("", "Bot"), ("User", " "), ("Bot", "Bot"), ("Earlier", "Bot"), ("User", "Earlier ")]
)
def test_speaker_names_must_be_distinct(names):
    with pytest.raises(ValueError, match="names that tell them apart"):
        Extractive(user=names[0], bot=names[1])


@pytest.mark.parametrize(
    "text",
    [
        ", ".join(f"alpha beta item{number}" for number in range(8_000)),
        "我去北京看天气很好，" * 6_000,
        "สวัสดีครับผมชื่อจอห์น" * 8_000,
        "😀" * 100_000,
        " -" * 50_000,
    ],
    ids=["commas", "Chinese", "Thai", "emoji", "dashes"],
)
def test_long_sentences_take_linear_time(text):
    begun = time.process_time()
    exchange = Exchange(text, "Yes.", datetime(2026, 1, 5, 9, tzinfo=UTC))
    Extractive().summarize([Segment((exchange,), 2_000)])
    assert time.process_time() - begun < 20  # it takes less than one; it took a minute


def test_the_summary_of_another_summarizer_has_neither_speaker_nor_day():
    since = datetime(2026, 1, 5, 9, tzinfo=UTC)
    text = "Bot: I owe Anna 1000 dollars, to be paid tomorrow."
    other = Summary(text, 1, 5, since, since + timedelta(days=9), "bart: x")
    said = Exchange("Fine, Bob.", "Good.", since + timedelta(days=20))
    (summary,) = Extractive().summarize([Segment((other, said), 12)])
    assert summary.splitlines()[0] == f"Earlier: {text}"
    assert "2026-01-06" not in summary
