"""The states of questions in a store: who sees them, how long, how many, and from which worker."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora import MemoryStore
from anaphora.core.request import Company, User
from anaphora.server.nlpcraft.schemas import QuestionState
from anaphora.server.nlpcraft.state_store import QueueFullError, StateStore, send_heartbeat
from anaphora.server.nlpcraft.states import (
    ErrorCode,
    parse_state,
    to_milliseconds,
    with_error,
)


@pytest.fixture
def store(clock):
    return MemoryStore(clock)


@pytest.fixture
def shelf(store, clock):
    return shelf_of(store, clock)


def shelf_of(store, clock, *, tenant="shop", user="ann"):
    company = Company(tenant) if tenant else None
    return StateStore(store, User(user, company=company), clock=clock)


def enlisted(id, clock, **fields):
    now = to_milliseconds(clock())
    state = QuestionState(
        srv_req_id=id,
        usr_id="ann",
        mdl_id="weather",
        probe_id="worker",
        txt="weather",
        status="QRY_ENLISTED",
        create_tstamp=now,
        update_tstamp=now,
    )
    return state.model_copy(update=fields)


def ready(id, clock, **fields):
    state = with_error(enlisted(id, clock), ErrorCode.REJECTED, "no", clock())
    return state.model_copy(update=fields)


def ids(shelf):
    return [state.srv_req_id for state in shelf.states()]


def test_a_question_is_enlisted_and_then_ready(shelf, clock):
    shelf.enlist(enlisted("a", clock))
    assert shelf.states() == [enlisted("a", clock)]
    shelf.save_ready(ready("a", clock))
    assert shelf.states() == [ready("a", clock)]


def test_users_and_tenants_have_shelves_of_their_own(store, shelf, clock):
    shelf.enlist(enlisted("a", clock))
    for tenant, user in (("shop", "ben"), ("other", "ann"), ("", "ann"), ('shop", "ann', "")):
        assert shelf_of(store, clock, tenant=tenant, user=user).states() == []


def test_a_question_that_was_cancelled_does_not_become_ready(store, shelf, clock):
    shelf.enlist(enlisted("a", clock))
    shelf.cancel(["a"])
    shelf.save_ready(ready("a", clock))
    assert shelf.states() == []
    assert store.list_notes('nlpcraft:["shop", "ann"]') == {}


def test_one_that_is_cancelled_while_its_answer_is_kept_does_not_come_back(store, clock):
    class Hasty(MemoryStore):
        """Somebody cancels right after the answer is kept."""

        def put_note(self, shelf: str, name: str, text: str, ttl: timedelta) -> None:
            super().put_note(shelf, name, text, ttl)
            if name == "a=":
                self.delete_note(shelf, "a")

    shelf = shelf_of(Hasty(clock), clock)
    shelf.enlist(enlisted("a", clock))
    shelf.save_ready(ready("a", clock))
    assert shelf.states() == []
    assert not shelf.is_enlisted("a")


def test_questions_are_kept_for_ten_minutes_after_they_are_ready(shelf, clock):
    shelf.enlist(enlisted("a", clock))
    shelf.save_ready(ready("a", clock))
    clock.pass_time(minutes=9)
    shelf.enlist(enlisted("b", clock))
    shelf.save_ready(ready("b", clock))
    assert ids(shelf) == ["b", "a"]
    clock.pass_time(minutes=1, seconds=1)
    assert ids(shelf) == ["b"]
    clock.pass_time(minutes=10)
    assert ids(shelf) == []


def test_a_question_whose_worker_gives_no_sign_of_life_is_lost(store, shelf, clock):
    shelf.enlist(enlisted("a", clock))
    shelf.enlist(enlisted("b", clock, probe_id="another"))
    for _ in range(3):
        clock.pass_time(seconds=40)
        send_heartbeat(store, "another", clock())
    lost, waiting = sorted(shelf.states(), key=lambda state: state.srv_req_id)
    assert (lost.status, lost.error_code) == ("QRY_READY", 102)
    assert waiting == enlisted("b", clock, probe_id="another", **stamps(waiting))


def stamps(state):
    return {"create_tstamp": state.create_tstamp, "update_tstamp": state.update_tstamp}


def test_a_user_has_at_most_twenty_questions_that_wait_on_all_workers(shelf, clock):
    for number in range(20):
        shelf.enlist(enlisted(str(number), clock, probe_id=f"worker{number}"))
    with pytest.raises(QueueFullError):
        shelf.enlist(enlisted("more", clock))
    shelf.save_ready(ready("7", clock))
    shelf.enlist(enlisted("more", clock))
    assert len(ids(shelf)) == 21


def test_a_user_has_at_most_a_hundred_questions_and_the_oldest_go(store, shelf, clock):
    shelf.enlist(enlisted("waiting", clock))
    for number in range(150):
        clock.pass_time(seconds=0.1)
        shelf.enlist(enlisted(str(number), clock))
        shelf.save_ready(ready(str(number), clock))
    found = ids(shelf)
    assert found == [str(number) for number in range(149, 50, -1)] + ["waiting"]
    assert len(store.list_notes('nlpcraft:["shop", "ann"]')) == 100 + 99


def test_notes_that_are_no_questions_are_left_out(store, shelf, clock, caplog):
    shelf.enlist(enlisted("a", clock))
    for name, note in {"b": "{", "c": "[]", "d": "{}", "e": '{"txt": 1}', "f=": "{}"}.items():
        store.put_note('nlpcraft:["shop", "ann"]', name, note, timedelta(minutes=1))
    assert ids(shelf) == ["a"]
    assert "not the state of a question" in caplog.text
    assert store.list_notes('nlpcraft:["shop", "ann"]').keys() == {"a"}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, width=32) | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@given(
    usr_id=st.integers() | st.text(),
    txt=st.text(st.characters(exclude_categories=["Cs"])),
    res_body=values,
    res_meta=st.none() | st.dictionaries(st.text(max_size=3), values, max_size=2),
    error=st.none() | st.text(),
    error_code=st.none() | st.sampled_from([1, 100, 101, 102]),
)
def test_a_state_is_read_as_it_was_written(**fields):
    import json

    state = QuestionState(
        srv_req_id="a",
        mdl_id="weather",
        probe_id="worker",
        status="QRY_ENLISTED",
        create_tstamp=1,
        update_tstamp=2,
        **fields,
    )
    assert parse_state(json.dumps(state.to_plain())) == state


@given(st.text() | values.map(str))
def test_any_other_text_is_no_state(text):
    assert parse_state(text) is None


def test_ids_of_no_question_cost_the_store_nothing(store, shelf, clock, monkeypatch):
    shelf.enlist(enlisted("a", clock))
    dropped = []
    monkeypatch.setattr(store, "delete_note", lambda _, name: dropped.append(name))
    shelf.cancel(["a", *(f"b{number}" for number in range(900))])
    assert dropped == ["a", "a="]
