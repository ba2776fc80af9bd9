"""A server over an engine in the same process, and clients that talk as Home Assistant does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest
from wyoming.asr import Transcript
from wyoming.client import AsyncClient
from wyoming.event import Event, Eventable

from anaphora import Engine, parse_model
from anaphora.wyoming import Limits, WyomingServer
from tests.conftest import Clock

WAIT_LIMIT = 60.0  # seconds; a loaded machine is slow, what is broken never comes

HOME = """\
id: home
name: Home
version: 1.2.0
description: Lights and tea.
language: [en, de]
elements:
  - id: "on"
    groups: [action]
    id_synonym: false
    synonyms: {en: ["{turn|switch} on"], de: ["{anmachen|einschalten}"]}
  - id: "off"
    groups: [action]
    id_synonym: false
    synonyms: {en: ["{turn|switch} off"], de: ["{ausmachen|ausschalten}"]}
  - id: tea
    groups: [action]
    id_synonym: false
    synonyms: {en: [make tea], de: [Tee kochen]}
  - id: device
    id_synonym: false
    values:
      light: {en: [lights, lamp], de: [Licht, Lampe]}
      fan: {en: [], de: [Ventilator]}
  - id: area
    id_synonym: false
    values:
      kitchen: {en: [], de: [Küche]}
      bedroom: {en: [], de: [Schlafzimmer]}
intents:
  - "fragment=place term(name)~{# == 'device'} term(area)~{# == 'area'}"
  - "intent=HassTurnOn term(action)~{# == 'on'} fragment(place)"
  - "intent=HassTurnOff term(action)~{# == 'off'} fragment(place)"
  - "intent=tea term(action)~{# == 'tea'} term(area)~{# == 'area'}?"
responses:
  tea:
    en: "Tea is ready{% if area %} in the {{ area }}{% endif %}."
    de: "Der Tee ist fertig{% if area %} ({{ area }}){% endif %}."
prompts:
  HassTurnOn: {area: {en: "In which room?", de: "In welchem Raum?"}}
reset: {en: [forget it], de: [vergiss es]}
"""
CLOCK = """\
id: clock
elements:
  - {id: time, synonyms: [what time is it]}
intents: ["intent=now term(time)={# == 'time'}"]
responses: {now: "Noon."}
"""

_T = TypeVar("_T")


class House:
    """The engine under test, and servers over it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def run(self, talk: Callable[[WyomingServer], Awaitable[_T]], **options: Any) -> _T:
        """What comes of a talk with a server over this engine. Nothing stays open afterwards."""

        async def main() -> _T:
            async with asyncio.timeout(WAIT_LIMIT), self.serve(**options) as server:
                result = await talk(server)
            assert server.connections == 0
            assert not server.is_busy
            return result

        return asyncio.run(main())

    @asynccontextmanager
    async def serve(self, **options: Any) -> AsyncIterator[WyomingServer]:
        limits = Limits(**options.pop("limits", {}))
        async with WyomingServer(
            self.engine, "tcp://127.0.0.1:0", limits=limits, **options
        ) as server:
            yield server


@pytest.fixture(autouse=True)
def warnings_only(caplog: pytest.LogCaptureFixture) -> None:
    """What the server logs by default, whatever has set the level of the package's log before."""
    caplog.set_level(logging.WARNING, "anaphora")


@pytest.fixture
def house(clock: Clock) -> Iterator[House]:
    with Engine(parse_model(HOME), parse_model(CLOCK), clock=clock) as engine:
        yield House(engine)


async def send(uri: str, *events: Eventable | Event) -> list[Event]:
    """The answers to events over one connection, each sent after the answer to the one before."""
    async with AsyncClient.from_uri(uri) as client:
        return [await request(client, event) for event in events]


async def request(client: AsyncClient, event: Eventable | Event) -> Event:
    """The answer to an event."""
    await client.write_event(event if isinstance(event, Event) else event.event())
    answer = await client.read_event()
    assert answer is not None, "the server has closed the connection"
    return answer


async def say(uri: str, text: str, context: dict[str, Any] | None = None) -> Event:
    """The answer to a text over a connection of its own, as Home Assistant asks for it."""
    [answer] = await send(uri, Transcript(text, context))
    return answer


def summarize(event: Event) -> str:
    """An answer on one line: the intent with its entities, or the text with the type of the
    event."""
    if event.type == "intent":
        entities = [f"{one['name']}={one['value']}" for one in event.data.get("entities", [])]
        return " ".join([event.data["name"], *entities])
    return f"{event.type}: {event.data.get('text')}"
