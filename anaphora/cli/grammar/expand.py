"""``anaphora expand``: print the phrases that a synonym stands for."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from anaphora.cli.terminal import print_error, read_stdin_lines
from anaphora.errors import GrammarError

if TYPE_CHECKING:
    from anaphora.grammar.synonyms.expansion import Phrase

__all__ = ["expand"]

_HIGHEST_LIMIT = 1_000_000


def expand(
    macro: Annotated[
        str,
        typer.Argument(
            metavar="MACRO",
            help="A text in the synonym language; - reads texts from the standard input, one per "
            "line.",
        ),
    ],
    *,
    macros: Annotated[
        list[str] | None,
        typer.Option(
            "--macro", "-m", metavar="NAME=TEXT", help="A macro for the text; may be repeated."
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            min=1, max=_HIGHEST_LIMIT, metavar="N", help="The maximum number of phrases of a text."
        ),
    ] = 100_000,  # as in grammar.synonyms, which is not imported for --help
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print each phrase as a line of JSON: the list of its pieces."),
    ] = False,
) -> None:
    """Print the phrases that a synonym stands for, one per line.

    Regular expressions are shown as //…//, predicates as ^^{…}^^.

    Example: anaphora expand "<ASK> {good|better}[1,2] coffee" --macro "ASK={a|some|_}"
    """
    known = _read_macros(macros or ())
    texts = _read_lines() if macro == "-" else [(0, macro)]
    passed = [
        _print_phrases(text, line, known, limit=limit, as_json=as_json) for line, text in texts
    ]
    raise typer.Exit(0 if all(passed) else 1)


def _print_phrases(
    text: str, line: int, macros: Mapping[str, str], *, limit: int, as_json: bool
) -> bool:
    """Print the phrases of one text, or its mistakes; return whether there were none. ``line`` is
    its line of the standard input, 0 for an argument."""
    from anaphora.grammar.synonyms.expansion import expand_synonym as phrases_of

    try:
        phrases = phrases_of(text, macros, source="<stdin>" if line else "", limit=limit)
    except GrammarError as error:
        moved = (replace(one, line=line) if line and one.line else one for one in error.problems)
        print_error(GrammarError(moved))
        return False
    for phrase in phrases:
        typer.echo(_to_json(phrase) if as_json else " ".join(map(_format_piece, phrase)))
    return True


def _read_macros(options: Iterable[str]) -> dict[str, str]:
    """The macros of the command line by their names in angle brackets."""
    from anaphora.grammar.synonyms.expansion import check_macros

    macros: dict[str, str] = {}
    for option in options:
        written, equals, text = option.partition("=")
        name = f"<{written.strip().removeprefix('<').removesuffix('>')}>"
        if not equals:
            raise typer.BadParameter(
                f"'{option}' is not a macro: write NAME=TEXT", param_hint="--macro"
            )
        if name in macros:
            raise typer.BadParameter(f"the macro {name} is given twice", param_hint="--macro")
        macros[name] = text
    if problems := check_macros(macros):
        print_error(GrammarError(replace(problem, source=name) for name, problem in problems))
        raise typer.Exit(1)
    return macros


def _read_lines() -> Iterator[tuple[int, str]]:
    """The lines of the standard input that are not blank, with their numbers."""
    if sys.stdin is None or sys.stdin.isatty():
        raise typer.BadParameter("pipe the texts in, one per line", param_hint="MACRO")
    for number, line in enumerate(read_stdin_lines(), start=1):
        if line.strip():
            yield number, line


def _format_piece(piece: Any) -> str:
    from anaphora.grammar.patterns import Pattern

    return f"//{piece.text}//" if isinstance(piece, Pattern) else str(piece)


def _to_json(phrase: Phrase) -> str:
    """A JSON list of texts, ``{"regex": …}`` and ``{"alias": …, "predicate": …}``."""
    from anaphora.grammar.patterns import Pattern
    from anaphora.grammar.synonyms.entity_part import EntityPart

    pieces: list[str | dict[str, str]] = []
    for piece in phrase:
        match piece:
            case Pattern():
                pieces.append({"regex": piece.text})
            case EntityPart(alias, text):
                pieces.append({"alias": alias, "predicate": text})
            case str():
                pieces.append(piece)
    return json.dumps(pieces, ensure_ascii=False)
