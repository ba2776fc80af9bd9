"""The MCP tools: methods of an engine for agents, which read their docstrings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from anaphora.engine.engine import Engine
from anaphora.errors import AnaphoraError
from anaphora.mcp import schemas

__all__ = ["Tools", "to_result", "tool_errors"]

# Not "str | None": the SDK would convert a user whose id is "null" to no user.
_Text = Annotated[str, Field(description="The question, in the words of the user.")]
_User = Annotated[
    str, Field(description="The user of the conversation. Omit it if you act for one user only.")
]
_Model = Annotated[
    str, Field(description="The id of a model, as the tool `models` lists them. Usually omitted.")
]
_What = Annotated[
    Literal["all", "entities", "flow"],
    Field(
        description="all of the conversation, the remembered entities alone, or the dialog flow "
        "alone."
    ),
]
_Group = Annotated[
    str,
    Field(description="Forget only the entities of this group; `memory` shows the groups."),
]


class Tools:
    """The tools of an engine. ``user`` is the default user.

    The methods block, so they run in threads. They raise the engine's errors as ``ToolError``.
    """

    def __init__(self, engine: Engine, user: str) -> None:
        self._engine = engine
        self._user = user

    def ask(
        self, text: _Text, user: _User = "", model: _Model = ""
    ) -> Annotated[CallToolResult, schemas.Answer]:
        """Ask the bot one question; its conversation remembers the entities.

        Pass on the user's words unchanged, even if they are incomplete: "And in Kyoto?" is
        completed from earlier questions. If the status is `incomplete`, ask the user the prompt and
        call this tool again with only their answer. If it is `rejected`, the bot has not understood
        the question, and the reason explains why. A pause of several minutes clears the memory.
        """
        with tool_errors():
            user, model = self._resolve(user, model)
            reply = self._engine.ask(text, user=user, model=model)
            return to_result(
                schemas.format_reply(reply), schemas.to_answer(reply, user=user, model=model)
            )

    def explain(self, text: _Text, user: _User = "", model: _Model = "") -> str:
        """Explain how the bot would answer a question now, without asking it.

        Shows the entities and the unknown words, the memory, the ranking of the matching intents,
        and what the others lack. Use it to find out why a question was rejected or misunderstood.
        Nothing is remembered.
        """
        with tool_errors():
            user, model = self._resolve(user, model)
            return str(self._engine.explain(text, user=user, model=model))

    def memory(
        self, user: _User = "", model: _Model = ""
    ) -> Annotated[CallToolResult, schemas.Memory]:
        """Show what the bot remembers of the conversation.

        These are the entities that the next question may omit, the intents that have answered so
        far, and a question that waits for missing slots.
        """
        with tool_errors():
            return self._memory(*self._resolve(user, model))

    def reset(
        self, user: _User = "", model: _Model = "", what: _What = "all", group: _Group = ""
    ) -> Annotated[CallToolResult, schemas.Memory]:
        """Make the bot forget the conversation, or a part of it; returns what is still remembered.

        Use it when the user wants to start over, or when the next question is unrelated to the
        earlier ones.
        """
        with tool_errors():
            user, model = self._resolve(user, model)
            self._engine.forget(user=user, model=model, what=what, group=group or None)
            return self._memory(user, model)

    def models(self, user: _User = "") -> Annotated[CallToolResult, schemas.Models]:
        """List the models (bots) that can be asked, with examples of what each understands."""
        with tool_errors():
            active = self._engine.active_model(user=user or self._user)
            found = schemas.to_models(self._engine.models, active=active)
            return to_result(str(found), found)

    def _memory(self, user: str, model: str) -> CallToolResult:
        conversation = self._engine.conversation(user=user, model=model)
        found = schemas.to_memory(conversation, self._engine.model(model))
        return to_result(str(found), found)

    def _resolve(self, user: str, model: str) -> tuple[str, str]:
        user = user or self._user
        return user, model or self._engine.active_model(user=user)


def to_result(text: str, structured: BaseModel) -> CallToolResult:
    """Create the result of a tool: in words, and as data."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=structured.model_dump(mode="json", exclude_unset=True),
    )


@contextmanager
def tool_errors() -> Iterator[None]:
    """Convert errors of the engine to tool errors with the same message."""
    try:
        yield
    except AnaphoraError as error:
        raise ToolError(str(error)) from error
