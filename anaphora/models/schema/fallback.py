"""The schema of the fallback: what the bot says when nothing fits."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import ConfigDict, Discriminator, Field

from anaphora.core.name_hints import closest_match
from anaphora.models.schema.field_types import (
    MAP_TAG,
    ONE_TAG,
    LocalizedTextField,
    LocalizedTextLists,
    Name,
    PositiveInteger,
    SchemaBase,
    Text,
    is_language,
)

__all__ = ["FallbackField", "FallbackSchema"]

_MISSPELT = 0.75  # the similarity of a key to the one that is meant


def _text(description: str) -> Any:
    return Field(default=None, description=description)


class FallbackSchema(SchemaBase):
    """What the bot says when nothing fits: a text for all reasons, or one for each."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    text: LocalizedTextField | None = _text("The text for all reasons that have none of their own.")
    unknown: LocalizedTextField | None = _text("No intent fits what the bot knows of the question.")
    incomplete: LocalizedTextField | None = _text(
        "An intent is near, but lacks something that no prompt asks for, such as its topic."
    )
    too_long: LocalizedTextField | None = _text("The question is too long.")
    refused: LocalizedTextField | None = _text("A limit, or a handler without a text, refuses it.")
    empty: LocalizedTextField | None = _text("The question is empty.")
    nothing_asked: LocalizedTextField | None = _text(
        'The user says yes, no or okay, though nothing was asked; by default "All right."'
    )
    thanks: LocalizedTextField | None = _text("The user says thanks.")
    greeting: LocalizedTextField | None = _text("The user greets.")
    farewell: LocalizedTextField | None = _text("The user says goodbye.")
    wellbeing: LocalizedTextField | None = _text("The user asks how the bot is.")
    reset: LocalizedTextField | None = _text("A reset phrase has made the bot forget everything.")
    intents: dict[Name, LocalizedTextField] = Field(
        default={},
        description="The text by intent if a question comes near it, or its handler refuses it.",
    )
    examples: LocalizedTextLists = Field(
        default=[],
        description="Questions that the bot can answer: a list, or one list per language.",
    )
    after: PositiveInteger = Field(
        default=3, description="The number of failures in a row from which 'escalation' is said."
    )
    escalation: LocalizedTextField | None = _text(
        "The text after several failures in a row, for all reasons except small talk."
    )
    handler: Text | None = Field(
        default=None,
        description="A Python function that may answer instead: module#function.",
    )


def _choose(value: Any) -> str:
    """A mapping whose keys are all codes of languages has texts; the keys of the section are
    longer words."""
    by_reason = isinstance(value, dict) and not (value and all(map(_is_language, value)))
    return (MAP_TAG if by_reason else ONE_TAG).tag


def _is_language(key: str) -> bool:
    """Whether a key is the code of a language rather than a misspelt reason ("txt")."""
    meant = closest_match(key, FallbackSchema.model_fields, min_similarity=_MISSPELT)
    return is_language(key) and meant is None


FallbackField: TypeAlias = Annotated[
    Annotated[FallbackSchema, MAP_TAG] | Annotated[LocalizedTextField, ONE_TAG],
    Discriminator(_choose),
]
