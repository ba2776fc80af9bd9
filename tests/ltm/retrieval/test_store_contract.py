"""What every recall store does: keep, count, compress, find, forget."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphora import Entity, StoreError
from anaphora.ltm.exchange import DateMention, Exchange
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistorySettings
from anaphora.ltm.retrieval.store import (
    JournalPosition,
    NewExchange,
    SearchFilter,
    TermStatistics,
    TermUpdate,
    UserKey,
)
from anaphora.ltm.retrieval.terms import TERMS_VERSION
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.store_contract import (
    ANN,
    ANN_ELSEWHERE,
    ANN_HOTELS,
    BEGIN,
    BEN,
    NO_FILTER,
    OF_ANN,
    OF_BEN,
    add_exchanges,
    compress,
    ids_of,
    listed,
    make_exchange,
    make_new_exchange,
    make_question,
    make_summary,
    matching,
    places,
    questions,
    stack_vectors,
    vector,
    without_ids,
)

CITY = Entity(
    "city",
    frozenset(("city", "place")),
    "Big Apple",
    (3, 4),
    12,
    21,
    "New York",
    ("place",),
    {"population": 8_000_000, "names": ["NYC"]},
    topic=True,
    exact=False,
    own=False,
    stem="big appl",
    lemma="big apple",
    parts=(Entity("word", frozenset(("word",)), "Big"),),
)
NUMBERS = count()
ODD = ["", " ", "a\0b", "\0", "\ud800", "a\udfffb", "é\u0301🌧️", "'; DROP TABLE --", '%_\\"{}', "\n"]


# -- what is said ------------------------------------------------------------------------------


def test_an_exchange_comes_back_as_it_was_said(store):
    exchange = Exchange(
        "Weather in the Big Apple?",
        "Rain.",
        datetime(2026, 1, 5, 9, 30, 12, 345678, tzinfo=timezone(timedelta(hours=9))),
        "incomplete",
        "weather",
        {"city": ("New York",), "days": ("monday", "tuesday")},
        "en",
        (CITY, Entity("date", frozenset(("date",)), "today")),
    )
    store.add([NewExchange(ANN, exchange, ("weather", "rain"))])
    assert list(store.exchanges(ANN, first=1, last=1)) == [replace(exchange, number=1)]


def test_an_exchange_keeps_its_dates_and_the_clock_of_who_asked(store):
    exchange = Exchange(
        "Tomorrow?",
        "It was yesterday.",
        datetime(2026, 1, 5, 0, 30, tzinfo=timezone(timedelta(hours=9))),
        question_dates=(DateMention(0, 8, "2026-01-06"),),
        answer_dates=(),
    )
    store.add([NewExchange(ANN, exchange, ("tomorrow",)), make_new_exchange(ANN, "later")])
    kept, later = store.exchanges(ANN, first=1, last=2)
    assert kept == replace(exchange, number=1)
    assert kept.at.isoformat() == "2026-01-05T00:30:00+09:00"
    assert later.at.isoformat() == "2026-01-05T09:00:00+00:00"
    assert (later.question_dates, later.answer_dates) == (None, None)


def test_every_conversation_counts_its_own_exchanges(store):
    store.add(
        [
            make_new_exchange(ANN, "one"),
            make_new_exchange(BEN, "uno"),
            make_new_exchange(ANN, "two"),
            make_new_exchange(ANN_HOTELS, "eins"),
        ]
    )
    store.add([make_new_exchange(ANN, "three"), make_new_exchange(ANN_ELSEWHERE, "un")])
    told = [
        [(each.number, each.question) for each in store.exchanges(key, first=1, last=9)]
        for key in (ANN, BEN, ANN_HOTELS, ANN_ELSEWHERE)
    ]
    assert told == [
        [(1, "one"), (2, "two"), (3, "three")],
        [(1, "uno")],
        [(1, "eins")],
        [(1, "un")],
    ]


def test_the_number_that_an_exchange_had_elsewhere_says_nothing(store):
    add_exchanges(store, ANN, replace(make_exchange("hi"), number=77))
    assert [each.number for each in store.latest(ANN, 9)] == [1]


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_any_text_is_kept_wherever_it_stands(store, text):
    key = ConversationKey(text, text, text)
    exchange = Exchange(
        text,
        text,
        BEGIN,
        intent=text,
        slots={text: (text, "x")},
        language=text,
        memory=(Entity(text, frozenset((text,)), text, value=text, stem=text, lemma=text),),
    )
    store.add([NewExchange(key, exchange, (text, "x"))], mark=JournalPosition(text, 5))
    whose = UserKey(text, text)
    among = SearchFilter(model=text, intent=text, slots={text: text})
    (found,) = store.matching(whose, (text,), among, 9)
    assert store.fetch(whose, [found.id]) == {found.id: (key, replace(exchange, number=1))}
    assert found.terms == (text, "x")
    assert store.statistics(whose, (text,)) == TermStatistics(1, 2.0, {text: 1})
    assert store.compress(
        key, store.history(key).exchanges, [make_summary(store.history(key).exchanges, text)]
    )
    assert store.history(key).summaries[0].text == text
    store.put_vectors(text, [found.id], stack_vectors(vector(1, 0)))
    assert [id for id, _ in store.nearest(whose, text, vector(1, 0), among, 9)] == [found.id]
    assert list(store.keys()) == [key]
    assert store.marked(text) == 5
    assert store.erase(whose, model=text) == 1


def test_a_long_text_is_kept_whole(store):
    exchange = make_exchange("a" * 300_000, "ü\0" * 100_000)
    add_exchanges(store, ANN, exchange)
    assert list(store.latest(ANN, 1)) == [replace(exchange, number=1)]


@pytest.mark.parametrize("year", [1, 1969, 2026, 9999])
def test_any_time_is_kept(store, year):
    at = datetime(year, 6, 7, 8, 9, 10, 123457, tzinfo=UTC)
    add_exchanges(store, ANN, Exchange("when", "", at))
    assert [each.at for each in store.latest(ANN, 1)] == [at]
    assert listed(store, OF_ANN, SearchFilter(since=at, until=at + timedelta(microseconds=1))) == [
        "when"
    ]


def test_a_time_without_a_zone_is_refused_and_nothing_of_the_batch_is_kept(store):
    add_exchanges(store, ANN, "before")
    naive = replace(make_exchange("naive"), at=datetime(2026, 1, 5))
    with pytest.raises(StoreError, match="zone"):
        store.add(
            [
                make_new_exchange(ANN, "good"),
                make_new_exchange(BEN, "good"),
                make_new_exchange(ANN, naive),
            ],
            mark=JournalPosition("log", 9),
        )
    assert questions(store.exchanges(ANN, first=1, last=9)) == ["before"]
    assert list(store.keys()) == [ANN]
    assert store.marked("log") == 0
    assert store.statistics(OF_ANN, ("good",)) == TermStatistics(1, 1.0, {"good": 0})


def test_a_mark_says_how_much_of_a_journal_is_in(store, home):
    assert store.marked("a") == 0
    store.add([make_new_exchange(ANN, "one")], mark=JournalPosition("a", 120))
    store.add([], mark=JournalPosition("b", 7))
    store.add([make_new_exchange(ANN, "two")])
    store.add([make_new_exchange(ANN, "three")], mark=JournalPosition("a", 2**40))
    assert [store.marked(name) for name in ("a", "b", "c")] == [2**40, 7, 0]
    assert home.store().marked("a") == 2**40


def test_the_mark_of_a_journal_that_is_no_more_can_be_forgotten(store):
    store.add([], mark=JournalPosition("a", 1))
    store.add([], mark=JournalPosition("b", 2))
    store.unmark("a")
    store.unmark("never seen")
    assert [store.marked(name) for name in ("a", "b")] == [0, 2]


def test_threads_that_add_at_once_number_without_gap_or_repetition(store, home):
    others = [store, home.store()]

    def add(thread: int) -> None:
        for turn in range(5):
            others[thread % 2].add(
                [
                    make_new_exchange(ANN, f"{thread}-{turn}"),
                    make_new_exchange(BEN, f"{thread}-{turn}"),
                ]
            )

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(add, range(6)))
    for key, whose in ((ANN, OF_ANN), (BEN, OF_BEN)):
        kept = store.exchanges(key, first=1, last=99)
        assert [each.number for each in kept] == list(range(1, 31))
        assert sorted(questions(kept)) == sorted(f"{t}-{i}" for t in range(6) for i in range(5))
        assert store.statistics(whose, ("3-1",)) == TermStatistics(30, 1.0, {"3-1": 1})
        assert store.history(key).size == 30


# -- the working history -----------------------------------------------------------------------


def test_a_conversation_of_which_nothing_is_known_is_empty(store):
    add_exchanges(store, BEN, "hello")
    assert store.history(ANN) == History()
    assert list(store.exchanges(ANN, first=1, last=9)) == []
    assert list(store.latest(ANN, 9)) == []
    assert store.summary(ANN, 1) is None
    assert store.fetch(OF_ANN, [1, 2]) == {}
    assert list(store.listed(OF_ANN, NO_FILTER, skip=0, limit=9)) == []
    assert list(store.matching(OF_ANN, ("hello",), NO_FILTER, 9)) == []
    assert list(store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []
    assert store.statistics(OF_ANN, ("hello",)) == TermStatistics(0, 0.0, {"hello": 0})
    assert store.erase(OF_ANN) == 0


def test_the_history_is_all_that_was_said_and_its_size_the_words_of_it(store):
    add_exchanges(
        store,
        ANN,
        make_exchange("what is the weather", "rain"),
        make_exchange("and tomorrow", "sun and wind"),
    )
    history = store.history(ANN)
    assert questions(history.exchanges) == ["what is the weather", "and tomorrow"]
    assert history.summaries == ()
    assert history.size == 5 + 5 == WORDS.total(history.parts)


def test_the_oldest_exchange_leaves_a_history_that_is_too_long_and_is_not_lost(home):
    store = home.store(HistorySettings(max_exchanges=3))
    add_exchanges(store, ANN, "one", "two two", "three")
    add_exchanges(store, ANN, "four", "five")
    history = store.history(ANN)
    assert questions(history.exchanges) == ["three", "four", "five"]
    assert history.size == 3
    assert questions(store.exchanges(ANN, first=1, last=2)) == ["one", "two two"]
    assert matching(store, OF_ANN, "two") == ["two two"]


def test_one_batch_may_be_longer_than_a_whole_history(home):
    store = home.store(HistorySettings(max_exchanges=3))
    add_exchanges(store, ANN, *(f"say {number}" for number in range(10)))
    history = store.history(ANN)
    assert questions(history.exchanges) == ["say 7", "say 8", "say 9"]
    assert history.size == 6


def test_sizes_are_counted_anew_in_another_measure(home):
    first = home.store()
    add_exchanges(
        first,
        ANN,
        make_exchange("one two", "three"),
        make_exchange("four", ""),
        make_exchange("five six", ""),
    )
    add_exchanges(first, BEN, "just me")
    assert compress(first, ANN, 1, "all in short")
    assert first.history(ANN).size == 3 + 1 + 2
    letters = Measure("letters", len)
    second = home.store(measure=letters)
    assert second.measure == letters
    assert second.history(ANN).size == 12 + 4 + 8
    assert second.history(BEN).size == 7
    add_exchanges(second, ANN, "six")
    assert second.history(ANN).size == 12 + 4 + 8 + 3


def test_conversations_whose_history_is_too_large_are_named(home):
    store = home.store(HistorySettings(max_size=3))
    add_exchanges(store, ANN, "one two", "three four")
    add_exchanges(store, BEN, "one two", "three")  # not larger than allowed
    add_exchanges(store, ANN_HOTELS, "one two three four")
    assert set(store.oversized(9)) == {ANN, ANN_HOTELS}
    assert len(store.oversized(1)) == 1
    assert compress(store, ANN, 2, "short")
    assert list(store.oversized(9)) == [ANN_HOTELS]


def test_a_summary_stands_for_the_exchanges_it_replaces(store):
    add_exchanges(store, ANN, "one one", "two two", "three", "four")
    before = store.history(ANN)
    short = make_summary(before.exchanges[:2], "ones and twos")
    assert store.compress(ANN, before.exchanges[:2], [short]) is True
    history = store.history(ANN)
    assert without_ids(history.summaries) == [short]
    assert history.exchanges == before.exchanges[2:]
    assert history.size == 3 + 2
    assert history.summaries[0].id > 0
    assert store.summary(ANN, history.summaries[0].id) == history.summaries[0]
    assert questions(store.exchanges(ANN, first=1, last=2)) == ["one one", "two two"]
    assert matching(store, OF_ANN, "one") == ["one one"]


def test_several_segments_are_replaced_at_once_and_later_ones_come_after_them(store):
    add_exchanges(store, ANN, *"abcdef")
    exchanges = store.history(ANN).exchanges
    pair = [make_summary(exchanges[:2], "a and b"), make_summary(exchanges[2:4], "c and d")]
    assert store.compress(ANN, exchanges[:4], pair)
    assert compress(store, ANN, 1, "just e")
    history = store.history(ANN)
    assert [each.text for each in history.summaries] == ["a and b", "c and d", "just e"]
    assert [(each.first, each.last) for each in history.summaries] == [(1, 2), (3, 4), (5, 5)]
    assert questions(history.exchanges) == ["f"]


def test_a_summary_of_summaries_names_them_and_they_can_still_be_read(store):
    add_exchanges(store, ANN, *"abcd")
    assert compress(store, ANN, 2, "a b")
    assert compress(store, ANN, 1, "c")
    replaced = store.history(ANN).summaries
    assert compress(store, ANN, 2, "all", level=2)
    (whole,) = store.history(ANN).summaries
    assert (whole.first, whole.last, whole.level) == (1, 3, 2)
    assert whole.of == tuple(each.id for each in replaced)
    assert tuple(store.summary(ANN, id) for id in whole.of) == replaced
    assert store.history(ANN).size == 2


def test_one_summary_may_stand_for_summaries_and_exchanges(store):
    add_exchanges(store, ANN, *"abcd")
    assert compress(store, ANN, 2, "a b")
    parts = tuple(store.history(ANN).parts)[:2]
    assert store.compress(ANN, parts, [make_summary(parts, "a b c", level=2)])
    history = store.history(ANN)
    assert [each.text for each in history.summaries] == ["a b c"]
    assert questions(history.exchanges) == ["d"]


def test_what_is_no_longer_the_oldest_is_not_replaced(store):
    add_exchanges(store, ANN, *"abcdef")
    add_exchanges(store, BEN, *"abcdef")
    before = store.history(ANN).exchanges
    assert compress(store, ANN, 2, "first")
    assert compress(store, ANN, 1, "second")
    history = store.history(ANN)
    stale = [
        before[:2],  # replaced already
        before[1:5],  # in part
        before[4:],  # there are older ones
        (before[4], before[3]),  # in another order
        history.summaries[1:],
        (*history.summaries[::-1],),
        (replace(history.summaries[0], id=10_000), *history.exchanges),
        store.history(BEN).exchanges[:2],
        (),
    ]
    for parts in stale:
        by = [make_summary(parts, "stale")] if parts else []
        assert store.compress(ANN, parts, by) is False
    assert store.history(ANN) == history


def test_what_was_erased_and_begun_anew_is_not_replaced_by_what_was_said_before(store):
    add_exchanges(store, ANN, "my secret", "and more")
    before = store.history(ANN).exchanges
    store.erase(OF_ANN)
    add_exchanges(store, ANN, "hello", "again")
    assert store.compress(ANN, before, [make_summary(before, "the secret")]) is False
    assert store.history(ANN).summaries == ()


def test_of_two_who_compress_the_same_one_does(store, home):
    add_exchanges(store, ANN, *"abcd")
    parts = store.history(ANN).exchanges[:2]

    def attempt(who: str) -> bool:
        return home.store().compress(ANN, parts, [make_summary(parts, who)])

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(attempt, "wxyz")) == [False, False, False, True]
    assert len(store.history(ANN).summaries) == 1


def test_a_summary_is_known_in_its_own_conversation_alone(store):
    add_exchanges(store, ANN, "secret")
    add_exchanges(store, BEN, "hello")
    assert compress(store, ANN, 1)
    (short,) = store.history(ANN).summaries
    assert store.summary(BEN, short.id) is None
    assert store.summary(ANN_HOTELS, short.id) is None
    assert store.summary(ANN, short.id + 1) is None


def test_the_summaries_stay_when_exchanges_leave_a_history(home):
    store = home.store(HistorySettings(max_exchanges=2))
    add_exchanges(store, ANN, "a", "b")
    assert compress(store, ANN, 1, "just a")
    add_exchanges(store, ANN, "c", "d")
    history = store.history(ANN)
    assert [each.text for each in history.summaries] == ["just a"]
    assert questions(history.exchanges) == ["c", "d"]
    assert history.size == 4


# -- reading -----------------------------------------------------------------------------------


def test_exchanges_are_read_by_their_numbers(store):
    add_exchanges(store, ANN, *"abcde")
    assert questions(store.exchanges(ANN, first=2, last=4)) == ["b", "c", "d"]
    assert questions(store.exchanges(ANN, first=4, last=99)) == ["d", "e"]
    assert questions(store.exchanges(ANN, first=-3, last=1)) == ["a"]
    assert questions(store.exchanges(ANN, first=3, last=2)) == []


def test_the_latest_exchanges_come_newest_first(store):
    add_exchanges(store, ANN, *"abcde")
    assert questions(store.latest(ANN, 2)) == ["e", "d"]
    assert questions(store.latest(ANN, 99)) == list("edcba")
    assert questions(store.latest(ANN, 0)) == []


def test_nobody_fetches_what_another_said(store):
    (mine,) = add_exchanges(store, ANN, "mine")
    (elsewhere,) = add_exchanges(store, ANN_ELSEWHERE, "in another tenant")
    (other,) = add_exchanges(store, BEN, "other")
    found = store.fetch(OF_ANN, [other, mine, elsewhere, 10_000])
    assert {id: (key, each.question) for id, (key, each) in found.items()} == {mine: (ANN, "mine")}
    assert [each.id for each in store.documents(OF_ANN, [other, mine, elsewhere])] == [mine]
    assert store.fetch(OF_ANN, []) == {}
    assert list(store.documents(OF_ANN, [])) == []


def test_many_can_be_fetched_at_once(store):
    ids = add_exchanges(store, ANN, *(f"say {number}" for number in range(1_200)))
    assert len(store.fetch(OF_ANN, ids)) == len(store.documents(OF_ANN, ids)) == 1_200


def test_everything_is_listed_by_time_newest_first_in_pages(store):
    add_exchanges(
        store,
        ANN,
        make_exchange("b", minute=2),
        make_exchange("a", minute=1),
        make_exchange("same time", minute=2),
    )
    add_exchanges(store, ANN_HOTELS, make_exchange("c", minute=3))
    add_exchanges(store, BEN, make_exchange("other", minute=2))
    assert listed(store, OF_ANN) == ["c", "same time", "b", "a"]
    whole = list(store.listed(OF_ANN, NO_FILTER, skip=0, limit=99))
    pages = [store.listed(OF_ANN, NO_FILTER, skip=skip, limit=2) for skip in (0, 2, 4)]
    assert [id for page in pages for id in page] == whole


FILTERS = {
    "model": (SearchFilter(model="hotels"), {"d"}),
    "since": (SearchFilter(since=BEGIN + timedelta(minutes=2)), {"c", "d"}),
    "until": (SearchFilter(until=BEGIN + timedelta(minutes=2)), {"a", "b"}),
    "span": (
        SearchFilter(since=BEGIN + timedelta(minutes=1), until=BEGIN + timedelta(minutes=3)),
        {"b", "c"},
    ),
    "intent": (SearchFilter(intent="weather"), {"a", "b"}),
    "slot": (SearchFilter(slots={"city": "Tokyo"}), {"a", "b", "d"}),
    "one of several values": (SearchFilter(slots={"city": "Paris"}), {"b"}),
    "several slots": (SearchFilter(slots={"city": "Tokyo", "day": "today"}), {"b"}),
    "all at once": (
        SearchFilter("weather", BEGIN, BEGIN + timedelta(hours=1), "weather", {"day": "today"}),
        {"b"},
    ),
    "nobody's intent": (SearchFilter(intent="none"), set()),
    "nobody's model": (SearchFilter(model="none"), set()),
    "another's slot": (SearchFilter(slots={"day": "Tokyo"}), set()),
}


@pytest.fixture
def varied(store):
    """A store with exchanges that every filter tells apart."""
    add_exchanges(
        store,
        ANN,
        make_exchange("a", "word", minute=0, intent="weather", slots={"city": ("Tokyo",)}),
        make_exchange(
            "b",
            "word",
            minute=1,
            intent="weather",
            slots={"city": ("Tokyo", "Paris"), "day": ("today",)},
        ),
        make_exchange("c", "word", minute=2, intent="time"),
    )
    add_exchanges(
        store, ANN_HOTELS, make_exchange("d", "word", minute=3, slots={"city": ("Tokyo",)})
    )
    add_exchanges(
        store,
        BEN,
        make_exchange("other", "word", minute=1, intent="weather", slots={"city": ("Tokyo",)}),
    )
    for id, (itself, *_) in enumerate(store.unembedded("m", 99), 1):
        store.put_vectors("m", [itself], stack_vectors(vector(1, id / 10)))
    return store


@pytest.mark.parametrize(("filters", "expected"), FILTERS.values(), ids=FILTERS)
def test_a_search_can_be_confined(varied, filters, expected):
    assert set(listed(varied, OF_ANN, filters)) == expected
    assert set(matching(varied, OF_ANN, "word", filters=filters)) == expected
    near = varied.nearest(OF_ANN, "m", vector(1, 0), filters, 99)
    found = varied.fetch(OF_ANN, [id for id, _ in near])
    assert {each.question for _, each in found.values()} == expected


@pytest.mark.parametrize(("filters", "expected"), FILTERS.values(), ids=FILTERS)
def test_a_limit_counts_what_is_confined(varied, filters, expected):
    limit = max(len(expected) - 1, 1)
    among_expected = min(limit, len(expected))
    assert len(matching(varied, OF_ANN, "word", filters=filters, limit=limit)) == among_expected
    assert len(varied.nearest(OF_ANN, "m", vector(1, 0), filters, limit)) == among_expected
    assert len(varied.listed(OF_ANN, filters, skip=0, limit=limit)) == among_expected


# -- searching ---------------------------------------------------------------------------------


def test_statistics_are_those_of_the_user_alone(store):
    add_exchanges(store, ANN, "the rain in spain", "the sun")
    add_exchanges(store, ANN_HOTELS, "rain rain go away the end")
    add_exchanges(store, BEN, "rain rain rain")
    add_exchanges(store, ANN_ELSEWHERE, "rain")
    assert store.statistics(OF_ANN, ("rain", "the", "snow", "rain")) == TermStatistics(
        3, 12 / 3, {"rain": 2, "the": 3, "snow": 0}
    )
    assert store.statistics(OF_BEN, ()) == TermStatistics(1, 3.0, {})


def test_an_exchange_without_terms_counts_as_one(store):
    store.add(
        [
            NewExchange(ANN, make_exchange("?!"), ()),
            NewExchange(ANN, make_exchange("one two"), ("one", "two")),
        ]
    )
    assert store.statistics(OF_ANN, ("one",)) == TermStatistics(2, 1.0, {"one": 1})
    # Nothing can find it, and a list leaves it out: in such a one nothing was said.
    assert [each.terms for each in store.documents(OF_ANN, ids_of(store, ANN))] == [
        ("one", "two"),
    ]


def test_what_has_one_of_the_terms_is_found_with_all_of_its_own(store):
    add_exchanges(store, ANN, "rain in spain rain", "sun in rome", "nothing at all")
    add_exchanges(store, BEN, "rain in spain")
    found = store.matching(OF_ANN, ("rain", "rome", "snow"), NO_FILTER, 9)
    assert {(each.number, each.terms) for each in found} == {
        (1, ("rain", "in", "spain", "rain")),
        (2, ("sun", "in", "rome")),
    }
    assert len({each.conversation for each in found}) == 1
    assert matching(store, OF_ANN) == []
    assert matching(store, OF_ANN, "snow") == []


def test_what_has_the_rarer_term_comes_first(store):
    add_exchanges(store, ANN, *(f"the thing {number}" for number in range(30)))
    add_exchanges(store, ANN, "the needle")
    add_exchanges(store, ANN, *(f"the other {number}" for number in range(30)))
    assert matching(store, OF_ANN, "the", "needle", limit=1) == ["the needle"]
    assert matching(store, OF_ANN, "the", "thing", "7", limit=1) == ["the thing 7"]


def test_terms_are_found_as_they_are(store):
    store.add(
        [NewExchange(ANN, make_exchange("x"), ("Übung", "a b", "天気", "run*", '"', "NOT", "дожд"))]
    )
    for term in ("Übung", "a b", "天気", "run*", '"', "NOT", "дожд"):
        assert matching(store, OF_ANN, term) == ["x"]
    for term in ("übung", "Ubung", "a", "b", "天", "run", "ru", "not", ""):
        assert matching(store, OF_ANN, term) == []


def test_others_change_nothing_in_what_is_found(store):
    texts = ["rain and sun", "rain", "sun sun and wind", "wind or rain and more of the same"]
    add_exchanges(store, ANN, *texts)
    alone = matching(store, OF_ANN, "rain", "sun", "and")
    add_exchanges(store, BEN, *("rain and rain" for _ in range(50)), "wind", "sun")
    assert matching(store, OF_ANN, "rain", "sun", "and") == alone
    for limit in (1, 2, 3):
        assert matching(store, OF_ANN, "rain", "sun", "and", limit=limit) == alone[:limit]


def test_the_neighbours_of_documents_come_once_and_in_order(store):
    ann = add_exchanges(store, ANN, *"abcdefgh")
    hotels = add_exchanges(store, ANN_HOTELS, *"xyz")
    add_exchanges(store, BEN, *"klm")
    documents = store.documents(OF_ANN, [ann[6], ann[1], ann[2], hotels[0]])
    around = store.around(documents, 1)
    assert [(each.conversation, each.number) for each in around] == sorted(
        (each.conversation, each.number) for each in around
    )
    first, second = (store.documents(OF_ANN, [ids[0]])[0].conversation for ids in (ann, hotels))
    assert places(each for each in around if each.conversation == first) == [1, 2, 3, 4, 6, 7, 8]
    assert places(each for each in around if each.conversation == second) == [1, 2]
    assert {each.terms for each in around if each.conversation == second} == {("x",), ("y",)}
    assert {each.id for each in store.around(documents, 0)} == {each.id for each in documents}
    assert list(store.around([], 2)) == []


def test_the_nearest_come_first_with_their_cosines(store):
    ids = add_exchanges(store, ANN, *"abc")
    (other,) = add_exchanges(store, BEN, "d")
    vectors = stack_vectors(vector(1, 0, 0), vector(0, 1, 0), vector(1, 1, 0))
    store.put_vectors("m", ids, vectors)
    store.put_vectors("m", [other], stack_vectors(vector(1, 0, 0)))
    near = store.nearest(OF_ANN, "m", vector(1, 0.1, 0), NO_FILTER, 9)
    assert [id for id, _ in near] == [ids[0], ids[2], ids[1]]
    assert [cosine for _, cosine in near] == pytest.approx(
        [1 / math.sqrt(1.01), 1.1 / math.sqrt(2.02), 0.1 / math.sqrt(1.01)], abs=1e-5
    )
    assert [id for id, _ in store.nearest(OF_ANN, "m", vector(0, 1, 0), NO_FILTER, 1)] == [ids[1]]
    assert list(store.nearest(OF_ANN, "m", vector(0, 1, 0), NO_FILTER, 0)) == []


# -- vectors -----------------------------------------------------------------------------------


def test_what_has_no_vector_is_named_oldest_first_with_what_was_said_before_it(store):
    first, second = add_exchanges(store, ANN, "a", "b")
    (other,) = add_exchanges(store, BEN, "x")
    (third,) = add_exchanges(store, ANN, "c")
    waiting = [(id, questions(each)) for id, each in store.unembedded("m", 9)]
    assert waiting == [(first, ["a"]), (second, ["a", "b"]), (other, ["x"]), (third, ["b", "c"])]
    assert [id for id, _ in store.unembedded("m", 2)] == [first, second]
    store.put_vectors("m", [first, other], stack_vectors(vector(1, 0), vector(0, 1)))
    assert [id for id, _ in store.unembedded("m", 9)] == [second, third]
    assert [id for id, _ in store.unembedded("another", 1)] == [first]
    store.put_vectors("m", [second, third], stack_vectors(vector(1, 0), vector(0, 1)))
    assert list(store.unembedded("m", 9)) == []
    (fourth,) = add_exchanges(store, ANN, "d")
    assert [(id, questions(each)) for id, each in store.unembedded("m", 9)] == [
        (fourth, ["c", "d"])
    ]


def test_vectors_of_what_is_gone_are_passed_over(store):
    gone, *_ = add_exchanges(store, ANN, "a", "b")
    (stays,) = add_exchanges(store, BEN, "c")
    store.erase(OF_ANN)
    store.put_vectors("m", [gone, stays, 10_000], stack_vectors(*[vector(1, 0)] * 3))
    add_exchanges(store, ANN, "anew")
    assert list(store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []
    assert [id for id, _ in store.nearest(OF_BEN, "m", vector(1, 0), NO_FILTER, 9)] == [stays]


def test_a_vector_that_is_put_again_replaces_the_first(store):
    first, second = add_exchanges(store, ANN, "a", "b")
    store.put_vectors("m", [first, second], stack_vectors(vector(1, 0), vector(0, 1)))
    assert [id for id, _ in store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 1)] == [first]
    store.put_vectors("m", [first, second], stack_vectors(vector(0, 1), vector(1, 0)))
    ((id, cosine),) = store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 1)
    assert (id, cosine) == (second, pytest.approx(1.0))


def test_vectors_of_two_embedders_are_never_compared(store):
    first, second = add_exchanges(store, ANN, "a", "b")
    store.put_vectors("m", [first], stack_vectors(vector(1, 0)))
    store.put_vectors("n", [second], stack_vectors(vector(1, 0, 0)))
    assert [id for id, _ in store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)] == [first]
    assert [id for id, _ in store.nearest(OF_ANN, "n", vector(1, 0, 0), NO_FILTER, 9)] == [second]
    assert list(store.nearest(OF_ANN, "o", vector(1, 0), NO_FILTER, 9)) == []


def test_a_search_finds_what_another_process_has_embedded_meanwhile(store, home):
    other = home.store()
    first, second, third = add_exchanges(store, ANN, "a", "b", "c")
    store.put_vectors("m", [second], stack_vectors(vector(1, 0)))
    assert len(store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 1
    other.put_vectors("m", [third], stack_vectors(vector(1, 0)))
    assert len(store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 2
    other.put_vectors("m", [first], stack_vectors(vector(1, 0)))  # an older one, later
    assert len(store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 3
    other.put_vectors("m", [second], stack_vectors(vector(0, 1)))
    near = store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)
    assert len(near) == 3
    assert dict(near)[second] == pytest.approx(0.0)
    other.expire(BEGIN + timedelta(minutes=1))  # the first of the three
    near = store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)
    assert [id for id, _ in near] == [third, second]
    other.erase(OF_ANN)
    assert list(store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []


# -- forgetting --------------------------------------------------------------------------------


def fill(store) -> None:
    """Everything that can be kept, of two users, two models and two tenants."""
    for key in (ANN, ANN_HOTELS, ANN_ELSEWHERE, BEN):
        ids = add_exchanges(
            store,
            key,
            make_exchange("secret one", "s", minute=1, slots={"x": ("y",)}),
            "two",
            "three",
        )
        store.put_vectors("m", ids, stack_vectors(*[vector(1, 0)] * 3))
        assert compress(store, key, 2)
        assert compress(store, key, 1, level=2)


def assert_nothing_of(store, key: ConversationKey) -> None:
    assert store.history(key) == History()
    assert list(store.latest(key, 9)) == []
    assert key not in set(store.keys())
    assert [store.summary(key, id) for id in range(1, 30)] == [None] * 29


def test_a_user_is_erased_everywhere_and_the_others_stay(store, home):
    fill(store)
    other = home.store()
    before = [(store.history(key), store.latest(key, 9)) for key in (BEN, ANN_ELSEWHERE)]
    assert store.erase(OF_ANN) == 6
    for each in (store, other):
        assert_nothing_of(each, ANN)
        assert_nothing_of(each, ANN_HOTELS)
        assert listed(each, OF_ANN) == matching(each, OF_ANN, "secret", "two") == []
        assert each.statistics(OF_ANN, ("secret",)) == TermStatistics(0, 0.0, {"secret": 0})
        assert list(each.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []
        after = [(each.history(key), each.latest(key, 9)) for key in (BEN, ANN_ELSEWHERE)]
        assert after == before
        assert len(each.nearest(OF_BEN, "m", vector(1, 0), NO_FILTER, 9)) == 3
        assert each.statistics(OF_BEN, ("secret",)).frequency == {"secret": 1}
    assert set(store.keys()) == {BEN, ANN_ELSEWHERE}
    assert store.erase(OF_ANN) == 0


def test_what_was_said_to_one_model_can_be_erased_alone(store):
    fill(store)
    assert store.erase(OF_ANN, model="weather") == 3
    assert_nothing_of(store, ANN)
    assert len(store.latest(ANN_HOTELS, 9)) == 3
    assert matching(store, OF_ANN, "secret") == ["secret one"]
    assert store.statistics(OF_ANN, ("secret", "two")) == TermStatistics(
        3, 5 / 3, {"secret": 1, "two": 1}
    )
    assert len(store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 3
    assert store.erase(OF_ANN, model="weather") == 0
    assert store.erase(OF_ANN) == 3
    assert set(store.keys()) == {BEN, ANN_ELSEWHERE}


def test_an_erased_conversation_begins_anew(store):
    old = add_exchanges(store, ANN, "a", "b")
    store.erase(OF_ANN)
    (id,) = add_exchanges(store, ANN, "c")
    assert [each.number for each in store.latest(ANN, 9)] == [1]
    assert id not in old
    assert store.history(ANN).size == 1
    assert store.fetch(OF_ANN, old) == {}


def test_what_is_too_old_goes_and_the_rest_is_numbered_as_before(store):
    ids = add_exchanges(
        store,
        ANN,
        make_exchange("a a", minute=0),
        make_exchange("b", minute=1),
        make_exchange("c", minute=2),
    )
    add_exchanges(store, BEN, make_exchange("old", minute=0))
    store.put_vectors("m", ids, stack_vectors(*[vector(1, 0)] * 3))
    assert store.expire(BEGIN + timedelta(minutes=1)) == 2
    assert [(each.number, each.question) for each in store.exchanges(ANN, first=1, last=9)] == [
        (2, "b"),
        (3, "c"),
    ]
    history = store.history(ANN)
    assert (questions(history.exchanges), history.size) == (["b", "c"], 2)
    assert list(store.keys()) == [ANN]
    assert matching(store, OF_ANN, "a", "b") == ["b"]
    assert store.statistics(OF_ANN, ("a", "b")) == TermStatistics(2, 1.0, {"a": 0, "b": 1})
    assert len(store.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 2
    add_exchanges(store, ANN, "d")
    assert [each.number for each in store.latest(ANN, 1)] == [4]
    add_exchanges(store, BEN, "new")
    assert [each.number for each in store.latest(BEN, 1)] == [1]


def test_the_oldest_go_first_a_few_at_a_time(store):
    add_exchanges(store, ANN, *(make_exchange(str(number), minute=number) for number in range(5)))
    add_exchanges(store, BEN, make_exchange("in between", minute=1.5))
    before = BEGIN + timedelta(minutes=4)
    assert store.expire(before, limit=3) == 3
    assert (listed(store, OF_ANN), listed(store, OF_BEN)) == (["4", "3", "2"], [])
    assert store.expire(before, limit=3) == 2
    assert store.expire(before, limit=3) == 0
    assert listed(store, OF_ANN) == ["4"]


def test_a_summary_goes_with_the_last_exchange_that_it_speaks_of(store):
    add_exchanges(
        store, ANN, *(make_exchange(letter, minute=place) for place, letter in enumerate("abcdef"))
    )
    assert compress(store, ANN, 2, "a and b")
    assert compress(store, ANN, 2, "c and d")
    first, second = store.history(ANN).summaries
    assert compress(store, ANN, 2, "a to d", level=2)
    (whole,) = store.history(ANN).summaries
    assert store.expire(BEGIN + timedelta(minutes=3)) == 3
    assert store.summary(ANN, first.id) is None
    assert store.summary(ANN, second.id) == second
    assert store.history(ANN).summaries == (whole,)
    assert store.history(ANN).size == 3 + 2
    assert store.expire(BEGIN + timedelta(minutes=4)) == 1
    assert store.summary(ANN, second.id) is store.summary(ANN, whole.id) is None
    history = store.history(ANN)
    assert (history.summaries, questions(history.exchanges), history.size) == ((), ["e", "f"], 2)


def test_an_old_exchange_said_late_leaves_alone(store):
    add_exchanges(
        store,
        ANN,
        make_exchange("new", minute=5),
        make_exchange("old", minute=0),
        make_exchange("newer", minute=6),
    )
    assert store.expire(BEGIN + timedelta(minutes=1)) == 1
    history = store.history(ANN)
    assert (questions(history.exchanges), history.size) == (["new", "newer"], 2)
    assert [each.number for each in history.exchanges] == [1, 3]
    parts = history.exchanges
    assert store.compress(ANN, parts, [make_summary(parts, "both")])
    assert store.history(ANN).size == 1


def test_a_history_with_gaps_is_shortened_by_what_is_in_it(home):
    store = home.store(HistorySettings(max_exchanges=3))
    add_exchanges(
        store,
        ANN,
        make_exchange("a", minute=9),
        make_exchange("old", minute=0),
        make_exchange("c", minute=9),
    )
    assert store.expire(BEGIN + timedelta(minutes=1)) == 1
    store.add([make_new_exchange(ANN, make_exchange("d", minute=10))])
    assert questions(store.history(ANN).exchanges) == ["a", "c", "d"]
    store.add(
        [
            make_new_exchange(ANN, make_exchange("e", minute=11)),
            make_new_exchange(ANN, make_exchange("f", minute=12)),
        ]
    )
    history = store.history(ANN)
    assert (questions(history.exchanges), history.size) == (["d", "e", "f"], 3)
    assert store.expire(BEGIN + timedelta(minutes=10, seconds=1)) == 3
    store.add([make_new_exchange(ANN, make_exchange("g", minute=13))])
    history = store.history(ANN)
    assert (questions(history.exchanges), history.size) == (["e", "f", "g"], 3)


def test_all_conversations_are_known(store):
    many = {ConversationKey(f"user {number}", "weather") for number in range(40)} | {
        ANN,
        ANN_HOTELS,
    }
    store.add([make_new_exchange(key, "hello") for key in many])
    store.add([make_new_exchange(ANN, "hello")])
    found = list(store.keys())
    assert len(found) == len(many)
    assert set(found) == many


# -- the rest ----------------------------------------------------------------------------------


def test_another_store_on_the_same_data_knows_all_of_it(store, home):
    fill(store)
    store.close()
    other = home.store()
    assert len(other.latest(ANN, 9)) == 3
    assert other.history(ANN).size == 2 + 1
    assert matching(other, OF_ANN, "secret") == ["secret one"] * 2
    assert len(other.nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 6


def test_a_closed_store_says_so(store):
    add_exchanges(store, ANN, "a")
    store.ping()
    store.close()
    store.close()
    for use in (
        store.ping,
        lambda: store.history(ANN),
        lambda: store.add([make_new_exchange(ANN, "b")]),
        lambda: store.matching(OF_ANN, ("a",), NO_FILTER, 9),
        lambda: store.erase(OF_ANN),
    ):
        with pytest.raises(StoreError, match="closed"):
            use()


def test_what_was_said_before_its_user_was_erased_is_not_kept(store):
    store.add([make_new_exchange(ANN, make_question(10))])
    assert store.erase(OF_ANN, clock=20) == 1
    later = [
        make_new_exchange(ANN, make_question(15)),
        make_new_exchange(ANN, make_question(20)),
        make_new_exchange(ANN, make_question(21)),
        make_new_exchange(BEN, make_question(15)),
    ]
    store.add(later, mark=JournalPosition("journal", 7))
    assert questions(store.latest(ANN, 9)) == ["q21"]
    assert questions(store.latest(BEN, 9)) == ["q15"]
    assert store.marked("journal") == 7
    assert store.clock() == 21


def test_an_erasure_reaches_to_the_last_that_was_said(store):
    store.add([make_new_exchange(ANN, make_question(10))])
    store.erase(OF_ANN, clock=5)
    store.add([make_new_exchange(ANN, make_question(9)), make_new_exchange(ANN, make_question(11))])
    assert questions(store.latest(ANN, 9)) == ["q11"]


def test_an_erasure_that_comes_late_takes_no_earlier_one_back(store):
    store.erase(OF_ANN, clock=20)
    store.erase(OF_ANN, clock=10)
    store.add([make_new_exchange(ANN, make_question(15))])
    assert store.latest(ANN, 9) == []


def test_of_who_was_erased_with_one_model_the_others_go_on(store):
    other = ANN._replace(model="other")
    store.erase(OF_ANN, model=ANN.model, clock=20)
    store.add([make_new_exchange(key, make_question(15)) for key in (ANN, other)])
    assert (list(store.latest(ANN, 9)), len(store.latest(other, 9))) == ([], 1)


def test_what_comes_late_takes_its_place(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 30, 50)])
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (40, 5, 60, 20)])
    kept = store.history(ANN)
    assert [(one.number, one.clock) for one in kept.exchanges] == [
        (1, 5), (2, 10), (3, 20), (4, 30), (5, 40), (6, 50), (7, 60),
    ]  # fmt: skip
    assert kept.size == 7
    assert [one.clock for one in store.latest(ANN, 3)] == [60, 50, 40]


def test_of_what_was_said_at_the_same_minute_the_later_is_the_newer(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (20, 10)])
    assert listed(store, OF_ANN) == ["q20", "q10"]


def test_what_is_there_already_is_not_kept_twice(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20)])
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 20, 30)])
    assert questions(store.history(ANN).exchanges) == ["q10", "q20", "q30"]
    assert store.history(ANN).size == 3
    assert store.statistics(OF_ANN, ("q10",)).frequency == {"q10": 1}
    assert store.statistics(OF_ANN, ()).documents == 3


def test_what_is_said_at_the_same_logical_time_is_kept_as_it_comes(store):
    for question in ("a", "b", "c"):
        store.add([make_new_exchange(ANN, make_question(10, question))])
    assert questions(store.history(ANN).exchanges) == ["a", "b", "c"]


def test_what_comes_later_than_a_summary_is_among_what_that_stands_for(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in range(10, 60, 10)])
    assert compress(store, ANN, 2)
    size = store.history(ANN).size
    store.add(
        [
            make_new_exchange(ANN, make_question(15)),
            make_new_exchange(ANN, make_question(5)),
            make_new_exchange(ANN, make_question(25)),
        ]
    )
    kept = store.history(ANN)
    (short,) = kept.summaries
    assert (short.first, short.last) == (2, 4)
    assert questions(store.exchanges(ANN, first=2, last=4)) == ["q10", "q15", "q20"]
    assert [(one.number, one.clock) for one in kept.exchanges] == [
        (5, 25), (6, 30), (7, 40), (8, 50),
    ]  # fmt: skip
    assert kept.size == size + 1
    assert store.summary(ANN, short.id) == short
    assert compress(store, ANN, 2)


@given(data=st.data())
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_in_whatever_order_exchanges_come_they_are_kept_in_that_of_their_clocks(store, data):
    key = ConversationKey(f"user {next(NUMBERS)}", "weather")
    clocks = data.draw(st.lists(st.integers(1, 40), unique=True, min_size=1, max_size=12))
    repeated = data.draw(st.lists(st.sampled_from(clocks), max_size=4))
    coming = data.draw(st.permutations([*clocks, *repeated]))
    while coming:
        count = data.draw(st.integers(1, len(coming)))
        store.add([make_new_exchange(key, make_question(clock)) for clock in coming[:count]])
        coming = coming[count:]
    kept = store.history(key)
    assert [one.clock for one in kept.exchanges] == sorted(clocks)
    assert [one.number for one in kept.exchanges] == list(range(1, len(clocks) + 1))
    assert kept.size == len(clocks)


@given(data=st.data())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_summaries_stand_for_the_same_exchanges_and_those_that_come_late_among_them(store, data):
    key = ConversationKey(f"user {next(NUMBERS)}", "weather")
    clocks = data.draw(st.lists(st.integers(1, 40), unique=True, min_size=4, max_size=16))
    repeated = data.draw(st.lists(st.sampled_from(clocks), max_size=4))
    coming = data.draw(st.permutations([*clocks, *repeated]))
    kept: set[int] = set()
    spans: dict[int, tuple[int, int]] = {}  # of summaries, by id: the clocks from and up to which
    end = 0
    while coming:
        count = data.draw(st.integers(1, len(coming)))
        batch, coming = coming[:count], coming[count:]
        store.add([make_new_exchange(key, make_question(clock)) for clock in batch])
        kept.update(batch)
        assert_spans(store, key, kept, spans, end)
        history = store.history(key)
        level = data.draw(st.sampled_from([1, 1, 2]))
        among = len(history.exchanges if level == 1 else history.summaries)
        count = data.draw(st.integers(0, min(among, 4)))
        if not count:
            continue
        assert compress(store, key, count, level=level)
        if level == 1:
            said = [one.clock for one in history.exchanges[:count]]
            span = said[0], said[-1]
            end = span[1]
            made = store.history(key).summaries[-1]
        else:
            parts = history.summaries[:count]
            span = spans[parts[0].id][0], spans[parts[-1].id][1]
            made = store.history(key).summaries[0]
        spans[made.id] = span
        assert_spans(store, key, kept, spans, end)


def assert_spans(store, key: ConversationKey, kept: set[int], spans, end: int) -> None:
    """Numbers are those by clock, summaries stand for all that was said in their time, and what
    was said after the ``end`` of the last one is verbatim."""
    clocks = sorted(kept)
    all_of_them = store.exchanges(key, first=1, last=99)
    assert [(one.number, one.clock) for one in all_of_them] == list(enumerate(clocks, 1))
    history = store.history(key)
    assert [one.clock for one in history.exchanges] == [each for each in clocks if each > end]
    assert history.size == len(history.exchanges) + 2 * len(history.summaries)
    for id, (since, until) in spans.items():
        short = store.summary(key, id)
        among = store.exchanges(key, first=short.first, last=short.last)
        assert [one.clock for one in among] == [each for each in clocks if since <= each <= until]


def test_what_comes_late_twice_in_a_batch_is_kept_once(store):
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (10, 30)])
    store.add([make_new_exchange(ANN, make_question(clock)) for clock in (20, 40, 20, 10, 40)])
    assert questions(store.history(ANN).exchanges) == ["q10", "q20", "q30", "q40"]
    assert store.statistics(OF_ANN, ("q20",)) == TermStatistics(4, 1.0, {"q20": 1})


def test_what_has_no_clock_comes_last_in_its_order(store):
    store.add(
        [
            make_new_exchange(ANN, make_question(10)),
            make_new_exchange(ANN, "a"),
            make_new_exchange(ANN, make_question(30)),
            make_new_exchange(ANN, "b"),
        ]
    )
    store.add(
        [
            make_new_exchange(ANN, "c"),
            make_new_exchange(ANN, make_question(20)),
            make_new_exchange(ANN, make_question(40)),
            make_new_exchange(ANN, "d"),
        ]
    )
    assert [(one.number, one.question) for one in store.history(ANN).exchanges] == list(
        enumerate(["q10", "q20", "q30", "a", "b", "q40", "c", "d"], 1)
    )


# -- quarantine --------------------------------------------------------------------------------


def test_what_the_embedder_refuses_is_put_aside_and_can_be_tried_again(store):
    one, two, three = add_exchanges(store, ANN, "one", "two", "three")
    assert len(store.unembedded("m", 9)) == 3
    store.refuse_embedding("m", two, "too strange")
    assert [id for id, _ in store.unembedded("m", 9)] == [one, three]
    assert [id for id, _ in store.unembedded("other", 9)] == [one, two, three]
    store.put_vectors("m", [one, three], stack_vectors(vector(1, 0), vector(0, 1)))
    (item,) = store.quarantined(9)
    assert (item.kind, item.key, item.reason) == ("embed", ANN, "too strange")
    assert store.unembedded("m", 9) == []
    assert store.release(item.id)
    assert (store.quarantined(9), store.release(item.id)) == ([], False)
    assert [id for id, _ in store.unembedded("m", 9)] == [two]
    store.refuse_embedding("m", two, "still too strange")
    assert store.unembedded("m", 9) == []
    (item,) = store.quarantined(9)
    assert store.discard(item.id)
    assert (store.count_quarantined(), store.discard(item.id)) == (0, False)
    assert store.unembedded("m", 9) == []


def test_a_conversation_that_the_summarizer_refuses_is_put_aside(make_store):
    store = make_store(HistorySettings(max_size=1))
    add_exchanges(store, ANN, "one two")
    add_exchanges(store, BEN, "three four")
    store.refuse_compression(ANN, "too long")
    assert set(store.oversized(9)) == {BEN}
    (item,) = store.quarantined(9)
    assert (item.kind, item.key, item.reason) == ("compress", ANN, "too long")
    assert store.release(item.id)
    assert set(store.oversized(9)) == {ANN, BEN}


def test_an_erased_user_and_what_is_too_old_leave_the_quarantine(store):
    (one,), (two,) = add_exchanges(store, ANN, "one"), add_exchanges(store, BEN, "two")
    store.refuse_embedding("m", one, "no")
    store.refuse_embedding("m", two, "no")
    store.refuse_compression(ANN, "no")
    assert store.count_quarantined() == 3
    store.erase(OF_ANN)
    assert [item.key for item in store.quarantined(9)] == [BEN]
    assert store.expire(BEGIN + timedelta(days=1)) == 1
    assert store.quarantined(9) == []


@pytest.mark.parametrize("id", ["", "7", "seven", "-1"])
def test_what_is_not_in_quarantine_cannot_be_taken_out_of_it(store, id):
    assert (store.release(id), store.discard(id)) == (False, False)


# -- indexing anew -------------------------------------------------------------------------------


def test_what_is_indexed_by_earlier_terms_can_be_indexed_anew(store):
    exchanges = [make_exchange(f"question {number}", minute=number) for number in range(300)]
    store.add([NewExchange(ANN, one, ("old", f"o{n}"), 1) for n, one in enumerate(exchanges)])
    store.add(
        [
            NewExchange(BEN, make_exchange("uno"), ("old", "new"), 1),
            NewExchange(ANN, make_exchange("last"), ("new", "last")),
        ]
    )
    reindexed = 0
    while found := store.outdated(TERMS_VERSION, 7):
        reindexed += len(found)
        store.reindex(
            TERMS_VERSION,
            [TermUpdate(id, one, ("new", one.question.split()[-1], "more")) for id, one in found],
        )
    assert reindexed == 301
    assert matching(store, OF_ANN, "old", "o7") == []
    assert matching(store, OF_ANN, "299") == ["question 299"]
    assert len(matching(store, OF_ANN, "new")) == 301
    assert matching(store, OF_BEN, "uno") == ["uno"]
    assert store.statistics(OF_ANN, ("old", "new", "7")) == TermStatistics(
        301, (300 * 3 + 2) / 301, {"old": 0, "new": 301, "7": 1}
    )
    assert questions(store.exchanges(ANN, first=1, last=2)) == ["question 0", "question 1"]


def test_what_was_indexed_anew_can_be_erased(store):
    store.add(
        [
            NewExchange(ANN, make_exchange("one", slots={"n": ("1",)}), ("old",), 1),
            NewExchange(BEN, make_exchange("uno"), ()),
        ]
    )
    found = store.outdated(TERMS_VERSION, 10)
    assert [one.question for _, one in found] == ["one"]
    again = [TermUpdate(id, one, ("new",)) for id, one in found]
    store.reindex(TERMS_VERSION, again)
    assert matching(store, OF_ANN, "new", filters=SearchFilter(slots={"n": "1"})) == ["one"]
    assert store.erase(OF_ANN) == 1
    store.reindex(TERMS_VERSION, again)  # by another process, which has not heard of it
    assert matching(store, OF_ANN, "new") == []
    assert store.statistics(OF_ANN, ("new",)).documents == 0


def test_nothing_is_indexed_anew_twice(store):
    store.add([NewExchange(ANN, make_exchange("one"), ("old",), 1)])
    ((id, one),) = store.outdated(TERMS_VERSION, 10)
    store.reindex(TERMS_VERSION, [TermUpdate(id, one, ("new",))])
    store.reindex(TERMS_VERSION, [TermUpdate(id, one, ("other",))])
    assert matching(store, OF_ANN, "new") == ["one"]
    assert matching(store, OF_ANN, "other", "old") == []
