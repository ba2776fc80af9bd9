"""``anaphora eval``: the value of an expression of the intent language."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from anaphora.cli.terminal import print_error
from anaphora.errors import EvaluationError, GrammarError

__all__ = ["evaluate"]


def evaluate(
    expression: Annotated[
        str,
        typer.Argument(
            metavar="EXPR", help="The expression; variables may stand before it: '@x = 2  @x * 3'."
        ),
    ],
    *,
    entity: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="The entity in question, or a list of the sentence's with that one first.",
        ),
    ] = None,
    meta: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="What meta_… and the like read: an object with any of model, intent, "
            "conversation, request, user, company, fragment.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the value as JSON.")] = False,
) -> None:
    """Print the value of an expression of the intent language.

    The exit code is 1 if it cannot be read or evaluated. An entity has an element, and any of
    value, text, groups, ancestors, meta, parts, aliases, start, end, stem, lemma, pos, gaps,
    marks, own. What user_fname, req_id, mdl_name and the like give stands in --meta beside the
    rest: {"user": {"first_name": "Ann"}, "request": {"text": …, "at": …}}. Write -- before an
    expression that begins with a minus.

    Example: anaphora eval "ent_value == 'Tokyo'" --entity '{"element": "city", "value": "Tokyo"}'
    """
    from anaphora.cli.language.evaluation_context import parse_context
    from anaphora.grammar.idl.compiler import compile_expression

    context = parse_context(entity, meta)
    try:
        value = compile_expression(expression)(context)
        shown = (
            json.dumps(to_json_data(value), ensure_ascii=False)
            if as_json
            else format_value(to_json_data(value))
        )
    except (GrammarError, EvaluationError) as error:
        print_error(error)
        raise typer.Exit(1) from None
    except RecursionError:
        print_error(EvaluationError("the value is nested too deeply to be printed"))
        raise typer.Exit(1) from None
    typer.echo(shown)


def to_json_data(value: Any) -> Any:
    """The value as JSON can hold it: an entity as an object, NaN and infinity as texts."""
    from anaphora.grammar.values import Kind, describe_value, kind_of

    match kind_of(value):
        case Kind.LIST:
            return [to_json_data(item) for item in value]
        case Kind.MAP:
            return {str(key): to_json_data(item) for key, item in value.items()}
        case Kind.ENTITY:
            return {
                "element": value.element,
                "value": value.value,
                "text": value.text,
                "groups": sorted(value.groups),
            }
        case Kind.NUMBER if not math.isfinite(value):
            return _Placeholder(json.dumps(value))
        case Kind.OBJECT:
            return _Placeholder(describe_value(value))
        case _:
            return value


class _Placeholder(str):
    """What stands for a value that neither JSON nor the language can write."""

    __slots__ = ()


def format_value(value: Any) -> str:
    """The value as the language writes it."""
    from anaphora.grammar.idl.printer import print_expression
    from anaphora.grammar.idl.syntax import LiteralNode

    match value:
        case _Placeholder():
            return str(value)
        case list():
            return f"[{', '.join(map(format_value, value))}]"
        case Mapping():
            pairs = (f"{format_value(key)}: {format_value(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            return print_expression(LiteralNode(value))
