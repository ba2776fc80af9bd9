"""``anaphora explain``: explain the answers of a dialog."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.text import Text

from anaphora.cli.dialog.questions import LanguageOption, TextsArgument, ask_all, read_questions
from anaphora.cli.terminal import CacheOption, ModelArgument, create_console
from anaphora.cli.time_options import AtOption, ZoneOption, parse_time

__all__ = ["explain"]


def explain(
    model: ModelArgument,
    texts: TextsArgument = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Explain every answer, not only the last.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each explanation as one line of JSON.")
    ] = False,
    language: LanguageOption = None,
    at: AtOption = None,
    time_zone: ZoneOption = None,
    cache: CacheOption = None,
) -> None:
    """Explain the answer to the last question of a dialog.

    Example: anaphora explain weather "What is the weather in Tokyo now?" "And in Kyoto?"
    """
    dialog = read_questions(texts)
    begin = parse_time(at, time_zone)
    from anaphora.engine.engine import Engine

    engine = Engine(model, cache=cache)
    replies = list(ask_all(engine, dialog, at=begin, language=language, explain=True))
    out = create_console()
    for _, reply in replies if every else replies[-1:]:
        if as_json and reply.explanation:
            typer.echo(json.dumps(reply.explanation.to_dict(), ensure_ascii=False))
        else:
            out.print(Text(str(reply.explanation)))
