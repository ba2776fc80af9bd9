"""Many threads and processes with the agents of one store."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from anaphora.agents.state.records import MessageAdded
from anaphora.agents.state.state import AgentState, replay
from anaphora.agents.store.postgres import PostgresAgentStore
from anaphora.agents.store.sqlite import SqliteAgentStore
from anaphora.agents.store.store import AgentKey
from anaphora.errors import Conflict
from tests.agents.prompts import and_go_on, latest, tell
from tests.support.chat_endpoint import ScriptedEndpoint
from tests.support.forked_process import run_forked
from tests.support.postgres_server import postgres_server  # noqa: F401 - a fixture

USERS, MESSAGES = ("ann", "ben", "cem"), 4


class Referee:
    """A model that notes which users it answers at the same time."""

    def __init__(self) -> None:
        self.lock, self.busy = threading.Lock(), Counter[str]()
        self.most, self.most_users = 0, 0

    def __call__(self, body):
        user = latest(body)["message"].partition(" ")[0]
        with self.lock:
            self.busy[user] += 1
            self.most = max(self.most, self.busy[user])
            self.most_users = max(self.most_users, sum(n > 0 for n in self.busy.values()))
        time.sleep(0.02)  # the time that a model takes
        with self.lock:
            self.busy[user] -= 1
        return tell(f"Hello {user}")


class SideBySide(ScriptedEndpoint):
    """An endpoint that answers several requests at the same time."""

    def take(self, body, headers):
        return self._next(body)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_one_event_of_a_user_at_a_time_and_users_side_by_side(
    request, opened, agent, tmp_path, kind
):
    if kind == "postgres":
        server = request.getfixturevalue("postgres_server")
        schema = server.schema()
    referee = Referee()
    play = opened.enter_context(SideBySide(referee))

    def open_store():
        if kind == "postgres":
            return PostgresAgentStore(server.url, schema=schema)
        return SqliteAgentStore(tmp_path / "agents.db", synchronous="normal")

    def talk(process: str) -> int:
        store = open_store()
        one = agent(play, store=store, window=32_768)
        with ThreadPoolExecutor(6) as pool:
            sent = [
                pool.submit(one.send, f"{user} {process}{n}", user=user, id=f"{process}{n}")
                for n in range(MESSAGES)
                for user in USERS
            ]
            answers = [future.result().text for future in sent]
        store.close()
        return 0 if answers == [f"Hello {user}" for _ in range(MESSAGES) for user in USERS] else 1

    codes: list[int] = []
    other = threading.Thread(target=lambda: codes.append(run_forked(lambda: talk("a"))))
    other.start()
    codes.append(talk("b"))
    other.join()
    assert codes == [0, 0]
    assert referee.most == 1
    assert referee.most_users > 1
    store = open_store()
    for user in USERS:
        records = store.records(AgentKey(user, "agent"))
        messages = [one.message for one in records if isinstance(one, MessageAdded)]
        assert [one.kind for one in messages] == ["event", "assistant", "result"] * 2 * MESSAGES
        assert {one.event for one in messages} == {f"{p}{n}" for p in "ab" for n in range(MESSAGES)}
        assert replay(AgentState(), records) == store.load(AgentKey(user, "agent"))
    store.close()


def test_the_same_message_from_many_threads_is_answered_once(endpoint, agent):
    play = endpoint(Referee())
    one = agent(play)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: one.send("ann hi", user="ann", id="1"), range(8)))
    assert {answer.messages for answer in answers} == {("Hello ann",)}
    assert len(play.requests) == 1


def test_a_function_that_sends_to_its_own_agent_is_refused(endpoint, agent):
    """It would wait for itself for ever."""
    own = []

    def ask_myself() -> str:
        """Ask yourself."""
        with pytest.raises(Conflict, match="this very thread"):
            own[0].send("Hi", user="ann")
        return "refused"

    play = endpoint([and_go_on("ask_myself"), tell("Done.")])
    own.append(agent(play, functions=[ask_myself]))
    assert own[0].send("Hi", user="ann").text == "Done."


def test_a_fork_goes_on_with_the_agent_of_its_parent(endpoint, agent):
    play = endpoint(lambda body: tell(f"{len(body['messages'])} messages"))
    one = agent(play)
    one.send("Hi", user="ann")
    before = len(one.state("ann").queue)
    assert run_forked(lambda: len(one.send("Hi", user="ann").messages)) == 1
    assert run_forked(lambda: len(one.send("Hi", user="ben").messages)) == 1
    assert len(one.state("ann").queue) == 2 * before
    assert one.send("Hi", user="ann").messages
    assert len(one.state("ann").queue) == 3 * before


def test_a_fork_during_an_answer(endpoint, agent):
    """The child has the stores, but not the event of its parent."""
    forked = []
    own = []

    def fork() -> str:
        """Fork."""
        forked.append(run_forked(lambda: len(own[0].send("ben hi", user="ben").messages)))
        return "forked"

    def model(body):
        seen = latest(body)
        return and_go_on("fork") if seen["message"] == "fork" else tell("Hello")

    own.append(agent(endpoint(model), functions=[fork]))
    assert own[0].send("fork", user="ann").messages == ("Hello",)
    assert forked == [1]
    assert own[0].state("ben").turn == 1
