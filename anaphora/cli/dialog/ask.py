"""``anaphora ask``: answer the questions of a dialog."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from anaphora.cli.dialog.questions import LanguageOption, TextsArgument, ask_all, read_questions
from anaphora.cli.terminal import CacheOption, ModelArgument, create_console, print_reply
from anaphora.cli.time_options import AtOption, ZoneOption, parse_time

__all__ = ["ask"]


def ask(
    model: ModelArgument,
    texts: TextsArgument = None,
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each reply as one line of JSON.")
    ] = False,
    language: LanguageOption = None,
    at: AtOption = None,
    time_zone: ZoneOption = None,
    cache: CacheOption = None,
) -> None:
    """Answer the questions of one dialog.

    Example: anaphora ask weather "What is the weather in Tokyo now?" "And in Kyoto?" @6m "And
    tomorrow?"
    """
    dialog = read_questions(texts)
    begin = parse_time(at, time_zone)
    from anaphora.engine.engine import Engine

    engine = Engine(model, cache=cache)
    out = create_console()
    for _, reply in ask_all(engine, dialog, at=begin, language=language, explain=not as_json):
        if as_json:
            typer.echo(json.dumps(reply.to_dict(), ensure_ascii=False))
        else:
            print_reply(out, reply)
