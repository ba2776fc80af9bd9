"""``anaphora serve``: serve models over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anaphora.cli.completion import complete_model
from anaphora.cli.service.extras import SERVER_EXTRA, require_extra
from anaphora.cli.terminal import value_option

__all__ = ["ConfigOption", "serve"]

ConfigOption = Annotated[
    Path | None,
    value_option(
        "FILE",
        "A YAML file of settings. Default: $ANAPHORA_CONFIG, else anaphora.yaml in the "
        "current folder, if it exists.",
        "--config",
        exists=True,
        dir_okay=False,
    ),
]


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="Model files or names of bundled models; questions go to the first unless a "
            "request names another. Default: weather.",
            autocompletion=complete_model,
            show_default=False,
        ),
    ] = None,
    *,
    store: Annotated[
        str | None,
        value_option(
            "URL",
            "Where conversations are stored: memory:, sqlite:///FILE, redis://HOST, "
            "postgresql://HOST/DATABASE. Default: "
            "the memory of the process.",
        ),
    ] = None,
    memory: Annotated[
        str | None,
        value_option(
            "URL",
            "The long-term memory: sqlite:///FILE, postgresql://HOST/DATABASE. Default: none.",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        value_option(
            "AGENT",
            "An agent file or the name of a bundled agent; may be repeated. With --memory, agents "
            "remember across restarts.",
        ),
    ] = None,
    chat_model_url: Annotated[
        str | None,
        value_option(
            "URL",
            "The chat-completions endpoint of the agents: http://localhost:8000/v1. Default: that "
            "of each agent's file.",
        ),
    ] = None,
    fallback: Annotated[
        str | None,
        value_option(
            "NAME", "The name of the agent that answers what no intent fits. Default: none."
        ),
    ] = None,
    host: Annotated[
        str | None,
        value_option(
            "ADDRESS", "The address to listen on; 0.0.0.0 stands for all. Default: 127.0.0.1."
        ),
    ] = None,
    port: Annotated[
        int | None, value_option("N", "The port to listen on; 0 picks a free one. Default: 8080.")
    ] = None,
    workers: Annotated[
        int | None,
        value_option(
            "N", "Worker processes; more than one need a store other than memory:. Default: 1."
        ),
    ] = None,
    threads: Annotated[
        int | None,
        value_option("N", "Questions that a worker answers at the same time. Default: 32."),
    ] = None,
    config: ConfigOption = None,
    reload: Annotated[
        bool | None,
        typer.Option("--reload", help="Reload model files when they change.", show_default=False),
    ] = None,
    open_: Annotated[
        bool | None,
        typer.Option(
            "--open",
            help="Serve without keys although other machines can reach the address.",
            show_default=False,
        ),
    ] = None,
    log_level: Annotated[
        str | None,
        value_option(
            "LEVEL", "The lowest level to log: debug, info, warning or error. Default: info."
        ),
    ] = None,
    log_format: Annotated[
        str | None,
        value_option(
            "FORMAT",
            "json (a line per event), console (for people) or auto. Default: auto, which is "
            "console on a terminal, else json.",
        ),
    ] = None,
) -> None:
    """Serve models and agents over HTTP: an API, a chat page at /, metrics.

    Options take precedence over the environment (ANAPHORA_PORT), and the environment over the file
    of settings. 'anaphora config' shows the effective settings, 'anaphora key' creates a key.
    Ctrl-C stops the service after the requests in progress, a second Ctrl-C at once.

    Examples:

    anaphora serve weather --reload

    anaphora serve bot.yaml --store redis://localhost --workers 4 --host 0.0.0.0

    anaphora serve weather --agent ada.yaml --memory sqlite:///memory.db
    """
    with require_extra(*SERVER_EXTRA):
        from anaphora.server.processes.workers import serve as run
        from anaphora.server.settings.loader import load_settings

    settings = load_settings(
        config,
        models=tuple(models) if models else None,
        agents=tuple(agent) if agent else None,
        chat_model={"url": chat_model_url},
        fallback=fallback,
        store=store,
        host=host,
        port=port,
        workers=workers,
        threads=threads,
        reload=reload,
        open=open_,
        memory={"url": memory},
        log={"level": log_level, "format": log_format},
    )
    with require_extra(*SERVER_EXTRA):  # some modules are imported only now
        code = run(settings, announce=_announce)
    raise typer.Exit(code)


def _announce(url: str) -> None:
    typer.echo(f"Anaphora answers at {url} (Ctrl-C stops it)")
