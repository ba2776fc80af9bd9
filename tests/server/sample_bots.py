"""Small bots behind the API, and what tests of it share."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

WAIT_LIMIT = 30.0  # seconds: a loaded machine is slow, a lost answer never comes

TEA = """
id: tea
name: Tea room
version: 1.0.0
language: [en, de]
elements:
  - id: order
    groups: [topic]
    synonyms: {en: ["{I'd like|give me}"], de: [ich möchte]}
  - id: drink
    id_synonym: false
    values: {tea: [chai], coffee: [espresso]}
  - id: size
    id_synonym: false
    values: {small: [], large: [big]}
intents:
  - intent=order term(order)~{# == 'order'} term(drink)~{# == 'drink'} term(size)~{# == 'size'}?
responses:
  order: "One {% if size %}{{ size }} {% endif %}{{ drink }} for {{ user }}."
prompts:
  order: {drink: What would you like to drink?}
reset: [forget it]
samples:
  - dialog:
      - ask: I'd like a large tea
        slots: {drink: tea}
      - pause: 1m
      - ask: And a coffee
        slots: {drink: coffee, size: large}
"""

LAMP = """
id: lamp
elements:
  - {id: light, synonyms: [lamp]}
  - {id: on, groups: [switch], synonyms: ["switch on"]}
  - {id: off, groups: [switch], synonyms: ["switch off"]}
intents:
  - intent=on term(light)~{# == 'light'} term(on)={# == 'on'}
  - intent=off term(light)~{# == 'light'} term(off)={# == 'off'}
responses: {"on": "It is on.", "off": "It is off."}
"""


class OrderHandler:
    """Who serves the orders of the tea room: nobody, so that the model's response is the reply,
    until a test says who does. A function names what it wants to know."""

    def __init__(self) -> None:
        self.handler: Callable[..., Any] | None = None

    def __call__(self, **known: Any) -> Any:
        if self.handler is None:
            return None
        wanted = inspect.signature(self.handler).parameters
        return self.handler(**{name: known[name] for name in wanted})


class BlockingHandler:
    """A handler that says when it is in, and waits to be let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.opened = threading.Event()
        self.drinks: list[str] = []

    def __call__(self, drink: str) -> str:
        self.drinks.append(drink)
        self.entered.set()
        assert self.opened.wait(WAIT_LIMIT)
        return f"one {drink}"


def http_scope(
    method: str, path: str, headers: Mapping[str, str] | None = None, *, raw: bytes | None = None
) -> dict[str, Any]:
    """The ASGI scope of a request: as a server makes it, whatever a client would make of it."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode() if raw is None else raw,
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in (headers or {}).items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }


def wait_for(condition: Callable[[], Any]) -> Any:
    """The first value of ``condition`` that counts as true."""
    end = time.monotonic() + WAIT_LIMIT
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.01)
    raise AssertionError("it never came")
