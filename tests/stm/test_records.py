"""A conversation survives being stored, also by an earlier version."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from anaphora import Conversation, Entity, StoreError
from anaphora.stm import rules
from anaphora.stm.conversation import (
    ConversationKey,
    FlowStep,
    PendingQuestion,
    RecallOffer,
    RememberedEntity,
)
from anaphora.stm.records import dump, from_dict, load, load_or_reset, to_dict
from tests.stm.strategies import BEGIN, conversations

FORMAT_1 = json.loads((Path(__file__).parent / "records" / "format-1.json").read_text())
ANN = Conversation("ann", "weather")


@given(conversations)
def test_what_is_read_back_is_what_was_written(conversation):
    assert load(dump(conversation)) == conversation


@given(conversations)
def test_the_plain_data_is_json_and_says_its_format(conversation):
    plain = json.loads(json.dumps(to_dict(conversation)))
    assert plain["format"] == 5
    assert from_dict(plain) == conversation


def test_a_conversation_kept_in_format_1_goes_on():
    minute = timedelta(minutes=1)
    city = Entity(
        "city",
        frozenset({"place", "target"}),
        "Big Apple",
        (3, 4),
        10,
        19,
        value="New York",
        ancestors=("place",),
        meta={"population": 8},
        exact=False,
        stem="big appl",
        marks=frozenset({"misspelt"}),
    )
    unit = Entity("unit", frozenset({"unit"}), "C", (7,), 22, 23, aliases=("u",))
    topic = Entity(
        "weather",
        frozenset({"topic"}),
        "weather",
        (1,),
        4,
        11,
        topic=True,
        is_from_phrase=False,
        parts=(unit,),
        gaps=1,
    )
    assert from_dict(FORMAT_1) == Conversation(
        "ann",
        "weather",
        remembered=(
            RememberedEntity(city, 2, BEGIN, BEGIN + minute, 2),
            RememberedEntity(topic, 1, BEGIN, BEGIN, 1),
        ),
        flow=(FlowStep("weather", BEGIN), FlowStep("weather", BEGIN + minute)),
        pending=PendingQuestion("hotel", (city,), ("nights",), BEGIN + minute),
        data={"alarms": [7]},
        last=BEGIN + minute,
        questions=3,
        matches=2,
        rejections=1,
        language="en",
    )


def test_a_conversation_kept_in_format_2_goes_on_without_a_clock():
    kept = to_dict(from_dict(FORMAT_1)) | {"format": 2}
    assert from_dict(kept) == from_dict(FORMAT_1)
    assert from_dict(kept).clock == 0


def test_a_conversation_kept_in_format_3_goes_on_with_an_empty_table():
    kept = to_dict(from_dict(FORMAT_1)) | {"format": 3}
    assert from_dict(kept) == from_dict(FORMAT_1)
    assert from_dict(kept).offers is None


def test_an_offer_kept_in_format_4_goes_on_as_said_by_the_user():
    kept = full() | {"format": 4}
    assert kept["offer"].pop() == ["bot"]
    assert from_dict(kept).recall_offer.speakers == ("user",)


def test_the_clock_of_a_conversation_is_read_back():
    assert load(dump(replace(ANN, clock=1_700_000_000_000_001))).clock == 1_700_000_000_000_001


def test_an_empty_conversation_of_format_1_goes_on():
    empty = FORMAT_1 | {"remembered": [], "flow": [], "pending": None, "last": None, "data": {}}
    assert from_dict(empty) == replace(ANN, questions=3, matches=2, rejections=1, language="en")


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"format": 0},
        {"format": "2"},
        {"format": True, "user": "ann", "model": "weather"},
        {"format": 1, "user": "ann"},
        {"format": 2, "user": "ann"},
        None,
        [1],
        to_dict(ANN) | {"last": "yesterday"},
        to_dict(ANN) | {"last": 10**30},
        to_dict(ANN) | {"remembered": [{}]},
        to_dict(ANN) | {"offers": ["find", [[]], 0, 0, [], ["find", "book"]]},
        to_dict(ANN) | {"offer": ["?", "en", 0, [], [1], 3, 0, False]},
        to_dict(ANN) | {"offer": ["?", "en", 0, [], [], 3, 0, False, ["bot"]]},
        FORMAT_1 | {"last": "2026-01-01T00:00:00"},
        FORMAT_1 | {"remembered": 7},
    ],
)
def test_what_is_no_conversation_is_refused(plain):
    with pytest.raises(StoreError):
        from_dict(plain)


@given(st.binary(max_size=50))
def test_bytes_that_are_no_record_are_refused(record):
    with pytest.raises(StoreError):
        load(record)


@pytest.mark.parametrize("record", [b"[" * 100_000, b'{"format":2,"user":"a","model"', b"\xff\xfe"])
def test_a_damaged_record_is_refused(record):
    with pytest.raises(StoreError):
        load(record)


def full() -> dict[str, Any]:
    """A conversation with something of everything, as it is stored."""
    city = Entity("city", frozenset({"place"}), "Tokyo", (0,), 0, 5)
    asked, _ = rules.record_match(ANN, BEGIN, intent="weather", new=[city], used=())
    booking = PendingQuestion("book", (city,), (), BEGIN, confirms=True)
    pending = PendingQuestion("weather", (city,), ("date",), BEGIN, suspended=booking)
    offer = RecallOffer("And then?", "en", BEGIN, (city,), (1,), ("bot",), 3, BEGIN, declined=True)
    asked = rules.record_recall_offer(asked, BEGIN, offer, pending)
    return json.loads(json.dumps(to_dict(asked)))


def places(plain: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything inside ``plain``."""
    steps = {dict: dict.items, list: enumerate}.get(type(plain), lambda _: ())(plain)
    inner = [deeper for step, value in steps for deeper in places(value, (*path, step))]
    return [path, *inner] if path else inner


