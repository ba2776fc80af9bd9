"""Any sequence of events and of answers of the model: what holds whatever happens."""

from __future__ import annotations

import json
from collections import deque
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from anaphora.agents.agent import Agent
from anaphora.agents.context.paging import split_pages
from anaphora.agents.execution.limits import AgentLimits
from anaphora.agents.state.records import MessageAdded, MessageSent
from anaphora.agents.state.state import AgentState, replay
from anaphora.agents.store.store import AgentKey
from anaphora.chat_model.chat_model import ChatModel
from anaphora.errors import ChatModelError
from tests.agents.prompts import is_summary_request, tell
from tests.support.chat_endpoint import (
    Reply,
    ScriptedEndpoint,
    call,
    calls,
    count_prompt,
    fault,
    say,
)

KEY = AgentKey("user", "agent")
WORDS = st.sampled_from(
    [
        "tea",
        "Kyoto",
        "rennen",
        "поезд",
        "新幹線",
        "🚄🚅",
        '"}], {"',
        "</human>",
        "9f3a-77c1",
        "\n\n",
    ]
)


def texts(most: int) -> st.SearchStrategy[str]:
    """Texts of a few words, or of up to ``most``."""
    sizes = st.one_of(st.integers(1, 8), st.integers(1, most))
    return st.builds(lambda word, other, n: f"{word} {other} " * n, WORDS, WORDS, sizes)


def arguments(**fields: st.SearchStrategy) -> st.SearchStrategy[dict]:
    return st.fixed_dictionaries(fields, optional={"request_heartbeat": st.booleans()})


LABELS = st.sampled_from(["human", "persona", "pet"])
ONE_CALL = st.one_of(
    st.builds(tell, texts(300)),
    st.builds(
        lambda given: call("core_memory_append", given),
        arguments(name=LABELS, content=texts(60)),
    ),
    st.builds(
        lambda given: call("core_memory_replace", given),
        arguments(name=LABELS, old_content=WORDS, new_content=texts(40)),
    ),
    st.builds(
        lambda given: call("conversation_search", given),
        arguments(query=texts(5), page=st.sampled_from([0, 1, None, "none", "x", -1])),
    ),
    st.builds(lambda given: call("archival_memory_insert", given), arguments(content=texts(900))),
    st.builds(lambda given: call("archival_memory_search", given), arguments(query=texts(5))),
    st.builds(
        lambda given: call("read_more", given),
        arguments(number=st.integers(-1, 60), start=st.integers(0, 9_000)),
    ),
    st.builds(
        lambda given: call("dump", given), arguments(words=st.sampled_from([1, 500, 40_000]))
    ),
    st.just(call("crash", {})),
    st.just(call("no_such_function", {"a": 1})),
    st.builds(lambda text: call("send_message", text), st.sampled_from(["", "{", "[]", "null"])),
)
REPLIES = st.one_of(
    ONE_CALL,
    st.builds(lambda listed: calls(*listed), st.lists(ONE_CALL, min_size=2, max_size=25)),
    st.builds(say, texts(600)),
    st.just(say("")),
    st.sampled_from([fault("401"), fault("html"), fault("empty-choices")]),
)


