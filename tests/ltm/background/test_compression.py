"""Which parts of a history become summaries."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from anaphora.ltm.background.compression import apply_summaries, plan_segments
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS
from anaphora.ltm.history.working_history import History, HistorySettings
from tests.ltm.sample_exchanges import make_exchanges

SETTINGS = HistorySettings(max_size=100, low_water=0.6, segment=5, share=0.2, verbatim=5)


def history_of(*parts: Summary | Exchange) -> History:
    return History(
        tuple(part for part in parts if isinstance(part, Summary)),
        tuple(part for part in parts if isinstance(part, Exchange)),
        WORDS.total(parts),
    )


def numbered(count: int, *, first: int = 1, words: int = 10) -> list[Exchange]:
    return [
        replace(one, number=first + place)
        for place, one in enumerate(make_exchanges(count, words=words))
    ]


def summary(first: int, last: int, *, words: int = 10, level: int = 1, id: int = 0) -> Summary:
    start, end = make_exchanges(last)[first - 1], make_exchanges(last)[-1]
    text = " ".join(["word"] * words)
    return Summary(text, first, last, start.at, end.at, "test", level=level, id=id or first)


def covered(segments):
    return [[part.number for part in segment.parts] for segment in segments]


def compressed(history: History, settings: HistorySettings) -> History:
    """The history after one pass of a summarizer that uses all words it may."""
    segments = plan_segments(history, settings, WORDS)
    texts = [" ".join(["so"] * segment.max_words) for segment in segments]
    replaced, by = apply_summaries(history, segments, texts, ["test"] * len(texts))
    parts = list(history.parts)
    assert list(replaced) == parts[: len(replaced)]
    fresh = max((one.id for one in history.summaries), default=0)
    kept = [replace(one, id=one.id or fresh + place) for place, one in enumerate(by, 1)]
    return history_of(*kept, *parts[len(replaced) :])


def test_a_small_history_is_not_compressed():
    assert plan_segments(history_of(*numbered(10)), SETTINGS, WORDS) == ()


def test_the_oldest_exchanges_are_summarized_five_at_a_time_until_the_history_is_small_enough():
    history = history_of(*numbered(20))  # 200 words: 140 are to go, and each segment gives 40
    assert covered(plan_segments(history, SETTINGS, WORDS)) == [
        [1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10],
        [11, 12, 13, 14, 15],
    ]
    longer = replace(SETTINGS, max_size=190)
    assert covered(plan_segments(history, longer, WORDS)) == [
        [1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10],
        [11, 12, 13, 14, 15],
    ]
    assert covered(plan_segments(history, replace(longer, low_water=0.9), WORDS)) == [
        [1, 2, 3, 4, 5]
    ]


def test_the_last_exchanges_stay_verbatim():
    history = history_of(*numbered(8, words=30))
    assert covered(plan_segments(history, SETTINGS, WORDS)) == [[1, 2, 3]]
    assert plan_segments(history_of(*numbered(5, words=30)), SETTINGS, WORDS) == ()


def test_a_summary_may_take_a_fifth_of_the_words():
    segment, *_ = plan_segments(history_of(*numbered(20)), SETTINGS, WORDS)
    assert segment.max_words == 10


def test_a_summary_of_a_short_segment_has_a_minimum_length():
    history = history_of(*numbered(60, words=2))
    segment, *_ = plan_segments(history, SETTINGS, WORDS)
    assert (WORDS.total(segment.parts), segment.max_words) == (10, 5)


def test_a_summary_records_what_it_covers():
    exchanges = numbered(20)
    history = history_of(*exchanges)
    segments = plan_segments(history, SETTINGS, WORDS)
    replaced, (first, *_) = apply_summaries(history, segments, ["a", "b", "c"], ["x", "x", "x"])
    assert replaced == tuple(exchanges[:15])
    assert first == Summary("a", 1, 5, exchanges[0].at, exchanges[4].at, by="x")


def test_earlier_summaries_stay_when_more_exchanges_are_summarized():
    old = summary(1, 5)
    history = history_of(old, *numbered(15, first=6))
    segments = plan_segments(history, SETTINGS, WORDS)
    assert covered(segments) == [[6, 7, 8, 9, 10], [11, 12, 13, 14, 15]]
    replaced, by = apply_summaries(history, segments, ["b", "c"], ["x", "x"])
    assert replaced == tuple(history.parts)[:11]
    assert by[0] is old
    assert [(one.first, one.last) for one in by] == [(1, 5), (6, 10), (11, 15)]


def test_summaries_are_summarized_if_nothing_else_is_left():
    summaries = [
        summary(5 * place + 1, 5 * place + 5, words=15, id=place + 1) for place in range(6)
    ]
    history = history_of(*summaries, *numbered(5, first=31))
    (segment,) = plan_segments(history, SETTINGS, WORDS)
    assert segment.parts == tuple(summaries[:5])
    replaced, (upper,) = apply_summaries(history, [segment], ["all of it"], ["x"])
    assert replaced == tuple(summaries[:5])
    assert (upper.level, upper.of, upper.first, upper.last) == (2, (1, 2, 3, 4, 5), 1, 25)


def test_the_oldest_summary_is_not_summarized_repeatedly():
    old = summary(1, 25, words=15, level=2, id=9)
    young = [summary(26 + 5 * place, 30 + 5 * place, words=15, id=10 + place) for place in range(5)]
    (segment,) = plan_segments(history_of(old, *young, *numbered(3, first=51)), SETTINGS, WORDS)
    assert segment.parts == tuple(young)


def test_long_exchanges_leave_room_for_older_summaries():
    history = History()
    for number in range(1, 41):  # the last five alone have 150 words, and 100 may be
        said = numbered(1, first=number, words=30)
        history = history_of(*history.summaries, *history.exchanges, *said)
        while plan_segments(history, SETTINGS, WORDS):
            history = compressed(history, SETTINGS)
        if number > 15:
            assert WORDS.total(history.summaries) >= 15
    assert max(one.level for one in history.summaries) <= 6


@given(
    count=st.integers(min_value=1, max_value=150),
    words=st.integers(min_value=2, max_value=60),
    size=st.integers(min_value=20, max_value=400),
    segment=st.integers(min_value=2, max_value=8),
    verbatim=st.integers(min_value=0, max_value=8),
)
def test_a_compressed_history_still_covers_all_exchanges(count, words, size, segment, verbatim):
    settings = replace(SETTINGS, max_size=size, segment=segment, verbatim=verbatim)
    exchanges = numbered(count, words=words)
    history = history_of(*exchanges)
    for _ in range(200):
        if not plan_segments(history, settings, WORDS):
            break
        after = compressed(history, settings)
        assert after.size < history.size
        history = after
    else:
        raise AssertionError("it never comes to an end")
    spans = [(one.first, one.last) for one in history.summaries]
    spans += [(one.number, one.number) for one in history.exchanges]
    assert [first for first, _ in spans] == [1, *(last + 1 for _, last in spans[:-1])]
    assert spans[-1][1] == count
    assert (
        tuple(exchanges[count - min(verbatim, count) :])
        == history.exchanges[len(history.exchanges) - min(verbatim, count) :]
    )
    summarized = WORDS.total(history.summaries)
    assert history.size <= size or len(history.summaries) <= 1 or summarized <= 0.4 * size
