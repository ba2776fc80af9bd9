"""Agents whose process dies or whose store fails, at any moment: nothing is lost or said twice."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from anaphora.agents.agent import Agent
from anaphora.agents.state.messages import Message
from anaphora.agents.state.records import MessageAdded, MessageSent, Record
from anaphora.agents.state.state import AgentState, replay
from anaphora.agents.store.sqlite import SqliteAgentStore
from anaphora.agents.store.store import AgentKey, AgentStore
from anaphora.errors import StoreError
from tests.agents.prompts import is_summary_request, latest, tell
from tests.support.chat_endpoint import call, calls, say
from tests.support.forked_process import run_forked

ANN = AgentKey("ann", "agent")


class HookedStore(SqliteAgentStore):
    """A store that calls ``before`` and ``after`` around each append, with its number."""

    def __init__(
        self,
        path: Path,
        before: Callable[[int], object] = bool,
        after: Callable[[int], object] = bool,
    ) -> None:
        super().__init__(path, synchronous="normal")
        self.before, self.after, self.appends = before, after, 0

    def append(self, key: AgentKey, records: Sequence[Record], state: AgentState) -> None:
        self.appends += 1
        self.before(self.appends)
        super().append(key, records, state)
        self.after(self.appends)


def chain(body):
    """Two edits of the memory and a call that must not run twice; then the answer."""
    if is_summary_request(body):
        return say("Trains and dinners.")
    seen = latest(body)
    if "exceed its memory" in seen["message"]:
        return call("core_memory_append", {"name": "human", "content": "Takes trains."})
    if seen.get("type") == "user_message":
        said = seen["message"][:20]
        return calls(
            call("archival_memory_insert", {"content": f"Note of {said}"}),
            call("book", {"what": said}),
            call("core_memory_append", {"name": "human", "content": said}),
        )
    return tell("Booked.")


@pytest.fixture
def booked(tmp_path) -> Path:
    """The file in which every booking is a line."""
    path = tmp_path / "bookings"
    path.touch()
    return path


def booking(path: Path) -> Callable[..., str]:
    def book(what: str) -> str:
        """Book something."""
        with path.open("a") as file:
            file.write(f"{what}\n")
        return "booked"

    return book


def check(ann: Agent, store: AgentStore, booked: Path, said: Sequence[str]) -> None:
    """Whatever happened: the log has every message and every answer once."""
    records = store.records(ANN)
    assert replay(AgentState(), records) == store.load(ANN)
    messages = [one.message for one in records if isinstance(one, MessageAdded)]
    assert [one.text for one in messages if one.is_user_message] == list(said)
    sent = [(one.event, one.text) for one in records if isinstance(one, MessageSent)]
    assert sent == [(str(n), "Booked.") for n in range(len(said))]
    check_calls(messages)
    check_bookings(messages, booked.read_text().splitlines(), said)
    assert ann.core("ann").value("human").replace("Takes trains.", "").split("\n") == [
        text[:20] for text in said
    ]
    assert ann.flush(20)
    exchanges = [one.exchange for one in ann.recall(user="ann", size=50).passages]
    assert sorted(one.question for one in exchanges) == sorted(said)
    assert all(one.answer == "Booked." for one in exchanges)
    notes = ann.search_archive("Note", user="ann", size=50).passages
    assert sorted(one.text for one in notes) == sorted(f"Note of {text[:20]}" for text in said)


def check_bookings(messages: Sequence[Message], booked: list[str], said: Sequence[str]) -> None:
    """A function that must not run twice runs once, or the model is told that it may not have."""
    results = [one for one in messages if one.name == "book"]
    assert len(set(booked)) == len(booked)
    for result, text in zip(results, said, strict=True):
        if result.failed:
            assert "it may have run or not" in result.text
        else:
            assert text[:20] in booked


def check_calls(messages: Sequence[Message]) -> None:
    """Every call has one result, after it."""
    called = [one.id for message in messages for one in message.calls]
    results = [one.call_id for one in messages if one.kind == "result"]
    assert sorted(called) == sorted(results)
    assert len(set(called)) == len(called)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize(
    "finish", [pytest.param("same message", marks=pytest.mark.thorough), "next message"]
)
def test_a_process_that_is_killed_at_any_append(endpoint, agent, tmp_path, booked, moment, finish):
    play = endpoint(chain)
    said = ["A train to Kyoto, please"]
    for number in range(1, 20):
        path = tmp_path / f"{number}.db"

        def child(number=number, path=path) -> int:
            hook = {moment: lambda append: append == number and kill()}
            store = HookedStore(tmp_path / f"{path.stem}-agents.db", **hook)
            ann = agent(play, memory=f"sqlite:///{path}", store=store, functions=[booking(booked)])
            ann.send(said[0], user="ann", id="0")
            return 0

        booked.write_text("")
        code = run_forked(child)
        assert code in (0, -signal.SIGKILL)
        store = HookedStore(tmp_path / f"{path.stem}-agents.db")
        ann = agent(play, memory=f"sqlite:///{path}", store=store, functions=[booking(booked)])
        if finish == "same message" or not store.load(ANN).number:
            answer = ann.send(said[0], user="ann", id="0")
            assert answer.messages == ("Booked.",)
            check(ann, store, booked, said)
        else:
            answer = ann.send("And a dinner in Osaka", user="ann", id="1")
            assert answer.messages == ("Booked.",)
            if answer.earlier:
                assert answer.earlier[0].messages == ("Booked.",)
            check(ann, store, booked, [*said, "And a dinner in Osaka"])
        store.close()
        if code == 0:
            break
    assert number > 4


def test_a_process_that_is_killed_inside_a_function(endpoint, agent, tmp_path, booked):
    """The function may have run or not: the model is told, and decides."""
    play = endpoint(chain)
    file = tmp_path / "agents.db"

    def book(what: str) -> str:
        """Book something."""
        booking(booked)(what)
        kill()
        return "never"

    def child() -> int:
        agent(play, store=HookedStore(file), functions=[book]).send("A train", user="ann", id="0")
        return 0

    assert run_forked(child) == -signal.SIGKILL
    store = HookedStore(file)
    ann = agent(play, store=store, functions=[booking(booked)])
    answer = ann.send("A train", user="ann", id="0")
    assert answer.messages == ("Booked.",)
    results = {one.name: one for step in answer.steps for one in step.calls}
    assert results["book"].failed
    assert "it may have run or not" in results["book"].result
    assert booked.read_text() == "A train\n"
    check(ann, store, booked, ["A train"])
    store.close()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_process_that_is_killed_during_a_flush(endpoint, agent, tmp_path, moment):
    """What left the window is in the summary or can be searched, whenever the process died."""

    def model(body):
        if is_summary_request(body):
            return say("Trains.")
        if latest(body).get("type") == "system_alert":
            return call("core_memory_append", {"name": "human", "content": "Trains."})
        return tell("Booked.")

    play = endpoint(model, window=6000)
    first = HookedStore(tmp_path / "full.db")
    options = {"window": 6000, "max_tokens": 600}
    filled = agent(play, store=first, memory=f"sqlite:///{tmp_path / 'full-memory.db'}", **options)
    said = [f"{n}: " + "the train leaves at noon and " * 20 for n in range(30)]
    for count, text in enumerate(said, start=1):
        filled.send(text, user="ann", id=str(count - 1))
        if filled.state("ann").alerted and filled.context_size("ann").messages > 1800:
            break
    first.close()
    for number in range(1, 12):
        file = tmp_path / f"{number}.db"
        file.write_bytes((tmp_path / "full.db").read_bytes())
        memory = f"sqlite:///{tmp_path / f'{number}-memory.db'}"

        def child(number=number, file=file, memory=memory, new=count) -> int:
            store = HookedStore(file, **{moment: lambda append: append == number and kill()})
            agent(play, store=store, memory=memory, **options).send(
                "x" + " the end of the line" * 130, user="ann", id=str(new)
            )
            return 0

        code = run_forked(child)
        store = HookedStore(file)
        ann = agent(play, store=store, memory=memory, **options)
        answer = ann.send("x" + " the end of the line" * 130, user="ann", id=str(count))
        assert answer.messages == ("Booked.",)
        state, records = store.load(ANN), store.records(ANN)
        assert replay(AgentState(), records) == state
        assert state.hidden
        messages = [one.message for one in records if isinstance(one, MessageAdded)]
        check_calls(messages)
        asked = [one.event for one in messages if one.is_user_message]
        assert asked == [str(n) for n in range(count + 1)]
        assert [one.event for one in records if isinstance(one, MessageSent)] == asked
        assert state.summarized == state.flushed
        store.close()
        if code == 0:
            break
    assert number > 3


def test_a_store_that_fails_at_any_append(endpoint, agent, tmp_path, booked):
    """The caller gets the error; the agent goes on when the store does."""
    play = endpoint(chain)
    for number in range(1, 20):
        booked.write_text("")

        def fail(n: int, number=number) -> None:
            if n == number:
                raise StoreError("the disk is full")

        store = HookedStore(tmp_path / f"{number}-agents.db", before=fail)
        memory = f"sqlite:///{tmp_path / f'{number}.db'}"
        ann = agent(play, memory=memory, store=store, functions=[booking(booked)])
        failed = True
        try:
            ann.send("A train", user="ann", id="0")
            failed = False
        except StoreError as error:
            assert "the disk is full" in str(error)
        records = store.records(ANN)
        assert replay(AgentState(), records) == store.load(ANN)
        assert ann.send("A train", user="ann", id="0").messages == ("Booked.",)
        check(ann, store, booked, ["A train"])
        store.close()
        if not failed:
            break
    assert number > 4


def test_a_disk_that_is_full(endpoint, agent, tmp_path):
    def model(body):
        is_alert = latest(body).get("type") == "system_alert"
        return say("Nothing to save.") if is_alert else tell("Noted.")

    play = endpoint(model)
    file = tmp_path / "agents.db"

    def child() -> int:
        ann = agent(play, store=SqliteAgentStore(file))
        ann.send("first", user="ann", id="first")
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
        for n in range(200):
            try:
                ann.send("x" * 5_000, user="ann", id=str(n))
            except StoreError as error:
                assert str(file) in str(error)
                return 7
        return 1

    assert run_forked(child) == 7
    store = SqliteAgentStore(file)
    ann = agent(play, store=store)
    assert replay(AgentState(), store.records(ANN)) == store.load(ANN)
    answer = ann.send("more", user="ann", id="more")
    assert answer.messages == ("Noted.",)
    records = store.records(ANN)
    asked = [
        one.message.event
        for one in records
        if isinstance(one, MessageAdded) and one.message.is_user_message
    ]
    assert [one.event for one in records if isinstance(one, MessageSent)] == asked
    assert (asked[0], asked[-1]) == ("first", "more")
    store.close()


def test_a_listener_that_raises_leaves_the_event_to_be_finished(endpoint, agent, booked):
    def interrupt(step) -> None:
        raise KeyboardInterrupt

    ann = agent(endpoint(chain), functions=[booking(booked)])
    with pytest.raises(KeyboardInterrupt):
        ann.send("A train", user="ann", id="0", on_step=interrupt)
    assert ann.send("A train", user="ann", id="0").messages == ("Booked.",)
    assert booked.read_text() == "A train\n"
