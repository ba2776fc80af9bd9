"""A server over an engine, and the SDK's own client before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from typing import Any, TypeVar

import anyio
import pytest
from mcp import Client

from anaphora import Agent, Engine, Reject, parse_model
from anaphora.chat_model.chat_model import ChatModel
from anaphora.mcp import create_server
from tests.conftest import Clock
from tests.support.chat_endpoint import ScriptedEndpoint, call, calls

SHOP = """\
id: shop
name: The shop
description: Sells tea and cake.
elements:
  - {id: buy, groups: [topic], topic: true, id_synonym: false, synonyms: [I want]}
  - {id: thing, id_synonym: false, values: [tea, cake, poison, gold, air]}
intents:
  - "intent=order term(buy)~{# == 'buy'} term(thing)~{# == 'thing'}"
prompts:
  order: {thing: What would you like?}
reset: [forget it]
samples:
  - name: tea
    dialog:
      - {ask: I want tea, intent: order}
      - {ask: and a cake, slots: {thing: cake}}
"""
TIME = """\
id: time:now
elements:
  - {id: clock, synonyms: [what time is it]}
intents: ["intent=now term(clock)={# == 'clock'}"]
responses: {now: "Noon."}
"""

_T = TypeVar("_T")

HELLO = call("send_message", {"message": "Hello, Ann!"}, thought="A new user.")
SAVED = call("core_memory_append", {"name": "human", "content": "Name: Ann."})


class Shop:
    """The bot under test, and what its handler was asked for."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.orders: list[str] = []
        engine.on("order", model="shop")(self._order)

    def _order(self, thing: str) -> Any:
        self.orders.append(thing)
        match thing:
            case "poison":
                raise RuntimeError("the shelf is empty")
            case "gold":
                raise Reject("we sell no gold")
            case "air":
                return {"price": 0, "unit": ["litre"]}
        return f"Here is your {thing}."

    def visit(self, talk: Callable[[Client], Awaitable[_T]], **options: Any) -> _T:
        """What comes of a talk with a server over this engine."""

        async def run() -> _T:
            async with Client(create_server(self.engine, **options)) as client:
                return await talk(client)

        return anyio.run(run)

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool."""
        return self.visit(lambda client: client.call_tool(tool, arguments))


@pytest.fixture
def shop(clock: Clock) -> Iterator[Shop]:
    with Engine(parse_model(SHOP), parse_model(TIME), clock=clock) as engine:
        yield Shop(engine)


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint([calls(SAVED, HELLO)]) as endpoint:
        yield endpoint


@pytest.fixture
def ada(endpoint: ScriptedEndpoint) -> Iterator[Agent]:
    with (
        closing(ChatModel(endpoint.url, "small", max_retries=0)) as model,
        Agent(model, name="ada", graph="beside") as agent,
    ):
        yield agent
