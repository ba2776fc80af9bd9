"""What the clients make of the service's long-term memory, over a socket."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from anaphora import Engine, parse_model
from anaphora.client import Client, NotFound
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.summarizers.first_words import FirstWords
from anaphora.server.app import create_app
from anaphora.server.settings.model import Settings
from tests.client.test_service import SHOP, serving


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LongTermMemory]:
    """A memory that summarizes when there are more than eight words."""
    with LongTermMemory(
        f"sqlite:///{tmp_path / 'memory.db'}",
        summarizer=FirstWords(),
        settings=HistorySettings(max_size=8, segment=2, verbatim=1, share=0.5),
        journal=tmp_path / "journal",
    ) as memory:
        yield memory


def test_histories_and_passages_are_values_and_a_user_is_erased(memory: LongTermMemory) -> None:
    with (
        Engine(parse_model(SHOP), long_term=memory) as engine,
        serving(create_app(Settings(), engine=engine)) as url,
        Client(url) as client,
    ):
        for thing in ("tea", "cake", "tea"):
            client.ask(f"I want {thing}", user="ann")
        assert memory.flush(60)
        history = client.history(user="ann")
        assert (history.user, history.model, history.unit) == ("ann", "shop", "words")
        (summary, *_), (*_, exchange) = history.summaries, history.exchanges
        assert (summary.first, summary.level, summary.by) == (1, 1, "cut")
        assert summary.since is not None
        assert summary.since <= (summary.until or summary.since)
        assert (exchange.question, exchange.number) == ("I want tea", 3)
        assert (exchange.intent, exchange.slots["thing"]) == ("order", ("tea",))

        found = client.recall("cake", user="ann", slots={"thing": "cake"})
        (passage,) = found.passages
        assert (passage.model, passage.exchange.question) == ("shop", "I want cake")
        assert [one.number for one in (*passage.before, *passage.after)] == [1, 3]
        assert (found.page, found.more) == (1, False)

        assert client.erase(user="ann").exchanges == 3
        assert client.recall(user="ann").passages == ()
        assert client.conversation(user="ann").questions == 0


def test_a_service_without_a_long_term_memory_says_how_it_gets_one() -> None:
    with (
        Engine(parse_model(SHOP)) as engine,
        serving(create_app(Settings(), engine=engine)) as url,
        Client(url) as client,
        pytest.raises(NotFound, match="--memory") as caught,
    ):
        client.history()
    assert caught.value.slug == "no-memory"
