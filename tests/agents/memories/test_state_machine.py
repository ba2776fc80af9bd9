"""The state of an agent follows from which memories are complete."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.agents.memories.declarations import Declarations, MachineState, StateMemory
from anaphora.agents.memories.state_machine import current_state
from anaphora.agents.memories.state_schema import StateSchema
from anaphora.errors import AgentError

MEMORIES = ("a", "b", "c")


def state_memory(name: str) -> StateMemory:
    return StateMemory(name, StateSchema())


def test_an_agent_without_states_is_in_none():
    assert current_state((), {"a"}) is None


def test_a_state_lasts_until_its_memory_is_complete():
    states = (MachineState("building", until="a"), MachineState("playing"))
    assert current_state(states, ()).name == "building"
    assert current_state(states, {"b"}).name == "building"
    assert current_state(states, {"a"}).name == "playing"


def test_a_state_may_name_the_one_after_it():
    states = (
        MachineState("one", until="a", next="three"),
        MachineState("two"),
        MachineState("three"),
    )
    assert current_state(states, {"a"}).name == "three"


def test_the_last_state_of_a_file_does_not_end():
    assert current_state((MachineState("only", until="a"),), {"a"}).name == "only"


def test_states_that_follow_each_other_in_a_circle_are_refused():
    states = (MachineState("one", until="a"), MachineState("two", until="b", next="one"))
    with pytest.raises(AgentError, match="in a circle"):
        Declarations((state_memory("a"), state_memory("b")), states)


@st.composite
def machines(draw) -> tuple[MachineState, ...]:
    names = [f"s{n}" for n in range(draw(st.integers(1, 5)))]
    return tuple(
        MachineState(
            name,
            until=draw(st.sampled_from(("", *MEMORIES))),
            next=draw(st.sampled_from(["", *names[at + 1 :]])),  # forward: no circle
        )
        for at, name in enumerate(names)
    )


subsets = st.sets(st.sampled_from(MEMORIES))


@given(machines(), subsets)
def test_there_is_always_one_state_and_it_has_not_ended(states, complete):
    Declarations(tuple(map(state_memory, MEMORIES)), states)
    current = current_state(states, complete)
    assert current in states
    assert current.until not in complete or current == states[-1]


@given(machines(), subsets, subsets)
def test_completing_memories_never_leads_back(states, complete, more):
    before, after = current_state(states, complete), current_state(states, complete | more)
    assert states.index(after) >= states.index(before)


@given(machines(), subsets)
def test_resetting_all_memories_leads_to_the_first_state(states, complete):
    current_state(states, complete)
    first = next(one for one in states)
    assert current_state(states, ()) == first
