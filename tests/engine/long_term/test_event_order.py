"""What was said, forgotten and erased counts in the order of the conversation, whatever the order
in which the processes of a service bring it into the long-term memory, and whatever their clocks
say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anaphora import Engine, parse_model
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.memory import LongTermMemory
from anaphora.stm.conversation import ConversationKey
from tests.support.weather_models import WEATHER

ME = ConversationKey("user", "weather")
DEADLINE = 60.0


class Delayed:
    """A long-term memory of one process, which keeps nothing until it is told to."""

    def __init__(self, memory: LongTermMemory) -> None:
        self.memory = memory
        self.waiting: list[tuple[ConversationKey, Exchange]] = []

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        self.waiting.append((key, exchange))

    def deliver(self) -> None:
        while self.waiting:
            self.memory.add(*self.waiting.pop())
        assert self.memory.flush(DEADLINE)

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        return self.memory.latest(key, limit)

    @property
    def clock(self) -> int:
        return self.memory.clock

    def erase(self, user: str, **options: object) -> int:
        return self.memory.erase(user, **options)

    def close(self) -> None:
        self.memory.close()


@pytest.fixture
def worker(tmp_path: Path, clock) -> Iterator[Callable[[], Engine]]:
    """Makes an engine of a process of its own: all share two files, and none a journal."""
    with ExitStack() as stack:

        def worker() -> Engine:
            url = f"sqlite:///{tmp_path}/memory.db?synchronous=normal"
            memory = stack.enter_context(LongTermMemory(url, clock=clock, summarizer=None))
            store = f"sqlite:///{tmp_path}/bot.db?synchronous=normal"
            model = parse_model(dedent(WEATHER))
            engine = Engine(model, clock=clock, store=store, long_term=Delayed(memory))
            return stack.enter_context(engine)

        yield worker


def history(engine: Engine) -> list[str]:
    return [one.question for one in engine.long_term.memory.history(ME).exchanges]


def test_what_was_forgotten_at_one_process_is_not_offered_by_another(worker, clock):
    one, other = worker(), worker()
    other.ask("weather in Tokyo")
    one.forget()
    one.long_term.deliver()
    other.long_term.deliver()
    clock.pass_time(hours=1)
    for engine in (one, other):
        assert engine.ask("And tomorrow?").status == "rejected"


def test_questions_one_after_another_are_in_that_order_wherever_they_were_answered(worker):
    workers = [worker() for _ in range(3)]
    asked = [f"weather in Tokyo {number}" for number in range(12)]
    for number, text in enumerate(asked):
        workers[number * 7 % 3].ask(text)
    for engine in workers[::-1]:
        engine.long_term.deliver()
    assert history(workers[0]) == asked


@given(data=st.data())
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_order_holds_over_pauses_resets_and_clocks_that_are_set(worker, clock, data):
    workers = [worker(), worker()]
    workers[0].erase(user="user")
    expected: list[str] = []
    for number in range(data.draw(st.integers(2, 10))):
        engine = data.draw(st.sampled_from(workers))
        match data.draw(st.sampled_from(("ask", "ask", "forget", "erase", "set"))):
            case "ask":
                expected.append(f"weather in Tokyo {number}")
                engine.ask(expected[-1])
            case "forget":
                engine.forget()
            case "erase":
                expected.clear()
                engine.erase(user="user")
            case "set":
                clock.pass_time(minutes=data.draw(st.integers(-100_000, 100_000)))
        if data.draw(st.booleans()):
            data.draw(st.sampled_from(workers)).long_term.deliver()
    for engine in workers:
        engine.long_term.deliver()
    assert history(workers[0]) == expected


def test_what_is_handed_over_after_an_erasure_is_not_kept(worker):
    one, other = worker(), worker()
    one.ask("weather in Tokyo")
    other.erase(user="user")
    one.long_term.deliver()
    assert history(other) == []


@pytest.mark.parametrize("again", [False, True], ids=["", "by a process that starts then"])
def test_what_is_asked_after_an_erasure_is_kept_though_the_clock_goes_back(worker, clock, again):
    engine = worker()
    engine.ask("weather in Tokyo")
    engine.long_term.deliver()
    engine.erase(user="user")
    clock.pass_time(hours=-2)
    if again:
        engine = worker()
    engine.ask("weather in Kyoto")
    engine.long_term.deliver()
    assert history(engine) == ["weather in Kyoto"]


def test_what_a_clock_that_was_ahead_has_numbered_stays_before_what_is_said_after_a_restart(
    tmp_path, clock
):
    url = f"sqlite:///{tmp_path}/memory.db?synchronous=normal"
    for text, minutes in (("weather in Tokyo", -10), ("weather in Kyoto", 0)):
        with (
            LongTermMemory(url, clock=clock, summarizer=None) as memory,
            Engine(parse_model(dedent(WEATHER)), clock=clock, long_term=memory) as engine,
        ):
            engine.ask(text)
            assert memory.flush(DEADLINE)
            kept = [one.question for one in memory.history(ME).exchanges]
        clock.pass_time(minutes=minutes)
    assert kept == ["weather in Tokyo", "weather in Kyoto"]


def test_what_was_forgotten_is_not_offered_before_its_mark_has_come(worker, clock):
    one, other = worker(), worker()
    one.ask("weather in Tokyo")
    one.long_term.deliver()
    one.forget()
    assert other.ask("And tomorrow?").status == "rejected"


def test_what_is_asked_while_a_user_is_erased_is_in_both_memories_or_in_none(worker):
    one, other = worker(), worker()
    one.ask("weather in Tokyo")
    with ThreadPoolExecutor(2) as pool:
        asked = pool.submit(one.ask, "weather in Kyoto")
        erased = pool.submit(other.erase, user="user")
        asked.result(DEADLINE)
        erased.result(DEADLINE)
    one.long_term.deliver()
    assert history(other) == (["weather in Kyoto"] if one.memory() else [])


def test_a_conversation_that_has_timed_out_goes_on_behind_what_was_said(worker, clock):
    engine = worker()
    engine.ask("weather in Tokyo")
    clock.pass_time(minutes=20)
    engine.ask("weather in Kyoto")
    clock.pass_time(minutes=-60)
    engine.ask("weather in Rome", at=clock() + timedelta(hours=2))
    engine.long_term.deliver()
    assert history(engine) == ["weather in Tokyo", "weather in Kyoto", "weather in Rome"]


def test_a_reset_in_a_question_stands_before_it(worker):
    engine = worker()
    engine.ask("weather in Tokyo")
    engine.ask("forget it. weather in Kyoto")
    engine.long_term.deliver()
    latest = engine.long_term.latest(ME, 9)
    assert [one.question for one in latest] == [
        "forget it. weather in Kyoto",
        "",
        "weather in Tokyo",
    ]
