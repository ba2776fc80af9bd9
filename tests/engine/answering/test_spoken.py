"""What the bot says counts: mentions are remembered, offers once they are
accepted (rules 10 to 12)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from anaphora import Answer, Engine, HandlerError, parse_model
from anaphora.stm.stores.sqlite.store import SqliteStore
from tests.conftest import Clock
from tests.support.dialog_models import TRAINS, WEATHER, offer_trains
from tests.support.dialogs import check_dialog, describe_turn

MENTIONED = WEATHER + "mentions: {tide: {city: '{{ city }}', date: '{{ result.day }}'}}\n"


class TestMentions:
    def test_are_remembered_after_what_the_user_said(self, bot):
        engine = bot(MENTIONED)

        @engine.on("tide")
        def tide() -> dict[str, str]:
            return {"day": "Friday"}

        check_dialog(
            engine,
            """
            > the tide in Oslo
            tide city=Oslo
            remembers: tide, city=Oslo, date=2026-01-09*
            > and in Riga?
            tide city=Riga day=2026-01-09
            """,
        )

    def test_evict_by_groups(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def weather(city: str) -> Answer:
            return Answer("Only on Friday.", mentions={"date": "Friday"})

        check_dialog(
            engine,
            """
            > the weather in Oslo tomorrow
            weather city=Oslo day=2026-01-06
            says: Only on Friday.
            remembers: weather, city=Oslo, date=2026-01-09*
            > and in Riga?
            weather city=Riga day=2026-01-09
            """,
        )

    def test_time_out(self, bot, clock):
        engine = bot(WEATHER)
        engine.on("weather")(lambda: Answer("x", mentions={"date": "Friday"}))
        describe_turn(engine, "the weather in Oslo")
        clock.pass_time(minutes=31)
        assert not engine.conversation().remembered


class TestOffers:
    def test_are_written_in_the_model(self, bot):
        keys = (
            "offers: {find: {each: 'result', entities: {line: '{{ item }}'}, then: buy}}\n"
            "choices: {find: 'Take {{ choices | join(\" or \") }}?'}\n"
        )
        engine = bot(TRAINS + keys)
        engine.on("find")(lambda: Answer(result=["Comet", "Heron"]))
        check_dialog(
            engine,
            """
            > trains to Bonn
            find city=Bonn
            says: Trains to Bonn.
            offers: line=Comet | line=Heron
            > yes
            incomplete
            says: Take Comet or Heron?
            > the second
            buy? line=Heron, asks for seats
            """,
        )

    def test_go_on_with_an_intent_of_the_model(self, bot):
        engine = bot(TRAINS)
        engine.on("find")(lambda: Answer("x", offers=[{"line": "Comet"}], then="by"))
        with pytest.raises(HandlerError, match="names 'by' as 'then': no such intent"):
            engine.ask("trains to Bonn")

    @pytest.mark.parametrize("offers", [[{"train": "Comet"}], [{"line": "Coment"}], "Comet"])
    def test_are_entities_of_the_model(self, bot, offers: Any):
        engine = bot(TRAINS)
        engine.on("find")(lambda: Answer("x", offers=offers))
        with pytest.raises(HandlerError, match=r"the handler of 'find' \(.*\), offers"):
            engine.ask("trains to Bonn")

    def test_outlive_a_restart(self, clock: Clock, tmp_path: Path):
        model = parse_model(TRAINS)
        turns = []
        for text in ("trains to Bonn", "how long does it take?", "something else", "yes"):
            store = SqliteStore(tmp_path / "talks.db", clock=clock)
            engine = offer_trains(Engine(model, clock=clock, store=store), at_once=1)
            turns.append(describe_turn(engine, text)[""])
        assert turns == [
            "find city=Bonn",
            "duration line=Comet",
            "find city=Bonn",
            "buy? line=Heron, asks for seats",
        ]


MODEL = parse_model(TRAINS)
SENTENCES = st.sampled_from(
    [
        "trains to Bonn",
        "trains to Jena",
        "no, Bonn",
        "how long does it take?",
        "how long?",
        "the office?",
        "news",
        "no",
        "something else",
        "another one",
        "not the Comet",
        "something cheaper",
        "forget it",
        "hello",
        "поезда в Бонн",
        "нет, другой",
        "wie lange dauert das?",
    ]
)
ACCEPTANCES = st.sampled_from(
    ["yes", "the first", "Heron", "the cheapest one", "подходит", "passt"]
)
OFFERED = {"line", "money", "date"}


@settings(max_examples=6, phases=[Phase.generate])
@given(
    sentences=st.lists(SENTENCES, min_size=2, max_size=5),
    at_once=st.integers(1, 3),
    restarts=st.booleans(),
)
def test_an_offer_is_not_remembered_unless_it_is_accepted(
    tmp_path_factory, sentences, at_once, restarts
):
    path, clock = tmp_path_factory.mktemp("store") / "talks.db", Clock()

    def open_engine() -> Engine:
        store = SqliteStore(path, clock=clock)
        return offer_trains(Engine(MODEL, clock=clock, store=store), at_once=at_once)

    engine = open_engine()
    for text in ("trains to Bonn", *sentences):
        if restarts:
            engine = open_engine()
        reply = engine.ask(text)
        assert not {one.element for one in reply.memory} & OFFERED, text


@settings(max_examples=6, phases=[Phase.generate])
@given(sentences=st.lists(SENTENCES, max_size=3), acceptance=ACCEPTANCES)
def test_an_accepted_offer_is_remembered_whole(sentences, acceptance):
    clock = Clock()
    engine = offer_trains(Engine(MODEL, clock=clock), at_once=1)
    for text in sentences:
        engine.ask(text)
    offered = engine.ask("trains to Bonn") and engine.conversation().offers
    assert offered is not None
    reply = engine.ask(acceptance)
    remembered = {str(one) for one in reply.memory}
    took = {str(one) for bundle in offered.bundles for one in bundle} <= remembered
    assert took == (engine.conversation().open_offers is None)
