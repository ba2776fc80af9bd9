"""``anaphora wyoming``: serve bots to Home Assistant."""

from __future__ import annotations

import logging
import os
import sys
from typing import Annotated, Literal

import typer

from anaphora.cli.terminal import CacheOption, value_option
from anaphora.cli.time_options import local_now
from anaphora.errors import AnaphoraError

__all__ = ["wyoming"]


def wyoming(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="Model files or names of bundled models; the first answers unless a client "
            "selects another program. Default: weather.",
            show_default=False,
        ),
    ] = None,
    *,
    uri: Annotated[
        str,
        typer.Option(
            metavar="URI",
            help="The address to listen at: tcp://HOST:PORT (port 0 picks a free one) or "
            "unix:///FILE.",
        ),
    ] = "tcp://127.0.0.1:10500",
    answers: Annotated[
        Literal["auto", "intent", "handled"],
        typer.Option(
            help="Who carries out what the user says: the client (intent), the bot (handled), or "
            "the bot if it has a handler or a response for it, else the client (auto).",
        ),
    ] = "auto",
    store: Annotated[
        str | None,
        value_option(
            "URL",
            "Where conversations are stored, such as sqlite:///bot.db, redis://localhost or "
            "postgresql://localhost/bots. "
            "Default: the memory of this process.",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        value_option(
            "URL",
            "The long-term memory: sqlite:///FILE, postgresql://HOST/DATABASE. Default: none.",
        ),
    ] = None,
    cache: CacheOption = None,
    open_: Annotated[
        bool,
        typer.Option(
            "--open",
            help="Serve although other machines can reach the address: the protocol has no keys.",
        ),
    ] = False,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(help="The lowest level to log."),
    ] = "info",
) -> None:
    """Serve models to Home Assistant with the Wyoming protocol.

    Home Assistant sends what was spoken or typed, and speaks the answer. Each of its conversations
    has a memory of its own. Ctrl-C stops the server after the answers in progress, a second Ctrl-C
    at once.

    Examples:

    anaphora wyoming lights

    anaphora wyoming home.yaml --uri tcp://0.0.0.0:10500 --open --store sqlite:///home.db
    """
    _configure_log(log_level)
    try:
        from anaphora.wyoming.listener import is_local, parse_uri
        from anaphora.wyoming.process import serve
    except ImportError as error:
        raise AnaphoraError(str(error)) from error
    from anaphora.engine.engine import Engine

    if not open_ and not is_local(parse_uri(uri)):
        raise AnaphoraError(
            f"other machines can reach {uri}, and the Wyoming protocol has no keys: admit everyone "
            "in the network with --open, or listen at tcp://127.0.0.1:10500"
        )
    names = models or ("weather",)
    with Engine(*names, store=store, long_term=memory, cache=cache, clock=local_now) as engine:
        engine.store.ping()  # fail now rather than at the first question
        engine.prepare()
        is_busy = serve(engine, uri, answers=answers, started=_announce)
    if is_busy:  # a handler never returns; no client waits for it
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _configure_log(level: str) -> None:
    """Log to the standard error output: what the package logs from ``level``, and warnings."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s"
    )
    logging.getLogger("anaphora").setLevel(level.upper())


def _announce(uri: str) -> None:
    typer.echo(f"Anaphora answers at {uri} (Ctrl-C stops it)")
