"""Agents from texts, at a scripted endpoint, with a clock that goes only when it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any

from anaphora.agents.agent import Agent
from anaphora.agents.files.loader import open_agent
from anaphora.agents.files.reading import parse_agent_file
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call

__all__ = ["Clock", "functions_of", "opened", "reply", "system_of", "texts_of"]


class Clock:
    """Goes a millisecond at each look, and further with :meth:`wait`."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def wait(self, **duration: float) -> None:
        self.now += timedelta(**duration)


@contextmanager
def opened(text: str, endpoint: ScriptedEndpoint, **options: Any) -> Iterator[Agent]:
    """Open the agent of a file with this text; ``agent: sample`` need not be written."""
    file = parse_agent_file(f"agent: sample\n{dedent(text)}", Path("sample.yaml"))
    given = {"url": endpoint.url, "clock": Clock(), "waits_for_updates": True} | options
    with open_agent(file, **given) as agent:
        yield agent


def reply(text: str) -> Reply:
    """The model answers the user."""
    return call("send_message", {"message": text})


def system_of(request: dict[str, Any]) -> str:
    """The system message of a request."""
    return str(request["messages"][0]["content"])


def texts_of(request: dict[str, Any]) -> str:
    """Everything but the system message of a request."""
    return "\n".join(str(one) for one in request["messages"][1:])


def functions_of(request: dict[str, Any]) -> list[str]:
    """The names of the functions that a request offers."""
    return [tool["function"]["name"] for tool in request.get("tools", ())]
