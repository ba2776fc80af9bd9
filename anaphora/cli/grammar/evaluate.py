"""``anaphora eval``: evaluate an expression of the intent language."""

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
            metavar="EXPR", help="The expression; variables may precede it: '@x = 2  @x * 3'."
        ),
    ],
    *,
    entity: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="The entity to evaluate for, or a list of the sentence's entities with that one "
            "first.",
        ),
    ] = None,
    meta: Annotated[
        str | None,
        typer.Option(
            metavar="JSON",
            help="The data that meta_… and similar functions read: an object with any of model, "
            "intent, conversation, request, user, company, fragment.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the value as JSON.")] = False,
) -> None:
    """Print the value of an expression of the intent language.

    The exit code is 1 if it cannot be parsed or evaluated. An entity has an element, and any of
    value, text, groups, ancestors, meta, parts, aliases, start, end, stem, lemma, pos, gaps,
    marks, own, negated, quantity. The data of user_fname, req_id, mdl_name and similar functions
    belong to --meta as well: {"user": {"first_name": "Ann"}, "request": {"text": …, "at": …}}.
    Write -- before an expression that begins with a minus sign.

    Example: anaphora eval "ent_value == 'Tokyo'" --entity '{"element": "city", "value": "Tokyo"}'
    """
    from anaphora.cli.grammar.evaluation_context import parse_context
    from anaphora.grammar.idl.compiler import compile_expression

    context = parse_context(entity, meta)
    try:
        value = compile_expression(expression)(context)
        data = to_json_data(value)
        shown = json.dumps(data, ensure_ascii=False) if as_json else format_value(data)
    except (GrammarError, EvaluationError) as error:
        print_error(error)
        raise typer.Exit(1) from None
    except RecursionError:
        print_error(EvaluationError("the value is nested too deeply to print"))
        raise typer.Exit(1) from None
    typer.echo(shown)


def to_json_data(value: Any) -> Any:
    """The value as JSON data: an entity becomes an object; NaN, infinity and other objects become
    strings."""
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
                **value.modifiers,
            }
        case Kind.NUMBER if not math.isfinite(value):
            return _Placeholder(json.dumps(value))
        case Kind.OBJECT:
            return _Placeholder(describe_value(value))
        case _:
            return value


class _Placeholder(str):
    """Stands for a value that neither JSON nor the intent language can write."""

    __slots__ = ()


def format_value(value: Any) -> str:
    """The value in the syntax of the intent language."""
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
