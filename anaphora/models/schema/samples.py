"""The schema of sample dialogs."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field, Tag

from anaphora.models.domain import ResetScope, Status
from anaphora.models.schema.dialog_acts import Templates
from anaphora.models.schema.field_types import (
    ALTERNATIVE_TAG,
    Duration,
    Flag,
    Language,
    Name,
    SchemaBase,
    SlotTexts,
    Text,
    ZonedTime,
)

__all__ = ["STEP_KEYS", "AskSchema", "BotSchema", "DialogSchema", "PauseSchema", "ResetSchema"]

STEP_KEYS = ("ask", "bot", "pause", "reset")
"""The keys that define the types of steps."""


class AskSchema(SchemaBase):
    """A question and its expected result."""

    ask: Text = Field(description="The text of the question.")
    intent: Name | None = Field(default=None, description="The expected intent.")
    slots: dict[str, SlotTexts] = Field(
        default={}, description="The expected values of slots; null for an empty slot."
    )
    from_memory: list[Name] | None = Field(
        default=None, description="The exact list of terms that memory fills."
    )
    status: Status = Field(default="matched", description="The expected status of the reply.")
    missing: list[Name] | None = Field(default=None, description="The terms that are missing.")
    memory: list[Name] | None = Field(
        default=None,
        description="The memory afterwards, in any order: elements, or element=value.",
    )
    by_bot: list[Name] | None = Field(
        default=None,
        description="What the memory then holds of what the bot said: elements, or element=value.",
    )
    offers: list[Name] | None = Field(
        default=None,
        description="What the bot then offers, in order: of each bundle an element, or "
        "element=value.",
    )
    language: Language | None = Field(
        default=None, description="The language of the question; by default the first of the model."
    )


class BotSchema(SchemaBase):
    """Something that the bot says without being asked."""

    bot: Text = Field(description="The text.")
    mentions: Templates | None = Field(
        default=None, description="The entities that it mentions: a template by element."
    )
    offers: list[Templates] | None = Field(
        default=None,
        min_length=1,
        description="The bundles of entities that it offers: a template by element.",
    )
    intent: Name | None = Field(
        default=None, description="The intent that says it; offers need one."
    )
    then: Name | None = Field(
        default=None, description="The intent that goes on once the user accepts an offer."
    )


class PauseSchema(SchemaBase):
    """A pause between questions."""

    pause: Duration = Field(description="Its duration: 6m, 90s, PT5M.")


class ResetSchema(SchemaBase):
    """An explicit reset of the memory."""

    reset: ResetScope = Field(description="What to forget.")


def _step_tag(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((ALTERNATIVE_TAG + key for key in STEP_KEYS if key in value), None)


StepSchema: TypeAlias = Annotated[
    Annotated[AskSchema, Tag(f"{ALTERNATIVE_TAG}ask")]
    | Annotated[BotSchema, Tag(f"{ALTERNATIVE_TAG}bot")]
    | Annotated[PauseSchema, Tag(f"{ALTERNATIVE_TAG}pause")]
    | Annotated[ResetSchema, Tag(f"{ALTERNATIVE_TAG}reset")],
    Discriminator(
        _step_tag,
        custom_error_type="step",
        custom_error_message=f"expected a step with one of the keys {', '.join(STEP_KEYS)}",
    ),
]


class DialogSchema(SchemaBase):
    """A sample conversation that begins with an empty memory."""

    name: Text = Field(default="", description="Its name in reports.")
    at: ZonedTime | None = Field(
        default=None,
        description="Its start in local time: 2026-01-05T09:00+01:00; by default Monday, 5 January "
        "2026, 9:00 UTC.",
    )
    long_term: Flag = Field(
        default=False,
        description="Whether it has a long-term memory as well, which is empty at first.",
    )
    dialog: list[StepSchema] = Field(min_length=1, description="Its steps, in order.")
