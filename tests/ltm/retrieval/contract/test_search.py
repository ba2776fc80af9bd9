"""Search, filters, vectors and terms in a recall store."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from anaphora.ltm.retrieval.store import (
    NewExchange,
    SearchFilter,
    TermStatistics,
    TermUpdate,
)
from anaphora.ltm.retrieval.terms import TERMS_VERSION
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
    ids_of,
    listed,
    make_exchange,
    matching,
    places,
    questions,
    stack_vectors,
    vector,
)

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
    for id, (itself, *_) in enumerate(store.find_unembedded("m", 99), 1):
        store.put_vectors("m", [itself], stack_vectors(vector(1, id / 10)))
    return store


@pytest.mark.parametrize(("filters", "expected"), FILTERS.values(), ids=FILTERS)
def test_filters_restrict_a_search(varied, filters, expected):
    assert set(listed(varied, OF_ANN, filters)) == expected
    assert set(matching(varied, OF_ANN, "word", filters=filters)) == expected
    near = varied.find_nearest(OF_ANN, "m", vector(1, 0), filters, 99)
    found = varied.fetch(OF_ANN, [id for id, _ in near])
    assert {each.question for _, each in found.values()} == expected


@pytest.mark.parametrize(("filters", "expected"), FILTERS.values(), ids=FILTERS)
def test_a_limit_applies_after_the_filter(varied, filters, expected):
    limit = max(len(expected) - 1, 1)
    among_expected = min(limit, len(expected))
    assert len(matching(varied, OF_ANN, "word", filters=filters, limit=limit)) == among_expected
    assert len(varied.find_nearest(OF_ANN, "m", vector(1, 0), filters, limit)) == among_expected
    assert len(varied.list_ids(OF_ANN, filters, skip=0, limit=limit)) == among_expected


def test_statistics_cover_the_user_only(store):
    add_exchanges(store, ANN, "the rain in spain", "the sun")
    add_exchanges(store, ANN_HOTELS, "rain rain go away the end")
    add_exchanges(store, BEN, "rain rain rain")
    add_exchanges(store, ANN_ELSEWHERE, "rain")
    assert store.statistics(OF_ANN, ("rain", "the", "snow", "rain")) == TermStatistics(
        3, 12 / 3, {"rain": 2, "the": 3, "snow": 0}
    )
    assert store.statistics(OF_BEN, ()) == TermStatistics(1, 3.0, {})


def test_statistics_include_exchanges_without_terms(store):
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


def test_exchanges_with_any_term_are_found_with_all_their_terms(store):
    add_exchanges(store, ANN, "rain in spain rain", "sun in rome", "nothing at all")
    add_exchanges(store, BEN, "rain in spain")
    found = store.find_matching(OF_ANN, ("rain", "rome", "snow"), NO_FILTER, 9)
    assert {(each.number, each.terms) for each in found} == {
        (1, ("rain", "in", "spain", "rain")),
        (2, ("sun", "in", "rome")),
    }
    assert len({each.conversation for each in found}) == 1
    assert matching(store, OF_ANN) == []
    assert matching(store, OF_ANN, "snow") == []


def test_exchanges_with_rarer_terms_come_first(store):
    add_exchanges(store, ANN, *(f"the thing {number}" for number in range(30)))
    add_exchanges(store, ANN, "the needle")
    add_exchanges(store, ANN, *(f"the other {number}" for number in range(30)))
    assert matching(store, OF_ANN, "the", "needle", limit=1) == ["the needle"]
    assert matching(store, OF_ANN, "the", "thing", "7", limit=1) == ["the thing 7"]


def test_terms_are_matched_exactly(store):
    store.add(
        [NewExchange(ANN, make_exchange("x"), ("Übung", "a b", "天気", "run*", '"', "NOT", "дожд"))]
    )
    for term in ("Übung", "a b", "天気", "run*", '"', "NOT", "дожд"):
        assert matching(store, OF_ANN, term) == ["x"]
    for term in ("übung", "Ubung", "a", "b", "天", "run", "ru", "not", ""):
        assert matching(store, OF_ANN, term) == []


def test_other_users_do_not_affect_a_search(store):
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
    around = store.with_neighbours(OF_ANN, documents, 1)
    assert [(each.conversation, each.number) for each in around] == sorted(
        (each.conversation, each.number) for each in around
    )
    first, second = (store.documents(OF_ANN, [ids[0]])[0].conversation for ids in (ann, hotels))
    assert places(each for each in around if each.conversation == first) == [1, 2, 3, 4, 6, 7, 8]
    assert places(each for each in around if each.conversation == second) == [1, 2]
    assert {each.terms for each in around if each.conversation == second} == {("x",), ("y",)}
    assert {each.id for each in store.with_neighbours(OF_ANN, documents, 0)} == {
        each.id for each in documents
    }
    assert list(store.with_neighbours(OF_ANN, [], 2)) == []


def test_nearest_vectors_come_first_with_their_cosines(store):
    ids = add_exchanges(store, ANN, *"abc")
    (other,) = add_exchanges(store, BEN, "d")
    vectors = stack_vectors(vector(1, 0, 0), vector(0, 1, 0), vector(1, 1, 0))
    store.put_vectors("m", ids, vectors)
    store.put_vectors("m", [other], stack_vectors(vector(1, 0, 0)))
    near = store.find_nearest(OF_ANN, "m", vector(1, 0.1, 0), NO_FILTER, 9)
    assert [id for id, _ in near] == [ids[0], ids[2], ids[1]]
    assert [cosine for _, cosine in near] == pytest.approx(
        [1 / math.sqrt(1.01), 1.1 / math.sqrt(2.02), 0.1 / math.sqrt(1.01)], abs=1e-5
    )
    assert [id for id, _ in store.find_nearest(OF_ANN, "m", vector(0, 1, 0), NO_FILTER, 1)] == [
        ids[1]
    ]
    assert list(store.find_nearest(OF_ANN, "m", vector(0, 1, 0), NO_FILTER, 0)) == []


def test_exchanges_without_a_vector_are_found_with_their_predecessor(store):
    first, second = add_exchanges(store, ANN, "a", "b")
    (other,) = add_exchanges(store, BEN, "x")
    (third,) = add_exchanges(store, ANN, "c")
    waiting = [(id, questions(each)) for id, each in store.find_unembedded("m", 9)]
    assert waiting == [(first, ["a"]), (second, ["a", "b"]), (other, ["x"]), (third, ["b", "c"])]
    assert [id for id, _ in store.find_unembedded("m", 2)] == [first, second]
    store.put_vectors("m", [first, other], stack_vectors(vector(1, 0), vector(0, 1)))
    assert [id for id, _ in store.find_unembedded("m", 9)] == [second, third]
    assert [id for id, _ in store.find_unembedded("another", 1)] == [first]
    store.put_vectors("m", [second, third], stack_vectors(vector(1, 0), vector(0, 1)))
    assert list(store.find_unembedded("m", 9)) == []
    (fourth,) = add_exchanges(store, ANN, "d")
    assert [(id, questions(each)) for id, each in store.find_unembedded("m", 9)] == [
        (fourth, ["c", "d"])
    ]


def test_vectors_of_erased_exchanges_are_skipped(store):
    gone, *_ = add_exchanges(store, ANN, "a", "b")
    (stays,) = add_exchanges(store, BEN, "c")
    store.erase(OF_ANN)
    store.put_vectors("m", [gone, stays, 10_000], stack_vectors(*[vector(1, 0)] * 3))
    add_exchanges(store, ANN, "anew")
    assert list(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []
    assert [id for id, _ in store.find_nearest(OF_BEN, "m", vector(1, 0), NO_FILTER, 9)] == [stays]


def test_a_new_vector_replaces_the_old_one(store):
    first, second = add_exchanges(store, ANN, "a", "b")
    store.put_vectors("m", [first, second], stack_vectors(vector(1, 0), vector(0, 1)))
    assert [id for id, _ in store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 1)] == [first]
    store.put_vectors("m", [first, second], stack_vectors(vector(0, 1), vector(1, 0)))
    ((id, cosine),) = store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 1)
    assert (id, cosine) == (second, pytest.approx(1.0))


def test_vectors_of_two_embedders_are_never_compared(store):
    first, second = add_exchanges(store, ANN, "a", "b")
    store.put_vectors("m", [first], stack_vectors(vector(1, 0)))
    store.put_vectors("n", [second], stack_vectors(vector(1, 0, 0)))
    assert [id for id, _ in store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)] == [first]
    assert [id for id, _ in store.find_nearest(OF_ANN, "n", vector(1, 0, 0), NO_FILTER, 9)] == [
        second
    ]
    assert list(store.find_nearest(OF_ANN, "o", vector(1, 0), NO_FILTER, 9)) == []


def test_vectors_of_tokens_are_read_by_their_user_and_embedder(store, home):
    first, second = add_exchanges(store, ANN, "a", "b")
    (other,) = add_exchanges(store, BEN, "c")
    assert store.token_vectors(OF_ANN, "t", [first]) == {}
    store.put_token_vectors("t", [first, other, 10_000], [b"\x00\xff", b"c", b"gone"])
    store.put_token_vectors("u", [second], [b"of another"])
    everything = [first, second, other, 10_000]
    for each in (store, home.store()):
        assert each.token_vectors(OF_ANN, "t", everything) == {first: b"\x00\xff"}
        assert each.token_vectors(OF_ANN, "u", everything) == {second: b"of another"}
        assert each.token_vectors(OF_BEN, "t", everything) == {other: b"c"}
        assert each.token_vectors(OF_BEN, "v", everything) == {}
    store.put_token_vectors("t", [first, second], [b"anew", b""])
    assert store.token_vectors(OF_ANN, "t", everything) == {first: b"anew", second: b""}


def test_exchanges_without_vectors_of_tokens_are_found(store):
    first, second = add_exchanges(store, ANN, "a", "b")
    store.put_vectors("m", [first, second], stack_vectors(vector(1, 0), vector(0, 1)))
    assert list(store.find_unembedded("m", 9)) == []
    assert [id for id, _ in store.find_unembedded("t", 9)] == [first, second]
    store.put_token_vectors("t", [first], [b"a"])
    assert [(id, questions(each)) for id, each in store.find_unembedded("t", 9)] == [
        (second, ["a", "b"])
    ]
    store.put_token_vectors("t", [second], [b""])
    (third,) = add_exchanges(store, ANN, "c")
    assert [id for id, _ in store.find_unembedded("t", 9)] == [third]


def test_a_search_finds_vectors_added_by_another_process(store, home):
    other = home.store()
    first, second, third = add_exchanges(store, ANN, "a", "b", "c")
    store.put_vectors("m", [second], stack_vectors(vector(1, 0)))
    assert len(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 1
    other.put_vectors("m", [third], stack_vectors(vector(1, 0)))
    assert len(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 2
    other.put_vectors("m", [first], stack_vectors(vector(1, 0)))  # an older one, later
    assert len(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == 3
    other.put_vectors("m", [second], stack_vectors(vector(0, 1)))
    near = store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)
    assert len(near) == 3
    assert dict(near)[second] == pytest.approx(0.0)
    other.expire(BEGIN + timedelta(minutes=1))  # the first of the three
    near = store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)
    assert [id for id, _ in near] == [third, second]
    other.erase(OF_ANN)
    assert list(store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []


def test_outdated_exchanges_are_found_and_reindexed(store):
    exchanges = [make_exchange(f"question {number}", minute=number) for number in range(300)]
    store.add([NewExchange(ANN, one, ("old", f"o{n}"), 1) for n, one in enumerate(exchanges)])
    store.add(
        [
            NewExchange(BEN, make_exchange("uno"), ("old", "new"), 1),
            NewExchange(ANN, make_exchange("last"), ("new", "last")),
        ]
    )
    reindexed = 0
    while found := store.find_outdated(TERMS_VERSION, 7):
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


def test_reindexed_exchanges_can_be_erased(store):
    store.add(
        [
            NewExchange(ANN, make_exchange("one", slots={"n": ("1",)}), ("old",), 1),
            NewExchange(BEN, make_exchange("uno"), ()),
        ]
    )
    found = store.find_outdated(TERMS_VERSION, 10)
    assert [one.question for _, one in found] == ["one"]
    again = [TermUpdate(id, one, ("new",)) for id, one in found]
    store.reindex(TERMS_VERSION, again)
    assert matching(store, OF_ANN, "new", filters=SearchFilter(slots={"n": "1"})) == ["one"]
    assert store.erase(OF_ANN) == 1
    store.reindex(TERMS_VERSION, again)  # by another process, which has not heard of it
    assert matching(store, OF_ANN, "new") == []
    assert store.statistics(OF_ANN, ("new",)).documents == 0


def test_exchanges_are_reindexed_once(store):
    store.add([NewExchange(ANN, make_exchange("one"), ("old",), 1)])
    ((id, one),) = store.find_outdated(TERMS_VERSION, 10)
    store.reindex(TERMS_VERSION, [TermUpdate(id, one, ("new",))])
    store.reindex(TERMS_VERSION, [TermUpdate(id, one, ("other",))])
    assert matching(store, OF_ANN, "new") == ["one"]
    assert matching(store, OF_ANN, "other", "old") == []


def test_reindexed_exchanges_are_embedded_anew(store):
    old = [NewExchange(ANN, make_exchange(text), ("old",), 1) for text in ("one", "two")]
    store.add([*old, NewExchange(ANN, make_exchange("three"), ("new",))])
    ids = [id for id, _ in store.find_unembedded("m", 9)]
    store.put_vectors("m", ids, stack_vectors(vector(1, 0), vector(1, 0), vector(0, 1)))
    store.put_token_vectors("t", ids, [b"one", b"two", b"three"])
    assert list(store.find_unembedded("m", 9)) == list(store.find_unembedded("t", 9)) == []
    assert [id for id, _ in store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 1)] != ids[2:]

    found = store.find_outdated(TERMS_VERSION, 9)
    store.reindex(TERMS_VERSION, [TermUpdate(id, one, ("new",)) for id, one in found])
    near = store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)
    assert [id for id, _ in near] == ids[2:]
    assert store.token_vectors(OF_ANN, "t", ids) == {ids[2]: b"three"}
    for embedder in ("m", "t"):
        assert [id for id, _ in store.find_unembedded(embedder, 9)] == ids[:2]
    store.put_vectors("m", ids[:2], stack_vectors(vector(0, 1), vector(1, 0)))
    near = store.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 1)
    assert [id for id, _ in near] == [ids[1]]
    assert list(store.find_unembedded("m", 9)) == []


def test_vectors_dropped_by_another_process_are_computed_anew(store, home):
    another = home.store()
    store.add([NewExchange(ANN, make_exchange("one"), ("old",), 1)])
    ((id, _),) = another.find_unembedded("m", 9)
    another.put_vectors("m", [id], stack_vectors(vector(1, 0)))
    assert list(another.find_unembedded("m", 9)) == []
    ((_, one),) = store.find_outdated(TERMS_VERSION, 9)
    store.reindex(TERMS_VERSION, [TermUpdate(id, one, ("new",))])
    assert list(another.find_nearest(OF_ANN, "m", vector(1, 0), NO_FILTER, 9)) == []
    assert [id for id, _ in another.find_unembedded("m", 9)] == [id]
