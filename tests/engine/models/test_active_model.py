"""Which model a user talks to, and what happens when a model's file changes under them."""

from __future__ import annotations

import logging
import sqlite3
from textwrap import dedent

import pytest
import spacy

from anaphora import (
    AnaphoraError,
    Company,
    Engine,
    HandlerError,
    MemoryStore,
    ModelError,
    UnknownModel,
    User,
    parse_model,
)
from tests.support.weather_models import WEATHER

TEA = """
    id: tea
    elements:
      - {id: order, groups: [topic], synonyms: [give me]}
      - {id: drink, groups: [drink], values: {tea: [], coffee: []}}
    intents: ["intent=order term(order)~{# == 'order'} term(drink)~{# == 'drink'}"]
    responses: {order: "One {{ drink }}."}
    prompts: {order: {drink: Which drink?}}
"""


@pytest.fixture
def engine(clock):
    return Engine(parse_model(dedent(WEATHER)), parse_model(dedent(TEA)), clock=clock)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tea.yaml"
    path.write_text(dedent(TEA))
    return path


class TestSwitching:
    def test_who_has_not_chosen_talks_to_the_first_model(self, engine):
        assert engine.active_model(user="ann") == "weather"

    def test_the_chosen_model_is_asked_by_whoever_chose_it(self, engine):
        engine.switch("tea", user="ann")
        assert engine.ask("give me tea", user="ann").text == "One tea."
        assert engine.ask("give me tea", user="ben").status == "rejected"
        assert engine.ask("weather in Tokyo", user="ann", model="weather").status == "matched"

    def test_each_model_keeps_its_own_memory_through_a_switch(self, engine):
        engine.ask("weather in Tokyo now", user="ann")
        engine.switch("tea", user="ann")
        assert not engine.memory(user="ann")
        engine.ask("give me tea", user="ann")
        engine.switch("weather", user="ann")
        assert engine.ask("And in Kyoto?", user="ann").slots["date"].source == "memory"

    def test_without_a_model_the_switch_is_back_to_the_default(self, engine):
        engine.switch("tea", user="ann")
        engine.switch(None, user="ann")
        assert engine.active_model(user="ann") == "weather"

    def test_forget_and_explain_go_by_the_chosen_model_too(self, engine):
        engine.switch("tea", user="ann")
        engine.ask("give me tea", user="ann")
        assert engine.explain("and a coffee", user="ann").status == "matched"
        engine.forget(user="ann")
        assert engine.conversation(user="ann", model="tea").questions == 0

    def test_a_model_that_is_not_there_cannot_be_chosen(self, engine):
        with pytest.raises(UnknownModel, match="no model 'coffee'; there are: weather, tea"):
            engine.switch("coffee", user="ann")

    def test_all_models_are_listed_however_many_there_are(self):
        text = dedent(TEA)
        many = Engine(*(parse_model(text.replace("tea", f"tea{n}", 1)) for n in range(14)))
        with pytest.raises(UnknownModel, match=r"there are: tea0, .*, tea13"):
            many.switch("coffee", user="ann")

    def test_users_of_two_companies_choose_each_for_themselves(self, engine):
        engine.switch("tea", user=User("b:c", company=Company("a")))
        assert engine.active_model(user=User("c", company=Company("a:b"))) == "weather"
        assert engine.active_model(user=User("b:c", company=Company("a"))) == "tea"

    def test_a_choice_of_a_model_that_is_gone_is_no_choice(self, clock):
        store = MemoryStore(clock)
        tea, weather = parse_model(dedent(TEA)), parse_model(dedent(WEATHER))
        Engine(weather, tea, store=store).switch("tea", user="ann")
        cafe = parse_model(dedent(TEA).replace("id: tea", "id: cafe"))
        assert Engine(weather, cafe, store=store).active_model(user="ann") == "weather"


class TestForgetting:
    def test_what_is_misspelt_forgets_nothing(self, engine):
        engine.ask("weather in Tokyo")
        with pytest.raises(AnaphoraError, match="'all', 'entities' or 'flow', not 'entitites'"):
            engine.forget(what="entitites")
        assert engine.memory()

    @pytest.mark.parametrize("what", ["all", "entities", "flow"])
    def test_who_has_never_asked_leaves_no_trace(self, engine, what):
        engine.forget(user="ann", what=what)
        assert not list(engine.store.keys())


