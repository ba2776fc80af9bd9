"""``anaphora mcp``: serve bots as tools for agents."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from anaphora.cli.completion import complete_model
from anaphora.cli.service.extras import SERVER_EXTRA, require_extra
from anaphora.cli.terminal import value_option
from anaphora.cli.time_options import local_now
from anaphora.errors import AnaphoraError

if TYPE_CHECKING:
    from anaphora.agents.agent import Agent

__all__ = ["mcp"]


def mcp(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="Model files or names of bundled models; questions go to the first unless a call "
            "names another. Default: those of --config, else weather.",
            autocompletion=complete_model,
            show_default=False,
        ),
    ] = None,
    *,
    store: Annotated[
        str | None,
        value_option(
            "URL",
            "Where conversations are stored, such as sqlite:///bot.db, redis://localhost or "
            "postgresql://localhost/bots. "
            "Default: that of --config, else the memory of this process.",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        value_option("AGENT", "An agent file or the name of a bundled agent; may be repeated."),
    ] = None,
    memory: Annotated[
        str | None,
        value_option(
            "URL",
            "Where agents remember, such as sqlite:///memory.db. Default: the memory of this "
            "process.",
        ),
    ] = None,
    chat_model_url: Annotated[
        str | None,
        value_option(
            "URL",
            "The chat-completions endpoint of the agents. Default: that of each agent's file.",
        ),
    ] = None,
    user: Annotated[
        str, typer.Option(metavar="NAME", help="The user of calls that name none.")
    ] = "user",
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file of settings of 'anaphora serve'; its models and its store are used.",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    http: Annotated[
        str | None,
        value_option(
            "HOST:PORT",
            "Serve over HTTP at an address of this machine, such as 127.0.0.1:8090, instead "
            "of over the standard input and output.",
        ),
    ] = None,
) -> None:
    """Serve models to agents with the Model Context Protocol.

    The tools are ask, explain, memory, reset and models; with --agent also agents, send_message,
    agent_memory, agent_search and agent_facts. The agent starts this command and talks to it over
    the standard input and output.

    Examples:

    anaphora mcp weather --store sqlite:///bot.db

    anaphora mcp weather --agent ada.yaml --memory sqlite:///memory.db
    """
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    # The standard output carries the protocol: prints of a model's code must not mix with it.
    with redirect_stdout(sys.stderr):
        try:
            from anaphora.mcp import create_server, serve_http, serve_stdio
        except ImportError as error:
            raise AnaphoraError(str(error)) from error
        from anaphora.engine.engine import Engine

        names, url = _resolve_settings(config, models, store)
        engine = Engine(*names, store=url, clock=local_now)
    with engine, ExitStack() as opened:
        engine.store.ping()  # fail now rather than in the agent's first call
        with redirect_stdout(sys.stderr):
            agents = _open_agents(opened, agent or (), memory, chat_model_url)
        server = create_server(engine, agents=agents, user=user)
        if http:
            with _exit_on_sigterm():
                serve_http(server, http, started=_announce)
        else:
            serve_stdio(server)


def _resolve_settings(
    config: Path | None, models: list[str] | None, store: str | None
) -> tuple[tuple[str, ...], str | None]:
    """The models and the store; the command line takes precedence over the file."""
    if config is None:
        return tuple(models or ("weather",)), store
    with require_extra(*SERVER_EXTRA):
        from anaphora.server.settings.loader import load_settings
    settings = load_settings(config, models=tuple(models) if models else None, store=store)
    return tuple(settings.models), settings.store


def _open_agents(
    opened: ExitStack, names: Iterable[str], memory: str | None, url: str | None
) -> list[Agent]:
    """Load agents that share one memory; ``opened`` closes them."""
    from anaphora.agents.files.loader import load_agent
    from anaphora.ltm.memory import LongTermMemory

    if not names:
        return []
    shared = opened.enter_context(LongTermMemory(memory or "memory:", summarizer=None))
    return [opened.enter_context(load_agent(name, url=url, memory=shared)) for name in names]


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Turn SIGTERM into ``SystemExit``, so that the store is closed."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _announce(url: str) -> None:
    typer.echo(f"The MCP server is listening at {url}", err=True)
