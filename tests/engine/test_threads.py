"""Many threads: in one conversation one after the other, in different ones side by side."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent
from threading import Barrier
from typing import Any

from anaphora import (
    Conflict,
    Engine,
    HandlerError,
    MemoryStore,
    parse_model,
)
from tests.support.weather_models import WEATHER, values


class TestThreads:
    def test_handlers_that_wait_for_each_other_do_not_wait_for_ever(self, clock):
        engine = Engine(
            parse_model(dedent(WEATHER)), clock=clock, store=MemoryStore(clock, wait=0.2)
        )
        both_inside = Barrier(2, timeout=10)

        @engine.on("weather")
        def answer(city: str, user: str) -> str:
            if city == "Tokyo":
                both_inside.wait()
                engine.ask("weather in Kyoto", user="b" if user == "a" else "a")
            return "done"

        def ask(user: str) -> BaseException | None:
            try:
                engine.ask("weather in Tokyo", user=user)
            except HandlerError as error:
                return error.__cause__
            return None

        with ThreadPoolExecutor(2) as pool:
            assert Conflict in {type(cause) for cause in pool.map(ask, "ab")}

    def test_a_hundred_threads_in_one_conversation_are_answered_one_after_the_other(self, bot):
        engine = bot(WEATHER)
        inside: list[int] = []

        @engine.on("weather")
        def answer(data: dict[str, Any]) -> str:
            inside.append(1)
            assert len(inside) == 1
            data["asked"] = data.get("asked", 0) + 1
            inside.pop()
            return ""

        with ThreadPoolExecutor(100) as pool:
            replies = list(pool.map(lambda _: engine.ask("weather in Tokyo"), range(400)))
        assert {reply.status for reply in replies} == {"matched"}
        assert engine.conversation().data["asked"] == 400

    def test_a_thousand_conversations_stay_apart(self, bot):
        engine = bot(WEATHER)
        cities = ("Tokyo", "Kyoto", "New York")

        def talk(number: int) -> tuple[str, Any]:
            city = cities[number % 3]
            engine.ask(f"weather in {city} today", user=str(number))
            return city, values(engine.ask("And tomorrow?", user=str(number)))["city"]

        with ThreadPoolExecutor(100) as pool:
            assert all(said == heard for said, heard in pool.map(talk, range(1000)))

    def test_a_slow_conversation_does_not_hold_up_another(self, bot):
        engine = bot(WEATHER)
        both_inside = Barrier(2, timeout=10)

        @engine.on("weather")
        def answer() -> str:
            both_inside.wait()
            return "done"

        with ThreadPoolExecutor(2) as pool:
            replies = pool.map(lambda user: engine.ask("weather in Tokyo", user=user), "ab")
            assert [reply.text for reply in replies] == ["done", "done"]
