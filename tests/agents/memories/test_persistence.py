"""Memories are there again in the next process, in each kind of database."""

from __future__ import annotations

import pytest

from tests.agents.memories.sample_agents import Clock, opened, system_of
from tests.agents.memories.test_generative import Player, entries, last_answer, section_of
from tests.support.chat_endpoint import ScriptedEndpoint, call
from tests.support.postgres_server import PostgresServer, postgres_server  # noqa: F401 - a fixture

FILE = """
    memories:
      lived: {type: generative, reflect: {every: 2}}
      quest: {type: state, schema: text, update: every_turn}
    """


@pytest.fixture(params=("sqlite", "postgres"))
def url(request, tmp_path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/memory.db"
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return f"{server.url}?schema={server.schema()}"


class Keeper(Player):
    """Also keeps the quest."""

    def __call__(self, body):
        names = [tool["function"]["name"] for tool in body.get("tools", ())]
        if names == ["update_quest"]:
            return call("update_quest", {"text": "in a cave"})
        return super().__call__(body)


def test_a_second_process_finds_values_entries_and_insights(url):
    clock, keeper = Clock(), Keeper(cave=7)
    keeper.insights = [{"insight": "They like caves.", "evidence": [1, 2], "importance": 6}]
    with ScriptedEndpoint(keeper) as endpoint:
        with opened(FILE, endpoint, memory=url, clock=clock) as agent:
            agent.send("I enter the cave")
            agent.send("I light a torch in the cave")
            written = entries(agent)
        clock.wait(hours=1)
        with opened(FILE, endpoint, memory=url, clock=clock) as agent:
            assert entries(agent) == written
            assert [one.is_insight for one in written] == [True, False, False]
            agent.send("What do I see in the cave?")
            shown = last_answer(endpoint)
            assert "<quest>\nin a cave\n</quest>" in system_of(shown)
            assert "They like caves." in [one.get("insight") for one in section_of(shown)]
            agent.erase("user")
            assert entries(agent) == []
            assert agent.state().memory_values() == {}
