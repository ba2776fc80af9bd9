"""What the journal keeps of an exchange."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.core.utterance import Entity
from anaphora.errors import StoreError
from anaphora.ltm.exchange import DateMention, Exchange
from anaphora.ltm.ingestion.records import (
    FORMAT_VERSION,
    NewerFormatError,
    dump_record,
    load_record,
)
from anaphora.stm.conversation import ConversationKey
from tests.ltm.sample_exchanges import ANN, make_exchange

texts = st.text(st.characters(), max_size=30)  # with lone surrogates
entities = st.builds(
    Entity, element=texts, groups=st.frozensets(texts, min_size=1), text=texts, stem=texts
)
zones = st.integers(-840, 840).map(lambda minutes: timezone(timedelta(minutes=minutes)))
mentions = st.none() | st.lists(
    st.builds(DateMention, st.integers(0, 99), st.integers(0, 99), texts), max_size=3
).map(tuple)
exchanges = st.builds(
    Exchange,
    question=texts,
    answer=texts,
    at=st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC) | zones),
    status=st.sampled_from(["matched", "incomplete", "rejected", "reset"]),
    intent=st.none() | texts,
    slots=st.dictionaries(texts, st.lists(texts, max_size=3).map(tuple), max_size=3),
    language=texts,
    memory=st.lists(entities, max_size=3, unique_by=lambda one: one.text).map(tuple),
    truncated=st.dictionaries(texts, st.integers(1, 9), max_size=2),
    question_dates=mentions,
    answer_dates=mentions,
)
exchanges |= exchanges.map(lambda exchange: replace(exchange, by_bot=exchange.memory[1:]))


@given(exchange=exchanges, key=st.builds(ConversationKey, texts, texts, texts))
def test_an_exchange_is_read_as_it_was_written(exchange, key):
    assert load_record(dump_record(key, exchange)) == (key, exchange)


def test_a_time_is_stored_as_an_instant():
    tokyo = timezone(timedelta(hours=9))
    exchange = Exchange("q", "a", datetime(2026, 3, 14, 21, tzinfo=tokyo))
    at = load_record(dump_record(ANN, exchange))[1].at
    assert at == datetime(2026, 3, 14, 12, tzinfo=UTC)
    assert at.isoformat() == "2026-03-14T21:00:00+09:00"


def test_the_record_of_an_earlier_version_has_no_zone_and_no_dates():
    first = [1, "ann", "weather", "", 0, "q", "a", "matched", None, {}, "en", [], 7]
    for earlier in (first, [2, *first[1:], {"question": 99}], [3, *first[1:], {}, {}]):
        _, exchange = load_record(json.dumps(earlier).encode())
        assert exchange.by_bot == ()
        assert exchange.question_dates is None
        assert exchange.answer_dates is None
        assert exchange.at.isoformat() == "1970-01-01T00:00:00+00:00"


@pytest.mark.parametrize(
    "dates",
    [[1], {"offset": "x"}, {"offset": 10**9}, {"answer_dates": [[1, 2]]}, {"question_dates": 7}],
)
def test_invalid_dates_are_rejected(dates):
    plain = json.loads(dump_record(ANN, make_exchange("q")))
    with pytest.raises(StoreError, match="this is not a record of an exchange"):
        load_record(json.dumps([3, *plain[1:], {}, dates]).encode())


@pytest.mark.parametrize("positions", [[0], ["0"], [0.5], [None], 0, {"0": 1}])
def test_invalid_positions_of_what_the_bot_said_are_rejected(positions):
    plain = json.loads(dump_record(ANN, make_exchange("q")))
    with pytest.raises(StoreError, match="this is not a record of an exchange"):
        load_record(json.dumps([4, *plain[1:], {}, {}, positions]).encode())


def test_a_time_without_a_zone_is_rejected():
    with pytest.raises(ValueError, match="no time zone"):
        dump_record(ANN, Exchange("q", "a", datetime(2026, 3, 14)))


def test_values_unknown_to_json_are_reported():
    entity = Entity("city", frozenset({"city"}), "Tokyo", meta={"at": object()})
    with pytest.raises(StoreError, match="an exchange of 'ann' cannot be stored"):
        dump_record(ANN, Exchange("q", "a", datetime(2026, 3, 14, tzinfo=UTC), memory=(entity,)))


def test_a_record_of_a_later_version_differs_from_a_damaged_one():
    plain = json.loads(dump_record(ANN, make_exchange("q")))
    with pytest.raises(NewerFormatError, match="update anaphora"):
        load_record(json.dumps([FORMAT_VERSION + 1, *plain[1:]]).encode())


@given(
    record=st.binary(max_size=60)
    | st.builds(lambda one: json.dumps(one).encode(), st.lists(st.none() | st.integers() | texts))
)
def test_anything_but_a_record_is_rejected(record):
    with pytest.raises(StoreError):
        load_record(record)


@pytest.mark.parametrize("time", ["1e999", "-1e999", "1e300", "NaN", str(10**30), '"now"'])
def test_invalid_times_are_rejected(time):
    plain = json.loads(dump_record(ANN, make_exchange("q")))
    plain[4] = "WHEN"
    with pytest.raises(StoreError, match="this is not a record of an exchange"):
        load_record(json.dumps(plain).replace('"WHEN"', time).encode())


@given(data=st.data())
def test_a_damaged_record_is_rejected_or_read(data):
    record = bytearray(
        dump_record(ANN, make_exchange("what is it", "rain", slots={"city": ("Tokyo",)}))
    )
    place = data.draw(st.integers(0, len(record) - 1))
    record[place] = data.draw(st.integers(0, 255))
    try:
        key, exchange = load_record(bytes(record))
    except StoreError:
        return
    assert isinstance(key, ConversationKey)
    assert isinstance(exchange, Exchange)
    assert type(exchange.clock) is int