class TestReloading:
    def test_the_next_question_is_answered_by_what_the_file_says_now(self, file):
        engine = Engine(file)
        file.write_text(dedent(TEA).replace("One {{", "A cup of {{"))
        assert engine.ask("give me tea").text == "One tea."
        assert engine.reload().responses != {}
        assert engine.ask("give me tea").text == "A cup of tea."

    def test_what_is_remembered_goes_on_as_far_as_it_fits(self, file):
        engine = Engine(file)
        engine.ask("give me tea")
        file.write_text(dedent(TEA).replace("tea: [], coffee: []", "coffee: []"))
        engine.reload("tea")
        assert [held.entity.element for held in engine.memory()] == ["order"]
        assert engine.ask("and a coffee").text == "One coffee."

    def test_a_question_that_waits_for_an_intent_that_is_gone_is_dropped(self, file):
        engine = Engine(file)
        assert engine.ask("give me").status == "incomplete"
        file.write_text(dedent(TEA).replace("intent=order", "intent=buy").replace("order:", "buy:"))
        engine.reload()
        assert engine.conversation().pending is None

    def test_a_new_engine_on_the_same_store_fits_what_it_finds(self, file, clock):
        store = MemoryStore(clock)
        Engine(file, store=store, clock=clock).ask("give me tea")
        file.write_text(dedent(TEA).replace("groups: [drink]", "groups: [cup]"))
        engine = Engine(file, store=store, clock=clock)
        assert {group for held in engine.memory() for group in held.entity.groups} == {
            "topic",
            "cup",
        }
        engine.ask("and a coffee")
        assert [held.entity.value_or_text for held in engine.memory()] == ["coffee", "give me"]

    def test_registered_handlers_and_hooks_stay(self, file):
        engine = Engine(file)

        @engine.on("order")
        def order(drink):
            return f"{drink} it is"

        @engine.hook("rejection")
        def rejection(reason):
            return "sorry"

        engine.reload()
        assert engine.ask("give me tea").text == "tea it is"
        assert engine.ask("nonsense").text == "sorry"

    def test_a_handler_waits_for_its_intent_to_come_back(self, file):
        engine = Engine(file)

        @engine.on("order")
        def order(drink):
            return f"{drink} it is"

        file.write_text(dedent(TEA).replace("intent=order", "intent=buy").replace("order:", "buy:"))
        engine.reload()
        file.write_text(dedent(TEA))
        engine.reload()
        assert engine.ask("give me tea").text == "tea it is"

    def test_a_file_with_mistakes_changes_nothing(self, file):
        engine = Engine(file)
        file.write_text(dedent(TEA).replace("elements:", "elments:"))
        with pytest.raises(ModelError, match="elments"):
            engine.reload()
        assert engine.ask("give me tea").text == "One tea."

    def test_a_file_that_no_longer_fits_its_handler_changes_nothing(self, file):
        engine = Engine(file)

        @engine.on("order")
        def order(drink):
            return f"{drink} it is"

        file.write_text(
            dedent(TEA)
            .replace("term(drink)", "term(cup)")
            .replace("drink: Which", "cup: Which")
            .replace("{{ drink }}", "{{ cup }}")
        )
        with pytest.raises(HandlerError, match="has a parameter 'drink'"):
            engine.reload()
        assert engine.ask("give me tea").text == "tea it is"

    def test_a_model_cannot_change_its_id_under_its_conversations(self, file):
        engine = Engine(file)
        file.write_text(dedent(TEA).replace("id: tea", "id: cafe"))
        with pytest.raises(ModelError, match="was 'tea' and is 'cafe' now"):
            engine.reload()

    def test_a_model_without_a_file_or_an_unknown_one_cannot_be_reloaded(self, engine):
        with pytest.raises(ModelError):
            engine.reload("tea")
        with pytest.raises(UnknownModel):
            engine.reload("coffee")


class TestStores:
    def test_an_engine_closes_the_store_it_opened_and_no_other(self, file, tmp_path):
        url = f"sqlite:///{tmp_path}/bot.db"
        with Engine(file, store=url) as engine:
            engine.ask("give me tea")
        with Engine(file, store=url) as engine:
            assert engine.ask("and a coffee").text == "One coffee."
            with Engine(file, store=engine.store):
                pass
            assert engine.ask("and a tea").text == "One tea."

    def test_a_question_that_fails_leaves_no_trace_in_the_store(self, file, tmp_path):
        engine = Engine(file, store=f"sqlite:///{tmp_path}/bot.db")

        @engine.on("order")
        def order(drink):
            raise OSError("no kettle")

        with engine, pytest.raises(HandlerError, match="no kettle"):
            engine.ask("give me tea")
        with Engine(file, store=f"sqlite:///{tmp_path}/bot.db") as again:
            assert again.conversation().questions == 0


def test_a_damaged_record_begins_anew_and_the_next_question_is_answered(file, tmp_path, caplog):
    url = f"sqlite:///{tmp_path}/bot.db"
    with Engine(file, store=url) as engine:
        engine.ask("give me tea")
        engine.ask("give me tea", user="ben")
    with sqlite3.connect(tmp_path / "bot.db") as database:
        database.execute("UPDATE conversations SET record = x'7b' WHERE user = 'user'")
    database.close()
    with caplog.at_level(logging.ERROR), Engine(file, store=url) as engine:
        assert engine.ask("and a coffee").status == "rejected"
        assert engine.ask("and a coffee", user="ben").text == "One coffee."
    assert "starts empty" in caplog.text


class TestWaiting:
    def test_a_model_that_is_only_declared_never_waits(self, file):
        assert not Engine(file).may_block("tea")

    def test_functions_of_the_author_may_take_their_time(self, file):
        engine = Engine(file)
        engine.on("order")(lambda drink: None)
        assert engine.may_block("tea")
        engine = Engine(file)
        engine.hook("rejection")(lambda reason: None)
        assert engine.may_block("tea")
        assert Engine("alarm").may_block("alarm")

    def test_a_store_outside_of_the_process_may_take_its_time(self, file, tmp_path):
        with Engine(file, store=f"sqlite:///{tmp_path}/bot.db") as engine:
            assert engine.may_block("tea")

    def test_a_pipeline_of_the_users_may_take_its_time(self, file):
        assert Engine(file, nlp=spacy.blank("en")).may_block("tea")
