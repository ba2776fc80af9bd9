"""Whatever is done to a store, it holds what a dictionary would."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace

from anaphora import Conflict, Conversation
from anaphora.stm.conversation import ConversationKey
from tests.stm.stores.store_homes import TIMEOUT, StoreHome
from tests.stm.strategies import conversations

ids = st.sampled_from(["", "ann", "Ann", "a\0", "\ud800", "🌧️"])
keys = st.builds(
    ConversationKey, ids, st.sampled_from(["", "weather"]), st.sampled_from(["", "acme"])
)
shelves = st.sampled_from(["", "models", "\ud800"])


class Stores(RuleBasedStateMachine):
    """A store beside dictionaries of what it should hold."""

    def __init__(self, home: StoreHome) -> None:
        super().__init__()
        self.home = home

    @initialize()
    def begin(self) -> None:
        self.home.move()
        self.store = self.home.store()
        self.kept: dict[ConversationKey, Conversation] = {}
        self.notes: dict[str, dict[str, str]] = {}

    @rule(key=keys, next=conversations)
    def ask(self, key: ConversationKey, next: Conversation) -> None:
        next = replace(next, user=key.user, model=key.model, tenant=key.tenant)
        with self.store.open(key, TIMEOUT) as session:
            assert session.conversation == self.kept.get(key, Conversation.empty(key))
            session.commit(next)
        self.kept[key] = next
        if next == Conversation.empty(key):
            del self.kept[key]

    @rule(key=keys)
    def ask_and_fail(self, key: ConversationKey) -> None:
        try:
            with self.store.open(key, TIMEOUT) as session:
                session.commit(replace(session.conversation, questions=99))
                raise OSError
        except OSError:
            pass

    @rule(key=keys, other=keys)
    def ask_while_another_is_open(self, key: ConversationKey, other: ConversationKey) -> None:
        with self.store.open(key, TIMEOUT):
            try:
                with self.store.open(other, TIMEOUT) as session:
                    session.commit(Conversation.empty(other))
            except Conflict:
                assert key == other
            else:
                assert key != other
                self.kept.pop(other, None)

    @rule(key=keys)
    def forget(self, key: ConversationKey) -> None:
        self.store.forget(key)
        self.kept.pop(key, None)

    @rule(shelf=shelves, name=ids, text=ids)
    def put_note(self, shelf: str, name: str, text: str) -> None:
        self.store.put_note(shelf, name, text, TIMEOUT)
        self.notes.setdefault(shelf, {})[name] = text

    @rule(shelf=shelves, name=ids)
    def drop_note(self, shelf: str, name: str) -> None:
        self.store.delete_note(shelf, name)
        self.notes.get(shelf, {}).pop(name, None)

    @precondition(lambda self: self.home.lasting)
    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.store = self.home.store()

    @precondition(lambda self: self.home.clock)
    @rule()
    def fall_silent(self) -> None:
        self.home.idle(self.store, TIMEOUT)
        self.kept.clear()
        self.notes.clear()

    @invariant()
    def what_is_kept_is_what_was_committed(self) -> None:
        assert set(self.store.keys()) == set(self.kept)
        assert {key: self.store.peek(key) for key in self.kept} == self.kept

    @invariant()
    def notes_are_as_they_were_put(self) -> None:
        for shelf, notes in self.notes.items():
            assert self.store.list_notes(shelf) == notes


def test_whatever_is_done_a_store_holds_what_a_dictionary_would(home):
    run_state_machine_as_test(
        lambda: Stores(home),
        settings=settings(max_examples=12, stateful_step_count=25, deadline=None),
    )
