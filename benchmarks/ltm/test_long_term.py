"""What does a long-term memory cost per question: with no history, with half a year of it, and
during a compression?"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from anaphora import Engine
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.summarizers.extractive.summarizer import Extractive
from anaphora.ltm.summarizers.process_summarizer import ProcessSummarizer
from anaphora.stm.conversation import ConversationKey

QUESTIONS = ("What is the weather in Tokyo today?", "And in Kyoto?", "Tomorrow?")
HUGE = HistorySettings(max_size=10**9, max_exchanges=10**6)
START = datetime(2026, 3, 14, 12, tzinfo=UTC)


class Unending:
    """A summarizer that runs as long as the benchmark."""

    name = "unending"

    def __init__(self, summarizer) -> None:
        self.summarizer = summarizer
        self.stop = threading.Event()
        self.began = threading.Event()

    def summarize(self, segments):
        while not self.stop.is_set():
            texts = self.summarizer.summarize(segments)
            self.began.set()
        return texts


def exchanges() -> Iterator[Exchange]:
    for number in count():
        yield Exchange(
            f"What about number {number} of the things that we spoke of?",
            f"On {number % 28 + 1} May it was {number % 40} degrees in town {number % 97}.",
            START + timedelta(minutes=number),
        )


@contextmanager
def compressing(folder, extractive) -> Iterator[LongTermMemory]:
    """A memory that compresses continuously."""
    summarizer = Unending(extractive)
    url = f"sqlite:///{folder}/memory.db"
    with LongTermMemory(url, summarizer=summarizer) as memory:
        for exchange, _ in zip(exchanges(), range(200), strict=False):
            memory.add(ConversationKey("someone", "else"), exchange)
        assert summarizer.began.wait(60)
        yield memory
        summarizer.stop.set()


@pytest.fixture
def memory(request, tmp_path):
    if request.param == "none":
        yield None
    elif request.param == "compressing":  # as it usually does: in another process
        with (
            closing(ProcessSummarizer(Extractive())) as apart,
            compressing(tmp_path, apart) as memory,
        ):
            yield memory
    elif request.param == "compressing in a thread":
        with compressing(tmp_path, Extractive()) as memory:
            yield memory
    else:
        with LongTermMemory(f"sqlite:///{tmp_path}/memory.db") as memory:
            yield memory


@pytest.mark.parametrize(
    "memory", ["none", "idle", "compressing", "compressing in a thread"], indirect=True
)
def test_a_question_with_a_long_term_memory(benchmark, memory):
    engine = Engine("weather", long_term=memory)
    texts = [QUESTIONS[place % 3] for place in range(300)]

    def ask():
        for text in texts:
            engine.ask(text)

    ask()
    benchmark.extra_info["questions"] = len(texts)
    benchmark.pedantic(ask, rounds=10, warmup_rounds=1)


@pytest.mark.parametrize("before", [10, 10_000])
def test_adding_an_exchange_after_many(benchmark, tmp_path, before):
    """Write to the journal and from there to the store, a hundred at a time."""
    with LongTermMemory(f"sqlite:///{tmp_path}/memory.db", settings=HUGE) as memory:
        said, key = exchanges(), ConversationKey("user", "weather")
        for exchange, _ in zip(said, range(before), strict=False):
            memory.add(key, exchange)
        assert memory.flush(120)

        def add():
            for exchange, _ in zip(said, range(100), strict=False):
                memory.add(key, exchange)
            memory.latest(key, 1)

        benchmark.pedantic(add, rounds=20, warmup_rounds=2)
