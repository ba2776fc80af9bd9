"""``anaphora agent``: the group of its commands, of which ``chat`` needs no name."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from anaphora.cli.agents.chat import chat
from anaphora.cli.agents.load import load

__all__ = ["agent_app"]


class _ChatByDefault(TyperGroup):
    """Runs ``chat`` if the first argument is no command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["chat", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        agent, *_ = (one for one in self.commands["chat"].params if one.name == "agent")
        commands = super().shell_complete(ctx, incomplete)
        return [*commands, *agent.shell_complete(ctx, incomplete)]


agent_app = typer.Typer(
    name="agent",
    cls=_ChatByDefault,
    no_args_is_help=True,
    rich_markup_mode=None,
    short_help="Talk to a language model with a memory of its own.",
)
agent_app.command(short_help="Talk to an agent ('chat' may be left out).")(chat)
agent_app.command(short_help="Load documents into the archival memory of an agent.")(load)


@agent_app.callback()
def agent() -> None:
    """Talk to an agent: a language model with a memory of its own.

    'anaphora agent ada.yaml' is short for 'anaphora agent chat ada.yaml'. The bundled agents are
    assistant and dungeon-master.
    """
