"""The schema of intents that are written as mappings, and of the checks of their slots."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import Discriminator, Field

from anaphora.models.schema.dialog_acts import Mentions, Offers
from anaphora.models.schema.field_types import (
    LIST_TAG,
    MAP_TAG,
    NONE_TAG,
    ONE_TAG,
    Flag,
    IntentData,
    IntentName,
    LocalizedTextField,
    Name,
    SchemaBase,
    Text,
    choose_by_type,
)

__all__ = [
    "IntentField",
    "IntentSchema",
    "OptionsSchema",
    "SlotField",
    "SlotSchema",
    "ValidatorSchema",
]


class OptionsSchema(SchemaBase):
    """The options that intents have unless they say otherwise."""

    ordered: Flag | None = Field(default=None, description="Terms must match in sentence order.")
    allow_stm_only: Flag | None = Field(
        default=None, description="Memory alone may fill the intent."
    )
    unused_free_words: Flag | None = Field(default=None, description="Free words may stay unused.")
    unused_entities: Flag | None = Field(default=None, description="Entities may stay unused.")
    unused_usr_toks: Flag | None = Field(
        default=None, description="Entities of the model's own elements may stay unused."
    )
    unused_sys_toks: Flag | None = Field(
        default=None, description="Built-in entities may stay unused."
    )


class ValidatorSchema(SchemaBase):
    """A check of an entity that the user names, and the text that refuses it."""

    check: Text = Field(
        description="A predicate of the intent language on the entity, or a Python function "
        "(module#function) that takes the entity and returns true, false or the text to say."
    )
    text: LocalizedTextField = Field(
        description="What the bot says before it asks again: a Jinja template."
    )


ElementNames: TypeAlias = Annotated[
    Annotated[list[Name], Field(min_length=1), LIST_TAG] | Annotated[Name, ONE_TAG],
    choose_by_type("the name of an element or a list of names", list=list, one=object),
]


class SlotSchema(SchemaBase):
    """A slot of an intent: what fills it, and how the bot asks for it."""

    element: ElementNames = Field(
        default="",
        description="The element that fills it, or a list of elements; by default, the one with "
        "the name of the slot.",
    )
    where: Text = Field(
        default="",
        description="A further condition: a predicate of the intent language on the entity.",
    )
    optional: Flag = Field(default=False, description="Whether the intent matches without it.")
    several: Flag = Field(default=False, description="Whether it takes several entities: a list.")
    from_memory: Flag = Field(
        default=True, description="Whether remembered entities fill it as well."
    )
    ask: LocalizedTextField = Field(
        default="", description="The question that asks for it: a Jinja template."
    )
    validate_: ValidatorSchema | None = Field(
        default=None, alias="validate", description="A check of what the user answers."
    )


SlotField: TypeAlias = Annotated[
    Annotated[SlotSchema, MAP_TAG]
    | Annotated[list[Name], Field(min_length=1), LIST_TAG]
    | Annotated[None, NONE_TAG]
    | Annotated[Name, ONE_TAG],
    choose_by_type(
        "the name of an element, a list of names, or a mapping",
        map=dict,
        list=list,
        none=type(None),
        one=object,
    ),
]


class IntentSchema(SchemaBase):
    """An intent without the intent language; its texts may also stand in the sections of the
    model."""

    id: IntentName = Field(description="The name of the intent.")
    slots: dict[IntentName, SlotField] = Field(
        min_length=1,
        description="Its slots by name, in the order in which the bot asks for them: the element "
        "that fills the slot, or a mapping.",
    )
    options: OptionsSchema = Field(default=OptionsSchema(), description="Its options.")
    flow: Text = Field(
        default="",
        description="A regular expression over the ids of the intents before it, or a Python "
        "function: module#function.",
    )
    meta: IntentData = Field(default={}, description="Free data, for predicates and handlers.")
    response: LocalizedTextField = Field(
        default="", description="The answer: a Jinja template over its slots."
    )
    confirm: LocalizedTextField = Field(
        default="",
        description="The question whether to carry the intent out: a Jinja template.",
    )
    fallback: LocalizedTextField = Field(
        default="",
        description="What is said if a question comes near the intent, or its handler refuses it.",
    )
    mentions: Mentions | None = Field(
        default=None, description="The entities that its answer mentions."
    )
    offers: Offers | None = Field(
        default=None, description="The bundles of entities that its answer offers."
    )


def _choose_form(value: Any) -> str:
    """A mapping without any of the keys is an unquoted text with ': ' in it."""
    is_mapping = isinstance(value, dict) and not IntentSchema.model_fields.keys().isdisjoint(value)
    return (MAP_TAG if is_mapping else ONE_TAG).tag


IntentField: TypeAlias = Annotated[
    Annotated[IntentSchema, MAP_TAG] | Annotated[Text, ONE_TAG], Discriminator(_choose_form)
]
