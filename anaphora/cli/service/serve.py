"""``anaphora serve``: serve models over HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anaphora.cli.service.extras import SERVER_EXTRA, require_extra

__all__ = ["ConfigOption", "serve"]

ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A YAML file of settings. Default: $ANAPHORA_CONFIG, else anaphora.yaml in the "
        "current folder, if it exists.",
        exists=True,
        dir_okay=False,
        show_default=False,
    ),
]


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MODEL",
            help="Model files or names of bundled models; questions go to the first unless a "
            "request names another. Default: weather.",
            show_default=False,
        ),
    ] = None,
    *,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where conversations are stored: memory:, sqlite:///FILE, redis://HOST. Default: "
            "the memory of the process.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The long-term memory: sqlite:///FILE, postgresql://HOST/DATABASE. Default: none.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="The address to listen on; 0.0.0.0 stands for all. Default: 127.0.0.1.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="The port to listen on; 0 picks a free one. Default: 8080.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Worker processes; more than one need a store other than memory:. Default: 1.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Questions that a worker answers at the same time. Default: 32.",
            show_default=False,
        ),
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
        typer.Option(
            metavar="LEVEL",
            help="The lowest level to log: debug, info, warning or error. Default: info.",
            show_default=False,
        ),
    ] = None,
    log_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="json (a line per event), console (for people) or auto. Default: auto, which is "
            "console on a terminal, else json.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve models over HTTP: an API, a chat page at /, metrics.

    Options take precedence over the environment (ANAPHORA_PORT), and the environment over the file
    of settings. 'anaphora config' shows the effective settings, 'anaphora key' creates a key.
    Ctrl-C stops the service after the requests in progress, a second Ctrl-C at once.

    Examples:

    anaphora serve weather --reload

    anaphora serve bot.yaml --store redis://localhost --workers 4 --host 0.0.0.0
    """
    with require_extra(*SERVER_EXTRA):
        from anaphora.server.processes.workers import serve as run
        from anaphora.server.settings.loader import load_settings

    settings = load_settings(
        config,
        models=tuple(models) if models else None,
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
