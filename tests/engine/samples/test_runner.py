"""Sample dialogs say where a bot does not do what they expect."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from textwrap import dedent, indent

import pytest

from anaphora import (
    AnaphoraError,
    Answer,
    Engine,
    HandlerError,
    ModelError,
    load_model,
    parse_model,
)
from anaphora.engine.samples.runner import DialogResult, iter_step_results, run_dialog, run_dialogs
from anaphora.models.domain import AskStep, Dialog
from tests.support.fake_long_term import ListMemory
from tests.support.weather_models import WEATHER


def failures(steps: str) -> list[str]:
    samples = "samples:\n  - dialog:\n" + indent(dedent(steps), "      ")
    model = parse_model(dedent(WEATHER) + samples)
    result = run_dialog(Engine(model), *model.samples)
    return [failure for turn in result.steps for failure in turn.failures]


def test_a_dialog_that_comes_out_as_it_says():
    assert not failures("""
        - {ask: weather in Tokyo now, intent: weather, slots: {city: Tokyo}, from_memory: []}
        - {pause: 5m}
        - {ask: Kyoto, slots: {city: Kyoto}, from_memory: [topic, date]}
        - {reset: entities}
        - {ask: Kyoto, status: rejected}
        - {ask: What's the weather?, status: incomplete, missing: [city]}
        - {ask: Tokyo, slots: {city: Tokyo, date: null}}
        - {reset: all}
    """)


@pytest.mark.parametrize(
    ("step", "failure"),
    [
        ("{ask: hello}", "status is rejected, not matched"),
        ("{ask: weather in Tokyo, status: rejected}", "status is matched, not rejected"),
        ("{ask: weather in Tokyo, slots: {city: Kyoto}}", "slot city is 'Tokyo', not 'Kyoto'"),
        ("{ask: weather in Tokyo, slots: {date: now}}", "slot date is empty, not 'now'"),
        ("{ask: weather in Tokyo now, slots: {date: null}}", "slot date is 'now', not empty"),
        ("{ask: weather in Tokyo, from_memory: [city]}", "from memory came nothing, not city"),
        (
            "{ask: What's the weather?, status: incomplete, missing: [topic]}",
            "missing is city, not topic",
        ),
        (
            "{ask: weather in Tokyo now, memory: [weather, city]}",
            "memory holds city=Tokyo, date=now, weather; city, weather was expected",
        ),
        (
            "{ask: weather in Tokyo, memory: [weather, city=Kyoto]}",
            "memory holds city=Tokyo, weather; city=Kyoto, weather was expected",
        ),
        (
            "{ask: weather in Tokyo, memory: []}",
            "memory holds city=Tokyo, weather; nothing was expected",
        ),
        (
            "{ask: hello, status: rejected, memory: [city]}",
            "memory holds nothing; city was expected",
        ),
        ("{ask: forget it, intent: weather, status: reset}", "intent is None, not weather"),
    ],
)
def test_what_came_otherwise_is_reported(step, failure):
    (told,) = failures(f"- {step}")
    assert told.startswith(failure)


TABLES = """
id: tables
dialog_acts: true
elements:
  - {id: find, synonyms: [find, look for]}
  - {id: book, synonyms: [book]}
  - {id: place, values: [Kiku, Roma]}
  - {id: street, values: [Hill Street]}
intents:
  - intent=find term(find)={# == 'find'}
  - intent=book term(book)~{# == 'book'} term(place)~{# == 'place'}
offers:
  find: [{place: Kiku}, {place: Roma}]
mentions:
  find: {street: Hill Street}
responses: {find: Kiku or Roma., book: "{{ place }}."}
"""


@pytest.mark.parametrize(
    ("expected", "failure"),
    [
        ("offers: [place=Kiku, place], by_bot: [street]", None),
        (
            "offers: [place=Roma, place=Kiku]",
            "the bot offers place=Kiku or place=Roma; place=Roma or place=Kiku was expected",
        ),
        ("offers: []", "the bot offers place=Kiku or place=Roma; nothing was expected"),
        ("by_bot: []", "the bot said street=Hill Street; nothing was expected"),
    ],
)
def test_what_the_bot_says_and_offers_is_compared(expected, failure):
    model = parse_model(f"{TABLES}samples:\n  - dialog: [{{ask: find, {expected}}}]")
    (step,) = run_dialog(Engine(model), *model.samples).steps
    assert step.failures == ((failure,) if failure else ())


def test_an_offer_that_the_model_cannot_make_is_a_mistake_of_the_sample():
    with pytest.raises(ModelError, match="the element 'place' has no value 'Rom'"):
        parse_model(f"{TABLES}samples:\n  - dialog: [{{ask: find, offers: [place=Rom]}}]")


def told(steps: str) -> DialogResult:
    samples = "samples:\n  - dialog:\n" + indent(dedent(steps), "      ")
    model = parse_model(TABLES + samples)
    return run_dialog(Engine(model), *model.samples)


class TestWhatTheBotSays:
    def test_is_remembered(self):
        assert told("""
            - {bot: Kiku is nice., mentions: {place: Kiku, street: Hill Street}}
            - {ask: book, slots: {place: Kiku}, by_bot: [place, street], from_memory: [place]}
        """).passed

    def test_takes_the_place_of_what_was_said_in_the_last_answer(self):
        assert told("""
            - {ask: book Kiku, memory: [book, place=Kiku]}
            - {bot: Roma is nicer., mentions: {place: Roma}}
            - {ask: book, slots: {place: Roma}, memory: [book, place=Roma], by_bot: [place=Roma]}
        """).passed

    def test_is_offered(self):
        assert told("""
            - {bot: Kiku or Roma?, offers: [{place: Kiku}, {place: Roma}], intent: find, then: book}
            - {ask: the second one, intent: book, slots: {place: Roma}, offers: []}
        """).passed

    def test_replaces_what_was_offered_and_asked(self):
        assert told("""
            - {ask: find, offers: [place=Kiku, place=Roma]}
            - {bot: Then Kiku?, offers: [{place: Kiku}], intent: find, then: book}
            - {ask: Yes, status: matched, intent: book, slots: {place: Kiku}}
        """).passed

    def test_is_forgotten_after_the_timeout(self):
        assert told("""
            - {ask: find, by_bot: [street]}
            - {pause: 4m}
            - {bot: Kiku is nice., mentions: {place: Kiku}}
            - {pause: 4m}
            - {ask: hello, status: rejected, by_bot: [place=Kiku]}
            - {pause: 6m}
            - {bot: Still there?}
            - {ask: hello, status: rejected, memory: []}
        """).passed

    def test_may_be_several_things_by_a_template(self):
        assert told("""
            - {bot: Both., mentions: {place: "{{ ['Kiku', 'Roma'] }}"}}
            - {ask: hello, status: rejected, memory: [place=Kiku, place=Roma]}
        """).passed

    def test_that_is_nothing_of_the_model_ends_the_dialog(self):
        model = parse_model(f"{TABLES}samples: [dialog: [{{bot: Oh., mentions: {{place: Rom}}}}]]")
        (result,) = run_dialogs(model)
        assert result.error == (
            "what the bot says ('Oh.'), mentions: 'Rom' is no value of 'place'; did you mean "
            "'Roma'?"
        )

    def test_with_offers_needs_a_model_that_reads_the_answers(self):
        step = "{bot: Oh., offers: [{place: Kiku}], intent: find}"
        text = TABLES.replace("dialog_acts: true", "dialog_acts: false")
        (result,) = run_dialogs(parse_model(f"{text}samples: [dialog: [{step}]]"))
        assert "it needs 'dialog_acts: true'" in result.error

    @pytest.mark.parametrize("intent", ["", "fnd"])
    def test_with_offers_needs_an_intent(self, intent):
        answer = Answer("Kiku?", offers=[{"place": "Kiku"}])
        with pytest.raises(HandlerError, match=f"makes offers of '{intent}': no such intent"):
            Engine(parse_model(TABLES)).say(answer, intent=intent)


def test_a_dialog_comes_out_the_same_however_often_it_is_run():
    steps = (
        "samples:\n  - dialog: [{ask: weather in Tokyo}, {pause: 6m}, {ask: now, status: rejected}]"
    )
    model = parse_model(dedent(WEATHER) + steps)
    engine = Engine(model)
    for _ in range(2):
        assert run_dialog(engine, *model.samples).passed


def test_what_is_remembered_is_named_in_any_order_with_values_or_without():
    assert not failures("""
        - {ask: weather in Tokyo now, memory: [date, city=Tokyo, weather]}
        - {ask: Kyoto, memory: [weather, city, date = now]}
        - {ask: hello, status: rejected, memory: [city=Kyoto, date=now, weather]}
        - {reset: entities}
        - {ask: hello, status: rejected, memory: []}
    """)


@pytest.mark.parametrize(
    ("memory", "fits"),
    [
        ("[topic, city, city]", True),
        ("[topic, city, city=Kyoto]", True),
        ("[city=Kyoto, topic, city=Tokyo]", True),
        ("[topic, city]", False),
        ("[topic, city=Kyoto, city=Kyoto]", False),
        ("[topic, city, city, city]", False),
    ],
)
def test_each_of_several_values_is_named_once(memory, fits):
    model = parse_model(f"""
id: several
elements: [{{id: topic}}, {{id: city, values: [Tokyo, Kyoto]}}]
intents: ["intent=i term(topic)={{# == 'topic'}} term(cities)~{{# == 'city'}}+"]
samples: [dialog: [{{ask: topic Tokyo Kyoto, memory: {memory}}}]]
""")
    assert run_dialog(Engine(model), *model.samples).passed == fits


def test_the_turns_before_an_error_are_known_and_nothing_is_left_of_them():
    model = parse_model("""
id: kitchen
elements: [{id: tea}, {id: milk}]
intents: ["intent=tea term(tea)={# == 'tea'}", "intent=milk term(milk)={# == 'milk'}"]
responses: {tea: "{{ 1 // 0 }}"}
samples: [dialog: [{ask: milk}, {ask: tea}, {ask: milk}]]
""")
    engine = Engine(model)
    turns = iter_step_results(engine, *model.samples)
    assert next(turns).reply.status == "matched"
    with pytest.raises(HandlerError):
        next(turns)
    assert engine.memory(user="sample") == ()


def test_a_flow_can_be_reset_alone():
    assert not failures("""
        - {ask: weather in Tokyo}
        - {reset: flow}
        - {ask: Kyoto, slots: {city: Kyoto}, from_memory: [topic]}
    """)


class TestManyDialogs:
    SHOP = """
        id: shop
        code: shop
        elements: [{id: tea}, {id: milk}, {id: till}, {id: clerk}]
        intents:
          - intent=tea term(tea)={# == 'tea'}
          - intent=milk term(milk)={# == 'milk'}
          - intent=till term(till)={# == 'till'}
          - intent=clerk term(clerk)={# == 'clerk'}
        handlers: {milk: "#milk", till: "#till", clerk: "#clerk"}
        responses: {tea: "{{ 1 // 0 }}"}
        samples:
          - dialog: [{ask: milk}, {ask: milk}]
          - dialog: [{ask: milk}, {ask: tea}, {ask: milk}]
          - dialog: [{ask: milk, status: rejected}]
          - dialog: [{ask: sugar, status: rejected}]
    """
    HANDLERS = """
        import threading

        class Clerk:
            pass

        def milk():
            return ["a pint", 2.5]

        def till():
            return threading.Lock()

        def clerk():
            return Clerk()
    """

    @pytest.fixture
    def shop(self, tmp_path):
        file = tmp_path / "shop.yaml"
        file.write_text(dedent(self.SHOP), encoding="utf-8")
        (tmp_path / "shop.py").write_text(dedent(self.HANDLERS), encoding="utf-8")
        return file

    def test_come_out_in_their_order_in_as_many_processes_as_one_likes(self, shop):
        alone = list(run_dialogs(shop))
        assert [result.passed for result in alone] == [True, False, False, True]
        assert alone[0].steps[0].reply.result == ["a pint", 2.5]
        assert list(run_dialogs(shop, jobs=3)) == alone
        assert not multiprocessing.active_children()

    def test_of_which_one_fails_with_an_error_keep_the_turns_before_it(self, shop):
        failed: DialogResult = list(run_dialogs(shop))[1]
        assert [turn.reply.status for turn in failed.steps] == ["matched"]
        assert "division" in failed.error
        assert not failed.passed

    def test_may_be_others_than_those_of_the_model(self, shop):
        dialogs = [Dialog((AskStep(text),)) for text in ("milk", "sugar")]
        passed = [result.passed for result in run_dialogs(load_model(shop), dialogs)]
        assert passed == [True, False]

    @pytest.mark.parametrize("thing", ["till", "clerk"])
    def test_whose_replies_cannot_leave_a_process_are_one_clear_error(self, shop, thing):
        dialogs = [Dialog((AskStep(text),)) for text in ("milk", thing)]
        assert all(result.passed for result in run_dialogs(shop, dialogs))
        with pytest.raises(AnaphoraError, match=r"cannot be sent .* pickle"):
            list(run_dialogs(shop, dialogs, jobs=2))
        assert not multiprocessing.active_children()

    def test_run_in_one_process_if_the_model_is_in_no_file(self):
        model = parse_model(dedent(WEATHER) + "samples: [dialog: [{ask: weather in Tokyo}]]\n")
        assert [result.passed for result in run_dialogs(model)] == [True]
        with pytest.raises(AnaphoraError, match="'weather' differs from its file"):
            run_dialogs(model, model.samples * 2, jobs=2)
        with pytest.raises(ValueError, match="at least one process, not 0"):
            run_dialogs(model, jobs=0)

    def test_run_in_one_process_if_the_file_says_something_else(self):
        cafe = load_model("cafe")
        other = replace(cafe, intents=cafe.intents[:1])
        assert not all(result.passed for result in run_dialogs(other))
        with pytest.raises(AnaphoraError, match="'cafe' differs from its file"):
            run_dialogs(other, jobs=2)


class TestALongTermMemory:
    STEPS = "[{ask: weather in Tokyo}, {pause: 6m}, {ask: now, status: %s}]"

    def run(self, engine_has: ListMemory | None, *dialogs: str) -> list[bool]:
        samples = "".join(f"  - {dialog}\n" for dialog in dialogs)
        model = parse_model(f"{dedent(WEATHER)}samples:\n{samples}")
        engine = Engine(model, long_term=engine_has)
        return [run_dialog(engine, dialog).passed for dialog in model.samples]

    def test_is_there_for_the_dialogs_that_say_so(self):
        with_it = f"{{long_term: true, dialog: {self.STEPS % 'incomplete'}}}"
        without = f"dialog: {self.STEPS % 'rejected'}"
        assert self.run(None, with_it, without, with_it) == [True, True, True]

    def test_of_the_engine_is_left_alone(self):
        past = ListMemory()
        assert self.run(past, f"dialog: {self.STEPS % 'rejected'}") == [True]
        assert past.kept == []
        assert past.reads == 0

    def test_of_one_dialog_is_empty_at_first(self):
        first = "{long_term: true, dialog: [{ask: weather in Tokyo}]}"
        second = "{long_term: true, dialog: [{ask: now, status: rejected}]}"
        assert self.run(None, first, second) == [True, True]

    def test_is_reset_with_the_dialog(self):
        steps = "[{ask: weather in Tokyo}, {reset: entities}, {ask: now, status: rejected}]"
        assert self.run(None, f"{{long_term: true, dialog: {steps}}}") == [True]
