"""``anaphora functions``: list the built-in functions of the intent language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from anaphora.cli.terminal import create_console

if TYPE_CHECKING:
    from anaphora.grammar.functions.registry import Function

__all__ = ["functions"]


def functions(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME|GROUP", help="A function, or a group to list.", show_default=False
        ),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as one JSON list.")] = False,
) -> None:
    """List the built-in functions of the intent language.

    For a single function, all details are shown: its names, parameters and examples.

    Example: anaphora functions text
    """
    from anaphora.grammar.functions import FUNCTIONS
    from anaphora.grammar.functions.reference import functions_to_data

    chosen = _select(name)
    if as_json:
        typer.echo(json.dumps(functions_to_data(chosen), indent=2, ensure_ascii=False))
        return
    out = create_console()
    if name is not None and name in FUNCTIONS:
        _print_function(out, FUNCTIONS[name])
        return
    for group, members in groupby(chosen, key=lambda function: function.group):
        out.print(Text(group, style="bold"))
        for function in members:
            _print_function_line(out, function)


def _select(name: str | None) -> Sequence[Function]:
    """The function or the group of that name; all functions for None."""
    from anaphora.core.name_hints import did_you_mean
    from anaphora.grammar.functions import FUNCTIONS, UNSUPPORTED_FUNCTIONS
    from anaphora.grammar.functions.reference import FUNCTION_GROUPS

    if name is None:
        return tuple(chain.from_iterable(FUNCTION_GROUPS.values()))
    if name in FUNCTION_GROUPS:
        return FUNCTION_GROUPS[name]
    if name in FUNCTIONS:
        return (FUNCTIONS[name],)
    if name in UNSUPPORTED_FUNCTIONS:
        raise typer.BadParameter(f"there is no function '{name}': {UNSUPPORTED_FUNCTIONS[name]}")
    message = f"there is no function and no group '{name}'"
    hint = did_you_mean(name, (*FUNCTION_GROUPS, *FUNCTIONS))
    raise typer.BadParameter(f"{message}; {hint}" if hint else message)


def _print_function_line(out: Console, function: Function) -> None:
    from anaphora.grammar.functions.reference import first_paragraph, format_signature

    first, *others = function.names
    also = f" (also {', '.join(others)})" if others else ""
    out.print(
        Text.assemble(
            f"  {format_signature(function, first)}",
            (f"{also}  {first_paragraph(function)}", "dim"),
        )
    )


def _print_function(out: Console, function: Function) -> None:
    from anaphora.grammar.functions.reference import format_parameters, format_signature

    for name in function.names:
        out.print(Text(format_signature(function, name), style="bold"))
    if arguments := format_parameters(function):
        out.print(Text(f"  {arguments}"))
    out.print()
    out.print(Text(function.doc))
    if function.examples:
        out.print()
    for example in function.examples:
        out.print(Text(f"  {example}", style="green"))