@pytest.mark.parametrize("path", places(full()), ids=lambda path: ".".join(map(str, path)))
def test_something_of_another_type_is_refused_wherever_it_stands(path):
    plain = full()
    *way, last = path
    inner: Any = plain
    for step in way:
        inner = inner[step]
    inner[last] = 1.5
    with pytest.raises(StoreError):
        from_dict(plain)


@pytest.mark.parametrize(
    "wrong",
    [
        {"questions": True},
        {"last": None},
        {"last": True},
        {"last": 1.0},
        {"flow": [["weather", True]]},
        {"pending": {}},
        {"remembered": ""},
    ],
)
def test_what_only_looks_alike_is_refused(wrong):
    assert from_dict(full()).questions == 2
    assert from_dict(full() | {"last": 1}).last  # and that True is no 1 is still known then
    with pytest.raises(StoreError):
        from_dict(full() | wrong)


def test_a_time_in_the_hour_that_comes_twice_is_read_back_too():
    at = datetime(2026, 10, 25, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=1)
    asked, _ = rules.record_reset(ANN, at)
    assert load(dump(asked)) == asked


def test_a_text_with_half_a_character_is_read_back_too():
    asked = replace(ANN, user="ann\ud800", data={"said": "\udfff"})
    assert load(dump(asked)) == asked


@pytest.mark.parametrize("data", [{"day": date(2026, 1, 5)}, {"share": float("nan")}])
def test_what_json_does_not_know_cannot_be_kept_and_is_reported(data):
    with pytest.raises(StoreError, match="conversation of 'ann' with 'weather' cannot be stored"):
        dump(replace(ANN, data=data))


def test_a_record_that_cannot_be_read_begins_anew_and_is_logged(caplog):
    with caplog.at_level(logging.ERROR, "anaphora.stm.records"):
        assert load_or_reset(
            b'{"format":2,"us', ConversationKey("ann", "weather", "shop")
        ) == Conversation("ann", "weather", tenant="shop")
    (record,) = caplog.records
    assert (record.tenant, record.user, record.model) == ("shop", "ann", "weather")
    assert "not a record of a conversation" in record.reason


def test_the_record_of_somebody_else_is_not_read_as_ones_own(caplog):
    bens = dump(replace(ANN, user="ben", questions=7))
    assert load_or_reset(bens, ANN.key) == ANN
    assert "another conversation" in caplog.records[0].reason


def test_a_record_of_a_later_version_is_not_thrown_away():
    later = json.dumps(to_dict(ANN) | {"format": 6}).encode()
    with pytest.raises(StoreError, match=r"later version \(in format 6"):
        load_or_reset(later, ANN.key)


def test_what_is_as_usual_takes_no_room():
    city = Entity("city", frozenset({"city"}), "Tokyo", (3,), 10, 15, stem="tokyo", lemma="tokyo")
    asked, _ = rules.record_match(ANN, BEGIN, intent="weather", new=[city], used=())
    assert to_dict(asked)["remembered"][0][0] == {
        "element": "city",
        "text": "Tokyo",
        "tokens": [3],
        "span": [10, 15],
    }


def test_a_long_conversation_is_kept_compressed_and_a_short_one_readable():
    steps = tuple(FlowStep("weather", BEGIN + timedelta(seconds=n)) for n in range(100))
    long = replace(ANN, flow=steps)
    assert len(dump(long)) < len(json.dumps(to_dict(long))) / 3
    assert load(dump(long)) == long
    assert json.loads(dump(ANN)) == {"format": 5, "user": "ann", "model": "weather"}


def test_what_reads_records_is_complete_once_it_is_imported():
    """msgspec crashes if two threads prepare a type at the same time, for their first record."""
    script = (
        "from anaphora.stm import records; kinds = records._ConversationFields, "
        "records._EntityFields; print(all('__msgspec_cache__' in vars(kind) for kind in kinds))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "True\n"
