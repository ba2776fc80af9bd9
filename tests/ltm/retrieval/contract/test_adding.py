"""Adding exchanges to a recall store, and reading them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from anaphora import Entity, StoreError
from anaphora.ltm.exchange import DateMention, Exchange
from anaphora.ltm.retrieval.store import (
    JournalPosition,
    NewExchange,
    SearchFilter,
    TermStatistics,
    UserKey,
)
from anaphora.stm.conversation import ConversationKey
from tests.ltm.retrieval.contract.helpers import fill
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
    listed,
    make_exchange,
    make_new_exchange,
    make_summary,
    matching,
    questions,
    stack_vectors,
    vector,
)
from tests.ltm.retrieval.stored_rows import stored_keys

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
    is_from_phrase=False,
    stem="big appl",
    lemma="big apple",
    parts=(Entity("word", frozenset(("word",)), "Big"),),
)


ODD = ["", " ", "a\0b", "\0", "\ud800", "a\udfffb", "é\u0301🌧️", "'; DROP TABLE --", '%_\\"{}', "\n"]


def test_an_exchange_is_read_as_it_was_added(store):
    exchange = Exchange(
        "Weather in the Big Apple?",
        "Rain.",
        datetime(2026, 1, 5, 9, 30, 12, 345678, tzinfo=timezone(timedelta(hours=9))),
        "incomplete",
        "weather",
        {"city": ("New York",), "days": ("monday", "tuesday")},
        "en",
        (CITY, Entity("date", frozenset(("date",)), "today")),
        by_bot=(CITY,),
    )
    store.add([NewExchange(ANN, exchange, ("weather", "rain"))])
    assert list(store.exchanges(ANN, first=1, last=1)) == [replace(exchange, number=1)]


def test_an_exchange_keeps_its_dates_and_its_time_zone(store):
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


def test_exchanges_are_numbered_by_conversation(store):
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


def test_the_given_number_of_an_exchange_is_ignored(store):
    add_exchanges(store, ANN, replace(make_exchange("hi"), number=77))
    assert [each.number for each in store.latest(ANN, 9)] == [1]


@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_any_text_is_stored_in_any_field(store, text):
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
    (found,) = store.find_matching(whose, (text,), among, 9)
    assert store.fetch(whose, [found.id]) == {found.id: (key, replace(exchange, number=1))}
    assert found.terms == (text, "x")
    assert store.statistics(whose, (text,)) == TermStatistics(1, 2.0, {text: 1})
    assert store.compress(
        key, store.history(key).exchanges, [make_summary(store.history(key).exchanges, text)]
    )
    assert store.history(key).summaries[0].text == text
    store.put_vectors(text, [found.id], stack_vectors(vector(1, 0)))
    assert [id for id, _ in store.find_nearest(whose, text, vector(1, 0), among, 9)] == [found.id]
    assert list(stored_keys(store)) == [key]
    assert store.journal_position(text) == 5
    assert store.erase(whose, model=text) == 1


def test_a_long_text_is_stored_in_full(store):
    exchange = make_exchange("a" * 300_000, "ü\0" * 100_000)
    add_exchanges(store, ANN, exchange)
    assert list(store.latest(ANN, 1)) == [replace(exchange, number=1)]


@pytest.mark.parametrize("year", [1, 1969, 2026, 9999])
def test_any_time_is_stored(store, year):
    at = datetime(year, 6, 7, 8, 9, 10, 123457, tzinfo=UTC)
    add_exchanges(store, ANN, Exchange("when", "", at))
    assert [each.at for each in store.latest(ANN, 1)] == [at]
    assert listed(store, OF_ANN, SearchFilter(since=at, until=at + timedelta(microseconds=1))) == [
        "when"
    ]


def test_a_time_without_a_zone_rejects_the_whole_batch(store):
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
    assert list(stored_keys(store)) == [ANN]
    assert store.journal_position("log") == 0
    assert store.statistics(OF_ANN, ("good",)) == TermStatistics(1, 1.0, {"good": 0})


def test_the_position_of_a_journal_is_stored(store, home):
    assert store.journal_position("a") == 0
    store.add([make_new_exchange(ANN, "one")], mark=JournalPosition("a", 120))
    store.add([], mark=JournalPosition("b", 7))
    store.add([make_new_exchange(ANN, "two")])
    store.add([make_new_exchange(ANN, "three")], mark=JournalPosition("a", 2**40))
    assert [store.journal_position(name) for name in ("a", "b", "c")] == [2**40, 7, 0]
    assert home.store().journal_position("a") == 2**40


def test_the_position_of_a_deleted_journal_can_be_forgotten(store):
    store.add([], mark=JournalPosition("a", 1))
    store.add([], mark=JournalPosition("b", 2))
    store.forget_journal("a")
    store.forget_journal("never seen")
    assert [store.journal_position(name) for name in ("a", "b")] == [0, 2]


def test_concurrent_threads_number_without_gaps_or_duplicates(store, home):
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


def test_exchanges_are_read_by_number(store):
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


def test_fetch_returns_exchanges_of_the_user_only(store):
    (mine,) = add_exchanges(store, ANN, "mine")
    (elsewhere,) = add_exchanges(store, ANN_ELSEWHERE, "in another tenant")
    (other,) = add_exchanges(store, BEN, "other")
    found = store.fetch(OF_ANN, [other, mine, elsewhere, 10_000])
    assert {id: (key, each.question) for id, (key, each) in found.items()} == {mine: (ANN, "mine")}
    assert [each.id for each in store.documents(OF_ANN, [other, mine, elsewhere])] == [mine]
    assert store.fetch(OF_ANN, []) == {}
    assert list(store.documents(OF_ANN, [])) == []


def test_many_exchanges_can_be_fetched_at_once(store):
    ids = add_exchanges(store, ANN, *(f"say {number}" for number in range(1_200)))
    assert len(store.fetch(OF_ANN, ids)) == len(store.documents(OF_ANN, ids)) == 1_200


def test_ids_are_listed_newest_first_in_pages(store):
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
    whole = list(store.list_ids(OF_ANN, NO_FILTER, skip=0, limit=99))
    pages = [store.list_ids(OF_ANN, NO_FILTER, skip=skip, limit=2) for skip in (0, 2, 4)]
    assert [id for page in pages for id in page] == whole


def test_all_conversations_are_stored(store):
    many = {ConversationKey(f"user {number}", "weather") for number in range(40)} | {
        ANN,
        ANN_HOTELS,
    }
    store.add([make_new_exchange(key, "hello") for key in many])
    store.add([make_new_exchange(ANN, "hello")])
    found = list(stored_keys(store))
    assert len(found) == len(many)
    assert set(found) == many


def test_another_store_on_the_same_data_reads_everything(store, home):
    fill(store)
    store.close()
    other = home.store()
    assert len(other.latest(ANN, 9)) == 3
    assert other.history(ANN).size == 2 + 1
    assert matching(other, OF_ANN, "secret") == ["secret one"] * 2
    assert len(other.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 6


def test_a_closed_store_raises_a_store_error(store):
    add_exchanges(store, ANN, "a")
    store.ping()
    store.close()
    store.close()
    for use in (
        store.ping,
        lambda: store.history(ANN),
        lambda: store.add([make_new_exchange(ANN, "b")]),
        lambda: store.find_matching(OF_ANN, ("a",), NO_FILTER, 9),
        lambda: store.erase(OF_ANN),
    ):
        with pytest.raises(StoreError, match="closed"):
            use()
