"""The schema of dialog acts, mentions and offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from anaphora.models.domain import CueSection
from anaphora.models.schema.field_types import (
    LIST_TAG,
    MAP_TAG,
    ONE_TAG,
    Flag,
    LocalizedTextLists,
    Name,
    SchemaBase,
    Text,
    choose_by_type,
)

__all__ = [
    "DialogActsOrFlag",
    "DialogActsSchema",
    "Mentions",
    "MentionsField",
    "OfferSchema",
    "Offers",
    "OffersField",
    "Templates",
]


class DialogActsSchema(SchemaBase):
    """How the bot understands users who accept, decline, correct, refer, add and take away."""

    ask_if_close: Flag = Field(
        default=False, description="Whether the bot asks which of two close matches is meant."
    )
    words: dict[CueSection, LocalizedTextLists] = Field(
        default={},
        description="Further words for what users do in a dialog, by kind: a list of synonyms, "
        "or one list per language.",
    )


DialogActsOrFlag: TypeAlias = Annotated[
    Annotated[DialogActsSchema, MAP_TAG] | Annotated[Flag, ONE_TAG],
    choose_by_type("true, false, or a mapping with the settings", map=dict, one=bool),
]


Templates: TypeAlias = Annotated[dict[Name, Text], Field(min_length=1)]


class OfferSchema(SchemaBase):
    """A bundle of entities, or one for each item of a list."""

    each: Name | None = Field(
        default=None,
        description="An expression for the list, over the slots and 'result', which the handler "
        "returned; each of its items is the variable 'item'.",
    )
    entities: Templates = Field(
        description="The entities of a bundle, or of an item: a template by element."
    )
    then: Name | None = Field(
        default=None, description="The intent that goes on once the user accepts a bundle."
    )


Offers: TypeAlias = Annotated[
    Annotated[OfferSchema, MAP_TAG] | Annotated[list[Templates], Field(min_length=1), LIST_TAG],
    choose_by_type(
        "a list of bundles, or a mapping with 'each' and 'entities'", map=dict, list=list
    ),
]


def _check_offers(offers: Any) -> Any:
    """Reject texts, which were once allowed under this key, with a hint."""
    if not isinstance(offers, dict) or not any(map(_is_text, offers.values())):
        return offers
    context = {
        "message": "expected the entities that the bot offers, not a text",
        "hint": "a text that offers an earlier conversation belongs under 'recall_offers'",
    }
    raise PydanticCustomError("custom", "{message}", context)


def _is_text(offer: Any) -> bool:
    """Whether it is a text, or a mapping from languages to texts."""
    if isinstance(offer, Mapping):
        return bool(offer) and all(
            len(key) in (2, 3) and isinstance(text, str) for key, text in offer.items()
        )
    return isinstance(offer, str)


OffersField: TypeAlias = Annotated[dict[str, Offers], BeforeValidator(_check_offers)]
Mentions: TypeAlias = Annotated[
    Annotated[Templates, MAP_TAG] | Annotated[list[Name], Field(min_length=1), LIST_TAG],
    choose_by_type("a mapping from elements to templates, or a list of slots", map=dict, list=list),
]
MentionsField: TypeAlias = dict[str, Mentions]
