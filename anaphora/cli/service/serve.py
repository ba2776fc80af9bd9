"""``anaphora serve``: models behind HTTP."""

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
        help="A YAML file of settings. Left out: $ANAPHORA_CONFIG, else anaphora.yaml if it is "
        "here.",
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
            help="Model files or names of bundled models; the first is asked by default. Left "
            "out: weather.",
            show_default=False,
        ),
    ] = None,
    *,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where conversations are kept: memory:, sqlite:///FILE, redis://HOST. Left out: "
            "the memory of the process.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where what was said is kept for good: sqlite:///FILE, "
            "postgresql://HOST/DATABASE. Left out: nowhere.",
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen; 0.0.0.0 is everywhere. Left out: 127.0.0.1.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(metavar="N", help="Left out: 8080; 0 takes a free one.", show_default=False),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Processes that answer; more than one share a store other than memory:. Left "
            "out: 1.",
            show_default=False,
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Questions that each of them answers at once. Left out: 32.",
            show_default=False,
        ),
    ] = None,
    config: ConfigOption = None,
    reload: Annotated[
        bool | None,
        typer.Option("--reload", help="Take up model files that change.", show_default=False),
    ] = None,
    open_: Annotated[
        bool | None,
        typer.Option(
            "--open",
            help="Serve without keys though other machines can reach the address.",
            show_default=False,
        ),
    ] = None,
    log_level: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="The least that is logged: debug, info, warning or error. Left out: info.",
            show_default=False,
        ),
    ] = None,
    log_format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="json (a line an event), console (for people) or auto. Left out: auto, which is "
            "console on a terminal, else json.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve models over HTTP: an API, a page to talk to them at /, metrics.

    What is said here goes before the environment (ANAPHORA_PORT), and that before the file of
    settings. 'anaphora config' shows what holds, 'anaphora key' makes a key. Ctrl-C ends it when
    what is under way is finished, a second one at once.

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
    with require_extra(*SERVER_EXTRA):  # some are imported only when they serve
        code = run(settings, announce=_announce)
    raise typer.Exit(code)


def _announce(url: str) -> None:
    typer.echo(f"Anaphora answers at {url} (Ctrl-C ends it)")
