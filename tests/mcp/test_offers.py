"""Both sides of the dialog in the output of the tools."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import anyio
import pytest
from mcp import Client

from anaphora import Engine
from anaphora.mcp import create_server
from tests.conftest import Clock
from tests.support.plain_models import CINEMA

Call: TypeAlias = Callable[..., Any]


@pytest.fixture
def call(clock: Clock) -> Iterator[Call]:
    """``call("ask", text="Hi")``: the result of a tool."""
    with Engine(CINEMA, clock=clock) as engine:

        def call(tool: str, **arguments: Any) -> Any:
            async def run() -> Any:
                async with Client(create_server(engine)) as client:
                    return await client.call_tool(tool, arguments)

            return anyio.run(run)

        yield call


def test_an_answer_has_the_offers_and_how_to_accept_them(call: Call) -> None:
    said = call("ask", text="What's on?").structured_content
    assert [bundle[0]["value"] for bundle in said["offers"]] == ["Alien", "Brazil", "Casablanca"]
    assert (said["offered_by"], said["quick_replies"][1]) == ("find", "Brazil")
    said = call("ask", text="option 2").structured_content
    assert said["memory"][0]["by"] == "bot"
    assert "offers" not in said
    assert call("ask", text="three").structured_content["confirms"] is True


def test_the_memory_tells_what_lies_on_the_table(call: Call) -> None:
    call("ask", text="What's on?")
    found = call("memory")
    assert found.structured_content["offers"][1] == ["film=Brazil", "hall=blue"]
    assert "offered by find: film=Brazil, hall=blue" in found.content[0].text


def test_the_memory_tells_who_said_what_and_what_waits_for_a_yes(call: Call) -> None:
    for text in ("What's on?", "option 2", "three"):
        call("ask", text=text)
    found = call("memory")
    assert found.structured_content["pending"]["confirms"] is True
    assert "film=Brazil, said by the bot, 1 question ago" in found.content[0].text
    assert "waiting for a yes or a no of book" in found.content[0].text