class AnySequence(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.opened = ExitStack()
        self.replies: deque[Reply] = deque()
        self.said: list[str] = []
        self.now = datetime(2026, 1, 5, 9, tzinfo=UTC)

    @initialize(window=st.sampled_from([6_000, 8_192, 32_768]), share=st.sampled_from([4, 8, 16]))
    def begin(self, window: int, share: int) -> None:
        folder = Path(self.opened.enter_context(TemporaryDirectory()))
        self.play = self.opened.enter_context(ScriptedEndpoint(self._next_reply))
        self.window, self.max_tokens = window, window // share
        model = ChatModel(
            self.play.url,
            window=window,
            max_tokens=self.max_tokens,
            max_retries=0,
            api_key="",
            calls="tools",
        )
        self.opened.callback(model.close)
        self.agent = self.opened.enter_context(
            Agent(
                model,
                memory=f"sqlite:///{folder / 'memory.db'}",
                functions=[dump, crash],
                limits=AgentLimits(steps=6),
                clock=lambda: self.now,
            )
        )

    def _next_reply(self, body) -> Reply:
        if is_summary_request(body):
            return say("All that was said before, in short.")
        return self.replies.popleft() if self.replies else tell("OK")

    @rule(text=texts(3_000), replies=st.lists(REPLIES, max_size=6), pause=st.integers(0, 90_000))
    def send(self, text: str, replies: list[Reply], pause: int) -> None:
        self.now += timedelta(seconds=pause)
        text = f"number{len(self.said)}x {text}"
        self.said.append(text)
        self.replies = deque(replies)
        try:
            answer = self.agent.send(text)
        except ChatModelError:
            assert any(reply.fault for reply in replies)
            return
        assert answer.messages
        assert all(one.strip() for one in answer.messages)
        assert len(answer.steps) <= 6
        assert answer.ended in ("done", "steps", "silent", "repeated", "tokens", "partial")

    @rule(kind=st.sampled_from(["login", "heartbeat", "system_alert"]), reply=REPLIES)
    def notify(self, kind, reply: Reply) -> None:
        self.replies = deque([reply])
        try:
            self.agent.notify(kind, "Something happened.")
        except ChatModelError:
            assert reply.fault

    @invariant()
    def log_and_state_agree(self) -> None:
        state, records = self.agent.state(), self.agent._store.records(KEY)
        assert replay(AgentState(), records) == state
        assert state.event is None
        added = [one.message for one in records if isinstance(one, MessageAdded)]
        assert [one.text for one in added if one.is_user_message] == self.said
        assert len(added) == state.messages
        in_queue = [one.number for one in state.queue]
        assert in_queue == sorted(set(in_queue))
        assert set(in_queue) <= {one.number for one in added}
        assert state.hidden == len(added) - len(in_queue)

    @invariant()
    def blocks_are_within_limits(self) -> None:
        for block, value in self.agent.core():
            assert len(value) <= block.limit

    @invariant()
    def prompts_are_within_the_window(self) -> None:
        for body in self.play.requests:
            assert count_prompt(body) + self.max_tokens <= self.window
        self.play.requests.clear()

    def teardown(self) -> None:
        try:
            if self.said:
                self._check_recall()
        finally:
            self.opened.close()

    def _check_recall(self) -> None:
        """What was said can be found, also what has left the queue."""
        self.send("The end.", [], 0)  # with it, a message that failed before is kept
        assert self.agent.flush(30)
        found = self.agent.recall(size=500).passages
        asked = [one.exchange.question for one in found if one.exchange.question]
        assert sorted(asked) == sorted(pages(self.said))
        records = self.agent._store.records(KEY)
        answered = "".join(one.exchange.answer for one in reversed(found))
        for record in records:
            if isinstance(record, MessageSent):
                assert all(page in answered for page in split_pages(record.text, 1_000))
        for n in range(0, len(self.said), 5):
            page = self.agent.recall(f"number{n}x", size=1).passages
            assert self.said[n].startswith(page[0].exchange.question)


def pages(said: list[str]) -> list[str]:
    """The pages in which the recall memory has long messages."""
    return [page for text in said for page in split_pages(text, 4_000)]


def dump(words: int) -> str:
    """Return many words."""
    return json.dumps(["9f3a-77c1 Wort"] * words)


def crash() -> None:
    """Fail."""
    raise RuntimeError("no " * 500)


AnySequence.TestCase.settings = settings(
    max_examples=12,
    stateful_step_count=12,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestAnySequence = AnySequence.TestCase


def test_letters_that_json_escapes_do_not_fill_the_window():
    machine = AnySequence()
    machine.begin(window=32_768, share=16)
    try:
        insertion = call("archival_memory_insert", {"content": "поезд поезд " * 40})
        for _ in range(4):
            machine.send("Hi.", [calls(*[insertion] * 25), tell("OK")], 10)
            machine.prompts_are_within_the_window()
    finally:
        machine.opened.close()
