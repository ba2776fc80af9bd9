"""Handlers and response templates: what they get, what they may do, what they cannot break."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from anaphora import (
    AnaphoraError,
    Conflict,
    HandlerError,
    Reject,
    Skip,
)
from tests.support.weather_models import WEATHER


class MuteError(Exception):
    """An error that fails even to tell what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


async def coroutine() -> str:
    return "too late"


class TestHandlers:
    def test_a_slot_comes_before_what_every_handler_may_ask_for(self, bot):
        engine = bot("""
            id: trip
            elements: [{id: at, id_synonym: false, values: [noon]}, {id: go}]
            intents: ["intent=go term={# == 'go'} term(at)={# == 'at'}?"]
        """)
        engine.on("go")(lambda at, language: f"{at} {language}")
        assert engine.ask("go at noon").text == "noon en"
        assert engine.ask("go").text == "None en"

    def test_a_handler_gets_the_slots_by_name(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(city: str, date: str = "today") -> str:
            return f"{city} {date}"

        assert engine.ask("weather in Tokyo").text == "Tokyo today"
        assert engine.ask("tomorrow").text == "Tokyo tomorrow"

    def test_a_handler_may_keep_data_with_the_conversation(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(data: dict[str, Any], user: str) -> str:
            data["asked"] = data.get("asked", 0) + 1
            return f"{user} {data['asked']}"

        engine.ask("weather in Tokyo", user="ann")
        assert engine.ask("Kyoto", user="ann").text == "ann 2"
        assert engine.ask("weather in Tokyo", user="ben").text == "ben 1"

    def test_a_slot_that_is_empty_is_none_whatever_its_name(self, bot):
        engine = bot("""
            id: names
            elements: [{id: note}, {id: text}, {id: user}]
            intents:
              - intent=x term={# == 'note'} term(text)={# == 'text'}? term(user)={# == 'user'}?
            responses: {x: "{{ text }}|{{ user }}"}
        """)
        assert engine.ask("note").text == "|"
        engine.on("x")(lambda text, user="nobody": f"{text} {user}")
        assert engine.ask("note").text == "None nobody"

    @pytest.mark.parametrize("function", [lambda: (n for n in "ab"), lambda: coroutine()])
    def test_a_result_that_has_not_run_is_refused(self, bot, function):
        engine = bot(WEATHER)
        engine.on("weather")(function)
        with pytest.raises(HandlerError, match="not run yet"):
            engine.ask("weather in Tokyo")

    def test_what_has_no_signature_is_no_handler(self, bot):
        with pytest.raises(HandlerError, match="cannot be a handler"):
            bot(WEATHER).on("weather")(dict)

    def test_what_a_handler_returns_is_the_result_and_no_text_means_the_template(self, bot):
        engine = bot(WEATHER)
        engine.on("weather")(lambda city: {"city": city})
        reply = engine.ask("weather in Tokyo")
        assert (reply.result, reply.text) == ({"city": "Tokyo"}, "")
        engine.on("weather")(lambda: None)
        assert engine.ask("weather in Tokyo").text == "Tokyo"

    def test_a_handler_that_raises_leaves_the_memory_as_it_was(self, bot):
        engine = bot(WEATHER)
        engine.ask("weather in Tokyo now")
        before = engine.conversation()

        @engine.on("weather")
        def answer(city: str, data: dict[str, Any]) -> str:
            data["half"] = "done"
            raise OSError("no route")

        with pytest.raises(HandlerError, match="no route") as caught:
            engine.ask("And in Kyoto?")
        assert isinstance(caught.value.__cause__, OSError)
        assert engine.conversation() == before

    def test_one_that_raises_has_not_changed_the_data_inside_the_data_either(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(city: str, data: dict[str, Any]) -> str:
            data.setdefault("cities", []).append(city)
            if city == "Kyoto":
                raise OSError
            return ""

        engine.ask("weather in Tokyo")
        with pytest.raises(HandlerError):
            engine.ask("Kyoto")
        assert engine.conversation().data == {"cities": ["Tokyo"]}

    def test_data_that_no_store_could_keep_is_refused(self, bot):
        engine = bot(WEATHER)
        engine.on("weather")(lambda data: data.update(when=object()))
        with pytest.raises(HandlerError, match="not JSON"):
            engine.ask("weather in Tokyo")
        assert engine.memory() == ()

    def test_skip_hands_the_question_to_the_next_best_match(self, bot):
        engine = bot("""
            id: two
            elements: [{id: tea}, {id: milk}]
            intents:
              - intent=both term={# == 'tea'} term={# == 'milk'}
              - intent=tea term={# == 'tea'}
            responses: {both: both, tea: tea}
        """)

        @engine.on("both")
        def both() -> str:
            raise Skip

        reply = engine.ask("tea with milk", explain=True)
        assert reply.intent == "tea"
        assert "skipped by its handler" in str(reply.explanation)

    def test_a_question_that_every_handler_skips_is_rejected(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer() -> str:
            raise Skip

        assert engine.ask("weather in Tokyo").reason == "every intent that matched passed on it"
        assert engine.memory() == ()

    def test_reject_ends_the_question_with_its_reason(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(city: str) -> str:
            raise Reject(f"no station in {city}")

        reply = engine.ask("weather in Tokyo")
        assert (reply.status, reply.reason) == ("rejected", "no station in Tokyo")
        assert engine.memory() == ()

    def test_a_handler_that_asks_for_no_slot_is_refused_at_once(self, bot):
        engine = bot(WEATHER)
        with pytest.raises(HandlerError, match="town"):
            engine.on("weather")(lambda town: "")

    def test_an_async_handler_is_refused_at_once(self, bot):
        async def answer() -> str:
            return ""

        with pytest.raises(HandlerError, match="async"):
            bot(WEATHER).on("weather")(answer)

    def test_so_is_one_that_yields_in_turns(self, bot):
        async def answer() -> AsyncIterator[str]:
            yield ""

        with pytest.raises(HandlerError, match="async"):
            bot(WEATHER).on("weather")(answer)

    @pytest.mark.parametrize("error", [SystemExit("usage: …"), MuteError()], ids=["exit", "mute"])
    def test_whatever_it_raises_the_conversation_goes_on(self, bot, error):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(city: str) -> str:
            if city == "Kyoto":
                raise error
            return city

        engine.ask("weather in Tokyo")
        with pytest.raises(HandlerError, match="the handler of 'weather' failed") as raised:
            engine.ask("and in Kyoto?")
        assert raised.value.__cause__ is error
        assert engine.ask("and tomorrow?").text == "Tokyo"

    def test_an_error_tells_the_line_of_the_handler_it_came_from(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer(match: Any) -> str:
            return match.slots["when"].text

        line = answer.__code__.co_firstlineno + 2
        with pytest.raises(
            HandlerError, match=rf"KeyError: 'when' \(test_handlers.py, line {line}\)"
        ):
            engine.ask("weather in Tokyo")

    def test_an_unknown_intent_gets_a_suggestion(self, bot):
        with pytest.raises(HandlerError, match="did you mean 'weather'"):
            bot(WEATHER).on("wether")

    def test_an_unknown_model_gets_a_suggestion(self, bot):
        with pytest.raises(AnaphoraError, match="did you mean 'weather'"):
            bot(WEATHER).ask("hi", model="wether")

    def test_a_handler_that_asks_its_own_conversation_is_told_so(self, bot):
        engine = bot(WEATHER)

        @engine.on("weather")
        def answer() -> str:
            return engine.ask("and in Kyoto?").text

        with pytest.raises(HandlerError) as caught:
            engine.ask("weather in Tokyo")
        assert isinstance(caught.value.__cause__, Conflict)

    def test_a_response_that_cannot_be_filled_leaves_the_memory_as_it_was(self, bot):
        engine = bot("""
            id: broken
            elements: [{id: tea}]
            intents: ["intent=tea term(tea)={# == 'tea'}"]
            responses: {tea: "{{ tea / 2 }}"}
        """)
        with pytest.raises(HandlerError, match="cannot be rendered"):
            engine.ask("tea")
        assert engine.memory() == ()

    @pytest.mark.parametrize(
        "template", ["{{ 2 ** 999999999 }}", "{{ 'a' * 10 ** 9 }}", "{{ tea.__class__.mro() }}"]
    )
    def test_a_response_can_neither_hang_nor_reach_out(self, bot, template):
        engine = bot(f"""
            id: hostile
            elements: [{{id: tea}}]
            intents: ["intent=tea term(tea)={{# == 'tea'}}"]
            responses: {{tea: "{template}"}}
        """)
        with pytest.raises(HandlerError, match="cannot be rendered"):
            engine.ask("tea")
