"""``anaphora key``: create a key for the API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from anaphora.cli.service.extras import SERVER_EXTRA, require_extra
from anaphora.cli.terminal import value_option
from anaphora.errors import AnaphoraError, Problem

if TYPE_CHECKING:
    from anaphora.server.settings.model import KeySettings

__all__ = ["key"]

_NAMES = {"id": "ID", "scopes": "--scope"}


def key(
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="Its name in logs and metrics: letters, digits, '.' and '-'."
        ),
    ],
    *,
    scope: Annotated[
        list[str] | None,
        value_option(
            "SCOPE",
            "What it may do: ask (questions, explanations, the active model, messages to agents), "
            "read (conversations, histories, recall, models, memories of agents), write (forget "
            "conversations, erase users, memories of agents, events of agents), admin (reload and "
            "check models, metrics). May be repeated. Default: ask and read.",
        ),
    ] = None,
    tenant: Annotated[
        str,
        typer.Option(
            metavar="TENANT",
            help="The tenant of its users: equal user ids of two tenants are different users.",
        ),
    ] = "",
    user: Annotated[str | None, value_option("USER", "The only user it may be used for.")] = None,
    rate: Annotated[str | None, value_option("RATE", "Its rate limit, such as 100/minute.")] = None,
    expires: Annotated[
        str | None, value_option("DATE", "When it expires: 2027-01-01, or with a time and a zone.")
    ] = None,
) -> None:
    """Create a key for the API of 'anaphora serve'.

    Prints the key, which is stored nowhere, and its entry for the settings.

    Example: anaphora key web --tenant acme --scope ask --rate 100/minute
    """
    with require_extra(*SERVER_EXTRA):
        from pydantic import ValidationError

        from anaphora.server.auth.keys import generate_key
        from anaphora.server.settings.loader import describe_error, relevant_errors

    try:
        text, entry = generate_key(
            id,
            scopes=scope or ("ask", "read"),  # type: ignore[arg-type]  # validated here
            tenant=tenant,
            user=user,
            rate=rate,
            expires=expires,  # type: ignore[arg-type]  # parsed here
        )
    except ValidationError as error:
        problems = [
            _option_problem(one["loc"][0], *describe_error(one)) for one in relevant_errors(error)
        ]
        raise AnaphoraError("\n".join(map(str, problems))) from None
    typer.echo(f"{text}\n\nThe key is stored nowhere. Add its entry to the settings:\n\nkeys:")
    typer.echo(_format_entry(entry))
    if entry.expires and entry.expires <= datetime.now(UTC):
        typer.echo("\nThe key has already expired: --expires is in the past.", err=True)


def _option_problem(name: object, message: str, hint: str) -> Problem:
    return Problem(message, _NAMES.get(str(name), f"--{name}"), hint=hint)


def _format_entry(key: KeySettings) -> str:
    """The key as an item of the YAML list ``keys``."""
    import yaml

    entry = key.model_dump(mode="json", exclude_defaults=True)
    entry["scopes"] = list(key.scopes)
    text: str = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=200)
    return "\n".join(f"  {line}" for line in text.splitlines())
