"""Generative memories: rated once, retrieved by recency, relevance and importance, reflected on."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest

from anaphora.agents.memories.entries import Entry, EntryIndex, EntryStore
from anaphora.agents.store.store import AgentKey
from anaphora.errors import StoreError
from anaphora.ltm.memory import LongTermMemory
from tests.agents.memories.sample_agents import (
    Clock,
    functions_of,
    opened,
    reply,
    system_of,
    texts_of,
)
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call, fault, say

LIVED = "memories:\n  lived: {type: generative}\n"
KEY = AgentKey("user", "sample", "")


def lived(k: int = 8, *, after: int | None = None, every: int | None = None, **weights) -> str:
    shown = json.dumps({"after_importance": after, "every": every})
    return (
        "memories:\n"
        f"  lived: {{type: generative, k: {k}, weights: {json.dumps(weights)}, reflect: {shown}}}\n"
    )


def rate(importance: object) -> Reply:
    return call("rate_importance", {"importance": importance})


class Player:
    """A model that answers everything, rates by the words of a text, and reflects as told."""

    def __init__(self, **ratings: int) -> None:
        self.ratings = ratings
        self.questions: list[str] = ["What does the user like?"]
        self.insights: list[dict[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> Reply:
        match functions_of(body):
            case ["rate_importance"]:
                text = texts_of(body)
                found = [rating for word, rating in self.ratings.items() if word in text]
                return rate(max(found, default=1))
            case ["ask_questions"]:
                return call("ask_questions", {"questions": self.questions})
            case ["note_insights"]:
                return call("note_insights", {"insights": self.insights})
        return reply("I see.")


def tell(agent, text: str, **options: str) -> None:
    """Say something, after all that was said before can be found."""
    assert agent.memory.flush(30)
    agent.send(text, **options)


def entries(agent, limit: int = 100, user: str = "user") -> list[Entry]:
    assert agent.memory.flush(30)
    return EntryStore(agent.memory, AgentKey(user, agent.name, ""), "lived").latest(limit)


def section_of(request: dict[str, Any]) -> list[dict[str, str]]:
    """The entries that a prompt shows."""
    found = re.search(r"<lived>\n(.*?)\n</lived>", system_of(request), re.DOTALL)
    return [json.loads(line) for line in found[1].splitlines()] if found else []


def last_answer(endpoint: ScriptedEndpoint) -> dict[str, Any]:
    """The last request for an answer to the user."""
    return [one for one in endpoint.requests if "send_message" in functions_of(one)][-1]


def test_each_exchange_is_rated_once_and_kept():
    script = [reply("Congratulations!"), rate(9), reply("Hello."), rate(1)]
    with ScriptedEndpoint(script) as endpoint, opened(LIVED, endpoint) as agent:
        tell(agent, "I got married")
        tell(agent, "Hi again")
        newest, oldest = entries(agent)
        assert (oldest.question, oldest.answer, oldest.importance) == (
            "I got married",
            "Congratulations!",
            9,
        )
        assert newest.importance == 1
        assert len(endpoint.requests) == 4
        assert agent.usage().calls == 4


@pytest.mark.parametrize(
    ("answers", "importance"),
    [
        ([rate("7")], 7),
        ([say("7")], 7),
        ([say("I would say 10/10.")], 10),
        ([rate(11), rate(8)], 8),
        ([call("rate_importance", "{"), rate(3)], 3),
        ([rate(0), rate(99)], 5),
        ([say("no idea")], 5),
        ([say("100")], 5),
        ([fault("400")], 5),
    ],
)
def test_an_importance_that_does_not_fit_is_asked_for_once_more_and_else_5(answers, importance):
    with (
        ScriptedEndpoint([reply("Hi."), *answers]) as endpoint,
        opened(LIVED, endpoint) as agent,
    ):
        tell(agent, "Hello")
        assert [one.importance for one in entries(agent)] == [importance]
        assert len(endpoint.requests) == 1 + len(answers)


def test_what_fits_the_question_is_shown():
    player = Player(violin=8)
    with ScriptedEndpoint(player) as endpoint, opened(lived(k=2), endpoint) as agent:
        tell(agent, "My daughter plays the violin")
        for number in range(6):
            tell(agent, f"It rains today, day {number}")
        tell(agent, "What does my daughter play?")
        shown = section_of(last_answer(endpoint))
        assert "My daughter plays the violin" in [one["user"] for one in shown]
        assert len(shown) == 2


def test_what_the_queue_shows_is_not_repeated():
    text = "memories: {recent: {type: conversation, last: 2}, lived: {type: generative}}"
    with ScriptedEndpoint(Player()) as endpoint, opened(text, endpoint) as agent:
        for said in ("One", "Two", "Three", "Four"):
            tell(agent, said)
        shown = section_of(last_answer(endpoint))
        assert [one["user"] for one in shown] == ["One"]


def test_an_old_memory_stays_within_reach():
    """Decay ranks, it hides nothing: what was said two years and 60 exchanges ago is found."""
    clock, player = Clock(), Player()
    with (
        ScriptedEndpoint(player) as endpoint,
        opened(lived(k=4), endpoint, clock=clock) as agent,
    ):
        tell(agent, "The code of my safe is on the back of the mirror")
        clock.wait(days=730)
        for number in range(60):
            tell(agent, f"Nothing new, number {number}")
            clock.wait(minutes=1)
        tell(agent, "Where is the code of my safe?")
        shown = [one["user"] for one in section_of(last_answer(endpoint))]
        assert "The code of my safe is on the back of the mirror" in shown


def test_retrieval_counts_as_an_access():
    """Of two old memories, the one that was retrieved lately is the more recent."""
    clock, player = Clock(), Player()
    only_recency = lived(k=1, recency=1, relevance=0, importance=0)
    with (
        ScriptedEndpoint(player) as endpoint,
        opened(only_recency, endpoint, clock=clock) as agent,
    ):
        tell(agent, "First")
        clock.wait(hours=1)
        tell(agent, "Second")  # retrieves "First", which is accessed now
        clock.wait(hours=1)
        tell(agent, "Third")
        assert [one["user"] for one in section_of(last_answer(endpoint))] == ["Second"]
        index = EntryIndex.from_data(agent.state().memory_values()["lived"])
        first = next(one for one in entries(agent) if one.question == "First")
        assert index.last_access(first) > first.at


def test_importance_decides_if_it_is_all_that_counts():
    player = Player(wedding=9, fire=7)
    only_importance = lived(k=2, recency=0, relevance=0, importance=1)
    with ScriptedEndpoint(player) as endpoint, opened(only_importance, endpoint) as agent:
        for text in ("My wedding is in May", "A fire broke out", *map(str, range(8))):
            tell(agent, text)
        shown = [one["user"] for one in section_of(last_answer(endpoint))]
        assert shown == ["My wedding is in May", "A fire broke out"]


def test_reflection_begins_when_enough_importance_has_come_together():
    player = Player(tea=6, coffee=6)
    player.insights = [
        {"insight": "The user likes hot drinks.", "evidence": [1, 2], "importance": 7},
        {"insight": "This follows from nothing.", "evidence": [], "importance": 9},
        {"insight": "Nor does this.", "evidence": [77], "importance": 9},
    ]
    with ScriptedEndpoint(player) as endpoint, opened(lived(after=12), endpoint) as agent:
        tell(agent, "I love tea")
        assert not any(functions_of(one) == ["ask_questions"] for one in endpoint.requests)
        tell(agent, "I love coffee")
        insight, coffee, tea = entries(agent)
        assert insight.is_insight
        assert (insight.text, insight.importance) == ("The user likes hot drinks.", 7)
        assert insight.evidence == (tea.clock, coffee.clock)
        index = EntryIndex.from_data(agent.state().memory_values()["lived"])
        assert (index.importance, index.turns, index.count) == (0, 0, 3)
        tell(agent, "Which drinks do I like?")
        shown = section_of(last_answer(endpoint))
        assert "The user likes hot drinks." in [one.get("insight") for one in shown]


def test_reflection_after_every_n_turns():
    player = Player()
    with ScriptedEndpoint(player) as endpoint, opened(lived(every=3), endpoint) as agent:
        for number in range(7):
            tell(agent, f"Number {number}")
        asked = [one for one in endpoint.requests if functions_of(one) == ["ask_questions"]]
        assert len(asked) == 2


def test_insights_can_be_reflected_on_again():
    player = Player()
    with ScriptedEndpoint(player) as endpoint, opened(lived(every=1), endpoint) as agent:
        player.insights = [{"insight": "They like tea.", "evidence": [1], "importance": 5}]
        tell(agent, "I love tea")
        first = next(one for one in entries(agent) if one.is_insight)
        player.insights = [
            {"insight": "They care for drinks.", "evidence": [1, 2, 3], "importance": 5}
        ]
        tell(agent, "And coffee")
        second = next(one for one in entries(agent) if one.text == "They care for drinks.")
        assert first.clock in second.evidence


def test_an_insight_is_kept_once():
    player = Player()
    player.insights = [{"insight": "They like tea.", "evidence": [1], "importance": 5}]
    with ScriptedEndpoint(player) as endpoint, opened(lived(every=1), endpoint) as agent:
        tell(agent, "I love tea")
        tell(agent, "I really love tea")
        assert [one.text for one in entries(agent) if one.is_insight] == ["They like tea."]


def test_a_reflection_that_fails_loses_no_memory_and_is_made_after_the_next_turn():
    player = Player()
    player.insights = [{"insight": "They like tea.", "evidence": [1], "importance": 5}]
    is_down = True

    def script(body):
        down = is_down and functions_of(body) == ["ask_questions"]
        return fault("400") if down else player(body)

    with ScriptedEndpoint(script) as endpoint, opened(lived(every=1), endpoint) as agent:
        tell(agent, "I love tea")
        assert [one.question for one in entries(agent)] == ["I love tea"]
        is_down = False
        tell(agent, "Hello")
        assert "They like tea." in [one.text for one in entries(agent)]


def test_a_reflection_fits_the_window():
    """An endpoint that refuses long prompts gets fewer memories."""
    player = Player()
    player.insights = [{"insight": "They write a lot.", "evidence": [10], "importance": 5}]
    with (
        ScriptedEndpoint(player, window=1_400) as endpoint,
        opened(lived(k=1, every=25), endpoint, window=4_096) as agent,
    ):
        for number in range(25):
            tell(agent, f"Number {number} " + "a b c d e f g h " * 20)
        asked = [one for one in endpoint.requests if functions_of(one) == ["ask_questions"]]
        assert len(asked) > 1
        assert len(texts_of(asked[-1])) < len(texts_of(asked[0]))
        assert "They write a lot." in [one.text for one in entries(agent)]


def test_the_state_of_an_agent_does_not_grow_with_its_memories():
    player = Player()
    with ScriptedEndpoint(player) as endpoint, opened(lived(k=3), endpoint) as agent:
        tell(agent, "Hello")
        with_many(agent.memory, 3_000)
        tell(agent, "What is entry 1234 about?")
        assert len(json.dumps(agent.state().memory_values())) < 8_000
        shown = [one["user"] for one in section_of(last_answer(endpoint))]
        assert any("entry 1234" in one for one in shown)


def with_many(memory: LongTermMemory, count: int) -> None:
    """Add entries, as if they had been lived."""
    store = EntryStore(memory, KEY, "lived")
    clock, (first,) = Clock(), store.latest(1)
    for number in range(1, count + 1):
        text = f"This is entry {number}"
        store.add(Entry(first.clock + number, 0, clock(), text, "I see.", 1 + number % 9))
    assert memory.flush(60)


def test_a_user_has_the_own_memories_alone_and_they_can_be_erased():
    player = Player()
    with ScriptedEndpoint(player) as endpoint, opened(LIVED, endpoint) as agent:
        tell(agent, "I love tea", user="ann")
        tell(agent, "What do I love?", user="ben")
        assert section_of(last_answer(endpoint)) == []
        agent.erase("ann")
        assert entries(agent, user="ann") == []
        assert len(entries(agent, user="ben")) == 1


def test_entries_are_not_found_as_exchanges_of_the_dialog():
    player = Player()
    with ScriptedEndpoint(player) as endpoint, opened(LIVED, endpoint) as agent:
        tell(agent, "I love tea")
        assert len(agent.recall("tea").passages) == 1


class _DyingStore:
    """A store whose process dies before it writes the end of an update."""

    def __init__(self, store) -> None:
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    def append(self, key, records, state):
        if any(type(one).__name__ == "MemoriesUpdated" for one in records):
            raise StoreError("killed")
        self._store.append(key, records, state)


def test_a_killed_update_is_made_again_without_a_second_entry_or_rating():
    player = Player(tea=6)
    player.insights = [{"insight": "They like tea.", "evidence": [1], "importance": 5}]
    with ScriptedEndpoint(player) as endpoint, opened(lived(every=1), endpoint) as agent:
        dying = _DyingStore(agent._store)
        options = {"memory": agent.memory, "store": dying, "archive": agent.archive}
        with (
            opened(lived(every=1), endpoint, **options) as killed,
            pytest.raises(StoreError, match="killed"),
        ):
            tell(killed, "I love tea")
        assert "lived" not in agent.state().memory_values()
        tell(agent, "Hello")
        counted = itertools.groupby(sorted(one.text for one in entries(agent)))
        assert {text: len(list(same)) for text, same in counted} == {
            "User: I love tea Agent: I see.": 1,
            "User: Hello Agent: I see.": 1,
            "They like tea.": 1,
        }
        index = EntryIndex.from_data(agent.state().memory_values()["lived"])
        assert index.count == 3
